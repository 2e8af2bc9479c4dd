#include "tests/scenarios/invariants/laws.hpp"

#include <numeric>
#include <stdexcept>

#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/power_mode.hpp"
#include "tests/scenarios/invariants/law_parts.hpp"

namespace jostle::scenarios::testing {
namespace {

bool any_ran(const Run& run) {
  return std::ranges::any_of(run.result.processes, ran);
}

void share(const char* name, Metric value, Breaches& breaches) {
  // A kernel's time is a whole number of picoseconds, what it uses in that time is not.
  if (value)
    expect(*value >= 0 && !std::signbit(*value) && *value <= 1 + 1e-6, breaches, "{} is {}", name, *value);
}

// Identities -----------------------------------------------------------------------------------------

void images_are_rate_times_time(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    expect(process.images.has_value() == process.throughput.mean.has_value(), own,
           "one of images and rate is null");
    if (!process.images || !process.throughput.mean) return;
    expect(*process.images >= 0, own, "{} images", *process.images);
    expect(near(*process.images, *process.throughput.mean * run.result.simulated_s, identity), own,
           "{} images, {}/s in {} s", *process.images, *process.throughput.mean, run.result.simulated_s);
  });
}

void streams_sum_to_their_process(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    if (process.instances.empty() || process.finished_ms) return;
    double sum = 0;
    for (const InstanceResult& instance : process.instances) {
      if (!instance.throughput.mean) return;  // a run may be too short to tell of one stream
      sum += *instance.throughput.mean;
    }
    expect(near(sum, process.throughput.mean.value_or(0), identity), own, "{}, its streams {} in all",
           process.throughput.mean.value_or(0), sum);
  });
}

void processes_sum_to_the_system(const Run& run, Breaches& breaches) {
  const Metric& system = run.result.system.throughput;
  double sum = 0;
  bool all = any_ran(run);
  const auto of_images = [](const ProcessResult& process) {
    return ran(process) && process.throughput.unit == "images/s";
  };
  const bool images = std::ranges::any_of(run.result.processes, of_images);
  for (const ProcessResult& process : run.result.processes) {
    if (!ran(process) || (images && !of_images(process))) continue;
    all = all && process.throughput.mean.has_value();
    sum += process.throughput.mean.value_or(0);
  }
  expect(system.has_value() == all, breaches, "the system's rate is {}, but processes are {}",
         system ? "known" : "null", all ? "known" : "null");
  if (system && all)
    expect(near(*system, sum, identity), breaches, "{} of the system, {} in all", *system, sum);
}

void power_is_energy_times_rate(const Run& run, Breaches& breaches) {
  const SystemResult& system = run.result.system;
  if (!system.energy_per_image_mj) return;
  if (!system.throughput || !system.power_w.mean) {
    breaches.emplace_back("energy an image without a rate or a power");
    return;
  }
  expect(near(*system.power_w.mean, *system.energy_per_image_mj / 1e3 * *system.throughput, identity),
         breaches, "{} W, {} mJ x {}/s", *system.power_w.mean, *system.energy_per_image_mj,
         *system.throughput);
}

void a_process_that_finished_did_all_its_batches(const Run& run, Breaches& breaches) {
  bool all = any_ran(run) && run.scenario.run.batches.has_value();
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry& entry, Breaches& own) {
    all = all && process.finished_ms.has_value();
    if (!process.finished_ms) return;
    double asked = 0;
    bool partial = false;
    for (const ProcessEntry& part : parts_of(entry)) {
      if (part.language) return;  // whose batches are steps of several sequences
      asked += static_cast<double>(run.scenario.run.batches.value_or(0) * part.work.batch *
                                   streams_of(entry, part));
      partial = partial || part.arrivals.max_delay;
    }
    const double images = process.images.value_or(-1);
    expect(partial ? images > 0 && images <= asked : images == asked, own, "{} images of {}", images, asked);
    expect(near(*process.finished_ms - process.setup_ms.value_or(0),
                1e3 * images / process.throughput_after_setup.value_or(-1)),
           own, "done after {} ms, ready after {} ms, {}/s between", *process.finished_ms,
           process.setup_ms.value_or(0), process.throughput_after_setup.value_or(-1));
  });
  expect((run.result.system.stop == "batches") == all || run.result.system.stop == "thermal_shutdown",
         breaches, "the run ended by {}", run.result.system.stop);
}

// Time -----------------------------------------------------------------------------------------------

void time_shares_sum_to_one(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    if (!process.time_share) return fail(own, "no time_share");
    const TimeShare& shares = *process.time_share;
    expect(near(std::accumulate(shares.begin(), shares.end(), 0.0), 1), own, "their sum is {}",
           std::accumulate(shares.begin(), shares.end(), 0.0));
    for (std::size_t i = 0; i < shares.size(); ++i)
      share(std::string(process::share_rows[i].name).c_str(), shares[i], own);
  });
}

void what_bounds_kernels_sums_to_one(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    const GpuRunningBy& by = process.gpu_running_by;
    const int known =
        by.compute.has_value() + by.memory.has_value() + by.fixed.has_value() + by.throttled.has_value();
    if (known == 0) return;
    if (known < 4) return fail(own, "some of them are null");
    expect(near(*by.compute + *by.memory + *by.fixed + *by.throttled, 1), own, "their sum is {}",
           *by.compute + *by.memory + *by.fixed + *by.throttled);
    share("compute", by.compute, own);
    share("memory", by.memory, own);
    share("fixed", by.fixed, own);
    share("throttled", by.throttled, own);
  });
}

// The share of the GPU's SMs that the process has in its instance of it.
double share_of_gpu(const Run& run, const ProcessResult& process) {
  if (run.scenario.mig.empty()) return 1;
  const ProcessEntry& entry = run.scenario.processes.at(static_cast<std::size_t>(process.entry));
  const std::string& name = run.scenario.mig.at(static_cast<std::size_t>(entry.gpu.mig.value_or(0)));
  return static_cast<double>(gpu::find_instance(run.device.instances, name)->sms) / run.device.gpu.sm_count;
}

void kernels_of_all_make_the_gpu_busy(const Run& run, Breaches& breaches) {
  const auto& gpu = run.result.system.gpu;
  if (!gpu.busy) return;
  double sum = gpu.compositor.value_or(0), most = sum;
  for (const ProcessResult& process : run.result.processes) {
    if (!process.time_share) continue;
    const double running =
        share_of_gpu(run, process) * (*process.time_share)[index_of(process::Share::gpu_running)];
    sum += running;
    most = std::max(most, running);
  }
  if (gpu::way_of(run.scenario.sharing).takes_turns)
    expect(near(sum, *gpu.busy, 1e-6), breaches, "busy {}, its processes ran for {}", *gpu.busy, sum);
  else  // kernels of several overlap
    expect(*gpu.busy <= sum + 1e-6 && *gpu.busy >= most - 1e-6, breaches,
           "busy {}, its processes ran for {} in all and {} at most", *gpu.busy, sum, most);
  expect(*gpu.busy <= gpu.reported_load.value_or(0) + rounding, breaches, "busy {}, reported {}", *gpu.busy,
         gpu.reported_load.value_or(0));
}

// Where processes take turns, each has the SMs in its own time, so what they have adds up to the board's.
void sms_are_active_only_while_kernels_run(const Run& run, Breaches& breaches) {
  const auto& gpu = run.result.system.gpu;
  if (!gpu.busy) return;
  const double all = gpu.array.sm_active.value_or(0);
  expect(all <= *gpu.busy + 1e-6, breaches, "SMs active {}, busy {}", all, *gpu.busy);
  double sum = 0;
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    const double of_its_own = process.gpu.sm_active.value_or(0),
                 active = share_of_gpu(run, process) * of_its_own;
    sum += active;
    expect(active <= all + 1e-6, own, "SMs active {}, the board's {}", active, all);
    if (!process.time_share) return;
    const double running = (*process.time_share)[index_of(process::Share::gpu_running)];
    expect(of_its_own <= running + 1e-6, own, "SMs active {}, its kernels run {}", of_its_own, running);
  });
  if (gpu::way_of(run.scenario.sharing).takes_turns)
    expect(sum <= all + 1e-6, breaches, "SMs active {}, of the processes {} in all", all, sum);
}

void busy_shares_are_shares(const Run& run, Breaches& breaches) {
  const SystemResult& system = run.result.system;
  share("gpu.busy", system.gpu.busy, breaches);
  share("gpu.reported_load", system.gpu.reported_load, breaches);
  share("gpu.sm_active", system.gpu.array.sm_active, breaches);
  share("gpu.issue_slot", system.gpu.array.issue_slot, breaches);
  share("gpu.tensor_active", system.gpu.array.tensor_active, breaches);
  share("gpu.occupancy", system.gpu.array.occupancy, breaches);
  for (const DlaResult& dla : system.dla) share(dla.name.c_str(), dla.busy, breaches);
  if (system.link) share("link.busy", system.link->busy, breaches);
  for (const auto& [name, value] : system.limited_share) share(name.c_str(), value, breaches);
  if (system.cpu.busy_cores)
    expect(*system.cpu.busy_cores >= 0 && *system.cpu.busy_cores <= run.device.core_count() + rounding,
           breaches, "{} busy cores of {}", *system.cpu.busy_cores, run.device.core_count());
}

// Calls ----------------------------------------------------------------------------------------------

void a_call_is_the_sum_of_its_parts(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    const EnqueueCall& call = process.ec_ms;
    if (!call.mean) return;
    const double sum = call.launch.value_or(0) + call.reschedule.value_or(0) + call.compute.value_or(0) +
                       call.blocking.value_or(0);
    expect(near(*call.mean, sum), own, "{} ms, parts {} ms", *call.mean, sum);
    expect(process.sync_ms.value_or(0) >= 0, own, "synchronised for {} ms", process.sync_ms.value_or(0));
  });
}

void percentiles_are_in_order(const Run& run, Breaches& breaches) {
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    const Latency& ms = process.latency_ms;
    const bool known = ms.mean.has_value();
    if (ms.p50.has_value() != known) return fail(own, "some of them are null");
    if (!known) return;
    // One of the tail is null where the run is too short for it, and only there.
    double last = 0;
    const auto follows = [&](const char* name, const Metric& percentile) {
      const bool needs = std::ranges::any_of(ms.needs, [&](const auto& need) { return need.first == name; });
      expect(percentile.has_value() != needs, own, "{} is null, or told of a run too short", name);
      if (!percentile) return;
      expect(*percentile > 0 && *percentile >= last, own, "{} is {}, one before it {}", name, *percentile,
             last);
      last = *percentile;
    };
    follows("p50", ms.p50);
    follows("p90", ms.p90);
    follows("p95", ms.p95);
    follows("p99", ms.p99);
    // Half of all are at least the median, none is below zero; most are at most p99.
    expect(*ms.mean >= 0.495 * *ms.p50, own, "mean {} ms, but half take at least {}", *ms.mean, *ms.p50);
  });
}

// Rates ----------------------------------------------------------------------------------------------

void nothing_is_predicted_unasked(const Run& run, Breaches& breaches) {
  const SystemResult& system = run.result.system;
  expect(!system.throughput_pi90 && !system.power_w.pi90, breaches, "of the system");
  each_process(run, breaches, [](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    expect(!process.throughput.pi90 && !process.latency_ms.pi90.mean, own, "pi90 without --interval");
  });
}

// Memory ---------------------------------------------------------------------------------------------

void memory_is_the_sum_of_its_parts(const Run& run, Breaches& breaches) {
  const auto& memory = run.result.system.memory;
  if (memory.used_mb && memory.capacity_mb)
    expect(*memory.used_mb <= *memory.capacity_mb * (1 + rounding) || run.result.status != "ok" ||
               !run.device.memory.unified,
           breaches, "{} of {} MB", *memory.used_mb, *memory.capacity_mb);
  share("memory.gpu_share", memory.gpu_share, breaches);
  double held = 0;
  each_process(run, breaches, [&](const ProcessResult& process, const ProcessEntry&, Breaches& own) {
    const ProcessMemory& parts = process.memory;
    const double sum = parts.context.value_or(-1) + parts.engine.value_or(-1) + parts.arena.value_or(-1) +
                       parts.io.value_or(-1);
    expect(process.memory_mb.has_value() && near(*process.memory_mb, sum), own, "{} MB, parts {} MB",
           process.memory_mb.value_or(-1), sum);
    expect(parts.gpu.value_or(-1) >= 0 && parts.gpu.value_or(0) <= sum * (1 + rounding), own,
           "{} MB for the GPU of {}", parts.gpu.value_or(-1), sum);
    held += sum;
  });
  if (memory.used_mb && run.device.memory.unified)
    expect(held <= *memory.used_mb * (1 + rounding) + rounding, breaches, "{} MB of processes, {} MB used",
           held, *memory.used_mb);
}

void a_process_without_memory_has_no_figures(const Run& run, Breaches& breaches) {
  bool all = true;
  for (const ProcessResult& process : run.result.processes) {
    all = all && ran(process);
    if (ran(process)) {
      expect(process.problem.empty(), breaches, "process {} ran: {}", process.index, process.problem);
      continue;
    }
    expect(!process.problem.empty() && !process.images && !process.throughput.mean &&
               !process.latency_ms.mean && !process.memory_mb,
           breaches, "process {} has figures", process.index);
  }
  expect((run.result.status == "ok") == all, breaches, "status {}", run.result.status);
}

// Power and clocks -----------------------------------------------------------------------------------

void power_is_the_sum_of_its_parts(const Run& run, Breaches& breaches) {
  const auto& power = run.result.system.power_w;
  if (!power.mean) return;
  double sum = 0;
  for (const auto& [name, watts] : power.parts) {
    expect(watts >= -rounding, breaches, "{} W of {}", watts, name);
    sum += watts;
  }
  expect(near(*power.mean, sum), breaches, "{} W, parts {} W", *power.mean, sum);
  expect(power.peak.value_or(0) >= *power.mean * (1 - rounding), breaches, "peak {} W, mean {} W",
         power.peak.value_or(0), *power.mean);
  expect(!power.wall || *power.wall >= *power.mean, breaches, "{} W at the plug, {} W of the module",
         power.wall.value_or(0), *power.mean);
}

void rails_see_no_more_than_there_is(const Run& run, Breaches& breaches) {
  const auto& power = run.result.system.power_w;
  if (!power.mean) return;
  if (power.rails.size() != power.rail_peaks.size()) {
    breaches.emplace_back("not every rail has a peak");
    return;
  }
  for (std::size_t i = 0; i < power.rails.size(); ++i) {
    const auto& [name, watts] = power.rails[i];
    expect(watts >= -rounding && watts <= *power.mean * (1 + rounding), breaches, "{} W on {} of {}", watts,
           name, *power.mean);
    expect(power.rail_peaks[i].second >= watts * (1 - rounding), breaches, "{}: peak {} W, mean {} W", name,
           power.rail_peaks[i].second, watts);
    if (run.device.power && name == run.device.power->input)
      expect(near(watts, *power.mean), breaches, "{} W on {}, which sees all {}", watts, name, *power.mean);
  }
}

void state_times_sum_to_one(const Run& run, Breaches& breaches) {
  for (const auto& [domain, states] : run.result.system.time_in_state) {
    double sum = 0;
    for (const auto& [mhz, held] : states) {
      share((domain + " at " + mhz).c_str(), held, breaches);
      sum += held;
    }
    expect(near(sum, 1, 1e-6), breaches, "{}: {}", domain, sum);
  }
}

struct Limits {
  std::vector<double> cpu_mhz;
  double gpu_mhz = 0, emc_mhz = 0;
};

// What the mode allows, or, where the scenario says more, the board.
Limits limits_of(const Run& run) {
  const board::DeviceSpec& device = run.device;
  const std::optional<board::PowerMode> mode = power_mode_of(run.scenario, device);
  Limits limits{{}, device.gpu.max_clock_hz / 1e6, device.memory.max_clock_hz / 1e6};
  for (std::size_t i = 0; i < device.cpu->clusters.size(); ++i) {
    const bool limited = mode && !mode->cpu_max_clock_hz.empty() && !run.scenario.clocks.cpu_hz;
    limits.cpu_mhz.push_back((limited ? mode->cpu_max_clock_hz[i] : device.cpu->clusters[i].max_clock_hz) /
                             1e6);
  }
  const Clocks& clocks = run.scenario.clocks;
  if (clocks.gpu_hz)
    limits.gpu_mhz = *clocks.gpu_hz / 1e6;
  else if (mode && mode->gpu_max_clock_hz)
    limits.gpu_mhz = *mode->gpu_max_clock_hz / 1e6;
  const bool lifted = mode && mode->jetson_clocks_lifts_emc && run.scenario.jetson_clocks == true;
  if (clocks.emc_hz)
    limits.emc_mhz = *clocks.emc_hz / 1e6;
  else if (mode && mode->emc_max_clock_hz && !lifted)
    limits.emc_mhz = *mode->emc_max_clock_hz / 1e6;
  return limits;
}

double limit_of(const Limits& limits, const std::string& domain) {
  if (domain == "gpu") return limits.gpu_mhz;
  if (domain == "emc") return limits.emc_mhz;
  return limits.cpu_mhz.at(static_cast<std::size_t>(std::stoi(domain.substr(3))));  // cpu0
}

void clocks_are_within_the_mode(const Run& run, Breaches& breaches) {
  const Limits limits = limits_of(run);
  const SystemResult& system = run.result.system;
  const auto at_most = [&](const char* name, Metric mhz, double limit) {
    if (mhz) expect(*mhz <= limit * (1 + 1e-6), breaches, "{} at {} MHz of {}", name, *mhz, limit);
  };
  if (limits.gpu_mhz > 0) at_most("GPU", system.gpu.clock_mhz, limits.gpu_mhz);
  if (limits.emc_mhz > 0) at_most("EMC", system.memory.clock_mhz, limits.emc_mhz);
  for (std::size_t i = 0; i < system.cpu.clock_mhz.size(); ++i)
    at_most("cluster", system.cpu.clock_mhz[i], limits.cpu_mhz.at(i));
  for (const auto& [domain, states] : system.time_in_state) {
    const double limit = limit_of(limits, domain);
    for (const auto& [mhz, held] : states)
      if (limit > 0 && held > 0) at_most(domain.c_str(), std::stod(mhz), limit);
  }
}

// The limit allows a burst until its window has filled, and may end at the lowest clock.
void a_card_keeps_its_limit(const Run& run, Breaches& breaches) {
  const SystemResult& system = run.result.system;
  if (!system.power_w.mean || !run.device.power || !run.device.power->limit) return;
  const power::PowerLimitSpec& limit = *run.device.power->limit;
  if (run.scenario.run.warmup < limit.window || run.result.simulated_s < 2 * sim::to_seconds(limit.window))
    return;
  const double budget_w = run.scenario.power_limit_w.value_or(limit.budget_w);
  expect(*system.power_w.mean <= 1.03 * budget_w ||
             *system.gpu.clock_mhz <= 1.1e-6 * run.device.gpu.clock_table_hz.front(),
         breaches, "{} W of {} at {} MHz", *system.power_w.mean, budget_w, *system.gpu.clock_mhz);
}

// Numbers --------------------------------------------------------------------------------------------

// In JSON a figure that is no number would be null, and pass for one that is not known.
void figures_are_numbers(const Run& run, Breaches& breaches) {
  const auto finite = [](std::initializer_list<Metric> figures, const char* of, Breaches& into) {
    for (const Metric& figure : figures)
      if (figure) expect(std::isfinite(*figure), into, "{} of {}", *figure, of);
  };
  each_process(run, breaches, [&](const ProcessResult& p, const ProcessEntry&, Breaches& own) {
    finite(
        {p.images, p.throughput.mean, p.offered, p.backlog_growth, p.stable_rate, p.throughput_after_setup},
        "rates", own);
    if (const auto& ci = p.throughput.ci95) finite({ci->first, ci->second}, "the interval", own);
    const Latency& ms = p.latency_ms;
    finite({ms.mean, ms.p50, ms.p90, ms.p95, ms.p99, p.sync_ms, p.setup_ms, p.finished_ms}, "times", own);
    const EnqueueCall& call = p.ec_ms;
    finite({call.mean, call.launch, call.reschedule, call.compute, call.blocking}, "calls", own);
    finite({p.gpu.sm_active, p.gpu.issue_slot, p.gpu.tensor_active, p.gpu.occupancy}, "the GPU", own);
    for (const StageResult& stage : p.stages) finite({stage.ms}, "a stage", own);
  });
  const SystemResult& s = run.result.system;
  finite({s.throughput, s.energy_per_image_mj, s.power_w.mean, s.power_w.peak, s.power_w.wall}, "power",
         breaches);
  finite({s.gpu.busy, s.gpu.reported_load, s.gpu.clock_mhz, s.gpu.switches_per_s}, "the GPU", breaches);
  finite({s.cpu.busy_cores, s.cpu.migrations_per_s, s.cpu.involuntary_switches_per_s}, "the CPU", breaches);
  finite({s.memory.used_mb, s.memory.bandwidth_gb_s, s.memory.clock_mhz}, "memory", breaches);
  finite({s.temperature_c, s.temperature_peak_c}, "the temperature", breaches);
  for (const double mhz : s.cpu.clock_mhz) finite({mhz}, "a cluster", breaches);
  if (s.link)
    finite({s.link->busy, s.link->load, s.link->resends, s.link->wait_ms, s.link->power_w}, "the link",
           breaches);
}

}  // namespace

const std::vector<Law>& laws() {
  static const std::vector<Law> all{
      {"images are rate times time", images_are_rate_times_time},
      {"the rates of the processes sum to the system's", processes_sum_to_the_system},
      {"the rates of the streams sum to their process's", streams_sum_to_their_process},
      {"power is energy an image times rate", power_is_energy_times_rate},
      {"a process that finished did all its batches", a_process_that_finished_did_all_its_batches},
      {"the shares of a process's time sum to one", time_shares_sum_to_one},
      {"the shares of what bounds kernels sum to one", what_bounds_kernels_sums_to_one},
      {"the kernels of all processes are what keeps the GPU busy", kernels_of_all_make_the_gpu_busy},
      {"SMs are active only while kernels run", sms_are_active_only_while_kernels_run},
      {"busy shares lie between zero and one", busy_shares_are_shares},
      {"an enqueue call is the sum of its parts", a_call_is_the_sum_of_its_parts},
      {"percentiles of latency are in order", percentiles_are_in_order},
      {"a confidence interval holds its mean and nothing below zero", an_interval_holds_its_mean},
      {"a prediction interval is there only where it was asked for", nothing_is_predicted_unasked},
      {"nobody is served nothing in silence", nobody_is_served_nothing_in_silence},
      {"a process is idle only while it has nothing to do, which is no cause of anything",
       nobody_with_work_is_idle},
      {"no more is served than came", no_more_is_served_than_came},
      {"only a queue with a limit drops", only_a_full_queue_drops},
      {"an open load is stable, or its backlog grows and it has no latency", a_load_is_stable_or_grows},
      {"memory is the sum of its parts and fits", memory_is_the_sum_of_its_parts},
      {"a process that does not fit has no figures", a_process_without_memory_has_no_figures},
      {"power is the sum of its parts and at most its peak", power_is_the_sum_of_its_parts},
      {"a rail sees at most all power, and its peak is at least its mean", rails_see_no_more_than_there_is},
      {"the times at each clock sum to one", state_times_sum_to_one},
      {"clocks are within the mode's limits", clocks_are_within_the_mode},
      {"a card keeps its power limit", a_card_keeps_its_limit},
      {"every figure is a number", figures_are_numbers},
      {"replications pool like means", replications_pool_like_means},
  };
  return all;
}

std::vector<std::string> breaches(const Run& run) {
  Breaches all;
  for (const Law& law : laws()) {
    Breaches own;
    law.check(run, own);
    for (const std::string& breach : own) all.push_back(fmt::format("{}: {}", law.name, breach));
  }
  return all;
}

board::DeviceSpec device_of(const Scenario& scenario) {
  input::Problems problems;
  const auto profile = device_profile(scenario, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return *profile->spec;
}

}  // namespace jostle::scenarios::testing
