// Any bytes as a configuration of deepstream-app, as a config.pbtxt or as a trace of ROS 2: either it is
// read, or there is a problem to show. The first byte says which.

#include <cstdint>
#include <string>

#include "calibration/logs/config_groups.hpp"
#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/protobuf_text.hpp"
#include "calibration/logs/source.hpp"
#include "tests/fuzz/require.hpp"

namespace {

std::size_t fields_in(const jostle::calibration::ProtoField& message) {
  std::size_t count = message.fields.size();
  for (const auto& field : message.fields) count += fields_in(field);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  using fuzz::require;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  input::Problems problems;
  if (data[0] == 'r') {
    const auto source = calibration::Source::of_text(text, "fuzz.txt");
    const auto made = calibration::ros2_scenario(*source, {}, problems);
    require(made.has_value() == problems.empty(), "there is a scenario exactly when there is no problem");
    if (made) require(made->text.find("processes:\n  - ") != std::string::npos, "a trace has a process");
  } else if (data[0] % 2 == 0) {
    const auto groups = calibration::parse_config_groups(text, "fuzz.txt", problems);
    require(groups.has_value() == problems.empty(), "there are groups exactly when there is no problem");
    if (groups) {
      for (const calibration::ConfigGroup& group : groups->groups)
        require(groups->find(group.name) == &group, "a group is found by its name");
    }
  } else {
    const auto root = calibration::parse_protobuf_text(text, "fuzz.pbtxt", problems);
    require(root.has_value() == problems.empty(), "there are fields exactly when there is no problem");
    if (root) require(fields_in(*root) <= text.size(), "a field takes a byte at least");
  }
  fuzz::require_printable(problems.text());
  fuzz::require_printable(calibration::yaml_text(text));
  return 0;
}
