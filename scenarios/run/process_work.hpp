// The work of one batch of a scenario entry, on the processors that it is placed on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/board/clocks.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/dnn/partition_points.hpp"
#include "models/process/spec.hpp"

namespace jostle::scenarios {
struct DesktopCompositor;
struct ProcessEntry;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {

struct WorkContext {
  const profiles::Profile& profile;
  const board::DeviceSpec& device;  // spec with the power mode applied, its GPU the process's instance of it
  const board::Clocks& clocks;      // clocks at which the work runs
  std::size_t cpus = 1;             // number of cores that processes may use, unless they specify their own
  bool crowded = false;          // threads that compute on the cores, and those of loads, outnumber the cores
  SharedWork* shared = nullptr;  // shared with other runs on `profile`; null: with none
  bool instance = false;         // the GPU of `device` is an instance of the profile's
};

// The grade of an estimate, from the grade of the profile's parameter that scales it.
[[nodiscard]] gpu::Grade grade_of(const profiles::Profile& profile, std::string_view path);

// Kernels that were timed on the whole GPU, on what the process has of it.
[[nodiscard]] gpu::KernelSequence on_own_part(gpu::KernelSequence kernels, const WorkContext& context);

// Scales kernels to this board and the clocks of `context`.
[[nodiscard]] gpu::KernelSequence placed(gpu::KernelSequence kernels, const WorkContext& context);

// Sets kernels, segments or host work; spec.runtime must be set. Throws RunError for what cannot be
// simulated.
void set_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context);

// A key of everything on which a network's work on the device depends, except clocks, as far as entries on
// one profile differ in it. Absent for a network from a file, which has no unique name.
[[nodiscard]] std::optional<std::string> identity_of(const ProcessEntry& entry,
                                                     const board::DeviceSpec& device);

// All layers of the entry's network, even if only a part is requested. Throws RunError if the entry has no
// network.
[[nodiscard]] std::vector<dnn::FusedLayer> layers_of(const ProcessEntry& entry, dnn::Lowering lowering);

// The shares of its network that an entry with `layers` reads, writes and holds.
[[nodiscard]] dnn::PartShares part_shares(const ProcessEntry& entry);

// A frame of a compositor: a kernel that fills the GPU.
[[nodiscard]] gpu::KernelSequence frame_of(const DesktopCompositor& compositor, const WorkContext& context);

// So many threads on the fastest cores.
[[nodiscard]] dnn::HostTeam team_of(int threads, const WorkContext& context);
// The traffic of its threads that move `bytes` together while each does `work`, where the memory serves them
// so fast.
[[nodiscard]] process::HostTraffic traffic_of(double bytes, sim::Duration work, double bandwidth,
                                              const dnn::HostTeam& team);

// True if so many threads of the entry may have to wait for cores: they, or all threads of the scenario, are
// more than the cores, or than the quota of their container.
[[nodiscard]] bool crowded(int threads, const ProcessEntry& entry, const WorkContext& context);

// Number of threads that compute for a process of this entry; 0 if it is not placed on the CPU.
[[nodiscard]] std::size_t threads_of(const ProcessEntry& entry, std::size_t cpus);

}  // namespace jostle::scenarios
