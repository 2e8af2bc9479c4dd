// The basis of the kernel times of a process, best first. The error of a prediction depends on it.
//   measured  kernels of this network, measured on this device, also at other batches
//   network   the cost model, with a factor or rates of this network on this device
//   family    the cost model, with a factor fitted to networks of its design, or on another device
//   laws      a framework's kernels in half precision by laws that other networks gave
//   single    the same in single precision
//   model     the cost model alone
// followed by the runtime if a framework or a session launches the kernels one by one ("measured eager"),
// else by "beside" if streams or clients of MPS share the GPU in space.
#pragma once

#include <string>

namespace jostle::scenarios {
struct ProcessEntry;
struct Scenario;
}  // namespace jostle::scenarios

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

[[nodiscard]] std::string basis_of(const scenarios::ProcessEntry& entry, const std::string& grade,
                                   const profiles::Profile& profile, bool beside = false);
// True if kernels of several streams or clients may run at once.
[[nodiscard]] bool is_beside(const scenarios::Scenario& scenario);

// The octaves from the batches at which the kernels or rates of the process's network were measured to its
// own, if that is beyond them; 0 without measurements.
[[nodiscard]] double octaves_beyond_tables(const scenarios::ProcessEntry& entry,
                                           const profiles::Profile& profile);

// The weaker of two bases.
[[nodiscard]] std::string weaker(const std::string& a, const std::string& b);

}  // namespace jostle::analyses
