// Laws of what is served, of what came for it.
#include "tests/scenarios/invariants/law_parts.hpp"

namespace jostle::scenarios::testing {
namespace {

using process::ArrivalKind;

// Requests that can have come by now: of chance, as many as come once in a million runs.
double most_arrived(const process::Arrivals& arrivals, double seconds) {
  const auto burst = static_cast<double>(arrivals.burst);
  if (arrivals.kind == ArrivalKind::trace) return burst * static_cast<double>(arrivals.times.size());
  const double expected = arrivals.rate_per_s * static_cast<double>(arrivals.streams) * seconds;
  const double chance = arrivals.kind == ArrivalKind::poisson ? 5 * std::sqrt(expected) + 10 : 0;
  // A source's own clock runs some ppm too fast.
  return burst * (expected * (1 + 1e-4) + chance + static_cast<double>(arrivals.streams));
}

void holds(const Interval& interval, Metric mean, const char* what, Breaches& breaches) {
  if (!interval) return;
  if (!mean) return fail(breaches, fmt::format("{}: an interval of nothing", what));
  const auto [low, high] = *interval;
  expect(low <= *mean * (1 + rounding) && *mean <= high * (1 + rounding), breaches, "{}: {} to {}, mean {}",
         what, low, high, *mean);
  expect(low >= 0, breaches, "{}: from {}", what, low);
}

// The figures of a process, and those of one of its streams.
template <typename Figures>
void holds_all(const Figures& figures, Breaches& breaches) {
  const auto& [throughput, latency] = std::tie(figures.throughput, figures.latency_ms);
  holds(throughput.ci95, throughput.mean, "throughput", breaches);
  holds(latency.ci95.mean, latency.mean, "mean latency", breaches);
  holds(latency.ci95.p50, latency.p50, "p50", breaches);
  holds(latency.ci95.p90, latency.p90, "p90", breaches);
  holds(latency.ci95.p99, latency.p99, "p99", breaches);
}

// Images that a request is for. Of those that wait to be a batch, one.
double images_a_request(const ProcessEntry& part) {
  if (part.arrivals.max_delay) return 1;
  return static_cast<double>(part.work.batch) / static_cast<double>(part.arrivals.dynamic_batch);
}

bool comes_by_itself(const process::Arrivals& arrivals) {
  return !arrivals.waits_for_answers() && arrivals.kind != ArrivalKind::cascade;
}

// Images of at most one batch a stream are counted in part, by what batches took before.
void served_of(const ProcessEntry& part, double images, double streams, double seconds, Breaches& breaches) {
  const double batch = static_cast<double>(part.work.batch);
  const double most = most_arrived(part.arrivals, seconds) * images_a_request(part) + streams * batch;
  expect(images <= most * (1 + rounding), breaches, "{} images of at most {} that came", images, most);
}

bool all_of(const ProcessEntry& entry, bool (*check)(const ProcessEntry&)) {
  return std::ranges::all_of(parts_of(entry), check);
}

}  // namespace

void an_interval_holds_its_mean(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    holds_all(process, own);
    each_instance(process, entry, own, [](const InstanceResult& instance, const ProcessEntry&, Breaches& of) {
      holds_all(instance, of);
    });
  });
  const SystemResult& system = run.result.system;
  holds(system.throughput_ci95, system.throughput, "all throughput", breaches);
  holds(system.power_w.ci95, system.power_w.mean, "power", breaches);
}

void no_more_is_served_than_came(const Run& run, Breaches& breaches) {
  const double runs = static_cast<double>(run.result.replications);
  // Processes that load one after another make the warm-up longer than is asked.
  const double warmup = std::max(run.result.warmup.set_s, sim::to_seconds(run.scenario.run.warmup));
  const double seconds = run.result.simulated_s / runs + warmup;
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    std::size_t first = 0;
    for (const ProcessEntry& part : parts_of(entry)) {
      const auto streams = static_cast<std::size_t>(streams_of(entry, part));
      double images = process.images.value_or(0);
      if (!process.instances.empty()) {
        images = 0;
        for (std::size_t i = first; i < std::min(first + streams, process.instances.size()); ++i)
          images += process.instances[i].images.value_or(0);
      }
      first += streams;
      if (part.arrivals.kind == ArrivalKind::poisson && !part.language)
        expect(images == std::round(images), own, "{} images of random requests", images);
      if (comes_by_itself(part.arrivals))
        served_of(part, images / runs, static_cast<double>(streams), seconds, own);
    }
  });
}

void only_a_full_queue_drops(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    expect(process.drops >= 0, own, "{} drops", process.drops);
    const bool limited =
        !all_of(entry, [](const ProcessEntry& part) { return !part.arrivals.queue_limit.has_value(); });
    expect(process.drops == 0 || limited, own, "{} drops without a limit", process.drops);
  });
}

void a_load_is_stable_or_grows(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    const bool open =
        all_of(entry, [](const ProcessEntry& part) { return !part.arrivals.waits_for_answers(); });
    const bool ready = !run.scenario.run.setup || process.setup_ms;
    // After a set-up, and in a run that ends, few batches leave it open; and replications may not agree.
    const bool decided =
        !run.scenario.run.setup && !run.scenario.run.batches && run.scenario.run.replications == 1;
    expect(process.offered.has_value() == open &&
               (process.stable.has_value() == (open && ready) || (open && !decided)),
           own, "offered and stable are {}", process.stable ? "known" : "null");
    if (!process.stable || !process.offered) return;
    expect(*process.offered >= 0, own, "{} offered", *process.offered);
    if (*process.stable)
      return expect(!process.backlog_growth && !process.stable_rate, own, "stable, but the backlog grows");
    expect(process.backlog_growth.value_or(0) > 0, own, "overloaded, but the backlog does not grow");
    if (process.stable_rate)
      expect(*process.stable_rate > 0 && *process.stable_rate < *process.offered, own,
             "overloaded, but could serve {} of {}", *process.stable_rate, *process.offered);
    const Latency& ms = process.latency_ms;
    expect(!ms.mean && !ms.p50 && !ms.p90 && !ms.p95 && !ms.p99 && !ms.pi90.mean, own,
           "overloaded, but with a latency");
  });
}

// Nothing was served of what was there to serve, and none of it was under way.
void nobody_is_served_nothing_in_silence(const Run& run, Breaches& breaches) {
  each_process(
      run, breaches, [&](const ProcessResult& process, const ProcessEntry& /*entry*/, Breaches& own) {
        const bool served = process.batches > 0 || run.scenario.run.replications > 1;
        if ((served && process.images.value_or(0) > 0) || process.finished_ms || !process.time_share) return;
        if (run.scenario.run.setup && !process.setup_ms) return;
        const TimeShare& share = *process.time_share;
        double waited = 0;
        for (const process::Share wait : {process::Share::gpu_slice_wait, process::Share::waiting_for_core,
                                          process::Share::dla_wait, process::Share::engine_wait})
          waited += share[index_of(wait)];
        if (waited < 0.999) return;
        expect(process.throughput.mean == 0.0, own, "waited for {} of the time, but its rate is {}", waited,
               process.throughput.mean ? fmt::format("{}", *process.throughput.mean) : "null");
        const std::string words = fmt::format("process {}", process.index);
        expect(std::ranges::any_of(run.result.warnings,
                                   [&](const std::string& warning) {
                                     return warning.find("served nothing") != std::string::npos &&
                                            warning.find(words) != std::string::npos;
                                   }),
               own, "waited for {} of the time, and no warning says «served nothing»", waited);
      });
}

// Only where one run shows it: the processes have no set-up and go on to its end.
void nobody_with_work_is_idle(const Run& run, Breaches& breaches) {
  for (const std::string& warning : run.result.warnings)
    if (warning.find(" served nothing in ") != std::string::npos)
      expect(warning.find("idle") == std::string::npos, breaches, "{}", warning);
  const auto& how = run.scenario.run;
  if (how.replications > 1 || how.setup || how.batches || run.scenario.link) return;
  const double seconds = run.result.simulated_s, wake_up = 1e-3;
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    if (!process.time_share || has_instances(entry) || entry.language) return;
    const double idle = seconds * (*process.time_share)[index_of(process::Share::idle)];
    const auto batches = static_cast<double>(process.batches);
    if (entry.arrivals.closed_loop())
      expect(idle <= (batches + 2) * wake_up, own, "idle for {} s, though it asks itself", idle);
    if (entry.around.overlap == 0) return;
    double threads = static_cast<double>(std::max<std::int64_t>(entry.arrivals.streams, 1));
    for (const auto* stages : {&entry.around.before, &entry.around.after})
      for (const Stage& stage : *stages) threads = std::max(threads, static_cast<double>(stage.threads));
    // A batch that a thread had begun before the warm-up ended counts in full.
    for (const StageResult& stage : process.stages) {
      const double in_stage = stage.ms.value_or(0) / 1e3;
      expect(threads * (seconds - idle) >= in_stage * (batches - 2 * threads) - wake_up, own,
             "idle for {} of {} s, {} s in {}", idle, seconds, in_stage * batches, stage.name);
    }
  });
}

}  // namespace jostle::scenarios::testing
