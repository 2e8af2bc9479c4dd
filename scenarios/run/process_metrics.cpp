// The activity of a process, as metrics of the result.
#include <algorithm>
#include <cmath>
#include <span>

#include "scenarios/result/board_result.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/ratio.hpp"
#include "scenarios/run/metrics.hpp"

namespace jostle::scenarios {
namespace {

using sim::Duration;
using sim::Time;

// The shares of the process's time, means over its host threads; absent before any time has passed.
std::optional<TimeShare> time_share_of(const process::Inference& process) {
  const Duration elapsed = process.thread_time();
  if (elapsed <= Duration::zero()) return std::nullopt;
  TimeShare share{};
  for (const process::ShareRow& row : process::share_rows)
    share[index_of(row.share)] =
        static_cast<double>(process.time_in(row.share).ps()) / static_cast<double>(elapsed.ps());
  return share;
}

// Adds the load of a process, or of an instance with requests of its own: offered rate and stability.
template <class Metrics>
void add_load(Metrics& result, const OpenLoad& load) {
  result.offered = load.offered;
  result.stable = load.stable;
  if (!load.stable.value_or(true)) forget_growing_latency(result);
}

std::optional<TokenResult> tokens_of(const process::TokenMetrics* metrics, const process::Spec& spec,
                                     const Window& window, bool every_percentile) {
  if (metrics == nullptr) return std::nullopt;
  const process::GenerationSpec& of = spec.generation->spec;
  const bool reuses = of.reuse > 0 || of.sessions.kept;
  return TokenResult{
      .decode_per_s = ratio(static_cast<double>(metrics->decoded), sim::to_seconds(metrics->decoding)),
      .prefill_per_s = ratio(static_cast<double>(metrics->prefilled), sim::to_seconds(metrics->prefilling)),
      .decoding_s = sim::to_seconds(metrics->decoding),
      .prefilling_s = sim::to_seconds(metrics->prefilling),
      .ttft_ms = times_of(metrics->first, window, every_percentile),
      .itl_ms = times_of(metrics->between, window, every_percentile),
      .decoded = metrics->decoded,
      .per_s = {},
      .per_joule = {},
      .steps = metrics->decode_steps,
      .step_gb = ratio(metrics->decode_used.dram_bytes / 1e9, static_cast<double>(metrics->decode_steps)),
      .step_kernels_ms =
          ratio(1e3 * sim::to_seconds(metrics->decode_kernels), static_cast<double>(metrics->decode_steps)),
      .step_memory_share = ratio(metrics->decode_used.memory, sim::to_seconds(metrics->decode_kernels)),
      .weights_mb = {},
      .kv_cache_mb = {},
      .prompted = metrics->prompted,
      .reused_share =
          reuses ? ratio(static_cast<double>(metrics->reused), static_cast<double>(metrics->prompted))
                 : std::nullopt};
}

// Adds the number and the mean size of batches. A batch of a language model is the sequences of a decode
// step.
template <class Metrics>
void add_batches(Metrics& result, const process::Served& served) {
  const std::int64_t images = result.tokens ? result.tokens->decoded : served.images();
  result.batches = result.tokens ? result.tokens->steps : served.batches();
  result.mean_batch = ratio(static_cast<double>(images), static_cast<double>(result.batches));
}

// True if there was work that it could have served. In a closed loop there always is.
bool could_serve(process::Inference& process, std::size_t part, const process::Served& served) {
  const bool asks_itself = process::parts_of(process.spec())[part].arrivals.closed_loop();
  return asks_itself || served.is_serving() || process.may_have_requests(part) || process.drops(part) > 0;
}

// True if the process had nothing but waits for a core or an engine that others have.
bool only_waited(const process::Inference& process) {
  constexpr double nearly_all = 0.998;
  const std::optional<TimeShare> share = time_share_of(process);
  if (!share) return false;
  double waited = 0;
  for (const process::Share wait : {process::Share::gpu_slice_wait, process::Share::waiting_for_core,
                                    process::Share::dla_wait, process::Share::engine_wait})
    waited += (*share)[index_of(wait)];
  return waited >= nearly_all;
}

// Images in the window. Only of answers that come at regular times is a batch under way counted in part
// (counted_whole()). If none was served, the result is 0: a batch that has begun does not count once it has
// stalled, or if its process only waited. Absent for a language model that processed tokens, since it is
// unknown how much of its unfinished sequences was served.
Metric images_of(const process::Inference& process, std::size_t part, const process::Served& served,
                 const process::TokenMetrics* tokens, const Window& window) {
  const bool whole = counted_whole(process::parts_of(process.spec())[part], window);
  const Metric images = served.rate().amount(window.end);
  const bool nothing = served.batches() == 0 &&
                       (whole || !images || only_waited(process) || served.rate().stalled(window.end));
  const bool unknown = tokens != nullptr && tokens->decoded + tokens->prefilled > 0;
  if (nothing) return unknown ? std::nullopt : Metric(0.0);
  return whole ? Metric(static_cast<double>(served.images())) : images;
}

// The interval of a throughput, scaled to `images`, which differ slightly from the amount in the series of
// batches where whole answers are counted or several streams are summed. `variance`: the least of the images.
Interval interval_of(const process::Served& served, double images, const Window& window, bool saturated,
                     double variance) {
  const auto ci = served.rate().ci95(window.end, saturated);
  const Metric amount = served.rate().amount(window.end);
  if (!ci || images <= 0 || amount.value_or(0) <= 0) return std::nullopt;
  const double mean = images / window.seconds(), scale = images / *amount;
  const double least = 1.96 * std::sqrt(saturated ? 0 : variance) / window.seconds();
  return {{std::min(ci->low * scale, std::max(mean - least, 0.0)), std::max(ci->high * scale, mean + least)}};
}

// The images of the requests that its queues dropped.
double dropped_images_of(const process::Inference& process) {
  double images = 0;
  const std::span<const process::Spec> parts = process::parts_of(process.spec());
  for (std::size_t part = 0; part < parts.size(); ++part)
    images += static_cast<double>(process.drops(part)) * images_of_request(parts[part]);
  return images;
}

// Adds the metrics of each stream. Streams of one network share its requests, so offered load and drops are
// reported with each of them. Returns the variance of the process's images by variance_of().
double add_instances(ProcessResult& result, process::Inference& process, const Window& window,
                     const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile) {
  if (process.instances().empty())
    return variance_of(process::parts_of(process.spec()).front(), process.served(), window);
  double images = 0;
  bool any = false;
  std::size_t index = 0;
  double variance = 0;
  for (const process::Server::Lane& lane : process.instances()) {
    InstanceResult& instance = result.instances[index++];
    const process::Served& served = lane.served();
    const auto& load = loads[lane.part()];
    const process::TokenMetrics* const tokens = lane.generator() ? &lane.generator()->metrics() : nullptr;
    instance.images = images_of(process, lane.part(), served, tokens, window);
    instance.asked = could_serve(process, lane.part(), served) ? 1 : 0;
    if (instance.images) {
      instance.throughput.mean = ratio(*instance.images, window.seconds());
      const double own = variance_of(process::parts_of(process.spec())[lane.part()], served, window);
      instance.throughput.ci95 =
          interval_of(served, *instance.images, window, load && load->stable == false, own);
      variance += own;
      images += *instance.images;
      any = true;
    }
    instance.tokens = tokens_of(tokens, lane.spec(), window, every_percentile);
    instance.drops = process.drops(lane.part());
    instance.latency_ms =
        latency_of(served, {process.waiting(lane.part()), instance.drops}, window, every_percentile);
    add_batches(instance, served);
    if (load) add_load(instance, *load);
  }
  if (any && !process.finished()) result.images = images;
  return variance;
}

// The mean enqueue call.
EnqueueCall enqueue_call_of(const process::Inference& process) {
  const auto calls = static_cast<double>(process.enqueue_calls());
  const auto enqueue = process.enqueuing();
  return {.mean = ratio(sim::to_ms(enqueue.launch + enqueue.reschedule + enqueue.compute + enqueue.blocking),
                        calls),
          .launch = ratio(sim::to_ms(enqueue.launch), calls),
          .reschedule = ratio(sim::to_ms(enqueue.reschedule), calls),
          .compute = ratio(sim::to_ms(enqueue.compute), calls),
          .blocking = ratio(sim::to_ms(enqueue.blocking), calls),
          .calls = process.enqueue_calls()};
}

void add_stages(ProcessResult& result, const process::Inference& process) {
  for (const auto* const stages : {&process.spec().before, &process.spec().after}) {
    for (const process::HostStage& stage : *stages) {
      const Duration in = process.in_stages()[result.stages.size()];
      result.stages.push_back({stage.name, ratio(sim::to_ms(in), static_cast<double>(process.batches())),
                               process.batches(), stage.grade, stage.source});
    }
  }
}

void add_total_tokens(Result& result, double seconds) {
  TotalTokens total;
  bool any = false;
  const auto add = [&](const std::optional<TokenResult>& tokens) {
    if (!tokens) return;
    any = true;
    total.decoded += tokens->decoded;
  };
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    add(process.tokens);
    for (const InstanceResult& instance : process.instances) add(instance.tokens);
  }
  if (!any) return;
  const auto decoded = static_cast<double>(total.decoded);
  total.per_s = ratio(decoded, seconds);
  if (const Metric& watts = result.system.power_w.mean) {
    total.energy_mj = ratio(1e3 * *watts * seconds, decoded);
    total.power_grade = power_grade(result).value_or("");
  }
  result.system.tokens = total;
}

}  // namespace

void add_process(ProcessResult& result, process::Inference& process, const Window& window,
                 const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile) {
  const process::Spec& spec = process.spec();
  const double seconds = window.seconds();
  const std::optional<OpenLoad> load = together(loads);
  const auto whole = static_cast<double>(process.served().images());
  bool goes_on = false;
  const Time begin = process.ready().value_or(Time::zero());
  // For work that ends whole images are counted.
  if (const auto& finished = process.finished()) {
    result.images = whole;
    result.throughput_after_setup = ratio(whole, sim::to_seconds(*finished - begin));
    result.finished_ms = sim::to_ms(*finished - Time::zero());
  } else {
    result.images = images_of(process, 0, process.served(), process.tokens(0), window);
    goes_on = spec.arrivals.kind != process::ArrivalKind::trace;
  }
  result.asked = could_serve(process, 0, process.served()) ? 1 : 0;
  const double variance = add_instances(result, process, window, loads, every_percentile);
  if (result.instances.empty()) result.tokens = tokens_of(process.tokens(0), spec, window, every_percentile);
  add_batches(result, process.served());
  if (result.images) result.throughput.mean = ratio(*result.images, seconds);
  if (goes_on)
    result.throughput.ci95 = interval_of(process.served(), result.images.value_or(0), window,
                                         load && load->stable == false, variance);
  if (process.ready()) result.setup_ms = sim::to_ms(begin - Time::zero());
  const std::int64_t query = spec.arrivals.burst;
  const Unserved unserved{(process.waiting() + query - 1) / query, process.drops()};
  result.latency_ms = latency_of(process.served(), unserved, window, every_percentile);

  result.ec_ms = enqueue_call_of(process);
  result.sync_calls = process.synchronise_calls();
  result.sync_ms = ratio(sim::to_ms(process.synchronising()), static_cast<double>(result.sync_calls));

  add_stages(result, process);
  result.time_share = time_share_of(process);
  const gpu::Running running = process.running();
  const double ran = running.used.compute + running.used.memory + running.fixed();
  result.gpu_running_by.seconds = ran;
  // These are differences of sums: rounding may leave a value slightly below 0.
  result.gpu_running_by.compute = ratio(std::max(running.used.compute, 0.0), ran);
  result.gpu_running_by.memory = ratio(std::max(running.used.memory, 0.0), ran);
  result.gpu_running_by.fixed = ratio(std::max(running.fixed(), 0.0), ran);
  if (ran > 0) result.gpu_running_by.throttled = 0.0;
  result.gpu = sm_array(running.used, sim::to_seconds(process.time().elapsed()));
  result.drops = process.drops();
  result.dropped_images = dropped_images_of(process);
  const bool limited = spec.container && spec.container->cpus;
  if (limited || spec.fifo > 0) {
    result.throttled_share = ratio(sim::to_seconds(process.throttled()), seconds);
    result.throttled_by = limited ? "container" : "fifo";
  }
  if (!load) return;
  add_load(result, *load);
  if (load->stable.value_or(true)) return;
  result.backlog_growth = load->growth;
  if (load->stable_rate) result.stable_rate = *load->stable_rate;
}

void add_tokens(Result& result, double seconds) {
  const auto finish = [&](std::optional<TokenResult>& tokens) {
    if (!tokens) return;
    tokens->per_s = ratio(static_cast<double>(tokens->decoded), seconds);
    if (!result.system.power_w.mean) return;
    tokens->per_joule = ratio(static_cast<double>(tokens->decoded), *result.system.power_w.mean * seconds);
  };
  for (ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    finish(process.tokens);
    for (InstanceResult& instance : process.instances) finish(instance.tokens);
    if (!process.tokens) continue;
    process.tokens->weights_mb = process.memory.engine;
    process.tokens->kv_cache_mb = process.memory.io;
  }
  add_total_tokens(result, seconds);
}

void add_throttled(ProcessResult& result, const gpu::Running& running, double throttled_s) {
  const double ran = running.used.compute + running.used.memory + running.fixed();
  if (ran <= 0) return;
  result.gpu_running_by.throttled = throttled_s / ran;
  result.gpu_running_by.compute = (running.used.compute - throttled_s) / ran;
}

}  // namespace jostle::scenarios
