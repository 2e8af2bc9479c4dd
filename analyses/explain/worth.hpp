// The worth of a change: its gain against its price. docs/explain.md states the rule.
#pragma once

#include <string>
#include <vector>

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
  bool rescues = false;           // ends an overload: all processes keep up
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
// keep up come first, then those with the greater gain less price. Of changes of one kind, which are tried in
// the order of their effort, only the first that no later one beats by 5 % is among them; of precisions, the
// first. Only advice is, and nothing that ruins a process.
[[nodiscard]] std::vector<std::size_t> leading(const std::vector<Tried>& tried);

}  // namespace jostle::analyses
