#include "analyses/plan/online.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/gaussian_process.hpp"
#include "analyses/plan/replicator.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/windows.hpp"
#include "sim/math.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t most_windows = 64;  // number of windows of one configuration, before they repeat

// The true values of the configurations: means of replications, or of the single runs if they are exact.
class Truth {
 public:
  Truth(const Candidates& candidates, const std::atomic<bool>* interrupt) : goal_(candidates.goal()) {
    // Regret is relative to the first objective only. The other objectives become limits that always hold.
    for (std::size_t i = 1; i < goal_.objectives; ++i)
      goal_.criteria[i].limit = goal_.criteria[i].maximise ? -1e300 : 1e300;
    for (const auto& [point, values] : candidates.evaluations()) values_.push_back(values);
    replicate(candidates, interrupt);
    best_ = best_of(goal_.criteria, values_, goal_.indifference);
  }

  [[nodiscard]] std::optional<std::size_t> best() const { return best_; }
  [[nodiscard]] const Evaluation& of(std::size_t candidate) const { return values_.at(candidate); }

  // The first objective relative to that of the best configuration; 0 if a limit is violated.
  [[nodiscard]] double score(const Evaluation& values) const {
    return values && meets_limits(goal_.criteria, *values) ? relative(values->front()) : 0;
  }

  // The same score for a window. Limits whose metric is absent because the window is too short are ignored.
  [[nodiscard]] double window_score(const ResultMetrics& metrics) const {
    Goal seen{};
    for (std::size_t i = 0; i < goal_.criteria.size(); ++i) {
      const Worst worst = goal_.criteria[i].maximise ? Worst::least : Worst::greatest;
      if (i > 0 && !metrics.find(goal_.metrics[i], worst)) continue;
      seen.criteria.push_back(goal_.criteria[i]);
      seen.metrics.push_back(goal_.metrics[i]);
    }
    const Evaluation values = values_in(seen, metrics);
    return values && meets_limits(seen.criteria, *values) ? relative(values->front()) : 0;
  }

 private:
  [[nodiscard]] double relative(double value) const {
    const double best = of(*best_)->front();
    const double ratio = goal_.criteria.front().maximise ? value / best : best / value;
    return std::isfinite(ratio) ? std::max(ratio, 0.0) : 0;
  }

  // Replicates all configurations, unless replications of the one that seems best are nearly equal.
  void replicate(const Candidates& candidates, const std::atomic<bool>* interrupt) {
    const auto seems = best_of(goal_.criteria, values_, goal_.indifference);
    const Replicator replicator{goal_, candidates.profiles(), candidates.threads(), interrupt};
    std::vector<Replicated> all(values_.size());
    std::vector<Replicated*> these;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].scenario = candidates.long_enough(i);
      if (values_[i]) these.push_back(&all[i]);
    }
    if (these.empty()) return;
    Replicated& first = seems ? all[*seems] : *these.front();
    replicator.step({&first});
    if (is_exact(first.samples)) return;
    std::erase(these, &first);
    if (!these.empty()) replicator.step(these);
    these.push_back(&first);
    replicator.step(these);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (values_[i]) values_[i] = all[i].samples.overloaded() ? std::nullopt : all[i].samples.means();
  }

  [[nodiscard]] bool is_exact(const Samples& samples) const {
    const Evaluation means = samples.means();
    for (std::size_t i = 0; means && i < means->size(); ++i)
      if (samples.deviation(i) > goal_.indifference / 10 * std::abs((*means)[i])) return false;
    return means.has_value();
  }

  Goal goal_;
  std::vector<Evaluation> values_;  // by candidate
  std::optional<std::size_t> best_;
};

// The board: gives the noisy score of a window and the true score of a configuration. The windows of a
// configuration follow each other in one simulation, which stands still while another configuration runs.
class Board {
 public:
  Board(const Candidates& candidates, const Truth& truth, const OnlineSettings& settings,
        const std::atomic<bool>* interrupt)
      : candidates_(candidates), truth_(truth), settings_(settings), interrupt_(interrupt) {}

  // Begins a new tuner: each configuration starts at its first window again.
  void restart() { visits_.clear(); }

  [[nodiscard]] double true_score(std::size_t candidate) const { return truth_.score(truth_.of(candidate)); }

  [[nodiscard]] double measure_window(std::size_t candidate) {
    if (!candidates_.evaluations().at(candidate)) return 0;
    Configuration& one = configurations_[candidate];
    const std::size_t window = visits_[candidate]++ % most_windows;
    if (window == one.scores.size()) one.scores.push_back(next(candidate, one));
    if (one.scores.size() == most_windows) one.windows.reset();
    return one.scores[window];
  }

 private:
  struct Configuration {
    std::optional<scenarios::Windows> windows;
    std::vector<double> scores;
  };

  [[nodiscard]] double next(std::size_t candidate, Configuration& one) const {
    if (!one.windows) one.windows = begun(candidate);
    const auto result = one.windows->next();
    if (!result) throw scenarios::Interrupted();
    return result->status == "ok" ? truth_.window_score(ResultMetrics(*result)) : 0;
  }

  [[nodiscard]] scenarios::Windows begun(std::size_t candidate) const {
    scenarios::Scenario scenario = candidates_.scenario(candidate);
    scenario.run = scenarios::Run{};
    scenario.run.duration = settings_.window;
    scenario.run.warmup = sim::milliseconds(200);
    scenario.run.seed = settings_.seed + 1;
    scenarios::RunControl control;
    control.interrupt = interrupt_;
    control.every_percentile = true;
    control.all_must_fit = true;
    const auto profile = candidates_.profiles().required(scenario);
    return {scenario, *profile, control};
  }

  const Candidates& candidates_;
  const Truth& truth_;
  const OnlineSettings& settings_;
  const std::atomic<bool>* interrupt_;
  std::map<std::size_t, std::size_t> visits_;
  std::map<std::size_t, Configuration> configurations_;
};

// Runs the windows of one tuner while is_open(), and records its regret.
class Recorder {
 public:
  Recorder(Board& board, std::string method, std::size_t windows) : board_(board), windows_(windows) {
    track_.method = std::move(method);
  }
  [[nodiscard]] bool is_open() const { return track_.regret.size() < windows_; }

  double run_window(std::size_t candidate) {
    const double score = board_.true_score(candidate);
    track_.regret.push_back((track_.regret.empty() ? 0 : track_.regret.back()) + std::max(0.0, 1 - score));
    if (score < 1 - tie) {
      track_.settled.reset();
    } else if (!track_.settled) {
      track_.settled = track_.regret.size() - 1;
    }
    track_.last = candidate;
    track_.last_score = score;
    tried_.insert(candidate);
    return board_.measure_window(candidate);
  }

  OnlineTrack finish() {
    track_.tried = tried_.size();
    return std::move(track_);
  }

 private:
  Board& board_;
  std::size_t windows_;
  OnlineTrack track_;
  std::set<std::size_t> tried_;
};

void full_sweep(const Candidates& candidates, Recorder& recorder) {
  std::size_t best = 0;
  double best_score = -1;
  for (std::size_t i = 0; i < candidates.size() && recorder.is_open(); ++i) {
    const double score = recorder.run_window(i);
    if (score <= best_score) continue;
    best_score = score;
    best = i;
  }
  while (recorder.is_open()) recorder.run_window(best);
}

void thompson_sampling(const Candidates& candidates, Recorder& recorder, sim::RandomStream random) {
  constexpr std::size_t draw_size = 150;  // number of configurations; the cost grows with its cube
  const SearchSpace& space = candidates.space();
  GaussianProcess process(space);
  struct Mean {
    double sum = 0;
    int count = 0;
  };
  std::map<std::size_t, Mean> scores;
  while (recorder.is_open()) {
    std::set<std::size_t> choice;
    while (choice.size() < std::min(draw_size, space.size())) choice.insert(random.below(space.size()));
    std::vector<std::size_t> points, known;
    std::vector<double> values;
    std::size_t best = random.below(space.size());
    if (!scores.empty()) {
      for (const auto& [point, mean] : scores) {
        known.push_back(point);
        values.push_back(mean.sum / mean.count);
      }
      // The best configuration so far takes part in every draw.
      choice.insert(known[static_cast<std::size_t>(std::ranges::max_element(values) - values.begin())]);
      points.assign(choice.begin(), choice.end());
      process.fit(known, values);
      const std::vector<double> draw = process.sample(points, random);
      best = points[static_cast<std::size_t>(std::ranges::max_element(draw) - draw.begin())];
    }
    Mean& mean = scores[best];
    mean.sum += recorder.run_window(best);
    ++mean.count;
  }
}

class GradientDescent {
 public:
  GradientDescent(const SearchSpace& space, Recorder& recorder, sim::RandomStream random)
      : space_(space), recorder_(recorder), random_(random), at_(space.dimensions().size(), 0.5) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Coordinates& point = space[i];
      const bool first = std::ranges::all_of(indices(), [&](std::size_t d) {
        return !space_.dimensions()[d].position.empty() || point[d] == space_[0][d];
      });
      if (first) reachable_.push_back(i);
    }
  }

  void descend() {
    constexpr double step = 0.2, probe = 0.12, stability = 10;  // Spall's a, c, A; positions are in [0, 1]
    for (int k = 0; recorder_.is_open(); ++k) {
      const double a = step * power((1 + stability) / (k + 1 + stability), 0.602);
      const double c = probe * power(1.0 / (k + 1), 0.101);
      std::vector<double> direction(at_.size());
      for (double& one : direction) one = random_.below(2) == 0 ? -1 : 1;
      const double up = recorder_.run_window(nearest(moved(direction, c)));
      if (!recorder_.is_open()) return;
      const double down = recorder_.run_window(nearest(moved(direction, -c)));
      const double slope = std::clamp((up - down) / (2 * c), -2.0, 2.0);
      at_ = moved(direction, a * slope);
    }
  }

 private:
  static double power(double base, double exponent) { return sim::exp(exponent * sim::log(base)); }

  [[nodiscard]] std::vector<std::size_t> indices() const {
    std::vector<std::size_t> all(space_.dimensions().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  [[nodiscard]] std::vector<double> moved(const std::vector<double>& direction, double by) const {
    std::vector<double> there = at_;
    for (std::size_t d = 0; d < there.size(); ++d)
      there[d] = std::clamp(there[d] + by * direction[d], 0.0, 1.0);
    return there;
  }

  [[nodiscard]] std::size_t nearest(const std::vector<double>& to) const {
    std::size_t best = reachable_.front();
    double least = -1;
    for (const std::size_t point : reachable_) {
      double distance = 0;
      for (std::size_t d = 0; d < to.size(); ++d) {
        const std::vector<double>& position = space_.dimensions()[d].position;
        if (!position.empty())
          distance += (position[space_[point][d]] - to[d]) * (position[space_[point][d]] - to[d]);
      }
      if (least >= 0 && distance >= least) continue;
      least = distance;
      best = point;
    }
    return best;
  }

  const SearchSpace& space_;
  Recorder& recorder_;
  sim::RandomStream random_;
  std::vector<double> at_;
  std::vector<std::size_t> reachable_;
};

}  // namespace

std::optional<OnlineComparison> tune_online(Candidates& candidates, const OnlineSettings& settings,
                                            const std::atomic<bool>* interrupt) {
  candidates.evaluate_all({});
  const Truth truth(candidates, interrupt);
  if (!truth.best()) return std::nullopt;
  Board board(candidates, truth, settings, interrupt);
  const std::size_t windows = settings.windows > 0 ? settings.windows : 3 * candidates.size();
  OnlineComparison comparison{*truth.best(), {}};
  const auto track = [&](const char* method, const auto& tune) {
    board.restart();
    Recorder recorder(board, method, windows);
    tune(recorder);
    comparison.tracks.push_back(recorder.finish());
  };
  track("full sweep", [&](Recorder& recorder) { full_sweep(candidates, recorder); });
  track("Thompson sampling", [&](Recorder& recorder) {
    thompson_sampling(candidates, recorder, sim::RandomStream(settings.seed, "thompson sampling"));
  });
  track("online gradient descent", [&](Recorder& recorder) {
    GradientDescent(candidates.space(), recorder, sim::RandomStream(settings.seed, "gradient descent"))
        .descend();
  });
  return comparison;
}

}  // namespace jostle::analyses
