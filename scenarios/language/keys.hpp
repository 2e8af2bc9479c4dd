// Describes each plain key of scenarios once: its name, its member, the reader of its value with the limits,
// and a line of words. Loading (KeyReader), the canonical JSON (echo.cpp) and the schema (analyses/schema)
// follow from these rows. Keys that depend on others stay code in load*.cpp and echo.cpp; here they have
// their place.
//
// keys(visitor, KeysOf<Record>()) gives the rows of a record to the visitor, in the order of the schema:
//
//   visitor(key, member, reader, words, use)   a member with its default, or an optional one
//   visitor.code(key, use)                     a key that code reads and writes
//
// The rows of a process stand with the records that it is made of (each_group()). A row says which kinds of
// entries have its key: a key of another kind is refused by refuse_other_kinds(), in one sentence for all.
#pragma once

#include <type_traits>

#include "input/readers.hpp"
#include "profiles/profile/time_span.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

using input::Boolean;
using input::Choice;
using input::Integer;
using input::Quantity;
using input::Real;
using input::Text;
using input::Whole;
using profiles::TimeSpan;

// The limit on core numbers: all are below it.
inline constexpr int max_cores = 1024;
// The limit on streams of a process: the number of resident grids that CUDA supports.
inline constexpr std::int64_t max_streams = 128;
// Limits on tokens of a prompt or an answer, and on positions of a sequence.
inline constexpr std::int64_t max_tokens = 131'072, most_context = 1 << 20;

// Names the record whose rows are requested.
template <class R>
struct KeysOf {};

enum class Key : unsigned char {
  optional,
  required,
  if_changed,  // optional, and not in the canonical JSON if it has the default
};

// Kinds of entries in `processes`, and of their places. An entry has a key if the row has all of its bits.
using Kinds = unsigned;
namespace kind {                                                // NOLINT(readability-identifier-naming)
inline constexpr Kinds network = 1, language = 2, kernels = 4;  // the model
inline constexpr Kinds alone = 8;                               // a process with a model
inline constexpr Kinds several = 16;                            // a process with instances
inline constexpr Kinds instance = 32;                           // an instance of one
inline constexpr Kinds load = 64;
inline constexpr Kinds model = network | language | kernels, process = alone | several | load,
                       part = alone | instance;
inline constexpr Kinds all = ~Kinds{0};
}  // namespace kind
[[nodiscard]] constexpr bool has_key(Kinds of, Kinds entry) {
  return (of & entry) == entry;
}
// The kind of a process's model.
[[nodiscard]] Kinds kind_of(const Model& model);

// The use of a row: when its key is written, who has it, and the phrase that tells its value.
struct Use {
  // NOLINTNEXTLINE(google-explicit-constructor): most rows say no more than this
  constexpr Use(Key key = Key::optional, Kinds kinds = kind::all, const char* phrase = nullptr,
                const char* usual = "")
      : kind(key), of(kinds), told(phrase), untold(usual) {}
  // NOLINTNEXTLINE(google-explicit-constructor): an optional key of these
  constexpr Use(Kinds kinds, const char* phrase = nullptr, const char* usual = "")
      : Use(Key::optional, kinds, phrase, usual) {}
  Key kind;
  Kinds of;
  const char* told;    // "{} streams"; null: code tells it, or nobody needs to know
  const char* untold;  // a value that goes without saying
};

// Lists the keys of a record: "budget, window".
struct KeyNames {
  std::string text = {};

  template <class Get, class Read>
  void operator()(const char* key, Get /*member*/, const Read& /*read*/, const char* /*words*/ = "",
                  Use use = {}) {
    code(key, use);
  }
  void code(const char* key, Use /*use*/ = {}) { text += (text.empty() ? "" : ", ") + std::string(key); }
};
// A record that has rows.
template <class R>
concept Keyed = requires(KeyNames& names) {
  keys(names, KeysOf<R>());
};
template <class R>
std::string with_keys(const std::string& what) {
  KeyNames names;
  keys(names, KeysOf<R>());
  return what + ": " + names.text;
}

// Reads the keys of a record that this kind of entry has.
template <class R>
struct KeyReader {
  input::Mapping& mapping;
  R& record;
  Kinds entry = 0;
  bool complete = true;  // false: a required key is absent or invalid

  template <class T, class Read>
  void operator()(const char* key, T R::*member, const Read& read, const char* /*words*/ = "", Use use = {}) {
    if (!has_key(use.of, entry)) return;
    if (use.kind == Key::required)
      complete &= mapping.required(key, record.*member, read);
    else
      mapping.optional(key, record.*member, read);
  }
  void code(const char* key, Use use = {}) {
    if (has_key(use.of, entry)) (void)mapping.find(key);  // hints list it in its place
  }
};
// Returns whether all required keys are there and valid.
template <class R>
bool read_keys(input::Mapping& mapping, R& record, Kinds entry = 0) {
  KeyReader<R> rows{mapping, record, entry};
  keys(rows, KeysOf<R>());
  return rows.complete;
}

// Readers, beside those of input/readers.hpp. `definition`: the name of the reader's schema in scenario.json.

// A mapping whose keys are the rows of a record.
template <class R>
struct Section {
  const char* what;  // "a mapping of clocks"; messages list its keys behind it
  R defaults = {};
  [[nodiscard]] std::optional<R> operator()(const input::Cursor& at) const {
    input::Mapping mapping(at, with_keys<R>(what));
    R record = defaults;
    return read_keys(mapping, record) ? std::optional(record) : std::nullopt;
  }
};
// Also `true`, for the defaults, or `false`, for none.
template <class R>
struct SectionOrBoolean {
  Section<R> section;
  [[nodiscard]] std::optional<R> operator()(const input::Cursor& at) const {
    if (at.is(input::Kind::mapping)) return section(at);
    return Boolean{}(at).value_or(false) ? std::optional(section.defaults) : std::nullopt;
  }
};
// A list of distinct core numbers, which is sorted.
struct CoreList {
  static constexpr const char* definition = "cpus";
  [[nodiscard]] std::optional<std::vector<int>> operator()(const input::Cursor& at) const;
};
// A number of threads, or `default`: 0 until the board is known.
struct ThreadCount {
  static constexpr const char* definition = "thread_count";
  [[nodiscard]] std::optional<std::int64_t> operator()(const input::Cursor& at) const {
    const std::string text = at.is(input::Kind::scalar) ? at.value().text : "";
    if (text == "default") return 0;
    if (text.find_first_not_of("+-.0123456789") == std::string::npos) return Integer{1, 1024}(at);
    at.expected("a number of threads, or default");
    return std::nullopt;
  }
};
// The side of an image in pixels, tokens, or WIDTHxHEIGHT; the value is that of input_sides.hpp.
struct InputSize {
  static constexpr const char* definition = "input_size";
  [[nodiscard]] std::optional<std::int64_t> operator()(const input::Cursor& at) const;
};
// The metrics that must be precise: a list without repetition.
struct PreciseList {
  Choice<Precise> item{"a metric", precise_names()};
  [[nodiscard]] std::optional<std::vector<Precise>> operator()(const input::Cursor& at) const;
};
// A payload: jpeg, tensor or a size.
struct PayloadReader {
  static constexpr const char* definition = "payload";
  [[nodiscard]] std::optional<Payload> operator()(const input::Cursor& at) const;
};

inline Quantity link_bandwidth() {
  return {.dimension = input::bandwidth_dimension(),
          .least = 0.125,
          .most = 1e13,
          .reason = "a link carries at least a bit in a second"};
}
// A time from 0, or above it, to `most`.
inline TimeSpan up_to(sim::Duration most) {
  return {sim::Duration::zero(), most};
}
inline TimeSpan above_zero(sim::Duration most) {
  return {sim::Duration::zero(), most, true};
}
inline const sim::Duration max_run = sim::seconds(max_run_seconds), max_round_trip = sim::seconds(3600);

void keys(auto& v, KeysOf<Clocks> /*record*/) {
  const Quantity clock{input::frequency_dimension(), 0, 1e11, true};
  v("cpu", &Clocks::cpu_hz, clock);
  v("gpu", &Clocks::gpu_hz, clock);
  v("emc", &Clocks::emc_hz, clock, "Clock of the memory controller");
  v("dla", &Clocks::dla_hz, clock);
  v("cores", &Clocks::cores, Whole<int>{1, max_cores}, "Number of online cores");
}

void keys(auto& v, KeysOf<Governors> /*record*/) {
  v("cpu", &Governors::cpu, Choice<std::string>{"a governor", cpu_governor_names()});
  v("gpu", &Governors::gpu, Choice<std::string>{"a governor", gpu_governor_names()});
}

void keys(auto& v, KeysOf<PowerCap> /*record*/) {
  v("budget", &PowerCap::budget_w, Quantity{input::power_dimension(), 0, 1e5, true}, "", Key::required);
  v("window", &PowerCap::window, above_zero(max_run), "Default 1 s");
}

// The keys of a link that do not vary in a study.
void link_quality(auto& v) {
  v("jitter", &Link::jitter, up_to(max_round_trip));
  v("loss", &Link::loss, Quantity{input::share_dimension(), 0, 0.99});
  v("energy_per_bit", &Link::energy_per_bit_j, Quantity{input::energy_per_bit_dimension(), 0, 1e-3});
}
void keys(auto& v, KeysOf<Link> /*record*/) {
  v("bandwidth", &Link::bandwidth, link_bandwidth(), "", Key::required);
  v("rtt", &Link::rtt, up_to(max_round_trip), "", Key::required);
  link_quality(v);
  v("payload", &Link::payload, PayloadReader{});
}

void keys(auto& v, KeysOf<process::ServerCosts> /*record*/) {
  v("per_batch", &process::ServerCosts::per_batch, up_to(sim::seconds(1)), "Default 0");
  v("per_request", &process::ServerCosts::per_request, up_to(sim::seconds(1)), "Default 0");
}

void keys(auto& v, KeysOf<process::PollingWait> /*record*/) {
  v("poll", &process::PollingWait::poll, above_zero(sim::seconds(1)), "It sleeps so long at a time",
    Key::required);
  v("work", &process::PollingWait::work, up_to(sim::milliseconds(10)),
    "Host work of each wake-up. Default 6 us");
}

void keys(auto& v, KeysOf<Interrupts> /*record*/) {
  v("cpu", &Interrupts::cpu, Whole<int>{0, max_cores - 1}, "The core that serves them");
  v("load", &Interrupts::load, Quantity{input::share_dimension(), 0, 0.95}, "", Key::required);
  v("rate", &Interrupts::rate, Quantity{input::rate_dimension(), 1, 1e5});
}

void keys(auto& v, KeysOf<DesktopCompositor> /*record*/) {
  v("rate", &DesktopCompositor::rate, Quantity{input::rate_dimension(), 1, 1000});
  v("time", &DesktopCompositor::time, above_zero(sim::seconds(1)), "GPU time of a frame");
}

void keys(auto& v, KeysOf<cpu::ContainerSpec> /*record*/) {
  constexpr double least_quota = 0.01;  // minimum of the Linux kernel: 1 ms of a period of 100 ms
  v("name", &cpu::ContainerSpec::name, Text{200}, "", Key::required);
  v("cpus", &cpu::ContainerSpec::cpus, Real{least_quota, max_cores}, "Its quota, in cores");
  v("shares", &cpu::ContainerSpec::shares, Integer{cpu::min_shares, cpu::max_shares},
    "Its weight (cpu.shares)");
}

void keys(auto& v, KeysOf<ThreadSettings> /*record*/) {
  constexpr Kinds of = kind::model | kind::process;
  v("cpus", &ThreadSettings::cpus, CoreList{}, "", {Key::if_changed, of});
  v("nice", &ThreadSettings::nice, Whole<int>{-20, 19}, "", {of, "nice {}", "0"});
  v("container", &ThreadSettings::container, Section<cpu::ContainerSpec>{"a container"}, "", {of});
  v.code("policy", of);
}

void keys(auto& v, KeysOf<SyntheticModel> /*record*/) {
  using Count = Whole<std::uint32_t>;
  v("kernels", &SyntheticModel::kernels, Integer{1, 100'000}, "Number of kernels in a batch", Key::required);
  v("duration", &SyntheticModel::duration, above_zero(sim::seconds(10)),
    "Duration of a kernel that runs alone on the GPU", Key::required);
  v("blocks", &SyntheticModel::blocks, Count{1, 2'147'483'647}, "", Key::required);
  v("threads", &SyntheticModel::threads, Count{1, 1024}, "", Key::required);
  v("pace", &SyntheticModel::pace, above_zero(sim::seconds(10)), "Host time from one launch to the next");
  v("bytes", &SyntheticModel::bytes, Quantity{input::size_dimension(), 0, 1e12},
    "Memory traffic of a kernel. Absent: the kernel spins; it counts clock cycles and uses no memory",
    Key::if_changed);
  v("pipes", &SyntheticModel::pipes, Quantity{input::share_dimension(), 0, 1},
    "Share of the pipes of the SMs that a kernel keeps busy while all its blocks run", Key::if_changed);
}

void keys(auto& v, KeysOf<LoadEntry> /*record*/) {
  v("name", &LoadEntry::name, Text{200}, "", {Key::if_changed, kind::load});
  v("load", &LoadEntry::kind, Choice<process::LoadKind>{"a load", load_names()}, "",
    {Key::required, kind::load});
  v("threads", &LoadEntry::threads, Whole<int>{1, 1024}, "", {kind::load, "threads: {}"});
  v("bandwidth", &LoadEntry::bandwidth, Quantity{input::bandwidth_dimension(), 0, 1e15, true},
    "Total of all its threads", {kind::load, "{} over the memory"});
  v("duty", &LoadEntry::duty, Quantity{input::share_dimension(), 0, 1}, "", {kind::load, "duty {}", "100 %"});
}

void keys(auto& v, KeysOf<ProcessEntry> /*record*/) {
  constexpr Kinds part = kind::model | kind::part, images = part & ~kind::language;
  v("name", &ProcessEntry::name, Text{200}, "", {Key::if_changed, part | kind::several});
  v.code("model", part);
  v.code("precision", part);
  v.code("batch", part);
  v("count", &ProcessEntry::count, Integer{1, max_processes},
    "Equal processes, or streams of an instance. Default 1", {part | kind::several});
  v.code("instances", kind::several);
  v.code("arrivals", part);
  v.code("after", images);
  v.code("fan_out", images);
  v.code("queue", part);
  v.code("max_queue_delay", images);
  v("server", &ProcessEntry::server, Section<process::ServerCosts>{"the costs of a server's loop"},
    "Host time of the loop that forms batches; default: the profile's", {images});
}

void keys(auto& v, KeysOf<ModelWork> /*record*/) {
  v("training", &ModelWork::training, Boolean{}, "A batch is a step of training",
    {Key::if_changed, kind::network | kind::alone});
  v("input", &ModelWork::input, InputSize{}, "Side of the image in pixels, or WIDTHxHEIGHT; or tokens",
    {kind::network | kind::part, "input {}"});
  v.code("batch_norm", {kind::network | kind::part, "{} batch norms"});
  v.code("layers", kind::network | kind::alone);
}

void keys(auto& v, KeysOf<GpuShare> /*record*/) {
  constexpr Kinds whole = kind::model | kind::alone | kind::several;
  v("streams", &GpuShare::streams, Integer{1, max_streams}, "Equal ones in one process",
    {Key::if_changed, kind::model | kind::alone, "{} streams"});
  static const Choice<gpu::Priority> priority{"a priority", priority_names()};
  static const Choice<gpu::Interleave> interleave{"a level of interleaving", interleave_names()};
  v("priority", &GpuShare::priority, priority, "",
    {Key::if_changed, kind::model | kind::part, "{} priority", "normal"});
  v.code("sm_partition", {whole | kind::instance, "SMs of its own: {}"});
  v("mps_threads", &GpuShare::mps_threads, Quantity{input::share_dimension(), 0, 1, true},
    "Share of the SMs' threads, under MPS", {whole, "at most {} of the SMs' threads"});
  v("mps_memory", &GpuShare::mps_memory, Quantity{input::size_dimension(), 0, 1e13, true},
    "Memory of the GPU that it may hold, under MPS", {whole, "at most {} of the GPU's memory"});
  v("mig", &GpuShare::mig, Integer{0, 63}, "Number of the GPU's instance that it runs in. Default 0",
    {whole, "in instance {} of the GPU"});
  v("gpu_timeslice", &GpuShare::slice, TimeSpan{sim::milliseconds(1), sim::milliseconds(50)},
    "Length of its turns on the GPU", {whole, "time slices of {}"});
  v("gpu_interleave", &GpuShare::interleave, interleave, "", {Key::if_changed, whole, "{} interleave"});
}

// The keys of the host, but for those of its threads (ThreadSettings).
void keys(auto& v, KeysOf<Host> /*record*/) {
  constexpr Kinds whole = kind::model | kind::alone | kind::several;
  // Made once: studies read entries by the thousand.
  static const Choice<Placement> placement{"a placement", placement_names()};
  static const Choice<Runtime> runtime{"a runtime", runtime_names()};
  static const Choice<Sync> sync{"a way to synchronise", sync_names()};
  static const Choice<bool> transfers{"both or none", {{"both", true}, {"none", false}}},
      graph{"a kind of graph", {{"dynamic", false}, {"static", true}}};
  v("placement", &Host::placement, placement, "Default gpu; of an instance, the process's",
    {whole | kind::instance});
  v("runtime", &Host::runtime, runtime, "", whole);
  v.code("cuda_graph", whole);
  v("transfers", &Host::transfers, transfers, "none: inputs and outputs stay on the device",
    {Key::if_changed, whole, "no transfers"});
  v("sync", &Host::sync, sync, "How the host waits for the GPU", {whole});
  v("host_threads", &Host::host_threads, Integer{1, max_streams}, "Threads that launch on its streams",
    {whole, "{} host threads"});
  v("threads", &Host::threads, ThreadCount{}, "Number of threads on the cores", {whole, "{} threads"});
  v("graph", &Host::static_graph, graph, "", {whole, "{} graph", "dynamic"});
}

void keys(auto& v, KeysOf<Around> /*record*/) {
  constexpr Kinds of = kind::network | kind::kernels | kind::alone;
  v.code("stages", of);
  v("interval", &Around::interval, Integer{0, 999},
    "Frames that are not inferred between two that are: results have frames/s too. Default 0",
    {Key::if_changed, of});
  v("overlap", &Around::overlap, Integer{1, 256},
    "Stages have threads of their own and overlap; so many batches are under way at most",
    {Key::if_changed, of});
}

void keys(auto& v, KeysOf<LanguageWork> /*record*/) {
  constexpr Kinds of = kind::language | kind::part, alone = kind::language | kind::alone;
  v.code("generate", of);
  v.code("bench", of);
  v.code("users", of);
  v.code("draft", of);
  v("kv_memory", &LanguageWork::cache_bytes, Quantity{input::size_dimension(), 0, 1e13, true},
    "Memory for keys and values of all sequences; a sequence that does not fit waits",
    {of, "{} for keys and values"});
  v("context", &LanguageWork::context, Integer{1, most_context},
    "Positions that each sequence is given memory for", {Key::if_changed, of, "context of {}"});
  v("gpu_layers", &LanguageWork::gpu_layers, Integer{0, max_tokens},
    "Layers that the GPU computes, the last ones; threads on the cores compute the others",
    {alone, "{} layers on the GPU"});
  v.code("cpu_moe", {alone, "experts of {} layers on the cores"});
  v.code("max_batch", {of, "at most {} sequences at a time", "1"});
}

// Calls `f` with each record that a process is made of, in the order of the schema. `language`: of a language
// model, where `entry` has one.
template <class Entry, class F>
void each_group(Entry& entry, F f) {
  f(entry);
  f(entry.work);
  f(entry.gpu);
  f(entry.host);
  if constexpr (std::is_const_v<Entry>)
    f(static_cast<const ThreadSettings&>(entry.host));
  else
    f(static_cast<ThreadSettings&>(entry.host));
  f(entry.around);
  if (entry.language) f(*entry.language);
}
// Visits all rows of all kinds of entries but loads.
void process_keys(auto& v) {
  static const ProcessEntry with_all = [] {
    ProcessEntry entry;
    entry.language.emplace();
    return entry;
  }();
  each_group(with_all, [&v]<class R>(const R& /*group*/) { keys(v, KeysOf<R>()); });
}
void load_keys(auto& v) {
  keys(v, KeysOf<LoadEntry>());
  keys(v, KeysOf<ThreadSettings>());
}

// Refuses the keys of the mapping that other kinds of entries have: "a language model has no key 'training'
// (network has it)".
void refuse_other_kinds(input::Mapping& mapping, Kinds entry);

void keys(auto& v, KeysOf<Until> /*record*/) {
  v("relative_error", &Until::relative_error, Quantity{input::share_dimension(), 0, 1, true}, "",
    Key::required);
  v("of", &Until::of, PreciseList{}, "Default [throughput]", Key::if_changed);
  v("max", &Until::max, above_zero(max_run), "Default 60 s");
}

void keys(auto& v, KeysOf<Run> /*record*/) {
  v("duration", &Run::duration, above_zero(max_run),
    "Without the warm-up. Default 4 s, and as long as p99 of sources of 20 /s or more takes");
  v.code("warmup");
  v("seed", &Run::seed, Whole<std::uint64_t>{0, std::numeric_limits<std::int64_t>::max()},
    "Seed of all random numbers. Default 1");
  v("replications", &Run::replications, Integer{1, 10'000}, "", Key::if_changed);
  v("until", &Run::until, Section<Until>{"a mapping", {.max = sim::seconds(60)}},
    "Run until the metrics are this precise, in place of a duration");
  v("setup", &Run::setup, Boolean{}, "Begin the run with loading the models", Key::if_changed);
  v("every_kernel", &Run::every_kernel, Boolean{},
    "Simulate the kernels of all batches, also where streams or MPS clients have become steady",
    Key::if_changed);
  v("batches", &Run::batches, Integer{1, 1'000'000'000},
    "Number of batches of each process, counted from the start");
  v("start", &Run::start, Choice<Start>{"how processes begin", start_names()},
    "Order in which processes begin where threads outnumber the cores that they are confined to",
    Key::if_changed);
  v("thermal", &Run::thermal, Choice<ThermalStart>{"how warm the board begins", thermal_start_names()},
    "Temperature of the board at the start");
}

void keys(auto& v, KeysOf<Scenario> /*record*/) {
  using S = Scenario;
  v("name", &S::name, Text{200}, "Default: the name of the file");
  v.code("device");
  v.code("power_mode");
  v("clocks", &S::clocks, Section<Clocks>{"a mapping of clocks"},
    "Clocks that replace the power mode's: any value in the range of the domain, used as given");
  v("jetson_clocks", &S::jetson_clocks, Boolean{}, "Pin every clock at its limit");
  v("governors", &S::governors, Section<Governors>{"a mapping of governors"});
  v("power_cap", &S::power_cap, Section<PowerCap>{"a mapping", {.window = sim::seconds(1)}});
  v("power_limit", &S::power_limit_w, Quantity{input::power_dimension(), 0, 1e5, true},
    "Power limit of a card, below the card's own, as nvidia-smi -pl sets it", {kind::all, "limited to {}"});
  v("ambient", &S::ambient_c, Quantity{input::temperature_dimension(), -60, 125}, "",
    {kind::all, "at {}", "25 degC"});
  v("fan", &S::fan, Boolean{});
  v("observer", &S::observer, Choice<Observer>{"an observer", observer_names()},
    "A profiler that slows calls down", {kind::all, "observed by {}", "none"});
  v("objective", &S::objective, Text{200},
    "Metric by which explain judges changes: processes.0.latency_ms.p99, say", Key::if_changed);
  v.code("constraints");
  v("gpu_metrics", &S::gpu_metrics, TimeSpan{sim::microseconds(1), max_run},
    "Window of the distributions of the GPU's activity");
  v.code("mps");
  v.code("sharing");
  v("link", &S::link, Section<Link>{"a mapping"}, "Link over which the requests arrive");
  v("interrupts", &S::interrupts, Section<Interrupts>{"interrupts"});
  v("compositor", &S::compositor, SectionOrBoolean<DesktopCompositor>{{"compositor: true, or a mapping"}},
    "A desktop that draws on the GPU");
  v.code("figures");
  v("host_cores", &S::host_cores, Whole<int>{1, max_cores},
    "Confine the processes to this number of online cores, from the lowest-numbered on",
    {kind::all, "processes on {} cores"});
  v("cpus", &S::cpus, CoreList{}, "", Key::if_changed);
  v.code("processes");
  v.code("run");
}

}  // namespace jostle::scenarios
