// What the kernel times of a process rest on, best first: how far a prediction can be off depends on it.
//   measured  a table of kernels of this network on this device
//   network   the cost model, with a factor fitted to this network on this device
//   family    the cost model, with a factor fitted to networks of its design, or on another device
//   model     the cost model alone
// followed by the runtime where kernels are launched one by one from a framework: "measured eager".
#pragma once

#include <string>

#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

[[nodiscard]] std::string basis_of(const scenarios::ProcessEntry& entry, const std::string& grade,
                                   const calibration::Profile& profile);

// The one that is known less.
[[nodiscard]] std::string weaker(const std::string& a, const std::string& b);

}  // namespace jostle::analyses
