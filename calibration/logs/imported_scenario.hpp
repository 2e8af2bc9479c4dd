// Scenarios made from the configurations of other programs: deepstream-app, Triton's model repository, docker
// compose; and from traces of ROS 2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/logs/source.hpp"

namespace jostle::calibration {

struct ImportedScenario {
  std::string text;                 // YAML
  std::vector<std::string> unsaid;  // missing settings and the values taken for them; a line each
};

// The user's own settings beside the configuration; empty: none.
struct ImportWishes {
  std::string device;             // the board
  std::string power_mode = {};    // its power mode
  std::string default_mode = {};  // the mode that the board has otherwise
  std::string model;              // the network, where its name cannot be told
  std::string precision;          // precision of networks whose configuration does not say it
  std::string rate;               // rate of each camera or of each model's requests, such as "25 /s"
  std::string folder;             // where the scenario will be: paths in it are relative to this; empty: here
};

// A reader of a file or folder. Absent if problems were added.
using ScenarioImport = std::optional<ImportedScenario>(const std::string& path, const ImportWishes& wishes,
                                                       input::Problems& problems);
ScenarioImport
    deepstream_scenario;  // groups with keys, or the same as YAML, and the files of nvinfer that they name
ScenarioImport triton_scenario;   // a model repository: FOLDER/MODEL/config.pbtxt of each model
ScenarioImport compose_scenario;  // a process for each service that names a network
// A trace of ros2_tracing, as text of babeltrace2 or CSV: a process for each callback whose names are those
// of a network, or with `wishes.model` for the one of most time.
ScenarioImport ros2_scenario;
[[nodiscard]] std::optional<ImportedScenario> ros2_scenario(Source& source, const ImportWishes& wishes,
                                                            input::Problems& problems);

// The keys of the board: of the wishes, else `other` and its default power mode, which are unsaid then.
[[nodiscard]] std::string board_keys(const ImportWishes& wishes, const std::string& other,
                                     std::vector<std::string>& unsaid);

// A network in a scenario: the path of its .onnx file, or a built-in name.
struct ImportedNetwork {
  std::string model;
  bool guessed = false;  // a built-in name that the name of a file or model contains
};

// Returns whether a built-in network finds objects, by its name.
[[nodiscard]] bool finds_objects(const std::string& model);
// The network of a model called `name` (a name, or a file without its folder), whose .onnx file is `onnx` if
// that exists; absent if neither tells.
[[nodiscard]] std::optional<ImportedNetwork> imported_network(const std::string& onnx,
                                                              const std::string& name,
                                                              const ImportWishes& wishes);

// The text of a scenario: a comment with what is unsaid, then `body`.
[[nodiscard]] ImportedScenario imported_scenario(const std::string& what, const std::string& body,
                                                 std::vector<std::string> unsaid);
// A text as YAML takes it: quoted if necessary.
[[nodiscard]] std::string yaml_text(const std::string& text);

}  // namespace jostle::calibration
