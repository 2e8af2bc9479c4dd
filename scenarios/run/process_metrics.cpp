#include "scenarios/run/process_metrics.hpp"

#include <algorithm>

#include "scenarios/result/gpu_result.hpp"
#include "scenarios/result/ratio.hpp"
#include "scenarios/run/latency.hpp"

namespace jostle::scenarios {

namespace {

using sim::Duration;
using sim::Time;

// None before any time has passed.
std::optional<TimeShare> time_share_of(const process::TimeAccount& time) {
  const Duration elapsed = time.elapsed();
  if (elapsed <= Duration::zero()) return std::nullopt;
  TimeShare share{};
  for (const process::ShareRow& row : process::share_rows)
    share[index_of(row.share)] =
        static_cast<double>(time.in(row.share).ps()) / static_cast<double>(elapsed.ps());
  return share;
}

// Of a process or an instance with requests of its own: what it was offered, and whether it keeps up. If it
// does not, its latency has no mean and no percentiles: they grow for as long as the run lasts.
template <class Figures>
void add_load(Figures& result, const OpenLoad& load) {
  result.offered = load.offered;
  result.stable = load.stable;
  if (auto& ci = result.throughput.ci95)  // more than is offered cannot be served for long
    ci->second = std::min(ci->second, std::max(load.offered, *result.throughput.mean));
  if (load.stable.value_or(true)) return;
  Latency unknown;
  unknown.samples = result.latency_ms.samples;
  unknown.unfinished = result.latency_ms.unfinished;
  result.latency_ms = unknown;
}

std::optional<TokenResult> tokens_of(const process::TokenFigures* figures) {
  if (figures == nullptr) return std::nullopt;
  const auto ms = [](const std::optional<double>& seconds) {
    return seconds ? Metric(*seconds * 1e3) : Metric();
  };
  return TokenResult{
      .decode_per_s = ratio(static_cast<double>(figures->decoded), sim::to_seconds(figures->decoding)),
      .prefill_per_s = ratio(static_cast<double>(figures->prefilled), sim::to_seconds(figures->prefilling)),
      .ttft_mean = ms(figures->first.mean()),
      .ttft_p50 = ms(figures->first.quantile(0.5)),
      .ttft_p99 = ms(figures->first.quantile(0.99)),
      .itl_mean = ms(figures->between.mean()),
      .itl_p50 = ms(figures->between.quantile(0.5)),
      .itl_p99 = ms(figures->between.quantile(0.99)),
      .decoded = figures->decoded,
      .per_s = {},
      .per_joule = {},
      .step_gb = ratio(figures->decode_used.dram_bytes / 1e9, static_cast<double>(figures->decode_steps)),
      .step_kernels_ms =
          ratio(1e3 * sim::to_seconds(figures->decode_kernels), static_cast<double>(figures->decode_steps)),
      .step_memory_share = ratio(figures->decode_used.memory, sim::to_seconds(figures->decode_kernels)),
      .weights_mb = {},
      .kv_cache_mb = {}};
}

// Figures of each stream. Those of one network share its requests: what they are offered and what is dropped
// is told with each of them.
void add_instances(ProcessResult& result, process::Inference& process, const Window& window,
                   const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile) {
  if (process.instances().empty()) return;
  double images = 0;
  bool any = false;
  std::size_t index = 0;
  for (const process::Server::Lane& lane : process.instances()) {
    InstanceResult& instance = result.instances[index++];
    const process::Served& served = lane.served();
    const auto& load = loads[lane.part()];
    instance.images = served.rate().amount(window.end);
    if (instance.images) {
      instance.throughput.mean = ratio(*instance.images, window.seconds());
      if (const auto ci = served.rate().ci95(window.end, load && load->stable == false))
        instance.throughput.ci95 = {ci->low, ci->high};
      images += *instance.images;
      any = true;
    }
    instance.tokens = tokens_of(lane.generator() ? &lane.generator()->figures() : nullptr);
    instance.drops = process.drops(lane.part());
    instance.latency_ms =
        latency_of(served, {process.waiting(lane.part()), instance.drops}, window, every_percentile);
    instance.mean_batch = ratio(static_cast<double>(served.images()), static_cast<double>(served.batches()));
    if (load) add_load(instance, *load);
  }
  if (any && !process.finished()) result.images = images;
}

// A mean enqueue call.
EnqueueCall enqueue_call_of(const process::Inference& process) {
  const auto calls = static_cast<double>(process.enqueue_calls());
  const auto& enqueue = process.time().enqueue();
  return {.mean = ratio(sim::to_ms(enqueue.launch + enqueue.reschedule + enqueue.compute + enqueue.blocking),
                        calls),
          .launch = ratio(sim::to_ms(enqueue.launch), calls),
          .reschedule = ratio(sim::to_ms(enqueue.reschedule), calls),
          .compute = ratio(sim::to_ms(enqueue.compute), calls),
          .blocking = ratio(sim::to_ms(enqueue.blocking), calls)};
}

}  // namespace

void add_process(ProcessResult& result, process::Inference& process, const Window& window,
                 const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile) {
  const Time now = window.end;
  const double seconds = window.seconds();
  const std::optional<OpenLoad> load = together(loads);
  const auto whole = static_cast<double>(process.served().images());
  const Time begin = process.ready().value_or(Time::zero());
  // Work that ends, and a trace, is counted as it was done; a stream that goes on, as it goes on.
  if (const auto& finished = process.finished()) {
    result.images = whole;
    result.throughput_after_setup = ratio(whole, sim::to_seconds(*finished - begin));
    result.finished_ms = sim::to_ms(*finished - Time::zero());
  } else if (process.spec().arrivals.kind == process::ArrivalKind::trace) {
    result.images = whole;
  } else {
    result.images = process.rate().amount(now);
    if (const auto ci = process.rate().ci95(now, load && load->stable == false))
      result.throughput.ci95 = {ci->low, ci->high};
  }
  add_instances(result, process, window, loads, every_percentile);
  if (result.instances.empty()) result.tokens = tokens_of(process.tokens(0));
  if (result.images) result.throughput.mean = ratio(*result.images, seconds);
  if (process.ready()) result.setup_ms = sim::to_ms(begin - Time::zero());
  result.latency_ms =
      latency_of(process.served(), {process.waiting(), process.drops()}, window, every_percentile);

  const process::TimeAccount& time = process.time();
  result.ec_ms = enqueue_call_of(process);
  result.sync_ms =
      ratio(sim::to_ms(process.synchronising()), static_cast<double>(process.synchronise_calls()));

  const auto& spec = process.spec();
  for (const auto* const stages : {&spec.before, &spec.after}) {
    for (const process::HostStage& stage : *stages) {
      const Duration in = process.in_stages()[result.stages.size()];
      result.stages.push_back({stage.name, ratio(sim::to_ms(in), static_cast<double>(process.batches()))});
    }
  }

  result.time_share = time_share_of(time);
  const gpu::Running running = process.running();
  const double ran = running.used.compute + running.used.memory + running.fixed();
  // Differences of sums: what is none may be a rounding below it.
  result.gpu_running_by.compute = ratio(std::max(running.used.compute, 0.0), ran);
  result.gpu_running_by.memory = ratio(std::max(running.used.memory, 0.0), ran);
  result.gpu_running_by.fixed = ratio(std::max(running.fixed(), 0.0), ran);
  if (ran > 0) result.gpu_running_by.throttled = 0.0;
  result.gpu = sm_array(running.used, sim::to_seconds(time.elapsed()));
  result.drops = process.drops();
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
}

void add_throttled(ProcessResult& result, const gpu::Running& running, double throttled_s) {
  const double ran = running.used.compute + running.used.memory + running.fixed();
  if (ran <= 0) return;
  result.gpu_running_by.throttled = throttled_s / ran;
  result.gpu_running_by.compute = (running.used.compute - throttled_s) / ran;
}

}  // namespace jostle::scenarios
