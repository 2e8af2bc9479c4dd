// Two profiles side by side: the parameters in which they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile/profile.hpp"

namespace jostle::profiles {

struct ParameterDifference {
  std::string path;
  std::optional<ProfileParameter> first, second;  // absent: this profile has no such parameter
  std::optional<double> ratio;                    // second over first, if both are positive numbers
};

struct ProfileDifference {
  std::vector<ParameterDifference> parameters;  // in the order of the first, then those of the second alone
  std::size_t equal = 0;                        // parameters of the same value
};

// Values are equal if they are the same quantity, whatever the unit: 0.5 ms and 500 us.
[[nodiscard]] ProfileDifference profile_difference(const Profile& first, const Profile& second);

}  // namespace jostle::profiles
