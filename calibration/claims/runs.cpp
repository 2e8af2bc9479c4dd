#include "calibration/claims/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

namespace {

// The rank of a grade: 0 is the best.
std::ptrdiff_t founded(const std::string& grade) {
  constexpr std::array<std::string_view, 5> grades{"", "measured", "interpolated", "fitted", "datasheet"};
  return std::ranges::find(grades, grade) - grades.begin();
}

}  // namespace

std::string scenario_text(const Setup& setup) {
  return fmt::format(
      "device: {}\nprocesses: [{{model: {}, precision: {}, batch: {}, count: {}{}{}}}]\n{}{}{}"
      "run: {{duration: {} s, warmup: {} s}}\n",
      setup.device, setup.model, setup.precision, setup.batch, setup.count, setup.process.empty() ? "" : ", ",
      setup.process, setup.traced ? "observer: nsys\n" : "", setup.sampled ? "gpu_metrics: 100 us\n" : "",
      setup.board, setup.seconds, setup.seconds / 4);
}

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
  const scenarios::Scenario scenario = parsed(text);
  const std::string hash = scenarios::scenario_hash(scenario);
  auto found = answers_.find(hash);
  if (found == answers_.end()) {
    found = answers_.emplace(hash, simulated(scenario)).first;
  }
  for (const scenarios::ProcessResult& process : found->second.processes) {
    if (process.status != "ok") throw scenarios::RunError(process.problem);
    const std::string& grade = process.grades.kernels;
    if (founded(grade) > founded(grade_)) grade_ = grade;
  }
  return found->second;
}

scenarios::Result Runs::held(const Setup& setup) const {
  return scenarios::preview(parsed(scenario_text(setup)));
}

bool Runs::fit(const Setup& setup) const {
  const scenarios::Result result = held(setup);
  return std::ranges::all_of(result.processes,
                             [](const scenarios::ProcessResult& p) { return p.status == "ok"; });
}

double Runs::images_per_s(const Setup& setup) {
  return known(of(setup).system.throughput);
}

double Runs::gpu_mb(const Setup& setup) const {
  double sum = 0;
  for (const scenarios::ProcessResult& process : held(setup).processes) sum += known(process.memory.gpu);
  return sum;
}

double known(const scenarios::Metric& metric) {
  if (!metric) throw scenarios::RunError("a metric of the statement is not available");
  return *metric;
}

const scenarios::WindowShares& windows(const scenarios::Result& result, const std::string& metric) {
  if (result.system.gpu.windows)
    for (const scenarios::WindowShares& shares : result.system.gpu.windows->shares)
      if (shares.name == metric && !shares.cdf.empty()) return shares;
  throw scenarios::RunError("the GPU was not sampled");
}

double share_between(const scenarios::WindowShares& shares, std::size_t low, std::size_t high) {
  return shares.cdf.at(high) - (low == 0 ? 0 : shares.cdf.at(low - 1));
}

double percentile(const scenarios::WindowShares& shares, int percent) {
  const auto* const at = std::ranges::find(scenarios::window_percentiles, percent);
  return known(shares.percentiles.at(static_cast<std::size_t>(at - scenarios::window_percentiles.begin())));
}

}  // namespace jostle::calibration
