#include "profiles/profile/base_profile.hpp"

#include <stdexcept>
#include <utility>

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

}  // namespace jostle::profiles
