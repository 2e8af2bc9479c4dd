// Finds the best point of a study: by exhaustive search if there are few points, else by Bayesian
// optimisation.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/alternatives.hpp"
#include "analyses/plan/candidates.hpp"
#include "analyses/plan/online.hpp"
#include "analyses/plan/overload.hpp"
#include "analyses/verdict/verdict.hpp"

namespace jostle::analyses {

// The tokens/s of a point's language models together, and the board's energy for each token, in one run.
struct PlanTokens {
  scenarios::Metric per_s, energy_mj;
  scenarios::Interval per_s_pi90 = {}, energy_pi90 = {};  // absent unless requested
};

// A point of the result.
struct PlanPoint {
  std::size_t point = 0;                       // index in the study
  std::string settings;                        // JSON: key to value
  std::vector<double> values;                  // one per criterion
  std::vector<scenarios::Interval> intervals;  // 90 % intervals of the values; absent if unknown
  std::string sharing_note;                    // scenarios::sharing_note(), if intervals were requested
  // The values of a replicated point are means; those of any other point are from one run.
  std::size_t replications = 0;
  std::vector<scenarios::Metric> half_widths;  // half-widths of the confidence intervals of the means
  scenarios::Metric p_feasible;                // probability that it truly meets all limits
  std::string grade = {};                      // the grade of throughput and latency; empty: not known
  double dropped = 0;  // share of the requests that are dropped at the limits of queues
  // The grade of its board's power, if the goal rests on it, or it has tokens, and it is known.
  std::optional<std::string> power_grade = {};
  std::optional<PlanTokens> tokens = {};  // none: it has no language model
};

// The effect of one key alone, or of keys that vary together, on the first objective: the worst evaluated
// point that differs from the best in no other.
struct PlanEffect {
  std::size_t point = 0;    // index in the study
  std::string settings;     // JSON: key to value
  double value = 0;         // its first objective
  bool overloaded = false;  // the backlog of a process grows there
  // Why it is worse: causes_for() of one run of each, in which the best one is "the best setting" and this
  // one "it". Of the first effect only.
  std::vector<std::string> why = {};
};

// The point next to the best one along one dimension that one would rather choose: the one that would be
// better and misses the limits by least, else the best of those that are worse by more than the zone.
struct PlanNeighbour {
  std::string settings;  // JSON: key to value
  std::string sentence;  // "power 9.12 W, 3.6 % less than the best; but …"
  bool better = false;
  double change = 0;  // of the objective that tells the two apart, relative
};

// A point that would be better than the best one (or any point, if there is no best) but is not known to meet
// the limits.
struct NearMiss {
  PlanPoint point;
  bool infeasible = false;  // known to miss a limit; else undecided
};

// The cost of a limit: the best evaluated point that violates this limit and no other.
struct Relaxed {
  std::size_t criterion = 0;  // the limit
  double needed = 0;          // the value the limit would need
  PlanPoint best;
};

// A limit that no point meets, and the closest value of any point.
struct Missed {
  std::size_t criterion = 0;
  double nearest = 0;
};

// The overloaded point that could serve the greatest share of its offered rate.
struct LeastOverloaded {
  std::size_t point = 0;    // index in the study
  std::string settings;     // JSON: key to value
  double stable_share = 0;  // share of its offered rate that it could serve
};

// The energy of a point and what it costs, with the grade of its board's power.
struct EnergyCost {
  double power_w = 0;
  scenarios::Metric per_image_mj, per_token_mj;
  // Money for a day, for a million images and for a million tokens; none: energy has no price.
  scenarios::Metric per_day, per_million, per_million_tokens;
  bool counts_images = true;         // false: an "image" is a sequence of a language model
  std::optional<std::string> grade;  // none: unknown
  [[nodiscard]] double kwh_day() const { return power_w * 24 / 1000; }
};

struct Plan {
  Goal goal;
  std::size_t points = 0;         // supported points with different scenarios
  Candidates::Count count;        // counts of evaluations
  bool exhaustive = false;        // all points were evaluated
  bool converged = true;          // no other point is expected to gain more than 0.5 %
  std::optional<PlanPoint> best;  // none: no point meets all limits
  // The best of the points that differ from `best` by more than 1 % in some metric and are not its neighbour
  // on a key with more than eight values.
  std::optional<PlanPoint> runner_up;
  std::string runner_up_sentence;          // runner_up_sentence(); empty without one
  std::vector<PlanEffect> alone;           // around `best`, the greatest change first
  std::vector<PlanNeighbour> neighbours;   // better ones first, then the greatest change
  std::vector<std::string> why_neighbour;  // causes_for() the first of them, if it is worse
  std::string at_headroom;                // "with 25 % more requests, the headroom of 20 %, …"; empty: none
  std::optional<NextBetter> next_better;  // none: no better point was simulated
  std::optional<OverloadDistance> overload;  // distance of the best; none: nothing arrives by itself
  std::optional<IfOff> if_off;       // the best if the model is off by its usual error; none: not known
  std::optional<EnergyCost> energy;  // energy of the best; none: its board's power is unknown
  // All points that can run, if all were evaluated and there are few; without pi90. Points that meet the
  // limits come first, best first.
  std::vector<PlanPoint> every;
  std::vector<PlanPoint> front;  // for two or more objectives; sorted by the first, best first
  std::vector<Relaxed> relaxed;  // limits with a cost
  std::vector<Missed> missed;    // if there is no best
  std::vector<NearMiss> near_misses;
  std::optional<LeastOverloaded> least_overloaded;  // none: no point is, or its stable rate is unknown
  double search_s = 0, replicated_s = 0;            // simulated time
  std::string power_note;  // power_note() of the boards of these points, if the goal rests on power
  // The answer in a sentence: the best point's objective and limits, or the limits that no point meets.
  std::optional<scenarios::Verdict> verdict = {};
  bool decided = true;  // false: `effort` ended the replications before everything was decided
};

struct PlanControl {
  bool exhaustive = false;          // evaluate all points
  std::size_t max_evaluations = 0;  // 0: a tenth of the points, at least 300
  bool intervals = true;
  const std::atomic<bool>* interrupt = nullptr;
  // `done`: points evaluated; `of`: the largest number that will be.
  std::function<void(std::size_t done, std::size_t of)> progress;
  std::function<void(double share)> replicating;  // spent share of the time for replications
};

// Returns whether margins can be had: with headroom, something arrives by itself at a point of the study, and
// a fleet has its margins in its own section. Adds a problem if not.
[[nodiscard]] bool check_margins(const Study& study, const Candidates& candidates, input::Problems& problems);

// The goal of the candidates must have an objective. Throws Interrupted (finished points are stored),
// RunError.
[[nodiscard]] Plan plan(Candidates& candidates, const PlanControl& control);

// A value of a metric against its criterion.
[[nodiscard]] scenarios::Judged judged(const Criterion& criterion, const std::string& metric, double value,
                                       const scenarios::Interval& pi90);

// The answer in a sentence. `breaks_of_limits`: looks for what breaks the limits of the best point; called,
// if there is one, where it meets them.
using BreaksOfLimits = std::function<scenarios::Breaks(const AskedLimits& limits)>;
[[nodiscard]] scenarios::Verdict verdict_of(const Plan& plan, const BreaksOfLimits& breaks_of_limits);

// {"schema":"jostle.plan/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string plan_json(const Plan& plan);

// {"unit":"cameras",...}; keys: docs/planning.md.
[[nodiscard]] nlohmann::ordered_json overload_json(const OverloadDistance& distance);

// A comparison of online tuners with windows of `window_s` seconds each.
struct OnlineAnswer {
  const Candidates& candidates;
  const OnlineComparison& comparison;
  double window_s;
};
// power_note() of the true optimum's board, if the goal rests on its power.
[[nodiscard]] std::string power_note(const OnlineAnswer& answer);
// {"schema":"jostle.online/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string online_json(const OnlineAnswer& answer);

}  // namespace jostle::analyses
