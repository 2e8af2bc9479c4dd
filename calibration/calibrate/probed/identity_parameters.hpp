// The parameters that a profile takes from a machine's identity: its cores, scheduler, GPU and memory, where
// the base is not of this very machine.
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate/probed/choose_base.hpp"
#include "calibration/probe/folder.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {

// Parameters as text of a profile, each at its path.
struct ProfileLeaf {
  std::string path;  // "cpu.costs.context_switch"
  std::string yaml;  // "{value: 2.4 us, grade: measured, source: \"…\"}", or another value on one line
};

// `text` in double quotes, as YAML reads it.
[[nodiscard]] std::string yaml_quoted(const std::string& text);

// A value with its grade and source.
[[nodiscard]] std::string graded_yaml(const std::string& value, const std::string& grade,
                                      const std::string& source);

// The leaves as nested mappings, two spaces a level. A later leaf of the same path replaces the earlier one.
// A leaf {} with others inside it begins a mapping anew.
[[nodiscard]] std::string leaves_text(const std::vector<ProfileLeaf>& leaves);

// The host of a card is no part of its profile, so its cores and scheduler are taken in any case; those of a
// board only if the base is another one, since a power mode may have switched cores off. Clocks and speeds
// that the system does not tell are those that the probe measured.
[[nodiscard]] std::vector<ProfileLeaf> identity_parameters(const calibration::probe::ProbeFolder& folder,
                                                           const ChosenBase& base,
                                                           const board::DeviceSpec& spec);

}  // namespace jostle::calibration
