// A small catalogue and short ways to load a scenario text, for the tests of the loader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios::testing {

inline Catalogue small_catalogue() {
  return {{"nvidia-h200", "jetson-orin-nano", "jetson-nano", "jetson-tx2"},
          {"resnet50", "mobilenet_v2", "fcn_resnet50", "yolov8n", "ssd300", "bert_tiny"},
          {}};
}

struct Loaded {
  std::optional<Scenario> scenario;
  std::string errors;
};

inline Loaded load_text(const std::string& text, const std::vector<std::string>& set = {},
                        const std::string& directory = {}) {
  input::Problems problems;
  auto scenario =
      parse_scenario({text, "gate.yaml", directory}, small_catalogue(), {set, std::nullopt}, problems);
  return {std::move(scenario), problems.text()};
}

// A right scenario around one process (its inner text) and more lines after it.
inline std::string around(const std::string& process, const std::string& rest = {}) {
  return "device: nvidia-h200\nprocesses:\n  - {" + process + "}\n" + rest;
}
inline const std::string plain_process = "model: resnet50, precision: fp16";

}  // namespace jostle::scenarios::testing
