#include "scenarios/run/cpu_time.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "models/gpu/dispatcher.hpp"
#include "models/gpu/occupancy.hpp"
#include "models/gpu/sharing.hpp"
#include "models/gpu/sm_shares.hpp"
#include "models/process/costs.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::scenarios {
namespace {

// Costs in seconds of a core (2.5 GHz, from 2023), measured on runs of resnet50 and mobilenet_v2 on
// nvidia-h200 and jetson-orin-nano-super. Each is accurate within about a factor of three.
constexpr double of_batch = 2e-6;       // per batch, with time slicing
constexpr double of_request = 0.15e-6;  // per request of an open load
constexpr double of_layer = 1e-6;       // per layer of one thread on the cores
constexpr double of_window = 0.2e-6;    // per window of gpu_metrics
// Cost of a kernel beside kernels of other streams: measured 3.3, 9 and 45 us with 8, 16 and 128 streams
// (a build with -O1).
double of_kernel(double streams) {
  return 1.5e-6 + 0.35e-6 * streams;
}
// Parts in which a wave comes on few SMs, where streams take each other's places: fitted to four streams of
// alexnet on 8 SMs of an H200. Streams of equal kernels, which end together, have about one.
constexpr double parts_of_wave = 8;
// Simulated time after which closed loops are steady (gpu/steady_loops.hpp): 0.05 to 1.8 s were measured, 14
// s of four MPS clients that launch kernel by kernel.
constexpr double until_steady_s = 0.5, until_steady_by_kernel_s = 10;

// A part of a process as if it had the GPU to itself.
struct Alone {
  double batch_s = 0;  // GPU time per batch
  double sm_s = 0;     // SM time per batch, over all SMs that it may use
  bool few = false;    // it may not use all SMs: each wave of a kernel is an event then
  double kernels = 0;  // number per batch; of parts of waves, on few SMs
  double streams = 1;
  double requests = 0;  // requests per second of an open load
  bool loop = false;    // its batches follow each other
  double host_s = 0;    // host time in which all streams launch a batch kernel by kernel
  double batches = 0;   // batches per second
};

double host_time(const process::Spec& part, const board::DeviceSpec& device) {
  const auto& known = device.runtimes[part.runtime];
  if (part.launches_at_once() || !known) return 0;
  const process::RuntimeSpec costs = process::runtime_of(*known, part, nullptr);
  const auto launches = static_cast<std::int64_t>(part.kernels->kernels.size());
  return sim::to_seconds(costs.per_batch + (costs.per_launch + costs.per_node) * launches +
                         process::operators_time(costs, *part.kernels));
}

Alone alone(const process::Spec& part, double streams, const board::DeviceSpec& device) {
  const gpu::Spec& gpu = device.gpu;
  const int sms = part.partition ? part.partition->sms : gpu::space::sms_of_share(gpu, part.mps_threads);
  Alone of{.few = sms < gpu.sm_count, .streams = streams};
  const gpu::KernelSequence& kernels = part.kernels;
  of.batch_s = sim::to_seconds(kernels.total());
  of.loop = part.arrivals.closed_loop() && !part.pace;
  of.host_s = streams * host_time(part, device);
  if (of.batch_s <= 0) return of;
  of.sm_s = of.few ? 0 : kernels.used.back().sm_active;
  for (const gpu::Kernel& kernel : kernels.kernels) {
    of.kernels += of.few ? parts_of_wave * gpu::waves(gpu, kernel, sms) : 1;
    if (of.few) of.sm_s += sim::to_seconds(time_alone(gpu::space::work_of(gpu, kernel, sms), {}));
  }
  of.batches = streams / std::max(of.batch_s, of.loop && !of.few ? of.host_s : 0);
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.kind == process::ArrivalKind::periodic || arrivals.kind == process::ArrivalKind::poisson) {
    of.requests = arrivals.rate_per_s * static_cast<double>(arrivals.streams * arrivals.burst);
    of.batches = std::min(of.batches, of.requests);
  }
  return of;
}

double streams_of(std::span<const Alone> parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Alone& part) { return sum + part.streams; });
}

// CPU time per simulated second of parts that get `share` of the GPU's time. `in_space`: their kernels may
// run at the same time, and each is an event.
double on_gpu(std::span<const Alone> parts, double share, bool in_space) {
  double together = 0, longest = 0, seconds = 0;
  const double streams = streams_of(parts);
  for (const Alone& part : parts) {
    const double busy = part.batches * (in_space ? part.sm_s : part.batch_s);
    if (part.few)
      longest = std::max(longest, busy);
    else
      together += busy;
  }
  const double busy = std::max(together, longest), served = busy > share ? share / busy : 1;
  for (const Alone& part : parts) {
    const double batches = part.batches * served;
    seconds += part.requests * of_request;
    seconds += batches * (in_space ? part.kernels * of_kernel(streams) : of_batch);
  }
  return seconds;
}

// Batches of loops are repeated.
bool become_steady(std::span<const Alone> parts) {
  return streams_of(parts) > 1 && std::ranges::all_of(parts, &Alone::loop);
}

double on_cores(const process::Spec& process, double share) {
  const auto layers = static_cast<double>(process.host.layers.size());
  const double batch_s = sim::to_seconds(
      std::accumulate(process.host.layers.begin(), process.host.layers.end(), sim::Duration::zero()));
  return batch_s > 0 ? share / batch_s * layers * process.host.threads * of_layer : 0;
}

}  // namespace

double cpu_seconds(const Scenario& scenario, const Assembly& assembly) {
  std::vector<std::vector<Alone>> groups;  // parts whose kernels may run at the same time
  double threads = 0, longest_batch_s = 0, rate = 0;
  const bool turns = gpu::way_of(scenario.sharing).takes_turns;
  bool in_space = !turns;
  for (const process::Spec& process : assembly.setup.processes) {
    threads += process.host.threads;
    if (process.on_cores()) continue;
    if (turns || groups.empty()) groups.emplace_back();
    in_space = in_space || process::serves_instances(process) || process.partition;
    for (const process::Spec& part : process::parts_of(process)) {
      groups.back().push_back(alone(part, static_cast<double>(part.streams), assembly.device));
      longest_batch_s = std::max(longest_batch_s, groups.back().back().batch_s);
    }
  }
  double simulated_s = sim::to_seconds(scenario.run.warmup + scenario.run.duration);
  const bool loops = groups.size() == 1 && !scenario.run.every_kernel && !scenario.gpu_metrics &&
                     become_steady(groups.front());
  const bool at_once =
      loops && std::ranges::all_of(groups.front(), [](const Alone& part) { return part.host_s == 0; });
  const double until_s = at_once ? until_steady_s : until_steady_by_kernel_s;
  const double by_kernel = loops ? std::min(until_s / std::max(simulated_s, 1e-9), 1.0) : 1;
  for (const std::vector<Alone>& group : groups)
    rate += by_kernel * on_gpu(group, 1 / static_cast<double>(groups.size()), in_space);
  const auto cores = static_cast<double>(assembly.setup.cores.online.size());
  for (const process::Spec& process : assembly.setup.processes)
    if (process.on_cores()) rate += on_cores(process, std::min(1.0, cores / threads));
  if (scenario.gpu_metrics) rate += of_window / sim::to_seconds(*scenario.gpu_metrics);
  if (scenario.run.batches && longest_batch_s > 0)
    simulated_s = std::min(simulated_s, static_cast<double>(*scenario.run.batches) * longest_batch_s *
                                            static_cast<double>(groups.size()));
  return rate * simulated_s;
}

}  // namespace jostle::scenarios
