#include "analyses/plan/candidates.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/replicator.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/study/sweep.hpp"
#include "input/hash.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/shared_work.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t all_kept = 64;  // points of which all results are kept

}  // namespace

Candidates::Candidates(const StudyRuns& runs, unsigned threads, const std::atomic<bool>* interrupt)
    : study_(&runs.study),
      checked_(&runs.checked),
      profiles_(&runs.profiles),
      store_(&runs.store),
      threads_(threads),
      interrupt_(interrupt),
      goal_(goal_of(runs.study)),
      points_(points_of(runs.checked)),
      space_(space_of(runs.study, points_)) {}

std::vector<std::size_t> Candidates::points_of(const CheckedStudy& checked) {
  std::unordered_set<std::uint64_t> keys;
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < checked.points.size(); ++i)
    if (checked.points[i].is_supported() && keys.insert(checked.points[i].key).second) points.push_back(i);
  return points;
}

std::string Candidates::unsupported_on(const std::string& device) const {
  const Points all(*study_);
  const auto axis = std::ranges::find(study_->axes, "device", &Axis::key) - study_->axes.begin();
  for (std::size_t i = 0; i < checked_->points.size(); ++i) {
    if (checked_->points[i].is_supported() ||
        values_at(*study_, all[i])[static_cast<std::size_t>(axis)]->text != device)
      continue;
    const std::string& problem = checked_->problems[checked_->points[i].problem];  // "path: message"
    return problem.substr(std::min(problem.size(), problem.find(": ") + 2));
  }
  return {};
}

SearchSpace Candidates::space_of(const Study& study, const std::vector<std::size_t>& points) {
  std::vector<SearchDimension> dimensions;
  for (const Dimension& dimension : study.dimensions)
    dimensions.push_back(search_dimension(study, dimension));
  const Points all(study);
  std::vector<Coordinates> coordinates;
  for (const std::size_t point : points) coordinates.push_back(all[point]);
  return {std::move(dimensions), std::move(coordinates)};
}

std::string Candidates::key(std::size_t candidate) const {
  return input::hex(checked_->points[points_[candidate]].key);
}

std::string Candidates::values(std::size_t candidate) const {
  return settings_json(*study_, space_[candidate]);
}

scenarios::Scenario Candidates::scenario(std::size_t candidate) const {
  input::Problems problems;
  auto found = scenario_at(*study_, space_[candidate], profiles_->catalogue(), problems);
  if (!found) throw scenarios::RunError(problems.text());
  return *std::move(found);
}

std::string Candidates::configuration(std::size_t candidate) const {
  const auto sets_seed = [](const Axis& axis) { return axis.key == "run" || axis.key == "run.seed"; };
  if (std::ranges::none_of(study_->axes, sets_seed)) return key(candidate);
  scenarios::Scenario same = scenario(candidate);
  same.run.seed = 0;
  return scenarios::scenario_hash(same);
}

scenarios::Scenario Candidates::long_enough(std::size_t candidate) const {
  const auto longer = length_.find(candidate);
  return longer == length_.end() ? scenario(candidate) : lengthened(scenario(candidate), longer->second);
}

void Candidates::add_overloaded(std::size_t candidate, const ResultMetrics& metrics) {
  ++count_.overloaded;
  const scenarios::Metric share = metrics.stable_share();
  Overloaded& one = overloaded_[candidate] = {{}, share};
  for (std::size_t i = 0; i < goal_.objectives; ++i)
    one.objectives.push_back(
        metrics.find(goal_.metrics[i], goal_.criteria[i].maximise ? Worst::least : Worst::greatest));
  if (share && (!least_overloaded_ || *share > least_overloaded_->stable_share))
    least_overloaded_ = {candidate, *share};
}

// Evaluates candidates whose own run is too short for a metric of the goal, such as a percentile.
void Candidates::evaluate_longer(const std::vector<std::size_t>& candidates) {
  struct Longer {
    double length = 0, simulated_s = 0;
    Evaluation values;
  };
  std::vector<Longer> found(candidates.size());
  const auto run_longer = [&](std::size_t i) {
    const scenarios::Scenario own = scenario(candidates[i]);
    std::optional<double> length = 1;
    while (length && !own.run.batches) {
      const scenarios::Result result = result_of(lengthened(own, *length));
      const ResultMetrics metrics(result);
      found[i] = {*length, found[i].simulated_s + result.simulated_s, values_in(goal_, metrics)};
      length = is_too_short(goal_, metrics) ? next_length(*length, result) : std::nullopt;
    }
  };
  scenarios::parallel_for(candidates.size(), run_longer, threads_);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    count_.again_s += found[i].simulated_s;
    if (!found[i].values) continue;
    evaluations_[candidates[i]] = std::move(found[i].values);
    length_[candidates[i]] = found[i].length;
  }
}

// Measures the headroom of candidates that have values, if the goal limits it.
void Candidates::evaluate_headroom(const std::vector<std::size_t>& candidates) {
  if (std::ranges::find(goal_.metrics, headroom_metric) == goal_.metrics.end()) return;
  std::vector<double> simulated_s(candidates.size());
  const auto measure = [&](std::size_t i) {
    Evaluation& values = evaluations_.at(candidates[i]);
    if (!values) return;
    simulated_s[i] = measure_headroom(goal_, long_enough(candidates[i]), values);
  };
  scenarios::parallel_for(candidates.size(), measure, threads_);
  for (const double one : simulated_s) count_.again_s += one;
}

double Candidates::measure_headroom(const Goal& goal, const scenarios::Scenario& scenario,
                                    Evaluation& values) const {
  const auto profile = profiles_->required(scenario);
  const auto work = profiles_->work(*profile);
  return add_headroom(goal, values, {scenario, *profile, control_with(work.get())});
}

scenarios::RunControl Candidates::control_with(scenarios::SharedWork* work) const {
  scenarios::RunControl control;
  control.shared = work;
  control.interrupt = interrupt_;
  control.among = scenarios::Among::changes;
  return control;
}

// Results of runs on this profile are kept from now on.
void Candidates::keep_results_on(const profiles::Profile& profile) const {
  constexpr std::size_t most_kept = 256;
  const auto work = profiles_->work(profile);
  if (!work || work->keep) return;
  work->keep = [kept = kept_](scenarios::Result result) {
    const std::lock_guard lock(kept->guard);
    if (kept->results.size() >= most_kept) kept->results.clear();
    std::string key = result.scenario_hash + result.profile_hash;
    kept->results.emplace(std::move(key), std::move(result));
  };
}

scenarios::Result Candidates::result_of(const scenarios::Scenario& scenario) const {
  const auto profile = profiles_->required(scenario);
  {
    const std::lock_guard lock(kept_->guard);
    const auto known = kept_->results.find(scenarios::scenario_hash(scenario) + profile->hash);
    if (known != kept_->results.end()) return known->second;
  }
  const auto work = profiles_->work(*profile);
  scenarios::RunControl control = control_with(work.get());
  control.every_percentile = true;
  control.all_must_fit = true;
  auto result = run(scenario, *profile, control);
  if (!result) throw scenarios::Interrupted();
  return *std::move(result);
}

scenarios::Metric Candidates::value_of(std::size_t candidate, const std::string& metric) const {
  const std::optional<Outcome> outcome = store_->outcome(key(candidate));
  if (!outcome || outcome->status != PointStatus::ok) return std::nullopt;
  return ResultMetrics(outcome->result).find(metric, Worst::greatest);
}

std::optional<std::string> Candidates::power_grade(std::size_t candidate) const {
  return rest_on_power(goal_.metrics) ? grade_of_power(candidate) : std::nullopt;
}

std::optional<std::string> Candidates::grade_of_power(std::size_t candidate) const {
  const auto profile = profiles_->required(scenario(candidate));
  return scenarios::power_grade(*profile);
}

std::string Candidates::grade(std::size_t candidate) const {
  const std::optional<Outcome> outcome = store_->outcome(key(candidate));
  if (!outcome || outcome->status != PointStatus::ok) return {};
  std::string lowest;
  const auto result = output::parsed_json(outcome->result);
  for (const auto& process : result.at("processes")) {
    const std::string own = process.value("grade", "");
    lowest = lowest.empty() ? own : scenarios::lower_grade(lowest, own);
  }
  return lowest;
}

double Candidates::dropped(std::size_t candidate) const {
  const std::optional<Outcome> outcome = store_->outcome(key(candidate));
  return outcome && outcome->status == PointStatus::ok ? ResultMetrics(outcome->result).dropped() : 0;
}

void Candidates::evaluate(const std::vector<std::size_t>& candidates,
                          const std::function<void(std::size_t evaluated)>& progress) {
  std::vector<std::size_t> to_run;
  for (const std::size_t candidate : candidates)
    if (!store_->outcome(key(candidate))) to_run.push_back(points_[candidate]);
  if (size() <= all_kept)
    for (const std::size_t candidate : candidates) keep_results_on(*profiles_->required(scenario(candidate)));
  SweepControl control;
  control.threads = threads_;
  control.interrupt = interrupt_;
  const std::size_t before = count_.evaluated;
  if (progress) control.progress = [&](std::size_t done, std::size_t) { progress(before + done); };
  if (!to_run.empty() && run_points({*study_, *checked_, *profiles_, *store_}, to_run, control).interrupted)
    throw scenarios::Interrupted();
  std::vector<std::size_t> too_short;
  for (const std::size_t candidate : candidates) {
    const std::optional<Outcome> outcome = store_->outcome(key(candidate));
    evaluations_[candidate] = outcome ? values_in(goal_, *outcome) : std::nullopt;
    ++count_.evaluated;
    if (!outcome) continue;
    for (std::size_t i = 0; i < main_metric_count; ++i)
      if (main_metrics()[i].column == std::string_view("simulated_s"))
        count_.simulated_s += outcome->metrics[i].value_or(0);
    const bool overheats = outcome->problem.starts_with("shuts down");
    count_.overheat += overheats ? 1 : 0;
    count_.do_not_fit += outcome->status == PointStatus::infeasible && !overheats ? 1 : 0;
    count_.failed += outcome->status == PointStatus::failed ? 1 : 0;
    if (outcome->status != PointStatus::ok) continue;
    const ResultMetrics metrics(outcome->result);
    if (metrics.overloaded()) add_overloaded(candidate, metrics);
    if (is_too_short(goal_, metrics)) too_short.push_back(candidate);
  }
  evaluate_longer(too_short);
  evaluate_headroom(candidates);
  count_.simulated += to_run.size();
}

void Candidates::evaluate_all(const std::function<void(std::size_t evaluated)>& progress) {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  evaluate(all, progress);
}

}  // namespace jostle::analyses
