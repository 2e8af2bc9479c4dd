#include "analyses/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double confidence_sigmas = 3;            // standard deviations
constexpr std::size_t at_a_time = 16;              // points
constexpr std::size_t max_modelled = 500;          // points a model learns from
constexpr std::size_t max_weighed = 20'000;        // unseen points in a round
constexpr std::size_t max_weighed_exactly = 1000;  // the most promising of them
constexpr double too_alike = 0.97;                 // points of one round

// Of the standard normal distribution, to 1 % (Bowling et al. 2009).
double chance_below(double z) {
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
      is_seen_(space.size()),
      models_(criteria_.size(), GaussianProcess(space)),
      by_logarithm_(criteria_.size(), true) {}

void Search::tell(std::size_t point, Evaluation seen) {
  if (seen && std::ranges::any_of(*seen, [](double value) { return !std::isfinite(value); })) seen.reset();
  seen_[point] = std::move(seen);
  is_seen_[point] = true;
}

// As models see it: the greater the better.
double Search::scaled(std::size_t criterion, double value) const {
  const double x = by_logarithm_[criterion] ? sim::log(value) : value;
  return criteria_[criterion].maximise ? x : -x;
}

std::optional<std::size_t> Search::best() const {
  std::vector<Evaluation> seen;
  std::vector<std::size_t> points;
  for (const auto& [point, values] : seen_) {
    seen.push_back(values);
    points.push_back(point);
  }
  const auto found = best_of(criteria_, seen);
  return found ? std::optional(points[*found]) : std::nullopt;
}

// As many of those that were not looked at and are not left out, drawn where there are more.
std::vector<std::size_t> Search::unseen(std::size_t most, const std::vector<bool>& left_out) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < space_->size(); ++i)
    if (!is_seen_[i] && (left_out.empty() || !left_out[i])) points.push_back(i);
  if (points.size() <= most) return points;
  for (std::size_t i = 0; i < most; ++i) std::swap(points[i], points[i + random_.below(points.size() - i)]);
  points.resize(most);
  return points;
}

// Far from each other: each the one of some drawn that is least like any taken before.
std::vector<std::size_t> Search::first_points() {
  constexpr std::size_t drawn = 200;
  const std::size_t wanted = std::min({settings_.most, space_->size(), 16 + 8 * space_->dimensions().size()});
  const GaussianProcess prior(*space_);
  std::vector<std::size_t> taken;
  while (taken.size() < wanted) {
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t point : unseen(drawn, {})) {
      double most = 0;
      for (const std::size_t other : taken) most = std::max(most, prior.correlation(point, other));
      if (most < least) {
        least = most;
        best = point;
      }
    }
    if (!best || least >= 1) break;
    taken.push_back(*best);
  }
  return taken;
}

void Search::learn() {
  std::vector<std::size_t> points;
  std::vector<Evaluation> seen;
  for (const auto& [point, values] : seen_) {
    if (!values) continue;
    points.push_back(point);
    seen.push_back(values);
  }
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    by_logarithm_[criterion] =
        std::ranges::all_of(seen, [&](const Evaluation& one) { return (*one)[criterion] > 0; }) &&
        criteria_[criterion].limit.value_or(1) > 0;
  }
  best_ = best();
  front_.clear();
  for (const std::size_t i : front_of(criteria_, seen)) {
    std::vector<double>& values = front_.emplace_back();
    for (std::size_t criterion = 0; criterion < objectives(criteria_); ++criterion)
      values.push_back(scaled(criterion, (*seen[i])[criterion]));
  }
  if (points.empty()) return;
  // Where there are too many to learn from, those most like the best, and some of the others.
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > max_modelled) {
    const std::size_t centre = best_.value_or(points.front());
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return models_.front().correlation(points[i], centre); });
    for (std::size_t i = max_modelled * 3 / 4; i < max_modelled; ++i)
      std::swap(order[i], order[i + random_.below(order.size() - i)]);
    order.resize(max_modelled);
    std::ranges::sort(order);
  }
  std::vector<std::size_t> learnt;
  for (const std::size_t i : order) learnt.push_back(points[i]);
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    std::vector<double> values;
    for (const std::size_t i : order) values.push_back(scaled(criterion, (*seen[i])[criterion]));
    models_[criterion].fit(learnt, values);
  }
}

// None if it cannot keep a limit, or can win nothing.
std::optional<Search::Acquisition> Search::acquisition(std::size_t point, Target target, bool exactly) const {
  Acquisition found{point, 0, 1};
  const std::size_t count = objectives(criteria_);
  std::vector<double> at_most;
  double mean = 0, deviation = 0;
  for (std::size_t criterion = 0; criterion < criteria_.size(); ++criterion) {
    const auto expected = exactly ? models_[criterion].at(point) : models_[criterion].bound(point);
    const double optimistic = expected.mean + confidence_sigmas * expected.deviation;
    if (criterion < count) {
      at_most.push_back(optimistic);
      if (criterion == 0) {
        mean = expected.mean;
        deviation = expected.deviation;
      }
      continue;
    }
    const double margin = expected.mean - scaled(criterion, *criteria_[criterion].limit);
    if (margin + confidence_sigmas * expected.deviation < 0) return std::nullopt;
    found.expected *= chance_below(margin / std::max(expected.deviation, 1e-12));
  }
  // Nothing keeps the limits so far: what is likeliest to.
  if (front_.empty()) {
    found.gain = found.expected;
    return found;
  }
  const auto tolerance = [&](std::size_t criterion, double value) {
    return settings_.tolerance * (by_logarithm_[criterion] ? 1 : std::abs(value));
  };
  if (target == Target::best) {
    const double top = front_.front().front();
    found.gain = at_most[0] - top - tolerance(0, top);
    const double z = (mean - top) / std::max(deviation, 1e-12);
    found.expected *= (mean - top) * chance_below(z) + deviation * density(z);
  } else {
    found.gain = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& one : front_) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t criterion = 0; criterion < count; ++criterion)
        most = std::max(most, at_most[criterion] - one[criterion] -
                                  tie / settings_.tolerance * tolerance(criterion, one[criterion]));
      found.gain = std::min(found.gain, most);
    }
    found.expected *= found.gain;
  }
  return found.gain > 0 ? std::optional(found) : std::nullopt;
}

// The most promising of the points that are not left out; leaves out those that promise nothing.
std::vector<Search::Acquisition> Search::acquisitions(Target target) {
  std::vector<bool>& left_out = left_out_[static_cast<std::size_t>(target)];
  std::vector<Acquisition> left;
  while (left.empty()) {
    const std::vector<std::size_t> points = unseen(max_weighed, left_out);
    if (points.empty()) break;
    std::vector<Acquisition> acquisitions;
    for (const std::size_t point : points) {
      if (const auto one = acquisition(point, target, false))
        acquisitions.push_back(*one);
      else
        left_out[point] = true;
    }
    std::ranges::stable_sort(acquisitions, std::greater{}, &Acquisition::gain);
    // As many exactly as needed to find some that hold.
    for (std::size_t i = 0; i < acquisitions.size() && (i < max_weighed_exactly || left.empty()); ++i) {
      if (const auto one = acquisition(acquisitions[i].point, target, true))
        left.push_back(*one);
      else
        left_out[acquisitions[i].point] = true;
    }
  }
  return left;
}

std::vector<std::size_t> Search::to_evaluate(Target target) {
  std::vector<bool>& left_out = left_out_[static_cast<std::size_t>(target)];
  const bool all = left_out.empty();
  if (all) left_out.resize(space_->size());
  std::vector<Acquisition> left = acquisitions(target);
  if (left.empty() && !all) {
    left_out.assign(space_->size(), false);
    left = acquisitions(target);
  }

  std::vector<std::size_t> taken;
  const auto take = [&](std::size_t most, double Acquisition::*by) {
    std::ranges::stable_sort(left, std::greater{}, by);
    for (const Acquisition& one : left) {
      if (taken.size() >= most) return;
      const bool alike = std::ranges::any_of(taken, [&](std::size_t other) {
        return other == one.point || models_.front().correlation(one.point, other) > too_alike;
      });
      if (!alike) taken.push_back(one.point);
    }
  };
  take(at_a_time / 2, &Acquisition::expected);
  take(at_a_time, &Acquisition::gain);
  return taken;
}

std::vector<std::size_t> Search::beside_the_best() const {
  std::vector<std::size_t> points;
  if (const auto centre = best()) {
    for (const std::size_t point : space_->neighbours(*centre))
      if (!is_seen_[point]) points.push_back(point);
  }
  return points;
}

std::vector<std::size_t> Search::next() {
  std::vector<std::size_t> points;
  if (seen_.empty()) {
    points = first_points();
  } else if (seen_.size() < settings_.most) {
    const bool some = std::ranges::any_of(seen_, [](const auto& entry) { return entry.second.has_value(); });
    if (!some) {
      points = unseen(at_a_time, {});
    } else {
      learn();
      // The last tenth is for the neighbours of the best first.
      if (seen_.size() >= settings_.most - settings_.most / 10) points = beside_the_best();
      if (points.empty() && (!best_ || settled_ != best_)) points = to_evaluate(Target::best);
      if (points.empty()) {
        settled_ = best_;
        points = beside_the_best();
      }
      if (points.empty() && objectives(criteria_) > 1 && !front_.empty()) points = to_evaluate(Target::front);
    }
    exhausted_ = points.empty();
  }
  points.resize(std::min(points.size(), settings_.most - std::min(settings_.most, seen_.size())));
  return points;
}

}  // namespace jostle::analyses
