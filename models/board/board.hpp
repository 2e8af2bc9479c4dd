// A board that runs: its CPU, its GPU, its DLAs and the processes on them, put together and started.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/board/spec.hpp"
#include "models/cpu/cpu.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/inference.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::board {

// What is on a board and how it is set.
struct Setup {
  cpu::Confinement cores;
  std::vector<double> cluster_clock_hz;  // empty: the clusters' maxima
  double memory_bytes_per_s = 0;         // that the memory delivers at its clock; 0: all that is asked
  std::vector<process::Spec> processes;  // kernel times at the clocks that are set
  bool observed = false;                 // by a profiler: DeviceSpec::nsys
  std::uint64_t seed = 1;
};

class Board {
 public:
  // The processes start when the engine runs. Throws std::invalid_argument where a process uses a runtime or
  // a DLA that the device does not have. `gpu`: the GPU to use; null: a TimeSharedGpu (tests bring their
  // reference engine).
  Board(sim::Engine& engine, const DeviceSpec& device, const Setup& setup,
        std::unique_ptr<gpu::Gpu> gpu = nullptr);

  // Forgets statistics: the warm-up ends. And brings them up to now.
  void end_warmup();
  void settle();

  [[nodiscard]] const std::deque<process::Inference>& processes() const { return processes_; }
  [[nodiscard]] std::deque<process::Inference>& processes() { return processes_; }
  // Whether all have ended (process::Spec::batches); the engine is stopped at each end.
  [[nodiscard]] bool finished() const;
  [[nodiscard]] const cpu::Cpu& cpu() const { return cpu_; }
  [[nodiscard]] gpu::Gpu& gpu() { return *gpu_; }  // of a device that has one
  [[nodiscard]] std::deque<dla::Dla>& dlas() { return dlas_; }

  // Since the warm-up.
  struct Totals {
    sim::Duration elapsed;
    sim::Duration gpu_busy, gpu_switching;
    std::int64_t gpu_switches = 0;
    dnn::Usage gpu_used;       // by kernels of all processes together
    double host_bytes = 0;     // moved over a common memory by threads and copies
    sim::Duration cores_busy;  // of all cores together
    std::int64_t migrations = 0, involuntary_switches = 0;
    std::vector<sim::Duration> dla_busy;  // of each
    double dla_dram_bytes = 0;            // of all together
  };
  [[nodiscard]] Totals totals();

 private:
  [[nodiscard]] Totals totals_so_far();

  sim::Engine& engine_;
  cpu::Cpu cpu_;
  std::unique_ptr<gpu::Gpu> gpu_;
  gpu::CopyEngine copies_;
  std::optional<memory::Traffic> traffic_;  // where CPU and GPU share a memory
  std::deque<dla::Dla> dlas_;
  std::deque<process::Inference> processes_;
  Totals before_;
};

}  // namespace jostle::board
