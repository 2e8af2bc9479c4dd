#include "analyses/study/sweep.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyses/study/intervals.hpp"
#include "input/hash.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::analyses {
namespace {

void count(SweepSummary& summary, PointStatus status) {
  ++summary.computed;
  if (status == PointStatus::infeasible) ++summary.infeasible;
  if (status == PointStatus::not_supported) ++summary.not_supported;
  if (status == PointStatus::failed) ++summary.failed;
}

// The points of this process that are to be run. Stores and counts those that need no run.
std::vector<std::size_t> left_to_run(const StudyRuns& runs, const SweepControl& control,
                                     SweepSummary& summary) {
  const auto& [study, checked, profiles, store] = runs;
  const std::unordered_set<std::string> finished = store.finished();
  std::unordered_set<std::uint64_t> seen;  // keys of checked points
  std::vector<std::size_t> to_run;
  std::vector<std::pair<std::string, Outcome>> known;
  for (std::size_t i = 0; i < checked.points.size(); ++i) {
    const CheckedPoint& point = checked.points[i];
    if (!seen.insert(point.key).second || (seen.size() - 1) % control.shard.of != control.shard.index)
      continue;
    const std::string key = input::hex(point.key);
    if (finished.contains(key))
      ++summary.reused;
    else if (point.is_supported())
      to_run.push_back(i);
    else
      known.emplace_back(key, not_supported(checked.problems[point.problem]));
  }
  store.put(known);
  for (const auto& [key, outcome] : known) count(summary, outcome.status);
  return to_run;
}

}  // namespace

SweepSummary run_points(const StudyRuns& runs, std::vector<std::size_t> to_run, const SweepControl& control) {
  const auto& [study, checked, profiles, store] = runs;
  SweepSummary summary;
  const Points points(study);
  const scenarios::Catalogue catalogue = profiles.catalogue();
  std::optional<StudyIntervals> intervals;
  if (study.interval) intervals.emplace(study, checked, profiles, to_run, control.interrupt);
  std::mutex guard;
  std::size_t done = 0;
  const auto run_one = [&](std::size_t i) {
    if (control.interrupt != nullptr && control.interrupt->load()) return;
    input::Problems problems;
    const auto scenario = scenario_at(study, points[to_run[i]], catalogue, problems);
    const auto profile = scenario ? profiles.of(*scenario, problems) : nullptr;
    if (!profile) throw std::runtime_error(problems.text());  // a file changed after the check
    const auto work = profiles.work(*profile);
    const std::optional<Outcome> outcome =
        run_point(*scenario, *profile, control.interrupt, intervals ? &*intervals : nullptr, work.get());
    if (!outcome) return;
    const std::lock_guard lock(guard);
    store.put(input::hex(checked.points[to_run[i]].key), *outcome);
    count(summary, outcome->status);
    ++done;
    if (control.progress) control.progress(done, to_run.size());
  };
  // Long points run first, so that no core is left with a long one when the others are done.
  std::ranges::stable_sort(to_run, std::ranges::greater{},
                           [&](std::size_t point) { return checked.points[point].cost; });
  scenarios::parallel_for(to_run.size(), run_one, control.threads);
  summary.interrupted = done < to_run.size();
  return summary;
}

SweepSummary sweep(const StudyRuns& runs, const SweepControl& control) {
  SweepSummary summary;
  // The sets that sort the points out are gone before the first of them runs.
  std::vector<std::size_t> to_run = left_to_run(runs, control, summary);
  const SweepSummary run = run_points(runs, std::move(to_run), control);
  summary.computed += run.computed;
  summary.infeasible += run.infeasible;
  summary.not_supported += run.not_supported;
  summary.failed += run.failed;
  summary.interrupted = run.interrupted;
  return summary;
}

}  // namespace jostle::analyses
