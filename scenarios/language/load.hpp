// From a scenario file to a checked Scenario, or to every problem found in it.
//
// Nothing is guessed: what is absent takes the documented default, everything else must be right.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

// Most processes on one board, counts expanded; most images in a batch: beyond any use, and small enough that
// nothing computed from them overflows.
inline constexpr std::int64_t max_processes = 1024, max_batch = 4096;
// Longest simulated time of a run and of anything in it: far beyond use, far below what a Time can hold (106
// days).
inline constexpr double max_run_seconds = 1e6;
// Requests a second, of one source and to the whole board.
inline constexpr double min_rate = 1 / max_run_seconds, max_rate = 1e6;

// What there is to choose from. The device's own limits (cores, clocks, power modes) are checked as well when
// `device` is set and finds it.
struct Catalogue {
  std::vector<std::string> devices;  // shipped profiles
  std::vector<std::string> models;   // built-in networks
  // The spec of a shipped profile (path empty) or of a profile file; its problems are added.
  std::function<std::optional<board::DeviceSpec>(const std::string& name, const std::string& path,
                                                 input::Problems& problems)>
      device;
};
// All that ships with this build.
[[nodiscard]] Catalogue shipped_catalogue();

// An option that stands for an assignment: problems name what was typed.
struct OtherOption {
  std::string typed;       // "--profile jetson-nano"
  std::string assignment;  // "device=jetson-nano"
};

struct LoadOptions {
  std::vector<std::string> set;          // "processes.0.batch=4", applied in order before anything is checked
  std::optional<std::uint64_t> seed;     // over the file's
  std::vector<OtherOption> others = {};  // applied after `set`
};

// The scenario in the file, with the files it names (arrival traces) read; none if `problems` grew.
[[nodiscard]] std::optional<Scenario> load_scenario(const std::string& path, const Catalogue& catalogue,
                                                    const LoadOptions& options, input::Problems& problems);

// The profile of the scenario's device with the scenario's figures over it, its hash and its figures'
// sources.
[[nodiscard]] std::optional<calibration::Profile> device_profile(const Scenario& scenario,
                                                                 input::Problems& problems);

struct ScenarioText {
  const std::string& text;
  const std::string& origin;     // named in messages
  const std::string& directory;  // of the files it names; "": the working directory
};

// The same as load_scenario, for text.
[[nodiscard]] std::optional<Scenario> parse_scenario(const ScenarioText& document, const Catalogue& catalogue,
                                                     const LoadOptions& options, input::Problems& problems);

// The same for a document that is already read: a study puts values into one tree many times.
[[nodiscard]] std::optional<Scenario> read_scenario(input::Node document, const std::string& origin,
                                                    const std::string& directory, const Catalogue& catalogue,
                                                    input::Problems& problems);

}  // namespace jostle::scenarios
