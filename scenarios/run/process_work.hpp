// From an entry of a scenario to the work of one of its batches, on the engines that it is placed on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/board/clocks.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/partition_points.hpp"
#include "models/process/spec.hpp"

namespace jostle::scenarios {
struct DesktopCompositor;
struct ProcessEntry;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

struct WorkContext {
  const calibration::Profile& profile;
  const board::DeviceSpec& device;  // after applying the power mode
  const board::Clocks& clocks;      // clocks that the work is given at
  std::size_t cpus = 1;             // number of cores that processes may use, unless they specify their own
  SharedWork* shared = nullptr;     // with other runs on `profile`; null: with none
};

// Kernels on this board, at the clocks that it is set to.
[[nodiscard]] gpu::KernelSequence placed(gpu::KernelSequence kernels, const WorkContext& context);

// Sets kernels, segments or host work; spec.runtime must be set. Throws RunError for what cannot be
// simulated.
void set_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context);

// All that the work of a network on the device follows from, but for clocks, as far as entries on one profile
// differ in it. None for a file's network, which has no name of its own.
[[nodiscard]] std::optional<std::string> identity_of(const ProcessEntry& entry,
                                                     const board::DeviceSpec& device);

// All layers of the entry's network, even if only a part is requested. Throws RunError if the entry has no
// network.
[[nodiscard]] std::vector<dnn::FusedLayer> layers_of(const ProcessEntry& entry, dnn::Lowering lowering);

// For an entry with `layers`: what that part reads, writes and holds of its network.
[[nodiscard]] dnn::PartShares part_shares(const ProcessEntry& entry);

// A frame of a compositor: a kernel that fills the GPU.
[[nodiscard]] gpu::KernelSequence frame_of(const DesktopCompositor& compositor, const WorkContext& context);

// Number of threads that compute a process of this entry; 0 if it is not placed on the CPU.
[[nodiscard]] std::size_t threads_of(const ProcessEntry& entry, std::size_t cpus);

}  // namespace jostle::scenarios
