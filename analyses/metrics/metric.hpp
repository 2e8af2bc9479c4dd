// Metrics of a result by path, as in objectives and constraints: "system.power_w",
// "processes.latency_ms.p99", "processes.0.throughput".
//
// The path is that of the JSON result (docs/result.md). A path to an object with `mean` refers to its mean. A
// list without an index refers to its worst entry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/cursor.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// The value of the worst of several processes: the least if the metric is maximised, the greatest if it is
// minimised.
enum class Worst { least, greatest };

// Returns whether results have this metric; adds a problem with the nearest spelling if not.
bool check_metric(const input::Cursor& at, const std::string& path);

// True for watts, energies and tokens per joule of the board; false for the sender of a link, whose energy
// the scenario gives.
[[nodiscard]] bool rests_on_power(const std::string& metric_path);

using scenarios::MetricUnit;

// The unit of a metric, from its path.
[[nodiscard]] MetricUnit metric_unit(const std::string& path);

// The metrics of one result; parses its JSON once.
class ResultMetrics {
 public:
  explicit ResultMetrics(const std::string& json);
  explicit ResultMetrics(const scenarios::Result& result);

  // The value of the metric; none if the result lacks it (a process that does not fit, no power model, no
  // such path). Among several entries, none if any of them lacks it.
  [[nodiscard]] scenarios::Metric find(const std::string& path, Worst worst) const;
  // Returns whether the backlog of a process grows. No tool recommends such a setting.
  [[nodiscard]] bool overloaded() const;
  // The share of its offered rate that an overloaded process could serve; among several processes the least.
  // None if all keep up, or if one share is unknown.
  [[nodiscard]] scenarios::Metric stable_share() const;
  // The run length in s that would suffice for all percentiles that are absent because of too few requests;
  // 0: none is absent.
  [[nodiscard]] double needed_s() const;
  // The share of the images that a limited queue drops; among several processes the greatest.
  [[nodiscard]] double dropped() const;

 private:
  struct Document;
  std::shared_ptr<const Document> document_;
};

// The half-width of the 95 % interval of the mean of independent differences; absent of less than two.
[[nodiscard]] scenarios::Metric half_width_95(const std::vector<double>& differences);

}  // namespace jostle::analyses
