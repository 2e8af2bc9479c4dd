// The grades of predictions, from those of the figures of a profile that decide them.
#pragma once

#include <string>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {
struct LoadEntry;
struct Scenario;
struct Assembly;

// For each entry of the scenario. Sharing is as well known as what a switch between processes costs, and
// assumed where the slice is, or where they share in another way than in turns. Power is as well known as
// that of the SMs and of the board at rest.
[[nodiscard]] std::vector<Grades> grades_of(const Scenario& scenario, const calibration::Profile& profile,
                                            const Assembly& assembly);

// Of what a load moves: of the figures of the cores that it rests on.
[[nodiscard]] std::string load_grade(const LoadEntry& load, const calibration::Profile& profile);

}  // namespace jostle::scenarios
