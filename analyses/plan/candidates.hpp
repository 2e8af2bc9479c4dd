// The points of a study that a plan chooses among, and the evaluations of those that were simulated.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/space.hpp"
#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/store.hpp"
#include "analyses/study/sweep.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

class Candidates {
 public:
  struct Count {
    std::size_t evaluated = 0, simulated = 0;  // points already in the store are not simulated
    std::size_t do_not_fit = 0, overheat = 0, overloaded = 0, failed = 0;
    double simulated_s = 0;  // simulated time of the evaluated points
    double again_s = 0;      // simulated time of longer runs that replace too short ones, and of headroom
  };
  // An overloaded candidate: the values of the objectives, which may be absent (latency), and the share of
  // its offered rate that it could serve.
  struct Overloaded {
    std::vector<scenarios::Metric> objectives;
    scenarios::Metric stable_share;
  };
  // The overloaded candidate that could serve the greatest share of its offered rate.
  struct LeastOverloaded {
    std::size_t candidate = 0;
    double stable_share = 0;
  };

  // The candidates are the supported points without duplicates (equal scenarios: the first one). The members
  // of `runs` must outlive this.
  Candidates(const StudyRuns& runs, unsigned threads, const std::atomic<bool>* interrupt);

  [[nodiscard]] const Goal& goal() const { return goal_; }
  [[nodiscard]] const PlanSection& settings() const { return study_->plan; }
  [[nodiscard]] const SearchSpace& space() const { return space_; }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // Why the study's points on this board are not supported: the first reason; empty: there is none.
  [[nodiscard]] std::string unsupported_on(const std::string& device) const;
  [[nodiscard]] std::size_t study_point(std::size_t candidate) const { return points_[candidate]; }
  [[nodiscard]] std::string key(std::size_t candidate) const;     // key of its outcome in the store
  [[nodiscard]] std::string values(std::size_t candidate) const;  // values of the axes (settings_json)
  [[nodiscard]] scenarios::Scenario scenario(std::size_t candidate) const;  // throws RunError
  // The same scenario with a run that is long enough for all metrics of the goal. Throws RunError.
  [[nodiscard]] scenarios::Scenario long_enough(std::size_t candidate) const;
  // The same for candidates that differ only in the seed. Throws RunError.
  [[nodiscard]] std::string configuration(std::size_t candidate) const;

  // Evaluates candidates. Simulates and stores those that the store does not have. Throws Interrupted,
  // RunError.
  void evaluate(const std::vector<std::size_t>& candidates,
                const std::function<void(std::size_t evaluated)>& progress);
  void evaluate_all(const std::function<void(std::size_t evaluated)>& progress);

  [[nodiscard]] const std::map<std::size_t, Evaluation>& evaluations() const { return evaluations_; }
  [[nodiscard]] const std::map<std::size_t, Overloaded>& overloaded() const { return overloaded_; }
  [[nodiscard]] const Count& count() const { return count_; }
  [[nodiscard]] const std::optional<LeastOverloaded>& least_overloaded() const { return least_overloaded_; }
  [[nodiscard]] Profiles& profiles() const { return *profiles_; }
  [[nodiscard]] unsigned threads() const { return threads_; }
  // The grade of the power of the candidate's board, if it is known. Throws RunError.
  [[nodiscard]] std::optional<std::string> grade_of_power(std::size_t candidate) const;
  // The same, if the goal rests on power.
  [[nodiscard]] std::optional<std::string> power_grade(std::size_t candidate) const;
  // The grade of its throughput and latency, the lowest of its processes; empty: it has no result.
  [[nodiscard]] std::string grade(std::size_t candidate) const;
  // The share of requests that the point drops at the limits of its queues.
  [[nodiscard]] double dropped(std::size_t candidate) const;
  // The result of a scenario on its board, with all percentiles; one that does not fit is not simulated. The
  // same scenario is run once, as long as there is room for results. Throws Interrupted, RunError.
  [[nodiscard]] scenarios::Result result_of(const scenarios::Scenario& scenario) const;
  // Sets the headroom of a scenario in its values, if the goal limits it. Returns the simulated seconds.
  // Throws Interrupted, RunError.
  double measure_headroom(const Goal& goal, const scenarios::Scenario& scenario, Evaluation& values) const;
  // The value of a metric in the candidate's run; none unless it has one.
  [[nodiscard]] scenarios::Metric value_of(std::size_t candidate, const std::string& metric) const;

 private:
  void add_overloaded(std::size_t candidate, const ResultMetrics& metrics);
  void evaluate_headroom(const std::vector<std::size_t>& candidates);
  void evaluate_longer(const std::vector<std::size_t>& candidates);
  [[nodiscard]] scenarios::RunControl control_with(scenarios::SharedWork* work) const;
  void keep_results_on(const profiles::Profile& profile) const;

  [[nodiscard]] static std::vector<std::size_t> points_of(const CheckedStudy& checked);
  [[nodiscard]] static SearchSpace space_of(const Study& study, const std::vector<std::size_t>& points);

  const Study* study_;
  const CheckedStudy* checked_;
  Profiles* profiles_;
  Store* store_;
  unsigned threads_;
  const std::atomic<bool>* interrupt_;
  Goal goal_;
  std::vector<std::size_t> points_;  // index in the study, by candidate
  SearchSpace space_;
  std::map<std::size_t, Evaluation> evaluations_;
  std::map<std::size_t, double> length_;  // new lengths of too short runs, over the scenario's
  Count count_;
  std::optional<LeastOverloaded> least_overloaded_;
  std::map<std::size_t, Overloaded> overloaded_;
  // Results so far, by the hashes of scenario and profile.
  struct Kept {
    std::mutex guard;
    std::map<std::string, scenarios::Result> results;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace jostle::analyses
