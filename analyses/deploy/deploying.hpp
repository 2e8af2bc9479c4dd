// A scenario's settings that differ from the defaults, and how tools.json says them for a tool: a row has a
// key of the scenario's JSON ("clocks/gpu"), the line that says it ({0} is its value, {1} the same in quotes)
// and perhaps the group of its line, the values that the tool has for it, and the unit of a whole number. A
// setting that no row takes is told as unsaid, so that a key that comes later cannot be lost in silence.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analyses/deploy/deploy.hpp"

namespace jostle::analyses {

// Keys that begin with '~' are for rows alone: they say what follows from other settings.
struct Settings {
  std::map<std::string, std::string> values = {};
  std::set<std::string> said = {};

  void say(const std::string& key, bool is_said = true) {
    if (is_said) said.insert(key);
  }
};

// A process or one of its instances.
struct DeployedPart {
  scenarios::ProcessEntry entry;  // `count`: equal processes; `gpu.streams`: its streams
  std::string name, process;      // different for all parts; the name of its process
  Settings settings = {};
  nlohmann::ordered_json json = {};  // like the scenario's

  [[nodiscard]] bool runs_network() const { return !entry.language && entry.work.precision; }
};

struct Deploying {
  const scenarios::Scenario& scenario;
  const board::DeviceSpec& device;
  std::vector<DeployedPart> parts;
  Settings board = {};
  Deployment made = {};

  void tell(const std::string& of, std::string words) { made.unsaid.push_back({of, std::move(words)}); }
};

// The tools, each with its tables of rows.
[[nodiscard]] const nlohmann::ordered_json& tools();
// The lines of a table for the settings, in the order of its rows; marks what they say.
[[nodiscard]] std::string lines_of(const char* tool, const char* table, Settings& settings);
void write_triton(Deploying& all);
void write_deepstream(Deploying& all);

}  // namespace jostle::analyses
