// Power and clocks: the watts of single loads, the steps of clock and watts when a load comes and goes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"
#include "calibration/probe/power_sensors.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr double sample_s = 0.02;
constexpr std::uint64_t clock_every_ns = 1'000'000;  // between readings of the SMs' clock

// The work that runs while the sensors are read.
struct Load {
  std::string name;
  Loops loops;       // on the GPU; none: the GPU has no context
  int cpu_hogs = 0;  // processes that compute
};

std::vector<Load> cpu_loads() {
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<Load> all{{"idle", {}}, {"one core", {}, 1}};
  if (cores > 1) all.push_back({"all cores", {}, cores});
  return all;
}

std::vector<Load> gpu_loads(const GpuFacts& gpu, bool quick) {
  using enum KernelKind;
  const auto sms = static_cast<unsigned>(gpu.sms);
  const auto cycles = static_cast<std::uint64_t>(200 * gpu.clock_mhz);
  const std::size_t large = static_cast<std::size_t>(std::min(1e9, gpu.memory_bytes / 8));
  const auto small = static_cast<std::size_t>(std::max(256e3, gpu.l2_bytes / 4));
  const auto loop = [](KernelKind kind, unsigned blocks, unsigned threads, std::uint64_t amount,
                       std::size_t data = 64) {
    return Loop{.kernel = {kind, blocks, threads, amount}, .kernels_per_batch = 10, .data_bytes = data};
  };
  std::vector<Load> all{{"context", {loop(spin, 1, 32, 1000)}},
                        {"spin", {loop(spin, sms, 1024, cycles)}},
                        {"spin on half of the SMs", {loop(spin, sms / 2, 1024, cycles)}},
                        {"fma", {loop(fma4, sms * 2, 512, 20'000)}},
                        {"read", {loop(read, sms * 8, 256, 256, large)}},
                        {"read in L2", {loop(read, sms * 8, 256, 256, small)}}};
  if (gpu.major >= 7) {
    all.push_back({"tensor", {loop(mma, sms * 2, 256, 10'000)}});
    all.push_back({"tensor and read", {loop(mma, sms, 256, 10'000), loop(read, sms * 4, 256, 128, large)}});
  }
  if (quick)
    std::erase_if(all, [](const Load& load) {
      return load.name == "spin on half of the SMs" || load.name == "tensor and read" ||
             load.name == "read in L2";
    });
  return all;
}

struct Sample {
  double at_s = 0;
  std::vector<Reading> readings;
};

void hog(double seconds) {
  const double until = host_now() + seconds;
  volatile double value = 1;
  while (host_now() < until)
    for (int i = 0; i < 10'000; ++i) value = value * 1.0000001 + 1e-9;
}

// A second stream whose kernel reads both clocks of an SM while the loops run: pairs of ns and cycles.
std::vector<std::uint64_t> run_watched(const Gpu& gpu, const Loops& loops, double seconds) {
  const auto capacity = static_cast<std::uint32_t>(seconds * 1e9 / static_cast<double>(clock_every_ns) + 16);
  const DeviceMemory pairs(gpu, capacity * 2 * sizeof(std::uint64_t)), found(gpu, sizeof(std::uint32_t));
  cuda::Stream stream = nullptr;
  gpu.cuda.check("cuStreamCreate", gpu.cuda.stream_create(&stream, cuda::non_blocking_stream, -1));
  std::uint64_t for_ns = static_cast<std::uint64_t>(seconds * 1e9), every = clock_every_ns;
  cuda::Pointer pairs_at = pairs.at(), found_at = found.at();
  std::uint32_t kept = capacity;
  void* parameters[] = {&for_ns, &every, &pairs_at, &kept, &found_at};
  const auto watch = [&] {
    gpu.cuda.check("cuLaunchKernel", gpu.cuda.launch_kernel(gpu.function("watch_clock"), 1, 1, 1, 32, 1, 1, 0,
                                                            stream, parameters, nullptr));
  };
  int ready = 0;
  // The second call of run_loops() begins what is measured.
  (void)run_loops(gpu, loops, 0.01, seconds, [&] {
    if (++ready == 2) watch();
  });
  gpu.cuda.check("cuStreamSynchronize", gpu.cuda.stream_synchronize(stream));
  std::uint32_t count = 0;
  found.copy_out(&count, sizeof count);
  std::vector<std::uint64_t> all(2 * count);
  pairs.copy_out(all.data(), all.size() * sizeof(std::uint64_t));
  gpu.cuda.stream_destroy(stream);
  return all;
}

struct Run {
  std::vector<Sample> samples;             // by this process, from the start of the load on
  std::vector<std::uint64_t> clock_pairs;  // by the GPU
};

// The seconds of an experiment before the load begins, with it, and after it.
struct Phases {
  double before_s = 0, load_s = 0, after_s = 0;
};

Run run_load(const Session& session, const Load& load, const PowerSensors& sensors, const Phases& whole) {
  Run run;
  const Phases phases{session.pace * whole.before_s, session.pace * whole.load_s,
                      session.pace * whole.after_s};
  const double begin = host_now();
  const int processes = std::max(1, (load.loops.empty() ? 0 : 1) + load.cpu_hogs);
  const auto work = [&](int rank, Gate& gate) {
    std::string bytes;
    if (!load.loops.empty() && rank == 0) {
      setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent", 1);
      const Gpu gpu;
      gate.meet();
      std::this_thread::sleep_for(std::chrono::duration<double>(phases.before_s));
      put(bytes, run_watched(gpu, load.loops, phases.load_s));
    } else {
      gate.meet();
      std::this_thread::sleep_for(std::chrono::duration<double>(phases.before_s));
      if (load.cpu_hogs > 0)
        hog(phases.load_s);
      else
        std::this_thread::sleep_for(std::chrono::duration<double>(phases.load_s));
      put(bytes, std::vector<std::uint64_t>{});
    }
    // The context stays open while it cools.
    std::this_thread::sleep_for(std::chrono::duration<double>(phases.after_s));
    return bytes;
  };
  const auto between = [&] { run.samples.push_back({host_now() - begin, sensors.read()}); };
  const Supervision supervision{experiment_limit_s + phases.before_s + phases.load_s + phases.after_s,
                                between, sample_s};
  const auto reports = in_processes(processes, session, supervision, work);
  std::string_view bytes = reports.front();
  run.clock_pairs = take<std::uint64_t>(bytes);
  return run;
}

// The clock of the SMs between readings, in MHz.
std::vector<double> effective_mhz(const std::vector<std::uint64_t>& pairs) {
  std::vector<double> clocks;
  for (std::size_t i = 3; i < pairs.size(); i += 2) {
    const double ns = static_cast<double>(pairs[i - 1] - pairs[i - 3]),
                 cycles = static_cast<double>(pairs[i] - pairs[i - 2]);
    if (ns > 0) clocks.push_back(1e3 * cycles / ns);
  }
  return clocks;
}

// The readings of the last `share` of a run's samples, of one sensor.
std::vector<double> last(const Run& run, double share,
                         const std::function<double(const std::vector<Reading>&)>& which) {
  std::vector<double> values;
  const auto from = static_cast<std::size_t>((1 - share) * static_cast<double>(run.samples.size()));
  for (std::size_t i = from; i < run.samples.size(); ++i)
    if (const double value = which(run.samples[i].readings); !std::isnan(value)) values.push_back(value);
  return values;
}

std::string header(const std::vector<Reading>& readings) {
  std::string text = "load,at_s";
  for (const Reading& reading : readings)
    text += fmt::format(",{}{}{}", reading.name, reading.unit.empty() ? "" : "_", reading.unit);
  return text + '\n';
}
void add_samples(std::string& text, const std::string& load, const Run& run) {
  for (const Sample& sample : run.samples) {
    text += fmt::format("{},{:.3f}", load, sample.at_s);
    for (const Reading& reading : sample.readings)
      text += std::isnan(reading.value) ? "," : fmt::format(",{:.3f}", reading.value);
    text += '\n';
  }
}

// False if no sensor told the watts.
bool add_load(const Load& load, const Run& run, Outcome& outcome, std::string& table) {
  const auto watts = last(run, 0.5, PowerSensors::board_power);
  const auto reported =
      last(run, 0.5, [](const auto& all) { return PowerSensors::value_of(all, "sm_clock"); });
  std::vector<double> clocks = effective_mhz(run.clock_pairs);
  clocks.erase(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2));
  const auto power = middle(watts);
  if (!power || power->value <= 0) return false;
  const double clock = reported.empty() ? 0 : median(reported),
               effective = clocks.empty() ? 0 : median(clocks);
  table += fmt::format("{},{:.2f},{:.3f},{:.0f},{:.1f},{}\n", load.name, power->value, power->sd, clock,
                       effective, watts.size());
  std::string label = load.name;
  std::ranges::replace(label, ' ', '_');
  outcome.parameters.push_back(
      {"seen.power_" + label, power->value, "W", power->sd / power->value, watts.size(),
       fmt::format("board, later half of the run; clock {:.0f} MHz reported, {:.0f} in the SMs", clock,
                   effective)});
  return true;
}

// A load that comes and goes: watts, reported clock and the SMs' clock every 20 ms.
void step(const Session& session, const GpuFacts& gpu, const PowerSensors& sensors, Outcome& outcome) {
  const auto all = gpu_loads(gpu, false);
  const auto heavy = std::ranges::find(all, gpu.major >= 7 ? "tensor" : "fma", &Load::name);
  const Run run = run_load(session, *heavy, sensors, {1.0, 60.0, 20.0});
  std::string text = header(sensors.read());
  add_samples(text, heavy->name, run);
  write_file(session, outcome, "raw/power_step.csv", text);
  std::string clock = "at_ms,effective_mhz\n";
  const auto clocks = effective_mhz(run.clock_pairs);
  for (std::size_t i = 0; i < clocks.size(); ++i) clock += fmt::format("{},{:.1f}\n", i + 1, clocks[i]);
  write_file(session, outcome, "raw/clock_step.csv", clock);
}

}  // namespace

Outcome power(const Session& session) {
  Outcome outcome;
  const PowerSensors sensors(session.root);
  if (!sensors.problem().empty()) {
    outcome.problems.push_back("power: " + sensors.problem());
    return outcome;
  }
  std::optional<GpuFacts> gpu;
  try {
    gpu = identify(session);
  } catch (const Interrupted&) {
    throw;
  } catch (const ProbeError& error) {
    outcome.problems.push_back(fmt::format("power: only the cores', as there is no GPU: {}", error.what()));
  }
  std::string table = "load,power_w,power_sd_w,reported_clock_mhz,effective_clock_mhz,samples\n";
  std::string raw = header(sensors.read());
  std::vector<Load> all = cpu_loads();
  if (gpu) {
    const auto on_gpu = gpu_loads(*gpu, session.quick);
    all.insert(all.begin() + 1, on_gpu.begin(), on_gpu.end());
  }
  std::vector<std::string> silent;
  double done = 0;
  for (const Load& load : all) {
    session.progress(done, load.name);
    const Run run = run_load(session, load, sensors, {0, session.quick ? 1.5 : 5, 0});
    add_samples(raw, load.name, run);
    if (!add_load(load, run, outcome, table)) silent.push_back(load.name);
    done += 0.6 / static_cast<double>(all.size());
  }
  if (!silent.empty())
    outcome.problems.push_back(
        fmt::format("power: the sensors told no watts of these loads: {}", fmt::join(silent, ", ")));
  if (silent.size() == all.size()) return outcome;
  write_file(session, outcome, "power.csv", table);
  write_file(session, outcome, "raw/power_samples.csv", raw);
  if (gpu && !session.quick) {
    session.progress(0.7, "a load that comes and goes");
    step(session, *gpu, sensors, outcome);
  }
  return outcome;
}

}  // namespace jostle::calibration::probe
