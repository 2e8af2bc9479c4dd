// A device profile: the parameters of a board as YAML, each with its unit, grade and source.
//
// Read strictly like all input: an unknown key and a parameter that is missing, out of range or without a
// source are problems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "input/value.hpp"
#include "models/dnn/factors.hpp"
#include "profiles/profile/parameters.hpp"
#include "sim/indirect.hpp"

namespace jostle::board {
struct DeviceSpec;
}  // namespace jostle::board

namespace jostle::profiles {

// Prices of a board, from its profile; absent: no public price is known.
struct Prices {
  std::optional<double> board_usd;     // purchase price of one board
  std::optional<double> per_hour_usd;  // rent of a machine with one board
};

struct Profile {
  Indirect<board::DeviceSpec> spec;       // models/board/spec.hpp
  std::vector<ProfileParameter> figures;  // in reading order
  std::vector<dnn::Factor> factors;  // factors of the cost model, including those shipped with this build
  Prices prices;
  std::string hash;  // hash of values and factors, not of prices, comments, grades or layout
};

// Parses a profile. `origin` names the text in messages; `set` replaces values, for example
// "gpu.time_slicing.slice.value=1 ms".
[[nodiscard]] std::optional<Profile> parse_profile(const std::string& text, const std::string& origin,
                                                   input::Problems& problems,
                                                   const std::vector<std::string>& set = {});

// Reads a profile from its document (profile_document() of like.hpp), for callers that modify a profile many
// times.
[[nodiscard]] std::optional<Profile> profile_of(input::Node document, input::Problems& problems,
                                                const std::vector<std::string>& set = {});

[[nodiscard]] std::optional<Profile> read_profile(const std::string& path, input::Problems& problems);

// The names of the profiles that ship with this build, sorted.
[[nodiscard]] const std::vector<std::string>& device_names();

// The devices that an unknown name may mean, also by words of their descriptions, such as gb10.
[[nodiscard]] std::string device_hint(const std::string& name);

// The YAML text of a shipped profile; absent if there is no such profile.
[[nodiscard]] std::optional<std::string> device_text(const std::string& name);

// A shipped profile, parsed. An unknown name is a problem that suggests the nearest name.
[[nodiscard]] std::optional<Profile> shipped_profile(const std::string& name, input::Problems& problems);

// A profile as users refer to it: the name of a shipped profile, or a path (input::is_path).
[[nodiscard]] std::optional<Profile> find_profile(const std::string& name, input::Problems& problems);

}  // namespace jostle::profiles
