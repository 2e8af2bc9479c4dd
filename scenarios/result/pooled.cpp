#include "scenarios/result/pooled.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "scenarios/result/board_result.hpp"
#include "scenarios/result/fields.hpp"
#include "scenarios/result/ratio.hpp"
#include "sim/batch_means.hpp"

namespace jostle::scenarios {
namespace {

using Wholes = std::vector<const Result*>;

// The same place in every replication, and in the pooled result.
template <class T>
class Same {
 public:
  Same(T& into, std::vector<const T*> of, const Wholes& wholes)
      : into_(&into), of_(std::move(of)), wholes_(&wholes) {}

  [[nodiscard]] T& into() const { return *into_; }
  [[nodiscard]] const std::vector<const T*>& of() const { return of_; }
  [[nodiscard]] const Wholes& wholes() const { return *wholes_; }
  // The part of each that `get` gives: a member, or the result of a function.
  template <class Get>
  [[nodiscard]] auto at(const Get& get) const {
    using Part = std::remove_reference_t<decltype(std::invoke(get, *into_))>;
    std::vector<const Part*> parts;
    for (const T* one : of_) parts.push_back(&std::invoke(get, *one));
    return Same<Part>(std::invoke(get, *into_), std::move(parts), *wholes_);
  }
  [[nodiscard]] auto operator[](std::size_t i) const {
    return at([i](auto& list) -> auto& { return list[i]; });
  }

 private:
  T* into_;
  std::vector<const T*> of_;
  const Wholes* wholes_;
};

// ---- Means and ratios of sums.

Metric number(const Metric& value) {
  return value;
}
template <class T>
requires std::is_arithmetic_v<T> Metric number(T value) {
  return static_cast<double>(value);
}

// The value of a metric in a replication, and its weight.
struct Weighed {
  double value = 0, weight = 0;
};
using Weights = std::vector<Metric>;

template <class Divisor, class R>
Weights weights_of(const pool::Per<Divisor>& rule, const Same<R>& record) {
  Weights weights;
  for (std::size_t i = 0; i < record.of().size(); ++i) {
    const R& one = *record.of()[i];
    if constexpr (std::is_invocable_v<Divisor, const R&, const Result&>)
      weights.push_back(number(rule.divisor(one, *record.wholes()[i])));
    else
      weights.push_back(number(std::invoke(rule.divisor, one)));
  }
  return weights;
}
template <class R>
Weights weights_of(pool::Mean /*rule*/, const Same<R>& record) {
  return Weights(record.of().size(), 1.0);
}

// Pairs values with weights. Absent if a value or a weight is unknown, or if no weight is positive. Weights
// are divided by the largest, so that those of equal runs are 1.
std::optional<std::vector<Weighed>> weighed(const std::vector<Metric>& values, const Weights& weights) {
  double most = 0;
  for (const Metric& weight : weights) {
    if (!weight) return std::nullopt;
    most = std::max(most, *weight);
  }
  if (!(most > 0)) return std::nullopt;
  std::vector<Weighed> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(*weights[i] > 0)) continue;
    if (!values[i]) return std::nullopt;
    all.push_back({.value = *values[i], .weight = *weights[i] / most});
  }
  return all;
}

struct Sums {
  double weighted = 0, weights = 0;
  [[nodiscard]] double mean() const { return weighted / weights; }
};
Sums sums_of(const std::vector<Weighed>& all) {
  Sums sums;
  for (const Weighed& one : all) {
    sums.weighted += one.weight * one.value;
    sums.weights += one.weight;
  }
  return sums;
}

Metric mean_of(const std::vector<Metric>& values, const Weights& weights) {
  const auto all = weighed(values, weights);
  return all ? Metric(sums_of(*all).mean()) : std::nullopt;
}

// The interval of a ratio of sums, from the deviation of each replication from it (Cochran 1977, section
// 6.4).
Interval interval_of(const std::vector<Metric>& values, const Weights& weights) {
  const auto all = weighed(values, weights);
  if (!all || all->size() < 2) return std::nullopt;
  const auto n = static_cast<double>(all->size());
  const Sums sums = sums_of(*all);
  const double mean = sums.mean();
  double squares = 0;
  for (const auto& [value, weight] : *all) squares += weight * (value - mean) * weight * (value - mean);
  const double half =
      sim::student_t_95(all->size() - 1) * std::sqrt(squares / (n - 1) / n) / (sums.weights / n);
  return {{std::max(mean - half, 0.0), mean + half}};
}

template <class T>
std::vector<Metric> values_of(const Same<T>& metric) {
  std::vector<Metric> values;
  for (const T* one : metric.of()) values.push_back(number(*one));
  return values;
}

void average(const Same<Metric>& metric, const Weights& weights) {
  metric.into() = mean_of(values_of(metric), weights);
}
void average(const Same<double>& metric, const Weights& weights) {
  metric.into() = mean_of(values_of(metric), weights).value_or(0);
}
void average(const Same<std::int64_t>& count, const Weights& weights) {
  count.into() = static_cast<std::int64_t>(mean_of(values_of(count), weights).value_or(0));
}
void average(const Same<std::vector<double>>& list, const Weights& weights) {
  for (const std::vector<double>* one : list.of())
    list.into().resize(std::min(list.into().size(), one->size()));
  for (std::size_t i = 0; i < list.into().size(); ++i) average(list[i], weights);
}

// Every name that occurs in one of the lists, in order of first occurrence.
template <class T>
std::vector<std::string> names_in(const Same<Named<T>>& list) {
  std::vector<std::string> names;
  for (const Named<T>* one : list.of())
    for (const auto& [name, value] : *one)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}
template <class T>
const T* find(const Named<T>& list, const std::string& name) {
  const auto found = std::ranges::find(list, name, [](const auto& one) { return one.first; });
  return found == list.end() ? nullptr : &found->second;
}

// Averages by name. A replication without the name counts as 0.
void average(const Same<NamedParameters>& metrics, const Weights& weights) {
  NamedParameters means;
  for (const std::string& name : names_in(metrics)) {
    std::vector<Metric> values;
    for (const NamedParameters* one : metrics.of()) {
      const double* const value = find(*one, name);
      values.emplace_back(value != nullptr ? *value : 0);
    }
    means.emplace_back(name, mean_of(values, weights).value_or(0));
  }
  metrics.into() = std::move(means);
}
void average(const Same<Named<NamedParameters>>& lists, const Weights& weights) {
  for (std::size_t i = 0; i < lists.into().size(); ++i)
    average(lists[i].at([](auto& one) -> auto& { return one.second; }), weights);
}

// ---- Rules.

template <class T, class R>
void apply(pool::Same /*rule*/, const Same<T>& /*metric*/, const Same<R>& /*record*/) {}
template <class T, class R>
void apply(pool::First /*rule*/, const Same<T>& /*metric*/, const Same<R>& /*record*/) {}
template <class T, class R>
void apply(pool::Follows /*rule*/, const Same<T>& /*metric*/, const Same<R>& /*record*/) {}

template <class T, class R>
void apply(pool::Mean rule, const Same<T>& metric, const Same<R>& record) {
  average(metric, weights_of(rule, record));
}

template <class Divisor, class T, class R>
void apply(const pool::Per<Divisor>& rule, const Same<T>& metric, const Same<R>& record) {
  average(metric, weights_of(rule, record));
}
template <class Divisor, class R>
void apply(const pool::PerOrNone<Divisor>& rule, const Same<Metric>& metric, const Same<R>& record) {
  std::vector<Metric> values = values_of(metric);
  for (Metric& value : values) value = value.value_or(0);
  metric.into() = mean_of(values, weights_of(pool::per(rule.divisor), record));
}

template <class Numerator, class Divisor, class R>
void apply(const pool::Ratio<Numerator, Divisor>& rule, const Same<Metric>& metric, const Same<R>& record) {
  metric.into().reset();
  double numerators = 0, divisors = 0;
  for (std::size_t i = 0; i < record.of().size(); ++i) {
    const Metric numerator = rule.numerator(*record.of()[i], *record.wholes()[i]);
    const Metric divisor = rule.divisor(*record.of()[i], *record.wholes()[i]);
    if (!numerator || !divisor) return;
    numerators += *numerator;
    divisors += *divisor;
  }
  if (divisors > 0) metric.into() = numerators / divisors;
}

template <class Get, class Rule, class R>
void apply(const pool::IntervalOf<Get, Rule>& rule, const Same<Interval>& interval, const Same<R>& record) {
  interval.into() = interval_of(values_of(record.at(rule.metric)), weights_of(rule.rule, record));
}

template <class R>
void apply(pool::Sum /*rule*/, const Same<Metric>& metric, const Same<R>& /*record*/) {
  metric.into() = 0.0;
  for (const Metric* one : metric.of())
    metric.into() = *one && metric.into() ? Metric(*metric.into() + **one) : std::nullopt;
}
template <class T, class R>
void apply(pool::Sum /*rule*/, const Same<T>& count, const Same<R>& /*record*/) {
  count.into() = {};
  for (const T* one : count.of()) count.into() += *one;
}

template <class R>
void apply(pool::Most /*rule*/, const Same<double>& metric, const Same<R>& /*record*/) {
  metric.into() = **std::ranges::max_element(metric.of(), {}, [](const double* one) { return *one; });
}

// The verdict of more than half of the replications, else none: a single one that strays must not decide.
template <class T>
std::optional<bool> verdict(const Same<T>& judged) {
  const auto half = static_cast<std::ptrdiff_t>(judged.of().size()) / 2;
  for (const bool as : {false, true})
    if (std::ranges::count_if(judged.of(), [as](const T* one) { return *one == as; }) > half) return as;
  return std::nullopt;
}
template <class R>
void apply(pool::Majority /*rule*/, const Same<std::optional<bool>>& judged, const Same<R>& /*record*/) {
  judged.into() = verdict(judged);
}
template <class R>
void apply(pool::Majority /*rule*/, const Same<Named<bool>>& judged, const Same<R>& /*record*/) {
  for (std::size_t i = 0; i < judged.into().size(); ++i) {
    const auto one = judged[i].at([](auto& named) -> auto& { return named.second; });
    one.into() = verdict(one).value_or(false);
  }
}

template <class R>
void apply(pool::Union /*rule*/, const Same<std::vector<std::string>>& names, const Same<R>& /*record*/) {
  names.into().clear();
  for (const std::vector<std::string>* one : names.of())
    for (const std::string& name : *one)
      if (std::ranges::find(names.into(), name) == names.into().end()) names.into().push_back(name);
}

template <class R>
void apply(pool::Unless rule, const Same<std::string>& word, const Same<R>& /*record*/) {
  for (const std::string* one : word.of())
    if (*one == rule.word) word.into() = *one;
}

void apply(pool::JudgedAlike /*rule*/, const Same<std::vector<std::string>>& sentences,
           const Same<Result>& record) {
  const auto alike = std::ranges::find(record.of(), verdict(record.at(&Result::stationary)),
                                       [](const Result* one) { return one->stationary; });
  sentences.into() = alike == record.of().end() ? std::vector<std::string>() : (*alike)->warnings;
}

// ---- Records.

template <class R>
void follow(R& /*record*/) {}
void follow(InstanceResult& instance) {
  if (instance.stable == false) forget_growing_latency(instance);
}
void follow(ProcessResult& process) {
  if (process.stable == false) return forget_growing_latency(process);
  process.backlog_growth.reset();
  process.stable_rate.reset();
}
void follow(SystemResult& system) {
  name_limit(system);
}

template <class R>
void pool_record(const Same<R>& all);

// Visits the rows of a record (fields.hpp).
template <class R>
class Pooling {
 public:
  explicit Pooling(const Same<R>& all) : all_(all) {}

  template <class Get, class Rule>
  void operator()(std::string_view /*key*/, const Get& get, const Rule& rule, About /*about*/,
                  Shown /*shown*/ = Shown::always) {
    inlined(get, rule);
  }
  template <class Get, class Rule>
  void inlined(const Get& get, const Rule& rule) {
    apply(rule, all_.at(get), all_);
  }
  template <class Rows, class... There>
  void group(std::string_view /*key*/, About /*about*/, const Rows& rows, const There&... /*there*/) {
    rows(*this);
  }
  template <class Get>
  void derived(std::string_view /*key*/, const Get& /*get*/, About /*about*/,
               Shown /*shown*/ = Shown::always) {}

 private:
  const Same<R>& all_;
};

template <class T, class R>
void apply(pool::Parts /*rule*/, const Same<T>& part, const Same<R>& /*record*/) {
  pool_record(part);
}
template <class T, class R>
void apply(pool::Parts /*rule*/, const Same<std::vector<T>>& list, const Same<R>& /*record*/) {
  for (std::size_t i = 0; i < list.into().size(); ++i) pool_record(list[i]);
}
// The pooled record is absent if one replication lacks it.
template <class T, class R>
void apply(pool::Parts /*rule*/, const Same<std::optional<T>>& part, const Same<R>& /*record*/) {
  if (std::ranges::all_of(part.of(), [](const auto* one) { return one->has_value(); }))
    pool_record(part.at([](auto& one) -> auto& { return *one; }));
  else
    part.into().reset();
}
// Replications that have no record of a name do not count for it.
template <class T, class R>
void apply(pool::Parts /*rule*/, const Same<Named<T>>& list, const Same<R>& record) {
  Named<T> pooled;
  for (const std::string& name : names_in(list)) {
    std::vector<const T*> of;
    Wholes wholes;
    for (std::size_t i = 0; i < list.of().size(); ++i) {
      const T* const found = find(*list.of()[i], name);
      if (found == nullptr) continue;
      of.push_back(found);
      wholes.push_back(record.wholes()[i]);
    }
    pooled.emplace_back(name, *of.front());
    pool_record(Same<T>(pooled.back().second, std::move(of), wholes));
  }
  list.into() = std::move(pooled);
}

template <class R>
void pool_record(const Same<R>& all) {
  Pooling<R> rows(all);
  fields(rows, Of<R>());
  follow(all.into());
}

}  // namespace

Result pooled(const std::vector<Result>& replications) {
  Result result = replications.front();
  if (replications.size() == 1) return result;
  Wholes each;
  for (const Result& one : replications) each.push_back(&one);
  pool_record(Same<Result>(result, each, each));
  return result;
}

}  // namespace jostle::scenarios
