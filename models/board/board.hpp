// A running board: builds and starts its CPU, GPU, DLAs and the processes on them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/board/clocks.hpp"
#include "models/board/compositor.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/cpu.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/sharing.hpp"
#include "models/link/link.hpp"
#include "models/media/engine.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/co_runner.hpp"
#include "models/process/inference.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::board {

// Interrupts that take part of a core.
struct InterruptLoad {
  int cpu = 0;
  double load = 0;  // share of the core's time
  double rate = 0;  // per second
};

// The configuration of a board for a run.
struct Setup {
  cpu::Confinement cores;
  Clocks clocks;                              // initial clocks; absent ones: the maximum
  double memory_bytes_per_s = 0;              // bandwidth of the memory at these clocks; 0: unlimited
  std::vector<process::Spec> processes;       // with kernel times at `clocks`
  std::vector<process::LoadSpec> loads = {};  // background loads, which run beside them
  std::optional<link::Spec> link = {};        // the requests of all processes arrive over it
  std::optional<InterruptLoad> interrupts = {};
  std::optional<CompositorSpec> compositor = {};
  bool observed = false;  // a profiler is attached: DeviceSpec::nsys
  gpu::Sharing sharing = gpu::Sharing::time_slicing;
  std::vector<gpu::Spec> instances = {};  // parts of the GPU (gpu/instances.hpp); empty: it is whole
  bool every_kernel = false;              // gpu::SharingSetup
  gpu::LoopPrecision loops = {};          // the same
  bool two_speeds = false;                // cores change between their two speeds (cpu::Cpu::vary_speeds)
  std::uint64_t seed = 1;
};

class Board {
 public:
  // The processes start when the engine runs. Throws std::invalid_argument if a process uses a runtime or a
  // DLA that the device does not have. `gpu`: the GPU to use; null: the board creates one (tests pass their
  // reference GPU).
  Board(sim::Engine& engine, const DeviceSpec& device, const Setup& setup,
        std::unique_ptr<gpu::Gpu> gpu = nullptr);

  // Sets the clocks of all domains from now on and re-times all work in progress. Absent clocks stay
  // unchanged.
  void set_clocks(const Clocks& clocks);
  [[nodiscard]] const Clocks& clocks() const { return clocks_; }

  // Ends the warm-up: accrues all statistics up to now, then discards them.
  void end_warmup();
  void settle();

  [[nodiscard]] const std::deque<process::Inference>& processes() const { return processes_; }
  [[nodiscard]] std::deque<process::Inference>& processes() { return processes_; }
  // True if all processes have ended (process::Spec::batches). The engine stops whenever a process ends.
  [[nodiscard]] bool finished() const;
  [[nodiscard]] const DeviceSpec& device() const { return device_; }
  [[nodiscard]] const cpu::Cpu& cpu() const { return cpu_; }
  [[nodiscard]] cpu::Cpu& cpu() { return cpu_; }
  [[nodiscard]] gpu::Gpu& gpu() { return *gpus_.front().gpu; }  // only if the device has one
  [[nodiscard]] std::deque<dla::Dla>& dlas() { return dlas_; }
  [[nodiscard]] const std::deque<process::CoRunner>& loads() const { return loads_; }
  [[nodiscard]] const std::deque<media::Engine>& engines() const { return engines_; }
  [[nodiscard]] const std::optional<link::Link>& link() const { return link_; }
  [[nodiscard]] bool has_compositor() const { return compositor_.has_value(); }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

  // Times so far in which kernels execute, and in which contexts are switched. Instances count by their SMs.
  [[nodiscard]] sim::Duration gpu_busy();
  [[nodiscard]] sim::Duration gpu_switching();
  // The number of instances, 1 if the GPU is whole, and the sum of both for one of them.
  [[nodiscard]] std::size_t gpu_instances() const { return gpus_.size(); }
  [[nodiscard]] sim::Duration gpu_load(std::size_t instance);
  // Totals so far: the usage by kernels, and the bytes that all other users moved over the memory.
  [[nodiscard]] gpu::Usage gpu_used();
  [[nodiscard]] double other_bytes() const;
  [[nodiscard]] double dla_operations() const;  // so far, sum over all DLAs
  [[nodiscard]] double dram_bytes() { return gpu_used().dram_bytes + other_bytes(); }

  // Totals since the end of the warm-up.
  struct Totals {
    sim::Duration elapsed;
    sim::Duration gpu_busy, gpu_switching, gpu_repeating;
    std::int64_t gpu_switches = 0;
    gpu::Usage gpu_used;            // sum over all kernels
    double other_bytes = 0;         // moved over the memory by threads, copies and DLAs
    sim::Duration compositor_busy;  // GPU time of its frames
    sim::Duration cores_busy;       // sum over all cores
    sim::Duration interrupted;      // sum over all cores: time that interrupts took from threads
    std::int64_t migrations = 0, involuntary_switches = 0;
    std::vector<sim::Duration> dla_busy;     // by DLA
    std::vector<sim::Duration> engine_busy;  // by engine, in the order of engines()
  };
  [[nodiscard]] Totals totals();

 private:
  // The GPU, or an instance of it.
  struct GpuPart {
    GpuPart(Board& owner, std::unique_ptr<gpu::Gpu> its_gpu, const gpu::Spec& spec)
        : board(owner),
          gpu(std::move(its_gpu)),
          copies(owner.engine_, spec),
          share(owner.device_.has_gpu() ? static_cast<double>(spec.sm_count) / owner.device_.gpu.sm_count
                                        : 1) {}
    void memory_speed_changed(double speed);
    void set_rates();

    Board& board;
    std::unique_ptr<gpu::Gpu> gpu;  // null: the board has none
    gpu::CopyEngine copies;
    double share;             // share in the SMs of the whole GPU
    double memory_speed = 1;  // share that the memory's other users leave to it
  };

  void add_gpus(const Setup& setup, std::unique_ptr<gpu::Gpu> given);
  template <class T, class Read>
  [[nodiscard]] T gpu_sum(const Read& read);
  [[nodiscard]] process::BoardParts parts(std::size_t instance);
  [[nodiscard]] process::Costs costs_of(const process::Spec& spec,
                                        const process::ObserverSpec* observer) const;
  // Connects results of processes to the requests that they make to other processes.
  void connect(const Setup& setup);
  void add_engines(const process::Spec& spec);
  void add_load(const process::LoadSpec& load, const Setup& setup, std::uint32_t index);
  // Starts the process with that index.
  void add_process(const process::Spec& spec, const Setup& setup, std::uint32_t index);
  [[nodiscard]] Totals totals_so_far();

  sim::Engine& engine_;
  DeviceSpec device_;
  Clocks given_, clocks_;      // the clocks in `Setup`, and the current ones
  double memory_bytes_per_s_;  // at given_
  gpu::Rates gpu_rates_;       // ratio of clocks_ to given_
  cpu::Cpu cpu_;
  std::deque<GpuPart> gpus_;                // at least one
  std::optional<memory::Traffic> traffic_;  // if CPU and GPU share a memory
  std::deque<dla::Dla> dlas_;
  std::deque<media::Engine> engines_;
  std::optional<link::Link> link_;
  std::deque<process::Inference> processes_;
  std::deque<process::CoRunner> loads_;
  struct Request {  // one, made by each image of another process
    process::Inference* to;
    std::size_t part;
  };
  std::deque<Request> requests_;
  std::optional<Compositor> compositor_;
  bool interrupted_ = false;
  Totals before_;
};

}  // namespace jostle::board
