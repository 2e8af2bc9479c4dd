#include "calibration/claims/runs.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {
namespace {

// The rank of a grade: 0 is the best.
std::ptrdiff_t founded(const std::string& grade) {
  constexpr std::array<std::string_view, 5> grades{"", "measured", "interpolated", "fitted", "datasheet"};
  return std::ranges::find(grades, grade) - grades.begin();
}

}  // namespace

scenarios::Scenario Runs::parsed(const std::string& text) const {
  input::Problems problems;
  auto scenario = scenarios::parse_scenario({text, "statement", ""}, catalogue_, {}, problems);
  if (!scenario) throw scenarios::RunError(problems.text());
  return std::move(*scenario);
}

scenarios::Result Runs::simulated(const scenarios::Scenario& scenario) const {
  auto result =
      run(scenario, scenarios::RunControl{.interrupt = interrupt_, .trace = nullptr, .progress = {}});
  if (!result) throw scenarios::Interrupted();
  return std::move(*result);
}

void Runs::prepare(const std::vector<std::string>& scenarios) {
  std::vector<std::optional<std::pair<std::string, scenarios::Result>>> found(scenarios.size());
  const auto simulate = [&](std::size_t i) {
    if (by_text_.contains(scenarios[i])) return;
    const scenarios::Scenario scenario = parsed(scenarios[i]);
    std::string hash = scenarios::scenario_hash(scenario);
    if (answers_.contains(hash)) return;
    try {
      found[i].emplace(std::move(hash), simulated(scenario));
    } catch (const scenarios::RunError&) {
    }
  };
  scenarios::parallel_for(scenarios.size(), simulate);
  for (auto& answer : found)
    if (answer) answers_.insert(std::move(*answer));
}

const scenarios::Result& Runs::of(const std::string& text) {
  const scenarios::Result*& found = by_text_[text];
  if (found == nullptr) {
    const scenarios::Scenario scenario = parsed(text);
    const std::string hash = scenarios::scenario_hash(scenario);
    auto answer = answers_.find(hash);
    if (answer == answers_.end()) answer = answers_.emplace(hash, simulated(scenario)).first;
    found = &answer->second;
  }
  for (const scenarios::ProcessResult& process : found->processes) {
    if (process.status != "ok") throw scenarios::RunError(process.problem);
    const std::string& grade = process.grades.kernels;
    if (founded(grade) > founded(grade_)) grade_ = grade;
  }
  return *found;
}

const nlohmann::ordered_json& Runs::json_of(const std::string& scenario) {
  const scenarios::Result& result = of(scenario);
  std::shared_ptr<const nlohmann::ordered_json>& json = json_[&result];
  if (!json) json = std::make_shared<const nlohmann::ordered_json>(scenarios::json_of(result));
  return *json;
}

scenarios::Result Runs::held(const std::string& scenario) const {
  return scenarios::preview(parsed(scenario));
}

bool Runs::fit(const std::string& scenario) const {
  const scenarios::Result result = held(scenario);
  return std::ranges::all_of(result.processes,
                             [](const scenarios::ProcessResult& p) { return p.status == "ok"; });
}

double known(const scenarios::Metric& metric) {
  if (!metric) throw scenarios::RunError("a metric of the statement is not available");
  return *metric;
}

}  // namespace jostle::calibration
