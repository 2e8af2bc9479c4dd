// Short ways to run a scenario text, on a shipped profile or a changed one.
#pragma once

#include <string>
#include <vector>

#include "scenarios/language/load.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios::testing {

// The shipped devices that have a GPU.
[[nodiscard]] const std::vector<std::string>& gpu_devices();

// The shipped profile of that name with values put over it ("gpu.l2=1 MB"); a figure that is written with its
// source keeps it. Throws std::runtime_error with what is wrong.
[[nodiscard]] profiles::Profile changed_profile(const std::string& device,
                                                const std::vector<std::string>& assignments);

// The scenario, held against `profile` where one is given. Throws std::runtime_error with what is wrong.
[[nodiscard]] Scenario scenario_of(const std::string& text, const profiles::Profile* profile = nullptr,
                                   const LoadOptions& options = {});

Result run_text(const std::string& text, const LoadOptions& options = {});
Result run_on(const profiles::Profile& profile, const std::string& text);

}  // namespace jostle::scenarios::testing
