// Reads a scenario file into a checked Scenario, or reports every problem found in it.
//
// Nothing is guessed: an absent key takes the documented default, and everything else must be valid.
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

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {

// Limits on the number of processes on one board (counts expanded) and of images in a batch. They are far
// beyond use, and small enough that nothing computed from them overflows.
inline constexpr std::int64_t max_processes = 1024, max_batch = 4096;
// The longest simulated time of a run and of anything in it, in seconds. It is far beyond use, and far below
// the range of a Time (106 days).
inline constexpr double max_run_seconds = 1e6;
// Limits on the request rate of one source and on the total rate of the board, per second.
inline constexpr double min_rate = 1 / max_run_seconds, max_rate = 1e6;

// The devices and models that a scenario can name. The device's limits (cores, clocks, power modes) are also
// checked if `device` is set and finds it.
struct Catalogue {
  std::vector<std::string> devices;  // names of shipped profiles
  std::vector<std::string> models;   // names of built-in networks and language models
  // Returns the spec of a shipped profile (path empty) or of a profile file, and adds its problems.
  std::function<std::optional<board::DeviceSpec>(const std::string& name, const std::string& path,
                                                 input::Problems& problems)>
      device;
};
// The catalogue of this build.
[[nodiscard]] Catalogue shipped_catalogue();
// What may be meant by the name of no model, or what to give instead of such a file or folder. `path`: where
// it would be. `own`: networks of the board.
[[nodiscard]] std::string model_hint(const std::string& text, const std::string& path,
                                     std::vector<std::string> own = {});

// A command-line option that stands for an assignment. Problems name what was typed.
struct OtherOption {
  std::string typed;       // "--profile jetson-nano"
  std::string assignment;  // "device=jetson-nano"
};

struct LoadOptions {
  std::vector<std::string> set;          // "processes.0.batch=4", applied in order before anything is checked
  std::optional<std::uint64_t> seed;     // overrides the file's seed
  std::vector<OtherOption> others = {};  // applied after `set`
};

// Reads the scenario in the file and the files it names (such as arrival traces). Absent if it adds
// `problems`.
[[nodiscard]] std::optional<Scenario> load_scenario(const std::string& path, const Catalogue& catalogue,
                                                    const LoadOptions& options, input::Problems& problems);

// The profile of the scenario's device, with the scenario's overrides applied; hash and sources are those of
// the changed profile.
[[nodiscard]] std::optional<profiles::Profile> device_profile(const Scenario& scenario,
                                                              input::Problems& problems);

struct ScenarioText {
  const std::string& text;
  const std::string& origin;     // name of the source in messages
  const std::string& directory;  // directory of the files it names; "": the working directory
};

// Does the same as load_scenario, for text.
[[nodiscard]] std::optional<Scenario> parse_scenario(const ScenarioText& document, const Catalogue& catalogue,
                                                     const LoadOptions& options, input::Problems& problems);

// Does the same for a document that is already parsed: a study puts values into one tree many times.
[[nodiscard]] std::optional<Scenario> read_scenario(input::Node document, const std::string& origin,
                                                    const std::string& directory, const Catalogue& catalogue,
                                                    input::Problems& problems);

}  // namespace jostle::scenarios
