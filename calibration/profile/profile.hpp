// A device profile: the parts of a board as YAML, every figure with its unit, grade and source.
//
// Strict as all input: a key that is unknown, a figure that is missing, has no source or cannot be is a
// problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/profile/parameters.hpp"
#include "input/problems.hpp"
#include "input/value.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/factors.hpp"

namespace jostle::calibration {

struct Profile {
  board::DeviceSpec spec;
  std::vector<ProfileParameter> figures;  // in the order of reading
  std::vector<dnn::Factor> factors;       // of the cost model; shipped with this build
  std::string hash;                       // of values and factors, not of comments, grades or layout
};

// `origin` names the text in messages; `set` puts values over it, as "gpu.time_slicing.slice.value=1 ms".
[[nodiscard]] std::optional<Profile> parse_profile(const std::string& text, const std::string& origin,
                                                   input::Problems& problems,
                                                   const std::vector<std::string>& set = {});

// The same from its document (profile_document() of like.hpp), for who changes one profile many times.
[[nodiscard]] std::optional<Profile> profile_of(input::Node document, input::Problems& problems,
                                                const std::vector<std::string>& set = {});

[[nodiscard]] std::optional<Profile> read_profile(const std::string& path, input::Problems& problems);

// The names of the profiles that ship with this build, sorted.
[[nodiscard]] const std::vector<std::string>& device_names();

// The YAML of one of them; none if there is no such.
[[nodiscard]] std::optional<std::string> device_text(const std::string& name);

// One of them, read. An unknown name is a problem that tells the nearest.
[[nodiscard]] std::optional<Profile> shipped_profile(const std::string& name, input::Problems& problems);

// By what people write: a shipped profile's name, or the path of a profile (it has a '/' or ends in .yaml or
// .yml).
[[nodiscard]] std::optional<Profile> find_profile(const std::string& name, input::Problems& problems);

}  // namespace jostle::calibration
