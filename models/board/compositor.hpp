// A desktop compositor: a background load of the GPU that draws a frame at every refresh of the display.
//
// It has a context, and so turns, of its own; the cost of its frames on the CPU and the memory is not
// modelled. If a frame is not drawn when the next one is due, the next one is dropped.
#pragma once

#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/engine.hpp"

namespace jostle::board {

struct CompositorSpec {
  sim::Duration interval;     // time from one frame to the next, positive
  gpu::KernelSequence frame;  // at the clocks at the start
};

class Compositor {
 public:
  // Engine and GPU must outlive it.
  Compositor(sim::Engine& engine, gpu::Gpu& gpu, const CompositorSpec& spec);
  Compositor(const Compositor&) = delete;
  Compositor& operator=(const Compositor&) = delete;

  void end_warmup() { before_ = gpu_.process_running_time(context_); }
  // Running time since the warm-up.
  [[nodiscard]] sim::Duration busy() const { return gpu_.process_running_time(context_) - before_; }

 private:
  void refresh();

  sim::Engine& engine_;
  gpu::Gpu& gpu_;
  CompositorSpec spec_;
  gpu::ContextId context_;
  sim::Duration before_;
};

}  // namespace jostle::board
