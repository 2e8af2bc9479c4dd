// Launchers: the ways in which the host launches a batch, as one graph, kernel by kernel, or in segments for
// GPU and DLA. A stream has the launcher for the kind of batch that it enqueues. All have the same functions:
//
//   begin(factor, lock)
//                    an enqueue call begins; returns the host's work in it, times `factor`, and times
//                    `factor` · `lock` that of its launches once more
//   work(factor, lock)
//                    that work
//   end()            that work is done, and the batch is launched
//   input_arrived()  the next input is on the device; comes before begin() if nothing is copied
//   gpu_done()       the GPU has finished the work that it was given
//   unfinished()     number of batches that were launched and are not done
//
// They notify a LaunchListener (segment_stream.hpp) when a batch is done.
#pragma once

#include <cstdint>
#include <variant>

#include "models/gpu/gpu.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/gpu_context.hpp"
#include "models/process/segment_stream.hpp"
#include "models/process/spec.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// Matches batches given to the GPU with inputs that arrive, in the same order.
class InputGate {
 public:
  // The GPU is given the next batch. Returns true if its input has yet to arrive.
  [[nodiscard]] bool closed_to_next() { return inputs_ <= given_++; }
  // The next input arrives. Returns true if the GPU has its batch already.
  [[nodiscard]] bool arrives() { return inputs_++ < given_; }

 private:
  std::uint64_t given_ = 0, inputs_ = 0;
};

// The common part of the launchers for the GPU alone.
class GpuLauncher {
 public:
  // All arguments must outlive it.
  GpuLauncher(const Spec& spec, const Costs& costs, GpuContext& context, const LaunchListener& listener)
      : spec_(spec),
        runtime_(costs.runtime),
        context_(context),
        listener_(listener),
        kernels_(&*spec.kernels) {}

  // From now on a batch consists of these kernels, which must outlive the GPU. `first`: false for kernels
  // that belong to the batch before, whose launch has no work but that of the launch itself.
  void launch(const gpu::KernelSequence& kernels, bool first) {
    kernels_ = &kernels;
    first_ = first;
  }

  void input_arrived() {
    if (gate_.arrives()) context_.gpu().open(context_.id());
  }
  void gpu_done() { listener_.batch_done(listener_.context); }
  [[nodiscard]] std::uint64_t unfinished() const { return context_.gpu().unfinished(context_.id()); }

 protected:
  [[nodiscard]] std::int64_t kernels() const { return static_cast<std::int64_t>(kernels_->kernels.size()); }
  // The host's work in an enqueue call beside launches.
  [[nodiscard]] sim::Duration per_batch() const {
    return first_ ? runtime_.per_batch : sim::Duration::zero();
  }

  const Spec& spec_;
  const RuntimeSpec& runtime_;
  GpuContext& context_;
  LaunchListener listener_;
  const gpu::KernelSequence* kernels_;
  bool first_ = true;
  InputGate gate_;
};

// A graph is one launch: the GPU has it when the call ends.
class GraphLauncher : public GpuLauncher {
 public:
  using GpuLauncher::GpuLauncher;
  [[nodiscard]] sim::Duration work(double factor, double lock) const;
  [[nodiscard]] sim::Duration begin(double factor, double lock) const { return work(factor, lock); }
  void end();
};

// Kernels that are launched one by one reach the GPU as the host makes progress.
class KernelLauncher : public GpuLauncher {
 public:
  using GpuLauncher::GpuLauncher;
  [[nodiscard]] sim::Duration work(double factor, double lock) const;
  [[nodiscard]] sim::Duration begin(double factor, double lock);
  void end();
  // The host's pace changes, inside a call or outside.
  void host_progress(const gpu::HostProgress& progress);

 private:
  [[nodiscard]] gpu::LaunchPlan plan(double factor, double lock) const;

  bool launching_ = false;
};

// The launcher that the spec requires.
class Launcher {
 public:
  // All arguments must outlive it.
  Launcher(const BoardParts& board, const Spec& spec, const Costs& costs, GpuContext& context,
           const LaunchListener& listener);

  // GpuLauncher::launch(). Has no effect if a batch has segments.
  void launch(const gpu::KernelSequence& kernels, bool first) {
    if (auto* graph = std::get_if<GraphLauncher>(&launcher_)) graph->launch(kernels, first);
    if (auto* eager = std::get_if<KernelLauncher>(&launcher_)) eager->launch(kernels, first);
  }
  [[nodiscard]] sim::Duration work(double factor, double lock) const {
    return std::visit([&](const auto& launcher) { return launcher.work(factor, lock); }, launcher_);
  }
  [[nodiscard]] sim::Duration begin(double factor, double lock) {
    return std::visit([&](auto& launcher) { return launcher.begin(factor, lock); }, launcher_);
  }
  void end() {
    std::visit([](auto& launcher) { launcher.end(); }, launcher_);
  }
  void input_arrived() {
    std::visit([](auto& launcher) { launcher.input_arrived(); }, launcher_);
  }
  void gpu_done() {
    std::visit([](auto& launcher) { launcher.gpu_done(); }, launcher_);
  }
  [[nodiscard]] std::uint64_t unfinished() const {
    return std::visit([](const auto& launcher) { return launcher.unfinished(); }, launcher_);
  }
  void host_progress(const gpu::HostProgress& progress) {
    if (auto* kernels = std::get_if<KernelLauncher>(&launcher_)) kernels->host_progress(progress);
  }

 private:
  std::variant<GraphLauncher, KernelLauncher, SegmentStream> launcher_;
};

}  // namespace jostle::process
