#include "profiles/profile/difference.hpp"

#include <array>
#include <cmath>
#include <map>

#include "input/units.hpp"

namespace jostle::profiles {
namespace {

// The dimensions whose values are compared as numbers; a value in none of them is compared as text.
std::optional<double> number_of(const std::string& text, const input::Dimension** dimension) {
  if (const auto plain = input::parse_real(text)) {
    *dimension = nullptr;
    return plain;
  }
  const std::array dimensions{
      &input::time_dimension(),        &input::frequency_dimension(),       &input::size_dimension(),
      &input::bandwidth_dimension(),   &input::share_dimension(),           &input::power_dimension(),
      &input::capacitance_dimension(), &input::energy_per_byte_dimension(), &input::rate_dimension()};
  for (const input::Dimension* const each : dimensions) {
    const auto found = input::parse_quantity(text, *each);
    if (!found.value) continue;
    *dimension = each;
    return found.value;
  }
  return std::nullopt;
}

// Second over first; absent if they are not two positive numbers of one dimension.
std::optional<double> ratio_of_values(const std::string& first, const std::string& second) {
  const input::Dimension *one = nullptr, *other = nullptr;
  const auto a = number_of(first, &one), b = number_of(second, &other);
  if (!a || !b || one != other || !(*a > 0) || !(*b > 0)) return std::nullopt;
  return *b / *a;
}

}  // namespace

ProfileDifference profile_difference(const Profile& first, const Profile& second) {
  ProfileDifference difference;
  std::map<std::string, const ProfileParameter*> others;
  for (const ProfileParameter& parameter : second.figures) others.emplace(parameter.path, &parameter);
  for (const ProfileParameter& parameter : first.figures) {
    const auto other = others.find(parameter.path);
    if (other == others.end()) {
      difference.parameters.push_back({parameter.path, parameter, {}, {}});
      continue;
    }
    const auto ratio = ratio_of_values(parameter.value, other->second->value);
    const bool same = parameter.value == other->second->value || (ratio && std::abs(*ratio - 1) < 1e-9);
    if (same)
      ++difference.equal;
    else
      difference.parameters.push_back({parameter.path, parameter, *other->second, ratio});
    others.erase(other);
  }
  for (const ProfileParameter& parameter : second.figures)
    if (others.contains(parameter.path)) difference.parameters.push_back({parameter.path, {}, parameter, {}});
  return difference;
}

}  // namespace jostle::profiles
