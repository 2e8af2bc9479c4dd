#include "analyses/plan/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/student_t.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t fewest = 3;  // fewest runs from which a variance is estimated
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void Samples::add(double length_s, Evaluation values, bool overloaded) {
  ++runs_;
  simulated_s_ += length_s;
  overloaded_ += overloaded ? 1 : 0;
  if (!values || !(length_s > 0)) return;
  values_.push_back(*std::move(values));
  length_s_.push_back(length_s);
}

// The mean, and its standard error, of a value of each run.
template <typename Of>
Samples::Moments Samples::moments(const Of& of) const {
  double length = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    length += length_s_[i];
    sum += length_s_[i] * of(i);
  }
  Moments found{length > 0 ? sum / length : 0, infinity};
  // Equal values have that mean exactly, so that one at a limit meets it.
  bool equal = !values_.empty();
  for (std::size_t i = 1; i < values_.size() && equal; ++i) equal = of(i) == of(0);
  if (equal) found.mean = of(0);
  if (values_.size() < fewest) return found;
  for (std::size_t i = 0; i < values_.size(); ++i)
    squares += length_s_[i] * (of(i) - found.mean) * (of(i) - found.mean);
  found.error = std::sqrt(squares / static_cast<double>(values_.size() - 1) / length);
  return found;
}

Evaluation Samples::means() const {
  if (values_.empty()) return std::nullopt;
  std::vector<double> means;
  for (std::size_t criterion = 0; criterion < values_.front().size(); ++criterion)
    means.push_back(moments([&](std::size_t i) { return values_[i][criterion]; }).mean);
  return means;
}

double Samples::standard_error(std::size_t criterion) const {
  return moments([&](std::size_t i) { return values_[i][criterion]; }).error;
}

double Samples::deviation(std::size_t criterion) const {
  if (values_.empty()) return infinity;
  double length = 0;
  for (const double one : length_s_) length += one;
  return standard_error(criterion) * std::sqrt(length / length_s_.front());
}

double Samples::half_width(std::size_t criterion, double confidence) const {
  const double error = standard_error(criterion);
  return error > 0 && std::isfinite(error)
             ? error * sim::student_t_quantile((1 + confidence) / 2, values_.size() - 1)
             : error;
}

double Samples::p_feasible(const std::vector<Criterion>& criteria) const {
  if (overloaded()) return 0;
  const double most = overloaded_ == 0 ? 1 : 0.5;
  if (values_.size() < fewest) return 0.5;
  double missed = 0;
  for (std::size_t criterion = 0; criterion < criteria.size(); ++criterion) {
    if (!criteria[criterion].limit) continue;
    const Moments found = moments([&](std::size_t i) { return values_[i][criterion]; });
    const double margin = criteria[criterion].maximise ? found.mean - *criteria[criterion].limit
                                                       : *criteria[criterion].limit - found.mean;
    if (found.error > 0)
      missed += 1 - sim::student_t_below(margin / found.error, values_.size() - 1);
    else
      missed += margin >= 0 ? 0 : 1;
  }
  return std::clamp(1 - missed, 0.0, most);
}

double Samples::greatest_difference(const Samples& other, std::size_t criterion, double confidence) const {
  const auto here = moments([&](std::size_t i) { return values_[i][criterion]; });
  const auto there = other.moments([&](std::size_t i) { return other.values_[i][criterion]; });
  const bool pairs = values_.size() == runs_ && other.values_.size() == other.runs_ && runs_ == other.runs_;
  const double error =
      pairs
          ? moments([&](std::size_t i) { return values_[i][criterion] - other.values_[i][criterion]; }).error
          : std::sqrt(here.error * here.error + there.error * there.error);
  if (!(error > 0)) return here.mean - there.mean;
  if (!std::isfinite(error)) return infinity;
  const std::size_t runs = std::min(values_.size(), other.values_.size());
  return here.mean - there.mean + error * sim::student_t_quantile(confidence, runs - 1);
}

namespace {

// The lead of a over b in an objective: its upper confidence bound, and the difference of means.
struct Lead {
  double most = 0, mean = 0;
};
Lead lead(const Goal& goal, const FrontPoint& a, const FrontPoint& b, std::size_t objective) {
  const bool maximise = goal.criteria[objective].maximise;
  const double by = a.values[objective] - b.values[objective];
  Lead found{maximise ? by : -by, maximise ? by : -by};
  if (a.samples != nullptr && b.samples != nullptr)
    found.most = maximise ? a.samples->greatest_difference(*b.samples, objective, goal.confidence)
                          : b.samples->greatest_difference(*a.samples, objective, goal.confidence);
  return found;
}

double zone(const Goal& goal, const FrontPoint& at, std::size_t objective) {
  return goal.indifference * std::abs(at.values[objective]);
}

// Returns whether a is worse than b in no objective beyond noise, and better in one by more than noise and
// the zone.
bool dominates(const Goal& goal, const FrontPoint& a, const FrontPoint& b) {
  bool better = false;
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const Lead back = lead(goal, b, a, i);
    const double noise = back.most - back.mean;
    if (back.mean > noise) return false;
    better |= back.most < -zone(goal, b, i);
  }
  return better;
}

// Returns whether a can represent b: b is better in no objective by more than the zone and noise.
bool stands_for(const Goal& goal, const FrontPoint& a, const FrontPoint& b) {
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const Lead back = lead(goal, b, a, i);
    if (back.mean > std::max(zone(goal, a, i), back.most - back.mean)) return false;
  }
  return true;
}

}  // namespace

std::vector<FrontPoint> front_beyond_noise(const Goal& goal, std::vector<FrontPoint> points) {
  std::ranges::stable_sort(points, [&](const FrontPoint& a, const FrontPoint& b) {
    for (std::size_t i = 0; i < goal.objectives; ++i)
      if (a.values[i] != b.values[i])
        return goal.criteria[i].maximise ? a.values[i] > b.values[i] : a.values[i] < b.values[i];
    return false;
  });
  std::vector<FrontPoint> front;
  for (const FrontPoint& one : points) {
    const auto covers = [&](const FrontPoint& other) { return stands_for(goal, other, one); };
    const auto beats = [&](const FrontPoint& other) {
      return other.point != one.point && dominates(goal, other, one);
    };
    if (std::ranges::none_of(front, covers) && std::ranges::none_of(points, beats)) front.push_back(one);
  }
  return front;
}

}  // namespace jostle::analyses
