#include "analyses/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double confidence_sigmas = 3;           // standard deviations
constexpr std::size_t batch_size = 16;            // points per call of next()
constexpr std::size_t max_training_points = 500;  // limit per model
constexpr std::size_t max_bounded = 20'000;       // points per round whose gain is bounded
constexpr std::size_t max_predicted = 1000;       // limit of exact predictions among these points
constexpr double max_batch_correlation = 0.97;    // correlation of two points in one batch

// The standard normal distribution function, to 1 % (Bowling et al. 2009), and density.
double probability_below(double z) {
  return 1 / (1 + sim::exp(-z * (1.5976 + 0.07056 * z * z)));
}
double density(double z) {
  return 0.3989422804014327 * sim::exp(-z * z / 2);
}

}  // namespace

Search::Search(const SearchSpace& space, std::vector<Criterion> criteria, const SearchSettings& settings)
    : space_(&space),
      criteria_(std::move(criteria)),
      settings_(settings),
      random_(settings.seed, "plan search"),
      is_evaluated_(space.size()),
      models_(criteria_.size(), GaussianProcess(space)),
      by_logarithm_(criteria_.size(), true) {}

void Search::record_evaluation(std::size_t point, Evaluation evaluation) {
  if (evaluation && std::ranges::any_of(*evaluation, [](double value) { return !std::isfinite(value); }))
    evaluation.reset();
  evaluations_[point] = std::move(evaluation);
  is_evaluated_[point] = true;
}

// A value as the models use it: logarithmic if possible, greater is better.
double Search::scaled(std::size_t criterion, double value) const {
  const double x = by_logarithm_[criterion] ? sim::log(value) : value;
  return criteria_[criterion].maximise ? x : -x;
}

std::optional<std::size_t> Search::best() const {
  std::vector<Evaluation> evaluations;
  std::vector<std::size_t> points;
  for (const auto& [point, values] : evaluations_) {
    evaluations.push_back(values);
    points.push_back(point);
  }
  const auto found = best_of(criteria_, evaluations);
  return found ? std::optional(points[*found]) : std::nullopt;
}

// Points that are neither evaluated nor excluded; a random sample if there are more than `most`.
std::vector<std::size_t> Search::unevaluated(std::size_t most, const std::vector<bool>& excluded) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < space_->size(); ++i)
    if (!is_evaluated_[i] && (excluded.empty() || !excluded[i])) points.push_back(i);
  if (points.size() <= most) return points;
  for (std::size_t i = 0; i < most; ++i) std::swap(points[i], points[i + random_.below(points.size() - i)]);
  points.resize(most);
  return points;
}

// A space-filling initial design: each point is the one of a random sample least correlated with those taken
// before.
std::vector<std::size_t> Search::first_points() {
  constexpr std::size_t sample_size = 200;
  const std::size_t wanted =
      std::min({settings_.max_evaluations, space_->size(), 16 + 8 * space_->dimensions().size()});
  const GaussianProcess prior(*space_);
  std::vector<std::size_t> taken;
  while (taken.size() < wanted) {
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t point : unevaluated(sample_size, {})) {
      double highest = 0;
      for (const std::size_t other : taken) highest = std::max(highest, prior.correlation(point, other));
      if (highest < least) {
        least = highest;
        best = point;
      }
    }
    if (!best || least >= 1) break;
    taken.push_back(*best);
  }
  return taken;
}

void Search::fit_models() {
  std::vector<std::size_t> points;
  std::vector<Evaluation> evaluations;
  for (const auto& [point, values] : evaluations_) {
    if (!values) continue;
    points.push_back(point);
    evaluations.push_back(values);
  }
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    by_logarithm_[criterion] =
        std::ranges::all_of(evaluations, [&](const Evaluation& one) { return (*one)[criterion] > 0; }) &&
        criteria_[criterion].limit.value_or(1) > 0;
  }
  best_ = best();
  front_.clear();
  for (const std::size_t i : front_of(criteria_, evaluations)) {
    std::vector<double>& values = front_.emplace_back();
    for (std::size_t criterion = 0; criterion < objectives(criteria_); ++criterion)
      values.push_back(scaled(criterion, (*evaluations[i])[criterion]));
  }
  if (points.empty()) return;
  // With too many points, fit to those most correlated with the best and to a sample of the others.
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > max_training_points) {
    const std::size_t centre = best_.value_or(points.front());
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return models_.front().correlation(points[i], centre); });
    for (std::size_t i = max_training_points * 3 / 4; i < max_training_points; ++i)
      std::swap(order[i], order[i + random_.below(order.size() - i)]);
    order.resize(max_training_points);
    std::ranges::sort(order);
  }
  std::vector<std::size_t> training;
  for (const std::size_t i : order) training.push_back(points[i]);
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    std::vector<double> values;
    for (const std::size_t i : order) values.push_back(scaled(criterion, (*evaluations[i])[criterion]));
    models_[criterion].fit(training, values);
  }
}

// The acquisition values of a point; none if it cannot meet a limit or cannot improve the target. `exactly`:
// with the exact deviation instead of its bound.
std::optional<Search::Acquisition> Search::acquisition(std::size_t point, Target target, bool exactly) const {
  Acquisition found{point, 0, 1};
  const std::size_t count = objectives(criteria_);
  std::vector<double> upper_bounds;
  double mean = 0, deviation = 0;
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    const auto estimate = exactly ? models_[criterion].at(point) : models_[criterion].bound(point);
    const double optimistic = estimate.mean + confidence_sigmas * estimate.deviation;
    if (criterion < count) {
      upper_bounds.push_back(optimistic);
      if (criterion == 0) {
        mean = estimate.mean;
        deviation = estimate.deviation;
      }
      continue;
    }
    const double margin = estimate.mean - scaled(criterion, *criteria_[criterion].limit);
    if (margin + confidence_sigmas * estimate.deviation < 0) return std::nullopt;
    found.expected *= probability_below(margin / std::max(estimate.deviation, 1e-12));
  }
  // While no point meets the limits, points that are most likely to meet them come first.
  if (front_.empty()) {
    found.gain = found.expected;
    return found;
  }
  const auto tolerance = [&](std::size_t criterion, double value) {
    return settings_.tolerance * (by_logarithm_[criterion] ? 1 : std::abs(value));
  };
  if (target == Target::best) {
    const double top = front_.front().front();
    found.gain = upper_bounds[0] - top - tolerance(0, top);
    const double z = (mean - top) / std::max(deviation, 1e-12);
    found.expected *= (mean - top) * probability_below(z) + deviation * density(z);
  } else {
    found.gain = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& one : front_) {
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t criterion = 0; criterion < count; ++criterion)
        largest = std::max(largest, upper_bounds[criterion] - one[criterion] -
                                        tie / settings_.tolerance * tolerance(criterion, one[criterion]));
      found.gain = std::min(found.gain, largest);
    }
    found.expected *= found.gain;
  }
  return found.gain > 0 ? std::optional(found) : std::nullopt;
}

// The acquisition values of the points with the highest bounds; excludes points without a possible gain.
std::vector<Search::Acquisition> Search::acquisitions(Target target) {
  std::vector<bool>& excluded = excluded_[static_cast<std::size_t>(target)];
  std::vector<Acquisition> remaining;
  while (remaining.empty()) {
    const std::vector<std::size_t> points = unevaluated(max_bounded, excluded);
    if (points.empty()) break;
    std::vector<Acquisition> acquisitions;
    for (const std::size_t point : points) {
      if (const auto one = acquisition(point, target, false))
        acquisitions.push_back(*one);
      else
        excluded[point] = true;
    }
    std::ranges::stable_sort(acquisitions, std::greater{}, &Acquisition::gain);
    // Predicts exactly until some points remain.
    for (std::size_t i = 0; i < acquisitions.size() && (i < max_predicted || remaining.empty()); ++i) {
      if (const auto one = acquisition(acquisitions[i].point, target, true))
        remaining.push_back(*one);
      else
        excluded[acquisitions[i].point] = true;
    }
  }
  return remaining;
}

std::vector<std::size_t> Search::to_evaluate(Target target) {
  std::vector<bool>& excluded = excluded_[static_cast<std::size_t>(target)];
  const bool first_round = excluded.empty();
  if (first_round) excluded.resize(space_->size());
  std::vector<Acquisition> remaining = acquisitions(target);
  if (remaining.empty() && !first_round) {
    excluded.assign(space_->size(), false);
    remaining = acquisitions(target);
  }

  std::vector<std::size_t> taken;
  const auto take = [&](std::size_t most, double Acquisition::*by) {
    std::ranges::stable_sort(remaining, std::greater{}, by);
    for (const Acquisition& one : remaining) {
      if (taken.size() >= most) return;
      const bool redundant = std::ranges::any_of(taken, [&](std::size_t other) {
        return other == one.point || models_.front().correlation(one.point, other) > max_batch_correlation;
      });
      if (!redundant) taken.push_back(one.point);
    }
  };
  take(batch_size / 2, &Acquisition::expected);
  take(batch_size, &Acquisition::gain);
  return taken;
}

std::vector<std::size_t> Search::unevaluated_neighbours() const {
  std::vector<std::size_t> points;
  if (const auto centre = best()) {
    for (const std::size_t point : space_->neighbours(*centre))
      if (!is_evaluated_[point]) points.push_back(point);
  }
  return points;
}

std::vector<std::size_t> Search::next() {
  std::vector<std::size_t> points;
  if (evaluations_.empty()) {
    points = first_points();
  } else if (evaluations_.size() < settings_.max_evaluations) {
    const bool any_valid =
        std::ranges::any_of(evaluations_, [](const auto& entry) { return entry.second.has_value(); });
    if (!any_valid) {
      points = unevaluated(batch_size, {});
    } else {
      fit_models();
      // In the last tenth of the budget, neighbours of the best point come first.
      if (evaluations_.size() >= settings_.max_evaluations - settings_.max_evaluations / 10)
        points = unevaluated_neighbours();
      if (points.empty() && (!best_ || settled_ != best_)) points = to_evaluate(Target::best);
      if (points.empty()) {
        settled_ = best_;
        points = unevaluated_neighbours();
      }
      if (points.empty() && objectives(criteria_) > 1 && !front_.empty()) points = to_evaluate(Target::front);
    }
    exhausted_ = points.empty();
  }
  points.resize(std::min(
      points.size(), settings_.max_evaluations - std::min(settings_.max_evaluations, evaluations_.size())));
  return points;
}

}  // namespace jostle::analyses
