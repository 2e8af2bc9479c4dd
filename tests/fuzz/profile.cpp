// Any bytes as a device profile: either it is read and has figures, or there is a problem to show.

#include "profiles/profile/profile.hpp"

#include <cstdint>
#include <string>

#include "models/board/spec.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  using fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  input::Problems problems;
  const auto profile = profiles::parse_profile(text, "fuzz.yaml", problems);
  require(profile.has_value() == problems.empty(), "there is a profile exactly when there is no problem");
  if (!profile) return 0;
  require(!profile->figures.empty() && profile->hash.size() == 16, "a profile has figures and a hash");
  require(profile->spec->core_count() > 0, "a board has cores");
  for (const board::PowerMode& mode : profile->spec->power_modes) {
    require(!board::online_cpus(*profile->spec, &mode, std::nullopt).empty(), "a mode leaves a core online");
  }
  return 0;
}
