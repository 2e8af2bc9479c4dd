// The worth of a change: its gain against its price. docs/explain.md states the rule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/objective.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

struct Aim;
struct Tried;

// Gains and prices are natural logarithms of ratios, so that they add: 0.69 is twice as much.
struct Worth {
  double gain = 0;                // gain in the Aim; 0 if it may be chance
  double latency = 0;             // price: longer batches of closed loops
  double energy = 0;              // price: more joules for the same work
  double given_up = 0;            // price: processes that the change leaves out
  double boards = 0;              // price: more boards
  bool rescues = false;           // ends an overload or a lack of memory: all processes keep up
  bool ruins = false;             // a process that kept up no longer does, or no longer fits
  bool accuracy_unknown = false;  // a price without a figure

  [[nodiscard]] double price() const { return latency + energy + given_up + boards; }
  [[nodiscard]] double net() const { return gain - price(); }
  [[nodiscard]] double relative_gain() const;  // 0.1 for 10 %
};

// `tried`: a change with its objective, compared with `before`.
[[nodiscard]] Worth worth_of(const Tried& tried, const Aim& aim, const scenarios::Result& before);

// The speed after a change, relative to that before: the geometric mean, over the processes that it leaves
// in, of the ratio of images/s (of tokens/s of a language model) beyond its interval, and with arrivals of
// the inverse ratio of mean latencies too.
[[nodiscard]] scenarios::Metric speed_of(const Tried& tried, const scenarios::Result& before);

// The price in words, as far as the other columns do not show it: "accuracy unknown", "9.1 % of the frames".
[[nodiscard]] std::vector<std::string> prices_in_words(const Tried& tried, const scenarios::Result& before);

// Indices of the three changes that matter most, best first; fewer if fewer bring 5 %. Changes that let all
// keep up come first, then those that meet a missed limit, then those with the greater gain less price. Of
// changes of one kind, which are tried in the order of their effort, only the first that no later one beats
// by 5 % is among them; of networks' precisions, the first; of formats of weights, the best. Only advice is,
// and nothing that ruins a process.
[[nodiscard]] std::vector<std::size_t> leading(const std::vector<Tried>& tried);

struct Change;
struct Tried;

struct Aim {
  enum class Of { speed, rate, latency, objective };
  Of of = Of::speed;
  std::optional<scenarios::Objective> asked = {};
  std::string name = {};  // "p99 of front"
  std::string unit = {};  // "ms"; empty: of a ratio, or in the name
  bool more_is_better = true;
  std::string tail = {};     // name of Tried::p99_ms: "p99 of front", "worst p99"
  std::string missing = {};  // name of the scenario's objective, if the run has no value of it
  std::optional<scenarios::Objective> latency = {};  // the one process whose mean latency it is
};

// The scenario's objective if it names one that `before` has a value of. Otherwise, where all processes have
// arrivals and keep up, the mean latency of the one that a limit names, or that takes longest; the total of
// the only unit, where there is one process entry or an overload; else the speed: each process against itself
// (speed_of()).
[[nodiscard]] Aim aim_of(const scenarios::Scenario& scenario, const scenarios::Result& before);

// The metric before and after a change whose totals are known. Of an objective, rates are sums over the parts
// of the entry that it names, times are means over them. A side is absent if the metric is, for one of these
// parts, or if there are none.
[[nodiscard]] Change aim_change(const Aim& aim, const Tried& tried, const scenarios::Scenario& scenario,
                                const scenarios::Result& before);

}  // namespace jostle::analyses
