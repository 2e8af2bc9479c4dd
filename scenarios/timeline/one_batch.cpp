#include "scenarios/timeline/one_batch.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

namespace jostle::scenarios {

void draw_batches(sim::TraceSink& trace, std::span<const process::Spec> processes, sim::Time at) {
  std::set<const gpu::KernelSequence*> drawn;
  for (const process::Spec& process : processes) {
    const std::span<const process::Spec> parts = process::parts_of(process);
    for (std::size_t number = 0; number < parts.size(); ++number) {
      const process::Spec& part = parts[number];
      const gpu::KernelSequence& batch = *part.kernels;
      if (part.on_cores() || part.generation != nullptr || !part.segments.empty()) continue;
      if (batch.names == nullptr || batch.names->size() != batch.kernels.size()) continue;
      if (!drawn.insert(&batch).second) continue;
      const std::string name = process.instances.empty()
                                   ? process.name
                                   : fmt::format("{}, {} {}", process.name, number, part.name);
      const sim::TrackId track = trace.track(fmt::format("kernels of {}, alone", name));
      for (std::size_t i = 0; i < batch.kernels.size(); ++i) {
        const sim::Duration takes = batch.kernels[i].duration;
        trace.slice(track, at + (batch.finish[i] - takes), takes, (*batch.names)[i]);
      }
    }
  }
}

}  // namespace jostle::scenarios
