#include "scenarios/run/windows.hpp"

#include <algorithm>

#include "profiles/profile/profile.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/replications.hpp"
#include "scenarios/run/simulation.hpp"

namespace jostle::scenarios {

// The members refer to each other, so they must not move.
struct Windows::Parts {
  Parts(const Scenario& of, const profiles::Profile& profile, const RunControl& how)
      : scenario(of), control(how), assembly(assemble(scenario, profile)) {
    before = prepared(scenario, profile, assembly);
    const auto fits = [](const ProcessResult& process) { return process.status == "ok"; };
    const bool runs = control.all_must_fit ? std::ranges::all_of(before.processes, fits)
                                           : std::ranges::any_of(before.processes, fits);
    if (runs && settle(before, scenario, assembly, control)) simulation.emplace(scenario, assembly, control);
  }

  Scenario scenario;
  RunControl control;
  Assembly assembly;
  Result before;                         // result of a window with only what is known before it
  std::optional<Simulation> simulation;  // none: nothing runs
  bool begun = false;
};

Windows::Windows(const Scenario& scenario, const profiles::Profile& profile, const RunControl& control)
    : parts_(std::make_unique<Parts>(scenario, profile, control)) {}

Windows::~Windows() = default;
Windows::Windows(Windows&&) noexcept = default;
Windows& Windows::operator=(Windows&&) noexcept = default;

std::optional<Result> Windows::next() {
  Result result = parts_->before;
  if (!parts_->simulation) return result;
  Simulation& simulation = *parts_->simulation;
  if (!(parts_->begun ? simulation.go_on(parts_->scenario.run.duration) : simulation.run()))
    return std::nullopt;
  parts_->begun = true;
  simulation.add_metrics(result);
  return result;
}

}  // namespace jostle::scenarios
