#include "models/board/compositor.hpp"

namespace jostle::board {

Compositor::Compositor(sim::Engine& engine, gpu::Gpu& gpu, const CompositorSpec& spec)
    : engine_(engine),
      gpu_(gpu),
      spec_(spec),
      context_(gpu.create_context({.name = "compositor", .per_launch = {}, .listener = {}})) {
  engine_.schedule(engine_.now() + spec_.interval, sim::action<&Compositor::refresh>(*this));
}

void Compositor::refresh() {
  if (gpu_.unfinished(context_) == 0) gpu_.enqueue(context_, spec_.frame);
  engine_.schedule(engine_.now() + spec_.interval, sim::action<&Compositor::refresh>(*this));
}

}  // namespace jostle::board
