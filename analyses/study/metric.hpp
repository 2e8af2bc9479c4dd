// Metrics of a result by path, as objectives and constraints name it: "system.power_w",
// "processes.latency_ms.p99", "processes.0.throughput".
//
// The path is that of the JSON result (docs/result.md). A path to an object with `mean` means its mean; a
// list without an index means the worst of its entries.
#pragma once

#include <memory>
#include <string>

#include "input/cursor.hpp"
#include "input/units.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// Which of several processes is the worst: the least value if the metric is maximised, the greatest if
// minimised.
enum class Worst { least, greatest };

// Whether results have this metric; adds a problem with the nearest spelling if not.
bool check_metric(const input::Cursor& at, const std::string& path);

// The unit of a metric, from its path. Limits are written in `dimension`; null: a plain number (shares,
// counts, images/s).
struct MetricUnit {
  const input::Dimension* dimension = nullptr;
  double factor = 1;      // metric = value in the base unit of the dimension · factor
  const char* name = "";  // "W", "images/s"; empty: none
};
[[nodiscard]] MetricUnit metric_unit(const std::string& path);

// The metrics of one result; parses its JSON once.
class ResultMetrics {
 public:
  explicit ResultMetrics(const std::string& json);
  explicit ResultMetrics(const scenarios::Result& result);

  // None if the result does not have the metric: a process that does not fit, no power model, no such path;
  // with several entries, if any of them lacks it.
  [[nodiscard]] scenarios::Metric find(const std::string& path, Worst worst) const;
  // Whether the backlog of a process grows: no setting that anybody should be advised to use.
  [[nodiscard]] bool overloaded() const;
  // The share of what is offered that an overloaded process could serve; of several processes the least. None
  // where all keep up, or one does not know.
  [[nodiscard]] scenarios::Metric stable_share() const;
  // The length of a run, s, that would do for all percentiles that are absent for want of requests; 0: none
  // is.
  [[nodiscard]] double needed_s() const;
  // The share of the images asked for that a limited queue drops; of several processes the greatest.
  [[nodiscard]] double dropped() const;

 private:
  struct Document;
  std::shared_ptr<const Document> document_;
};

}  // namespace jostle::analyses
