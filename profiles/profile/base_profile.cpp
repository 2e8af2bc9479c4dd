#include "profiles/profile/base_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "input/cursor.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/like.hpp"

namespace jostle::profiles {

std::optional<BaseProfile> base_profile(const std::string& device, input::Problems& problems) {
  if (device.ends_with(".yaml")) {
    auto base = base_profile_at(device, problems);
    if (base) base->name = device;
    return base;
  }
  auto profile = shipped_profile(device, problems);
  if (!profile) return std::nullopt;
  const std::string text = device_text(device).value_or("");
  return BaseProfile{device, profile_document(text, device, problems), std::move(*profile)};
}

BaseProfile shipped_base_profile(const std::string& device) {
  input::Problems problems;
  auto base = base_profile(device, problems);
  if (!base) throw std::runtime_error(problems.text());
  return std::move(*base);
}

std::optional<BaseProfile> base_profile_at(const std::string& path, input::Problems& problems) {
  const auto text = input::read_text_file(path, input::Limits{}.bytes, problems);
  if (!text) return std::nullopt;
  const input::Node document = profile_document(*text, path, problems);
  auto profile = document ? profile_of(document, problems) : std::nullopt;
  if (!profile) return std::nullopt;
  return BaseProfile{profile->spec->name, document, std::move(*profile)};
}

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
  for (const auto& [path, value] : overrides)
    set.push_back(is_word(profile, document, path)
                      ? fmt::format("{}={}", path, value)
                      : fmt::format("{}={{value: {}, grade: assumed, source: what if}}", path, value));
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
