#include "models/board/board.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "models/gpu/time_sharing.hpp"
#include "sim/random.hpp"

namespace jostle::board {

namespace {

constexpr const char* name_of(process::Runtime runtime) {
  switch (runtime) {
    case process::Runtime::cuda_graph:
      return "cuda-graph";
    case process::Runtime::eager:
      return "eager";
    case process::Runtime::tensorrt:
      return "tensorrt";
  }
  return "?";
}

}  // namespace

Board::Board(sim::Engine& engine, const DeviceSpec& device, const Setup& setup, std::unique_ptr<gpu::Gpu> gpu)
    : engine_(engine),
      cpu_(engine, device.cpu, setup.cores, sim::RandomStream(setup.seed, "cpu")),
      gpu_(gpu ? std::move(gpu) : std::make_unique<gpu::TimeSharedGpu>(engine, device.gpu, setup.seed)),
      copies_(engine, device.gpu) {
  for (std::size_t cluster = 0; cluster < setup.cluster_clock_hz.size(); ++cluster)
    cpu_.set_cluster_clock(static_cast<int>(cluster), setup.cluster_clock_hz[cluster]);
  if (device.memory.unified && setup.memory_bytes_per_s > 0) {
    const memory::Sharing sharing{.capacity_bytes_per_s = setup.memory_bytes_per_s,
                                  .interference = device.memory.interference};
    const memory::SpeedListener listener{.changed =
                                             [](void* self, double speed) {
                                               static_cast<gpu::Gpu*>(self)->set_rates({1, speed});
                                             },
                                         .context = gpu_.get()};
    // A copy reads and writes.
    traffic_.emplace(engine, sharing, listener, 2 * device.gpu.copy_bandwidth_bytes_per_s);
  }
  std::uint32_t index = 0;
  for (const process::Spec& spec : setup.processes) {
    const auto& runtime = device.runtime(spec.runtime);
    if (!runtime && !spec.pace)
      throw std::invalid_argument(fmt::format("{} has no runtime {}", device.name, name_of(spec.runtime)));
    process::Costs costs{.runtime = spec.pace ? device.paced : *runtime,
                         .sync = device.sync,
                         .refill_prolongs_turn = process::refill_prolongs_turn(device.refill, spec)};
    processes_.emplace_back(engine, cpu_, *gpu_, copies_, spec, costs, setup.seed, index,
                            traffic_ ? &*traffic_ : nullptr);
    engine.spawn(processes_.back().body(), spec.name.empty() ? fmt::format("process {}", index) : spec.name);
    ++index;
  }
}

void Board::end_warmup() {
  for (process::Inference& process : processes_) process.end_warmup();
  before_ = totals_so_far();
}

void Board::settle() {
  for (process::Inference& process : processes_) process.settle();
}

Board::Totals Board::totals_so_far() {
  Totals totals{.elapsed = engine_.now() - sim::Time::zero(),
                .gpu_busy = gpu_->busy(),
                .gpu_switching = gpu_->switching(),
                .gpu_switches = gpu_->switches(),
                .gpu_used = {},
                .host_bytes = traffic_ ? traffic_->moved_by_host() : 0,
                .cores_busy = {}};
  for (int core = 0; core < cpu_.cores(); ++core) totals.cores_busy += cpu_.core_statistics(core).busy;
  for (const process::Inference& process : processes_) {
    const cpu::ThreadStatistics thread = process.thread();
    totals.migrations += thread.migrations;
    totals.involuntary_switches += thread.involuntary_switches;
  }
  return totals;
}

Board::Totals Board::totals() {
  Totals totals = totals_so_far();
  totals.elapsed -= before_.elapsed;
  totals.gpu_busy -= before_.gpu_busy;
  totals.gpu_switching -= before_.gpu_switching;
  totals.gpu_switches -= before_.gpu_switches;
  totals.host_bytes -= before_.host_bytes;
  totals.cores_busy -= before_.cores_busy;
  totals.migrations -= before_.migrations;
  totals.involuntary_switches -= before_.involuntary_switches;
  for (process::Inference& process : processes_) totals.gpu_used += process.running().used;
  return totals;
}

}  // namespace jostle::board
