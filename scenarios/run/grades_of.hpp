// Derives the grades of predictions from the grades of the profile's parameters that decide them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {
struct LoadEntry;
struct Scenario;
struct Assembly;

// The grades of each entry of the scenario. In time slicing, the sharing grade is the grade of the switch
// costs, or `assumed` if the slice is assumed. If kernels of several streams or processes run at the same
// time, the grade of space sharing counts as well, and of partitions their own. The power grade is the grade
// of the power of the SMs and of the idle board; a card's idle power is in its clock tree.
[[nodiscard]] std::vector<Grades> grades_of(const Scenario& scenario, const profiles::Profile& profile,
                                            const Assembly& assembly);

// The grade of the board's power, as in Grades; absent if the profile has no power model.
[[nodiscard]] std::optional<std::string> power_grade(const profiles::Profile& profile);

// For each network that its reader understands only in part: a sentence that says how much it does not. The
// kernel times of these networks are graded `assumed`.
[[nodiscard]] std::vector<std::string> not_understood(const Scenario& scenario);

// The processes whose sources keep the phases that the seed drew, in a sentence: their periods meet again
// within a second, and the run is too short for their clocks to drift apart. Empty without two of them.
[[nodiscard]] std::string fixed_phases(const Scenario& scenario);

// Where the model of MPS or of partitions, if the scenario uses it, was measured, in a sentence each; empty
// if that is this card.
[[nodiscard]] std::vector<std::string> assumed_sharing(const Scenario& scenario,
                                                       const profiles::Profile& profile,
                                                       const Assembly& assembly);

// For each network that was recorded on the board ("mine/NAME") and is asked for in a runtime or precision in
// which it was not: a sentence that says so. The grades are those of the entries.
[[nodiscard]] std::vector<std::string> recorded_otherwise(const Scenario& scenario,
                                                          const std::vector<Grades>& grades);

// The grade of a load's traffic: the lowest grade of the parameters of its cores' bandwidth.
[[nodiscard]] std::string load_grade(const LoadEntry& load, const profiles::Profile& profile);

}  // namespace jostle::scenarios
