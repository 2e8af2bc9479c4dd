#include "profiles/profile/with_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/cursor.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/profile/renamed_keys.hpp"

namespace jostle::profiles {
namespace {

// True for names of policies ("cfs") and blocks, which are inserted as they are. Parameters, including new
// ones, need a source.
bool is_word(const Profile& profile, const input::Node& document, const std::string& path) {
  if (std::ranges::any_of(profile.figures,
                          [&](const ProfileParameter& parameter) { return parameter.path == path; }))
    return false;
  input::Problems none;
  return input::Cursor(document, {}, none).descend(path).path() == path;
}

}  // namespace

std::vector<std::string> assignments(const Profile& profile, const input::Node& document,
                                     const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::vector<std::string> set;
  for (const auto& [named, value] : overrides) {
    const std::string path = current_path(named);
    set.push_back(is_word(profile, document, path)
                      ? fmt::format("{}={}", path, value)
                      : fmt::format("{}={{value: {}, grade: assumed, source: what if}}", path, value));
  }
  return set;
}

std::optional<Profile> with_parameters(const input::Node& document,
                                       const std::vector<std::pair<std::string, std::string>>& overrides,
                                       input::Problems& problems) {
  if (!document) return std::nullopt;
  const std::optional<Profile> given = profile_of(document, problems);
  if (!given) return std::nullopt;
  return profile_of(document, problems, assignments(*given, document, overrides));
}

}  // namespace jostle::profiles
