// Any bytes as a scenario: either it is read, and its echo reads back to the same, or there is a problem to
// show.
//
// Leading lines "#set KEY=VALUE" are given as overrides, so that these are fuzzed as well.

#include "scenarios/language/scenario.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

#include "models/board/spec.hpp"
#include "scenarios/language/load.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;
using fuzz::require;

// The shipped catalogue, its profiles read once.
const scenarios::Catalogue& catalogue() {
  static const scenarios::Catalogue cached = [] {
    scenarios::Catalogue shipped = scenarios::shipped_catalogue();
    std::vector<std::pair<std::string, board::DeviceSpec>> specs;
    input::Problems problems;
    for (const std::string& name : shipped.devices)
      specs.emplace_back(name, *shipped.device(name, {}, problems));
    shipped.device = [specs](const std::string& name, const std::string& path,
                             input::Problems& found) -> std::optional<board::DeviceSpec> {
      for (const auto& [known, spec] : specs) {
        if (path.empty() && known == name) return spec;
      }
      found.add_file(path, "no such file");
      return std::nullopt;
    };
    return shipped;
  }();
  return cached;
}

void check_problems(const input::Problems& problems) {
  require(!problems.empty(), "a refusal has a reason");
  fuzz::require_printable(problems.text());
  for (const input::Problem& problem : problems.list()) {
    require(problem.location.origin != nullptr, "every problem names its origin");
    require(problem.text().find('\n') == std::string::npos, "a problem is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  scenarios::LoadOptions options;
  for (std::size_t from = 0; text.compare(from, 5, "#set ") == 0;) {
    const std::size_t end = text.find('\n', from);
    options.set.push_back(text.substr(from + 5, end == std::string::npos ? end : end - from - 5));
    if (end == std::string::npos) break;
    from = end + 1;
  }
  input::Problems problems;
  const auto scenario =
      scenarios::parse_scenario({text, "fuzz.yaml", "/nonexistent"}, catalogue(), options, problems);
  require(scenario.has_value() == problems.empty(), "there is a scenario exactly when there is no problem");
  if (!scenario) {
    check_problems(problems);
    return 0;
  }
  const std::string echo = scenarios::to_json(*scenario);
  const auto again =
      scenarios::parse_scenario({echo, "echo.yaml", "/nonexistent"}, catalogue(), {}, problems);
  if (!again) std::fprintf(stderr, "%s\n%s", echo.c_str(), problems.text().c_str());
  require(again.has_value(), "the echo is a scenario");
  require(scenarios::to_json(*again) == echo, "the echo of the echo is the echo");
  require(scenarios::scenario_hash(*again) == scenarios::scenario_hash(*scenario), "hashes are equal");
  require(!scenarios::expand(*scenario).empty(), "there is a process");
  return 0;
}
