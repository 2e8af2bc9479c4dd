// Describes every metric of a result once: its key, its location, how replications pool, its unit and a line
// of text. Everything that is the same for all metrics follows from these rows: pooling, JSON, lookup by
// path.
//
// fields(visitor, Of<Record>()) gives the rows of a record to the visitor, in the order of the JSON:
//
//   visitor(key, get, rule, about, shown)    a metric, or a record or list of records with rows of its own
//   visitor.inlined(get, rule)               a record or list by name, whose rows stand among those around
//   visitor.group(key, about, rows, there)   an object of rows of the same record; null if not there()
//   visitor.derived(key, get, about, shown)  a metric that follows from others, so it is not pooled
//
// `get` is a member, or a function that returns a reference to the metric in a record.
#pragma once

#include <array>
#include <string>

#include "scenarios/result/ratio.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Names the record whose rows are requested.
template <class Record>
struct Of {};

enum class Unit : unsigned char {
  none,  // a count, a share from 0 to 1, a name
  images_per_s,
  tokens_per_s,
  ms,
  us,
  mj,
  w,
  mhz,
  mb,
  gb,
  gb_s,
  celsius,
  json,  // a text that is itself JSON
};
inline constexpr std::array unit_names{"",    "images/s", "tokens/s", "ms",   "us",   "mJ", "W",
                                       "MHz", "MB",       "GB",       "GB/s", "degC", ""};  // by Unit

struct About {
  const char* words = "";
  Unit unit = Unit::none;
  const char* one_of = "";  // the only values, "ok|out_of_memory", or "$priority": the names of an enum
};

enum class Shown : unsigned char {
  always,
  if_there,   // not if it is absent, empty or false
  else_null,  // null if it is absent or empty
  keys,       // the keys of an absent record are there, and null
  never,      // only pooling needs it
};

// Rules by which replications of a run are pooled. A row without a rule does not compile.
namespace pool {

struct Same {};      // equal in all replications, as the scenario sets it
struct First {};     // value of the first replication, whatever the others have
struct Sum {};       // sum of the replications; absent if one lacks it
struct Mean {};      // mean of the replications; absent if one lacks it
struct Most {};      // largest value
struct Majority {};  // verdict of more than half of them, else none
struct Union {};     // every name that occurs in one of them
struct Parts {};     // every metric of the record, by the rule of its own row
struct Follows {};   // computed from pooled metrics of its record: follow() in pooled.cpp
// Takes the sentences of the first replication whose `stationary` is that of the pooled result.
struct JudgedAlike {};
// Gives `word` if one of the replications says so, else the value of the first.
struct Unless {
  const char* word;
};
// Ratio of sums: pools a metric that is a quantity divided by `divisor`, which is a member of the record or a
// function of the record and the whole result. A replication whose divisor is 0 is ignored.
template <class Divisor>
struct Per {
  Divisor divisor;
};
// Per, except that an absent metric counts as 0.
template <class Divisor>
struct PerOrNone {
  Divisor divisor;
};
// A ratio of sums whose numerator is known even if the ratio is not.
template <class Numerator, class Divisor>
struct Ratio {
  Numerator numerator;
  Divisor divisor;
};
// The 95 % interval of another metric, which `rule` pools: Student's t, from the differences between
// replications. Metrics with an interval are never negative, so the interval is cut at 0.
template <class Get, class Rule>
struct IntervalOf {
  Get metric;
  Rule rule;
};

template <class Divisor>
constexpr Per<Divisor> per(Divisor divisor) {
  return {divisor};
}
template <class Divisor>
constexpr PerOrNone<Divisor> per_or_none(Divisor divisor) {
  return {divisor};
}
template <class Numerator, class Divisor>
constexpr Ratio<Numerator, Divisor> ratio(Numerator numerator, Divisor divisor) {
  return {numerator, divisor};
}
template <class Get, class Rule>
constexpr IntervalOf<Get, Rule> interval_of(Get metric, Rule rule) {
  return {metric, rule};
}

inline constexpr Same same;
inline constexpr First first;
inline constexpr Sum sum;
inline constexpr Mean mean;
inline constexpr Most most;
inline constexpr Majority majority;
inline constexpr Union any;
inline constexpr Parts parts;
inline constexpr Follows follows;
inline constexpr JudgedAlike judged_alike;
inline constexpr Unless unless_shutdown{"thermal_shutdown"};

inline constexpr auto seconds = [](const auto& /*record*/, const Result& of) {
  return Metric(of.simulated_s);
};
inline constexpr auto joules = [](const auto& /*record*/, const Result& of) {
  const Metric& watts = of.system.power_w.mean;
  return watts ? Metric(*watts * of.simulated_s) : std::nullopt;
};
inline constexpr auto images = [](const auto& /*record*/, const Result& of) {
  Metric sum = 0.0;
  for (const ProcessResult& process : of.processes)
    if (in_total(of, process)) sum = sum && process.images ? Metric(*sum + *process.images) : std::nullopt;
  return sum;
};
inline constexpr auto per_second = per(seconds);
// A divisor that counts the replications in which a metric is known.
template <class Record>
constexpr auto is_known(Metric Record::*metric) {
  return [metric](const Record& record, const Result& /*of*/) { return Metric(record.*metric ? 1.0 : 0.0); };
}

}  // namespace pool

inline constexpr About why_as_wide{"Why pi90 is as wide as it is: half-widths in the logarithm"};
inline constexpr const char* rates = "images/s|sequences/s";
inline constexpr const char* statuses = "ok|out_of_memory|thermal_shutdown";

void fields(auto& v, Of<IntervalParts> /*record*/) {
  using I = IntervalParts;
  v("parameters", &I::parameters, pool::first, About{"Part of uncertain parameters of the profile"});
  v("chance", &I::chance, pool::first, About{"Part of chance from run to run"});
  v("model", &I::model, pool::first, About{"Part of the model's error on held-out runs"});
  v("of_parameters", &I::of_parameters, pool::first, About{"Shares in the variance"});
  v("model_from", &I::model_from, pool::first, About{"The held-out runs"});
}

void fields(auto& v, Of<Throughput> /*record*/) {
  using T = Throughput;
  v("mean", &T::mean, pool::per_second, About{"images/s", Unit::images_per_s});
  v("ci95", &T::ci95, pool::interval_of(&T::mean, pool::per_second), About{"Simulation noise"});
  v("pi90", &T::pi90, pool::first, About{"Prediction interval; null unless requested"});
  v("unit", &T::unit, pool::same,
    About{.words = "Unit of throughput and of what is offered", .one_of = rates});
  v("pi90_parts", &T::pi90_parts, pool::first, why_as_wide, Shown::if_there);
}

void fields(auto& v, Of<NeededRun> /*record*/) {
  v("run_s", &NeededRun::run_s, pool::most, About{"Seconds"});
}

namespace of_times {

// Percentiles have the weights of the mean: a replication of one request says little, and the mean of times
// is never less than half their median.
inline constexpr auto of_all = pool::per(&Times::samples);

void metrics(auto& v) {
  v("mean", &Times::mean, of_all, About{"Mean", Unit::ms});
  v("p50", &Times::p50, of_all, About{"Median", Unit::ms});
  v("p90", &Times::p90, of_all, About{"", Unit::ms});
  v("p95", &Times::p95, of_all, About{"", Unit::ms});
  v("p99", &Times::p99, of_all, About{"", Unit::ms});
}

void known(auto& v, const char* of_what) {
  v("n", &Times::samples, pool::sum, About{of_what});
  v.group("ci95", About{"Simulation noise"}, [](auto& ci) {
    using pool::interval_of;
    ci(
        "mean", [](auto& t) -> auto& { return t.ci95.mean; }, interval_of(&Times::mean, of_all), About{});
    ci(
        "p50", [](auto& t) -> auto& { return t.ci95.p50; }, interval_of(&Times::p50, of_all), About{});
    ci(
        "p90", [](auto& t) -> auto& { return t.ci95.p90; }, interval_of(&Times::p90, of_all), About{});
    ci(
        "p99", [](auto& t) -> auto& { return t.ci95.p99; }, interval_of(&Times::p99, of_all), About{});
  });
}

void needs(auto& v) {
  v("needs", &Times::needs, pool::parts,
    About{"The run that would do for a percentile that is null for want of requests"});
}

}  // namespace of_times

void fields(auto& v, Of<Times> /*record*/) {
  of_times::metrics(v);
  of_times::known(v, "Tokens");
  of_times::needs(v);
}

void fields(auto& v, Of<Latency> /*record*/) {
  using L = Latency;
  of_times::metrics(v);
  v.group(
      "pi90", About{"Prediction intervals; null unless requested"},
      [](auto& rows) {
        const auto add = [&rows](const char* name, Interval L::Pi90::*of) {
          rows(
              name, [of](auto& latency) -> auto& { return latency.pi90.*of; }, pool::first, About{});
        };
        add("mean", &L::Pi90::mean);
        add("p50", &L::Pi90::p50);
        add("p90", &L::Pi90::p90);
        add("p95", &L::Pi90::p95);
        add("p99", &L::Pi90::p99);
      },
      [](const L& latency) { return latency.pi90.mean.has_value(); });
  of_times::known(v, "Requests");
  v("unfinished", &L::unfinished, pool::sum, About{"Requests that waited at the end"});
  of_times::needs(v);
  v("of_served", &L::of_served, pool::any, About{"Percentiles that requests turned away could change"});
  v("pi90_parts", &L::pi90_parts, pool::first, why_as_wide, Shown::if_there);
}

void fields(auto& v, Of<Grades> /*record*/) {
  v("kernels", &Grades::kernels, pool::same, About{"Grade of kernel times"});
  v("sharing", &Grades::sharing, pool::same,
    About{"Grade of how processes share the GPU; null if it has it to itself"});
  v("power", &Grades::power, pool::same, About{"Grade of the board's power; null if that is not known"});
}

void fields(auto& v, Of<EnqueueCall> /*record*/) {
  using E = EnqueueCall;
  constexpr auto per_call = pool::per(&E::calls);
  v("mean", &E::mean, per_call, About{"The sum of its parts", Unit::ms});
  v("launch", &E::launch, per_call, About{"On a core, inside API calls", Unit::ms});
  v("reschedule", &E::reschedule, per_call, About{"Runnable, not running", Unit::ms});
  v("compute", &E::compute, per_call, About{"On a core between calls", Unit::ms});
  v("blocking", &E::blocking, per_call, About{"Asleep, or spinning for queue space", Unit::ms});
  v("calls", &E::calls, pool::sum, About{}, Shown::never);
}

void fields(auto& v, Of<TimeShare> /*record*/) {
  for (const process::ShareRow& row : process::share_rows)
    v(
        row.name, [i = index_of(row.share)](auto& shares) -> auto& { return shares[i]; }, pool::per_second,
        About{});
}

void fields(auto& v, Of<StageResult> /*record*/) {
  v("name", &StageResult::name, pool::same, About{"Name in the scenario"});
  v("ms", &StageResult::ms, pool::per(&StageResult::batches),
    About{"Mean of a batch, with the wait for a core", Unit::ms});
  v("batches", &StageResult::batches, pool::sum, About{}, Shown::never);
  v("grade", &StageResult::grade, pool::same, About{"Grade of its cost"}, Shown::if_there);
  v("source", &StageResult::source, pool::same, About{"Source of its cost"}, Shown::if_there);
}

void fields(auto& v, Of<GpuRunningBy> /*record*/) {
  using G = GpuRunningBy;
  constexpr auto per_running = pool::per(&G::seconds);
  v("compute", &G::compute, per_running, About{"Arithmetic"});
  v("memory", &G::memory, per_running, About{"Memory"});
  v("fixed", &G::fixed, per_running, About{"Costs that nothing speeds up"});
  v("throttled", &G::throttled, per_running, About{"Clocks that a controller holds down"});
  v("seconds", &G::seconds, pool::sum, About{}, Shown::never);
}

void fields(auto& v, Of<ProcessMemory> /*record*/) {
  using M = ProcessMemory;
  v("context_mb", &M::context, pool::same, About{"CUDA, libraries and heap", Unit::mb});
  v("engine_mb", &M::engine, pool::same, About{"Weights and kernels", Unit::mb});
  v("arena_mb", &M::arena, pool::same, About{"Activations", Unit::mb});
  v("io_mb", &M::io, pool::same, About{"Inputs and outputs", Unit::mb});
  v("gpu_mb", &M::gpu, pool::same, About{"The part that is GPU memory", Unit::mb});
}

void fields(auto& v, Of<SmArray> /*record*/) {
  using S = SmArray;
  v("sm_active", &S::sm_active, pool::per_second, About{"Share of SM cycles with a resident warp"});
  v("issue_slot", &S::issue_slot, pool::per_second, About{"Share of issue slots used"});
  v("tensor_active", &S::tensor_active, pool::per_second, About{"Share of cycles of tensor pipes"});
  v("occupancy", &S::occupancy, pool::per_second, About{"Resident warps over the most"});
}

void fields(auto& v, Of<WindowShares> /*record*/) {
  using W = WindowShares;
  v("name", &W::name, pool::same, About{}, Shown::never);
  for (std::size_t i = 0; i < window_percentiles.size(); ++i)
    v(
        "p" + std::to_string(window_percentiles[i]),
        [i](auto& shares) -> auto& { return shares.percentiles[i]; }, pool::mean, About{});
  v("max", &W::max, pool::mean, About{"Largest of the windows"});
  v("mean", &W::mean, pool::per_second, About{"Mean of the windows"});
  v("cdf", &W::cdf, pool::per_second, About{}, Shown::never);
  v.derived(
      "cdf",
      [](const W& shares) {
        std::vector<std::pair<double, double>> points;
        for (const double share : shares.cdf)
          points.emplace_back(static_cast<double>(points.size()) / 100, share);
        return points;
      },
      About{"Pairs of a value and the share of windows at or below it"});
}

void fields(auto& v, Of<GpuWindows> /*record*/) {
  v("interval_us", &GpuWindows::interval_us, pool::same, About{"Length of a window", Unit::us});
  v("samples", &GpuWindows::samples, pool::sum, About{"Windows"});
  v.inlined(&GpuWindows::shares, pool::parts);
}

void fields(auto& v, Of<TokenResult> /*record*/) {
  using T = TokenResult;
  v.group("decode_per_s", About{"Tokens of decode steps, in the time that these take"}, [](auto& rows) {
    rows("mean", &T::decode_per_s, pool::per(&T::decoding_s), About{"", Unit::tokens_per_s});
  });
  v.group("prefill_per_s", About{"Tokens of prompts, in the time that their steps take"}, [](auto& rows) {
    rows("mean", &T::prefill_per_s, pool::per(&T::prefilling_s), About{"", Unit::tokens_per_s});
  });
  v("decoding_s", &T::decoding_s, pool::sum, About{}, Shown::never);
  v("prefilling_s", &T::prefilling_s, pool::sum, About{}, Shown::never);
  v("ttft_ms", &T::ttft_ms, pool::parts, About{"Time from a request to its first token"});
  v("itl_ms", &T::itl_ms, pool::parts, About{"Time from one token of a sequence to the next"});
  v("tokens_per_s", &T::per_s, pool::per_second,
    About{"Tokens of decode steps, a second of the run", Unit::tokens_per_s});
  v("tokens_per_joule", &T::per_joule, pool::per(pool::joules),
    About{"Tokens of decode steps, per joule of the board"});
  v("decoded", &T::decoded, pool::sum, About{}, Shown::never);
  v("steps", &T::steps, pool::sum, About{}, Shown::never);
  v.group("decode_step", About{"A step that gives each running sequence a token"}, [](auto& rows) {
    rows("gb", &T::step_gb, pool::per(&T::steps), About{"Read and written", Unit::gb});
    rows("kernels_ms", &T::step_kernels_ms, pool::per(&T::steps),
         About{"Time of the kernels if they had the GPU to themselves", Unit::ms});
    rows("memory_share", &T::step_memory_share, pool::per([](const T& tokens, const Result& /*of*/) {
           return Metric(tokens.step_kernels_ms.value_or(0) * static_cast<double>(tokens.steps));
         }),
         About{"Part of that time that memory bounds"});
  });
  v("weights_mb", &T::weights_mb, pool::same, About{"Held, or what would be", Unit::mb});
  v("kv_cache_mb", &T::kv_cache_mb, pool::same, About{"Held, or what would be", Unit::mb});
  v("prompted", &T::prompted, pool::sum, About{}, Shown::never);
  v("reused_share", &T::reused_share, pool::per(&T::prompted),
    About{"Part of the tokens of prompts whose keys and values were there already"}, Shown::if_there);
}

// The rate of requests of a process or an instance.
template <class P, class V>
void offered(V& v) {
  v.group(
      "offered", About{"Requested rate; null in a closed loop"},
      [](auto& rows) {
        rows("mean", &P::offered, pool::per_second, About{"", Unit::images_per_s});
        rows.derived(
            "unit", [](const P& of) { return of.throughput.unit; }, About{.one_of = rates});
      },
      [](const P& of) { return of.offered.has_value(); });
}

void fields(auto& v, Of<InstanceResult> /*record*/) {
  using I = InstanceResult;
  v("index", &I::index, pool::same, About{"Among the streams of the process"});
  v("name", &I::name, pool::same, About{"Name in the scenario"}, Shown::if_there);
  v("model", &I::model, pool::same, About{});
  v("precision", &I::precision, pool::same, About{"Null for equal kernels"});
  v("batch", &I::batch, pool::same, About{"The most images at a time"});
  v("priority", &I::priority, pool::same, About{.one_of = "$priority"});
  v("images", &I::images, pool::sum, About{}, Shown::never);
  v("asked", &I::asked, pool::sum, About{}, Shown::never);
  v("throughput", &I::throughput, pool::parts, About{});
  offered<I>(v);
  v("stable", &I::stable, pool::majority, About{"false: the backlog grows, and latencies are null"});
  v("latency_ms", &I::latency_ms, pool::parts, About{"Milliseconds from the request to the answer"});
  v("mean_batch", &I::mean_batch, pool::per(&I::batches),
    About{"Images per batch; of a language model, sequences per decode step"});
  v("batches", &I::batches, pool::sum, About{}, Shown::never);
  v("drops", &I::drops, pool::sum, About{"Requests that a full queue dropped"});
  v("tokens", &I::tokens, pool::parts, About{"Tokens of a language model, else null"}, Shown::else_null);
}

namespace of_process {

void service(auto& v) {
  using P = ProcessResult;
  v("index", &P::index, pool::same, About{"Among all processes"});
  v("entry", &P::entry, pool::same, About{"Index in the scenario's processes"});
  v("name", &P::name, pool::same, About{"Name in the scenario"}, Shown::if_there);
  v("model", &P::model, pool::same, About{});
  v("precision", &P::precision, pool::same, About{"Null for equal kernels"});
  v("batch", &P::batch, pool::same, About{"The most images at a time"});
  v("runtime", &P::runtime, pool::same, About{"Null for a load"}, Shown::else_null);
  v("training", &P::training, pool::same, About{"A batch is a training step"}, Shown::if_there);
  v("status", &P::status, pool::same, About{.one_of = statuses});
  v.derived(
      "grade", [](const P& process) { return lowest(process.grades); }, About{"The lowest of `grades`"});
  v("grades", &P::grades, pool::parts, About{"Grades of what it rests on"});
  v("throughput", &P::throughput, pool::parts, About{});
  v("interval", &P::interval, pool::same, About{}, Shown::never);
  v.derived("frames_per_s", frames_per_s,
            About{"Frames/s, of which `throughput` is those that are inferred", Unit::images_per_s},
            Shown::if_there);
  v("images", &P::images, pool::sum, About{"Served in the measured time"});
  v("asked", &P::asked, pool::sum, About{}, Shown::never);
  offered<P>(v);
  v("stable", &P::stable, pool::majority, About{"false: the backlog grows, and latencies are null"});
  v("stationary", &P::stationary, pool::majority, About{"false: the throughput still moves"});
  v("backlog_growth", &P::backlog_growth, pool::per_or_none(pool::seconds),
    About{"images/s", Unit::images_per_s});
  v("stable_rate", &P::stable_rate, pool::per(pool::is_known(&P::stable_rate)),
    About{"images/s that an overloaded process could serve; null if it keeps up", Unit::images_per_s});
  v("unstable_share", &P::unstable_share, pool::first,
    About{"Of real boards, where its backlog grows; with pi90, whose upper ends of latency are null then"},
    Shown::if_there);
  v("latency_ms", &P::latency_ms, pool::parts, About{"Milliseconds from the request to the answer"});
  v("mean_batch", &P::mean_batch, pool::per(&P::batches),
    About{"Images per batch; of a language model, sequences per decode step"});
  v("batches", &P::batches, pool::sum, About{}, Shown::never);
  v("converged", &P::converged, pool::majority,
    About{"With run.until: true for each metric that is as precise as requested"}, Shown::if_there);
}

}  // namespace of_process

void fields(auto& v, Of<ProcessResult> /*record*/) {
  using P = ProcessResult;
  of_process::service(v);
  v("ec_ms", &P::ec_ms, pool::parts, About{"One ExecutionContext call"});
  v.group("sync_ms", About{"One synchronise call"}, [](auto& rows) {
    rows("mean", &P::sync_ms, pool::per(&P::sync_calls), About{"", Unit::ms});
  });
  v("sync_calls", &P::sync_calls, pool::sum, About{}, Shown::never);
  v("stages", &P::stages, pool::parts, About{"On the host, in the order in which they run"}, Shown::if_there);
  v("time_share", &P::time_share, pool::parts,
    About{"Shares of the process's time, from 0 to 1; they sum to 1"}, Shown::keys);
  v("gpu_running_by", &P::gpu_running_by, pool::parts, About{"Resources that bound the kernels"});
  v.group("gpu", About{"Activity of the GPU caused by its own kernels"}, [](auto& rows) {
    rows.inlined(&P::gpu, pool::parts);
    rows("metrics", &P::gpu_windows, pool::parts, About{"Distributions over windows, with gpu_metrics"},
         Shown::if_there);
  });
  v("memory_mb", &P::memory_mb, pool::same, About{"The sum of `memory`", Unit::mb});
  v("memory", &P::memory, pool::parts, About{"Memory that the process holds"});
  v("throttled_share", &P::throttled_share, pool::per_second,
    About{"Share of the time in which a limit held its thread back"}, Shown::if_there);
  v("throttled_by", &P::throttled_by, pool::same,
    About{.words = "The limit: the quota of a container, or the limit on real-time threads",
          .one_of = "container|fifo"},
    Shown::if_there);
  v("tokens", &P::tokens, pool::parts, About{"Tokens of a language model"}, Shown::if_there);
  v("problem", &P::problem, pool::same, About{"Why there are no metrics"}, Shown::if_there);
  v("drops", &P::drops, pool::sum, About{"Requests that a full queue dropped"});
  v("dropped_images", &P::dropped_images, pool::sum, About{}, Shown::never);
  v.derived("dropped_share", dropped_share, About{"Share of the images that a full queue dropped"},
            Shown::if_there);
  v("setup_ms", &P::setup_ms, pool::mean, About{"Time from its start until it is ready", Unit::ms});
  v("finished_ms", &P::finished_ms, pool::mean,
    About{"Time from its start to the end of its last batch", Unit::ms});
  v("throughput_after_setup", &P::throughput_after_setup, pool::per([](const P& process, const Result&) {
      return process.finished_ms && process.setup_ms ? Metric(*process.finished_ms - *process.setup_ms)
                                                     : std::nullopt;
    }),
    About{"images/s of all batches, from when it is ready", Unit::images_per_s});
  v("instances", &P::instances, pool::parts, About{"Streams of a process that has several, else null"},
    Shown::else_null);
}

// A load has the keys of a process, and these.
void fields(auto& v, Of<LoadResult> /*record*/) {
  using L = LoadResult;
  v("name", &L::name, pool::same, About{}, Shown::never);
  v("load", &L::load, pool::same, About{.words = "Only of a co-runner", .one_of = "$load"});
  v("threads", &L::threads, pool::same, About{"Only of a co-runner"});
  v("grade", &L::grade, pool::same, About{}, Shown::never);
  v("behind_entries", &L::behind_entries, pool::same, About{}, Shown::never);
  v("behind_processes", &L::behind_processes, pool::same, About{}, Shown::never);
  v("bandwidth_gb_s", &L::bandwidth_gb_s, pool::per_second,
    About{"Moved over the memory by a co-runner", Unit::gb_s});
  v("busy_cores", &L::busy_cores, pool::per_second, About{"Held by the threads of a co-runner, in the mean"});
}

void fields(auto& v, Of<EngineResult> /*record*/) {
  v("name", &EngineResult::name, pool::same, About{"nvdec, nvjpeg, vic or nvenc"});
  v("busy", &EngineResult::busy, pool::per_second, About{"Share from 0 to 1"});
}

void fields(auto& v, Of<DlaResult> /*record*/) {
  v("name", &DlaResult::name, pool::same, About{"dla0"});
  v("busy", &DlaResult::busy, pool::per_second, About{"Share from 0 to 1"});
  v("clock_mhz", &DlaResult::clock_mhz, pool::per_second, About{"", Unit::mhz});
}

void fields(auto& v, Of<LinkResult> /*record*/) {
  using L = LinkResult;
  v("busy", &L::busy, pool::per_second, About{"Share of the time in which it sends"});
  v("load", &L::load, pool::per_second, About{"Offered with resends, as a share of its capacity"});
  v("requests_per_s", &L::requests_per_s, pool::per_second, About{"Sent over it"});
  constexpr auto sent = [](const L& link, const Result& of) {
    return link.requests_per_s ? Metric(*link.requests_per_s * of.simulated_s) : std::nullopt;
  };
  v("resends", &L::resends, pool::per(sent), About{"Lost attempts per request"});
  v("tries", &L::tries, pool::sum, About{}, Shown::never);
  v("wait_ms", &L::wait_ms, pool::per(&L::tries),
    About{"Mean wait of an attempt for the link to be free", Unit::ms});
  v("queued", &L::queued, pool::mean, About{"Attempts that wait for it at the end"});
  v("power_w", &L::power_w, pool::per_second, About{"Power of the sender; not part of the board's", Unit::w});
}

void fields(auto& v, Of<PowerResult> /*record*/) {
  using P = PowerResult;
  v("mean", &P::mean, pool::per_second, About{"Over the measured time", Unit::w});
  v("peak", &P::peak, pool::mean, About{"The highest mean over 100 ms", Unit::w});
  v("rails", &P::rails, pool::per_second,
    About{"Mean power of the rails, as the board's sensors measure it", Unit::w});
  v("rail_peaks", &P::rail_peaks, pool::mean, About{"W", Unit::w});
  v("parts", &P::parts, pool::per_second, About{"W; their sum is the mean", Unit::w});
  v("wall", &P::wall, pool::per_second, About{"At the plug", Unit::w});
  v("ci95", &P::ci95, pool::interval_of(&P::mean, pool::per_second), About{"Simulation noise"},
    Shown::if_there);
  v("pi90", &P::pi90, pool::first, About{"Prediction interval"}, Shown::if_there);
  v("pi90_parts", &P::pi90_parts, pool::first, why_as_wide, Shown::if_there);
}

void fields(auto& v, Of<GpuResult> /*record*/) {
  using G = GpuResult;
  v("busy", &G::busy, pool::per_second, About{"Share from 0 to 1"});
  v("reported_load", &G::reported_load, pool::per_second,
    About{"Load of the GPU as a tool on the board reports it"});
  v.inlined(&G::array, pool::parts);
  v("clock_mhz", &G::clock_mhz, pool::per_second, About{"Mean, as the driver reports it", Unit::mhz});
  v("clock_effective_mhz", &G::clock_effective_mhz, pool::per_second,
    About{"Mean of the SMs' own clock while the GPU is busy, which tensor work lowers", Unit::mhz},
    Shown::if_there);
  v("switches_per_s", &G::switches_per_s, pool::per_second,
    About{"Changes of the process that owns the GPU"});
  v("repeated", &G::repeated, pool::per_second,
    About{"Share of the time in which steady batches were repeated instead of simulating their kernels"},
    Shown::if_there);
  v("compositor", &G::compositor, pool::per_second, About{"Share of the time in which its frames ran"},
    Shown::if_there);
  v("metrics", &G::windows, pool::parts, About{"Distributions over windows, with gpu_metrics"},
    Shown::if_there);
}

void fields(auto& v, Of<CpuResult> /*record*/) {
  using C = CpuResult;
  v("busy_cores", &C::busy_cores, pool::per_second, About{"Mean number"});
  v("migrations_per_s", &C::migrations_per_s, pool::per_second, About{"Threads moved to another core"});
  v("involuntary_switches_per_s", &C::involuntary_switches_per_s, pool::per_second,
    About{"Threads preempted"});
  v("clock_mhz", &C::clock_mhz, pool::per_second, About{"Mean, of each cluster", Unit::mhz});
  v("interrupted", &C::interrupted, pool::per_second, About{"Cores that interrupts took from threads"},
    Shown::if_there);
}

void fields(auto& v, Of<MemoryResult> /*record*/) {
  using M = MemoryResult;
  v("used_mb", &M::used_mb, pool::same, About{"Memory used by processes and the system", Unit::mb});
  v("needed_mb", &M::needed_mb, pool::same,
    About{"Memory needed, processes that do not fit included", Unit::mb});
  v("capacity_mb", &M::capacity_mb, pool::same, About{"Usable", Unit::mb});
  v("gpu_share", &M::gpu_share, pool::same, About{"Share of the capacity that is allocated for the GPU"});
  v("bandwidth_gb_s", &M::bandwidth_gb_s, pool::per_second, About{"Moved", Unit::gb_s});
  v("clock_mhz", &M::clock_mhz, pool::per_second, About{"Mean, of the EMC", Unit::mhz});
}

void fields(auto& v, Of<TotalTokens> /*record*/) {
  using T = TotalTokens;
  v("decoded", &T::decoded, pool::sum, About{}, Shown::never);
  v.group("per_s", About{"Tokens of decode steps, a second of the run"}, [](auto& rows) {
    rows("mean", &T::per_s, pool::per_second, About{"", Unit::tokens_per_s});
    rows("pi90", &T::per_s_pi90, pool::first, About{"Prediction interval"}, Shown::if_there);
    rows("pi90_parts", &T::per_s_pi90_parts, pool::first, why_as_wide, Shown::if_there);
  });
  v.group("energy_mj", About{"Of the board, for each of these tokens"}, [](auto& rows) {
    rows("mean", &T::energy_mj, pool::per(&T::decoded), About{"", Unit::mj});
    rows("pi90", &T::energy_pi90, pool::first, About{"Prediction interval"}, Shown::if_there);
    rows("grade", &T::power_grade, pool::same, About{"Grade of the board's power"}, Shown::if_there);
  });
}

void fields(auto& v, Of<SystemResult> /*record*/) {
  using S = SystemResult;
  v.group("throughput", About{"images/s of all processes"}, [](auto& rows) {
    rows("mean", &S::throughput, pool::per_second, About{"", Unit::images_per_s});
    rows("ci95", &S::throughput_ci95, pool::interval_of(&S::throughput, pool::per_second),
         About{"Simulation noise"}, Shown::if_there);
    rows("pi90", &S::throughput_pi90, pool::first, About{"Prediction interval"}, Shown::if_there);
    rows("pi90_parts", &S::throughput_pi90_parts, pool::first, why_as_wide, Shown::if_there);
  });
  v("power_w", &S::power_w, pool::parts, About{"At the input of the module"});
  constexpr auto millijoules = [](const S& system, const Result& of) {
    const Metric joules = pool::joules(system, of);
    return joules ? Metric(1e3 * *joules) : std::nullopt;
  };
  v("energy_per_image_mj", &S::energy_per_image_mj, pool::ratio(millijoules, pool::images),
    About{"At the input of the module", Unit::mj});
  v("tokens", &S::tokens, pool::parts, About{"All language models together"}, Shown::if_there);
  v("gpu", &S::gpu, pool::parts, About{});
  v("dla", &S::dla, pool::parts, About{});
  v("engines", &S::engines, pool::parts, About{"Engines that stages use"}, Shown::if_there);
  v("link", &S::link, pool::parts, About{"Link that requests arrive over"}, Shown::if_there);
  v("cpu", &S::cpu, pool::parts, About{});
  v("memory", &S::memory, pool::parts, About{});
  v("temperature_c", &S::temperature_c, pool::mean,
    About{"Temperature of the chip at the end", Unit::celsius});
  v("temperature_peak_c", &S::temperature_peak_c, pool::mean,
    About{"Highest temperature of the chip", Unit::celsius});
  v("time_in_state", &S::time_in_state, pool::per_second, About{"Share of time at each clock, by MHz"});
  v("limited_by", &S::limited_by, pool::follows,
    About{"The limit that held a clock down for longest, or none"});
  v("limited_share", &S::limited_share, pool::per_second, About{"Share from 0 to 1"});
  v("stop", &S::stop, pool::unless_shutdown, About{"The reason why the run ended"});
}

void fields(auto& v, Of<Warmup> /*record*/) {
  v("set_s", &Warmup::set_s, pool::mean, About{"Left out before measuring"});
  v.group("found_s", About{"Seconds from the start until it has settled; null where it has not"},
          [](auto& rows) {
            rows("throughput", &Warmup::throughput_s, pool::mean, About{});
            rows("power", &Warmup::power_s, pool::mean, About{});
            rows("temperature", &Warmup::temperature_s, pool::mean, About{});
          });
}

void fields(auto& v, Of<Judged> /*record*/) {
  using J = Judged;
  v("metric", &J::metric, pool::first, About{"Its path as the scenario names it"});
  v("words", &J::words, pool::first, About{"The same for people"});
  v("unit", &J::unit, pool::first, About{});
  v("value", &J::value, pool::first,
    About{"Of the worst process; null if latency grows or the run is too short"});
  v("pi90", &J::pi90, pool::first, About{"Prediction interval, if asked for"});
  v("limit", &J::limit, pool::first, About{"null of an objective"});
  v("least", &J::least, pool::first, About{"true: the limit is the least value, not the greatest"});
  v("grows", &J::grows, pool::first, About{"true: latency grows without bound"});
  v("met", &J::met, pool::first, About{"null without a limit or a value"});
}

void fields(auto& v, Of<Breaks> /*record*/) {
  v("change", &Breaks::change, pool::first, About{"What would have to be otherwise"});
  v("by", &Breaks::by, pool::first, About{"By how much, 0.2 a fifth; null: nothing up to twice breaks it"});
}

void fields(auto& v, Of<Verdict> /*record*/) {
  using V = Verdict;
  v("question", &V::question, pool::first, About{"What was asked, without its question mark"},
    Shown::if_there);
  v("text", &V::text, pool::first, About{"The answer in a sentence"});
  v("metric", &V::metric, pool::first, About{"The metric that decides, by its path"});
  v("value", &V::value, pool::first, About{});
  v("pi90", &V::pi90, pool::first, About{"Prediction interval, if asked for"});
  v("limit", &V::limit, pool::first, About{"null without limits"});
  v("met", &V::met, pool::first, About{"All limits; null without any, or if that is not known"});
  v("breaks", &V::breaks, pool::first,
    About{"The smallest change that breaks a limit; absent: not looked for"}, Shown::if_there);
  v("limits", &V::limits, pool::first, About{"Every limit, or the objective"});
}

void fields(auto& v, Of<Result> /*record*/) {
  using R = Result;
  v.derived(
      "schema", [](const R&) { return std::string("jostle.result/1"); }, About{.one_of = "jostle.result/1"});
  v("scenario", &R::scenario, pool::same, About{"Its name"});
  v("device", &R::device, pool::same, About{});
  v("profile_hash", &R::profile_hash, pool::same,
    About{"Hash of the values that the board was simulated with"});
  v("seed", &R::seed, pool::first, About{"Seed of all random numbers"});
  v("status", &R::status, pool::same, About{.one_of = statuses});
  v("verdict", &R::verdict, pool::first, About{"The answer to `constraints` or `objective`"},
    Shown::if_there);
  v("processes", &R::processes, pool::parts,
    About{"Processes with `count` expanded, and loads, in the scenario's order"});
  v("loads", &R::loads, pool::parts, About{}, Shown::never);
  v("system", &R::system, pool::parts, About{"The board as a whole"});
  v("scenario_hash", &R::scenario_hash, pool::same, About{"Hash that is equal for equal scenarios"});
  v("simulated_s", &R::simulated_s, pool::sum, About{"Without the warm-up; of all replications together"});
  v("replications", &R::replications, pool::sum, About{"Number of replications that the result pools"});
  v("stationary", &R::stationary, pool::majority, About{"false: throughput or power still moves"});
  v("warmup", &R::warmup, pool::parts, About{});
  v("warnings", &R::warnings, pool::judged_alike, About{"Sentences for people"});
  v.derived(
      "sharing_note", [](const R& result) { return sharing_note(result); },
      About{"The log that would measure how processes share the GPU, where that is assumed"},
      Shown::if_there);
  v("resolved", &R::resolved, pool::same,
    About{"The scenario with every default, itself a valid scenario", Unit::json}, Shown::if_there);
}

// A type that has rows.
template <class T>
concept Record = requires(struct AnyVisitor& visitor) {
  fields(visitor, Of<T>());
};

}  // namespace jostle::scenarios
