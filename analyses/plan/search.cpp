#include "analyses/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double sure = 3;                          // standard deviations
constexpr std::size_t at_a_time = 16;               // points
constexpr std::size_t most_modelled = 500;          // points a model learns from
constexpr std::size_t most_weighed = 20'000;        // unseen points in a round
constexpr std::size_t most_weighed_exactly = 1000;  // the most promising of them
constexpr double too_alike = 0.97;                  // points of one round

// Of the standard normal distribution, to 1 % (Bowling et al. 2009).
double chance_below(double z) {
  return 1 / (1 + sim::exp(-z * (1.5976 + 0.07056 * z * z)));
}
double density(double z) {
  return 0.3989422804014327 * sim::exp(-z * z / 2);
}

}  // namespace

Search::Search(const SearchSpace& space, std::vector<Aim> aims, const SearchSettings& settings)
    : space_(&space),
      aims_(std::move(aims)),
      settings_(settings),
      random_(settings.seed, "plan search"),
      is_seen_(space.size()),
      models_(aims_.size(), GaussianProcess(space)),
      by_logarithm_(aims_.size(), true) {}

void Search::tell(std::size_t point, Seen seen) {
  if (seen && std::ranges::any_of(*seen, [](double value) { return !std::isfinite(value); })) seen.reset();
  seen_[point] = std::move(seen);
  is_seen_[point] = true;
}

// As models see it: the greater the better.
double Search::scaled(std::size_t aim, double value) const {
  const double x = by_logarithm_[aim] ? sim::log(value) : value;
  return aims_[aim].maximise ? x : -x;
}

std::optional<std::size_t> Search::best() const {
  std::vector<Seen> seen;
  std::vector<std::size_t> points;
  for (const auto& [point, values] : seen_) {
    seen.push_back(values);
    points.push_back(point);
  }
  const auto found = best_of(aims_, seen);
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
  const GaussianProcess alike(*space_);
  std::vector<std::size_t> taken;
  while (taken.size() < wanted) {
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t point : unseen(drawn, {})) {
      double most = 0;
      for (const std::size_t other : taken) most = std::max(most, alike.correlation(point, other));
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
  std::vector<Seen> seen;
  for (const auto& [point, values] : seen_) {
    if (!values) continue;
    points.push_back(point);
    seen.push_back(values);
  }
  for (std::size_t aim = 0; aim < aims_.size(); ++aim) {
    by_logarithm_[aim] = std::ranges::all_of(seen, [&](const Seen& one) { return (*one)[aim] > 0; }) &&
                         aims_[aim].limit.value_or(1) > 0;
  }
  best_ = best();
  front_.clear();
  for (const std::size_t i : front_of(aims_, seen)) {
    std::vector<double>& values = front_.emplace_back();
    for (std::size_t aim = 0; aim < objectives(aims_); ++aim) values.push_back(scaled(aim, (*seen[i])[aim]));
  }
  if (points.empty()) return;
  // Where there are too many to learn from, those most like the best, and some of the others.
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > most_modelled) {
    const std::size_t centre = best_.value_or(points.front());
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return models_.front().correlation(points[i], centre); });
    for (std::size_t i = most_modelled * 3 / 4; i < most_modelled; ++i)
      std::swap(order[i], order[i + random_.below(order.size() - i)]);
    order.resize(most_modelled);
    std::ranges::sort(order);
  }
  std::vector<std::size_t> learnt;
  for (const std::size_t i : order) learnt.push_back(points[i]);
  for (std::size_t aim = 0; aim < aims_.size(); ++aim) {
    std::vector<double> values;
    for (const std::size_t i : order) values.push_back(scaled(aim, (*seen[i])[aim]));
    models_[aim].fit(learnt, values);
  }
}

// None if it cannot keep a limit, or can win nothing.
std::optional<Search::Promise> Search::promise(std::size_t point, Quest quest, bool exactly) const {
  Promise found{point, 0, 1};
  const std::size_t count = objectives(aims_);
  std::vector<double> at_most;
  double mean = 0, deviation = 0;
  for (std::size_t aim = 0; aim < aims_.size(); ++aim) {
    const auto expected = exactly ? models_[aim].at(point) : models_[aim].bound(point);
    const double optimistic = expected.mean + sure * expected.deviation;
    if (aim < count) {
      at_most.push_back(optimistic);
      if (aim == 0) {
        mean = expected.mean;
        deviation = expected.deviation;
      }
      continue;
    }
    const double margin = expected.mean - scaled(aim, *aims_[aim].limit);
    if (margin + sure * expected.deviation < 0) return std::nullopt;
    found.expected *= chance_below(margin / std::max(expected.deviation, 1e-12));
  }
  // Nothing keeps the limits so far: what is likeliest to.
  if (front_.empty()) {
    found.gain = found.expected;
    return found;
  }
  const auto tolerance = [&](std::size_t aim, double value) {
    return settings_.tolerance * (by_logarithm_[aim] ? 1 : std::abs(value));
  };
  if (quest == Quest::best) {
    const double top = front_.front().front();
    found.gain = at_most[0] - top - tolerance(0, top);
    const double z = (mean - top) / std::max(deviation, 1e-12);
    found.expected *= (mean - top) * chance_below(z) + deviation * density(z);
  } else {
    found.gain = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& one : front_) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t aim = 0; aim < count; ++aim)
        most = std::max(most, at_most[aim] - one[aim] - tie / settings_.tolerance * tolerance(aim, one[aim]));
      found.gain = std::min(found.gain, most);
    }
    found.expected *= found.gain;
  }
  return found.gain > 0 ? std::optional(found) : std::nullopt;
}

// The most promising of the points that are not left out; leaves out those that promise nothing.
std::vector<Search::Promise> Search::weighed(Quest quest) {
  std::vector<bool>& left_out = left_out_[static_cast<std::size_t>(quest)];
  std::vector<Promise> left;
  while (left.empty()) {
    const std::vector<std::size_t> points = unseen(most_weighed, left_out);
    if (points.empty()) break;
    std::vector<Promise> promises;
    for (const std::size_t point : points) {
      if (const auto one = promise(point, quest, false))
        promises.push_back(*one);
      else
        left_out[point] = true;
    }
    std::ranges::stable_sort(promises, std::greater{}, &Promise::gain);
    // As many exactly as needed to find some that hold.
    for (std::size_t i = 0; i < promises.size() && (i < most_weighed_exactly || left.empty()); ++i) {
      if (const auto one = promise(promises[i].point, quest, true))
        left.push_back(*one);
      else
        left_out[promises[i].point] = true;
    }
  }
  return left;
}

std::vector<std::size_t> Search::promising(Quest quest) {
  std::vector<bool>& left_out = left_out_[static_cast<std::size_t>(quest)];
  const bool all = left_out.empty();
  if (all) left_out.resize(space_->size());
  std::vector<Promise> left = weighed(quest);
  if (left.empty() && !all) {
    left_out.assign(space_->size(), false);
    left = weighed(quest);
  }

  std::vector<std::size_t> taken;
  const auto take = [&](std::size_t most, double Promise::*by) {
    std::ranges::stable_sort(left, std::greater{}, by);
    for (const Promise& one : left) {
      if (taken.size() >= most) return;
      const bool alike = std::ranges::any_of(taken, [&](std::size_t other) {
        return other == one.point || models_.front().correlation(one.point, other) > too_alike;
      });
      if (!alike) taken.push_back(one.point);
    }
  };
  take(at_a_time / 2, &Promise::expected);
  take(at_a_time, &Promise::gain);
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
      if (points.empty() && (!best_ || settled_ != best_)) points = promising(Quest::best);
      if (points.empty()) {
        settled_ = best_;
        points = beside_the_best();
      }
      if (points.empty() && objectives(aims_) > 1 && !front_.empty()) points = promising(Quest::front);
    }
    exhausted_ = points.empty();
  }
  points.resize(std::min(points.size(), settings_.most - std::min(settings_.most, seen_.size())));
  return points;
}

}  // namespace jostle::analyses
