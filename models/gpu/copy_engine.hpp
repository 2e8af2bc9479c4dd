// The engine that copies between host and device in parallel with kernels: first come, first served, for all
// contexts.
#pragma once

#include <algorithm>

#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class CopyEngine {
 public:
  CopyEngine(sim::Engine& engine, const Spec& spec)
      : engine_(engine), fixed_(spec.copy_fixed), bandwidth_(spec.copy_bandwidth_bytes_per_s) {
    if (sim::TraceSink* trace = engine.trace(); trace != nullptr && bandwidth_ > 0)
      track_ = trace->track("GPU: copies");
  }

  // True if copying `bytes` takes any time on this device.
  [[nodiscard]] bool takes_time(double bytes) const { return bytes > 0 && bandwidth_ > 0; }

  // Copies `bytes` after all copies requested before, then runs `done`.
  void copy(double bytes, sim::Action done) {
    const sim::Time begin = std::max(free_from_, engine_.now());
    free_from_ = begin + fixed_ + sim::seconds(bytes / bandwidth_);
    if (sim::TraceSink* trace = engine_.trace()) trace->slice(track_, begin, free_from_ - begin, "copy");
    engine_.schedule(free_from_, done);
  }

 private:
  sim::Engine& engine_;
  sim::Duration fixed_;
  double bandwidth_;
  sim::Time free_from_;
  sim::TrackId track_ = sim::TrackId::none;
};

}  // namespace jostle::gpu
