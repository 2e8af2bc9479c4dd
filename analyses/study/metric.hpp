// A figure of a result by its path, as objectives and constraints name it: "system.power_w",
// "processes.latency_ms.p99", "processes.0.throughput".
//
// The path leads through the JSON of docs/result.md. One that ends at an object with `mean` means its mean; a
// list without an index means the worst of its entries.
#pragma once

#include <memory>
#include <string>

#include "input/cursor.hpp"
#include "input/units.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// Which of several processes is the worst: where much is wanted the least, where little is wanted the
// greatest.
enum class Worst { least, greatest };

// Adds a problem, with the nearest spelling, if results have no such figure. True if they have.
bool check_metric(const input::Cursor& at, const std::string& path);

// The dimension that limits on the figure are written in, and what makes its values those of the figure;
// null: a plain number (as with shares, counts and images/s).
struct MetricUnit {
  const input::Dimension* dimension = nullptr;
  double factor = 1;  // figure = value in the dimension's own unit · factor
};
[[nodiscard]] MetricUnit metric_unit(const std::string& path);

// The figures of one result, its JSON read once.
class ResultMetrics {
 public:
  explicit ResultMetrics(const std::string& json);
  explicit ResultMetrics(const scenarios::Result& result);

  // None where the result has none: a process that does not fit, no figures of power, no such path. Of
  // several entries that is so if it is so of any.
  [[nodiscard]] scenarios::Metric find(const std::string& path, Worst worst) const;

 private:
  struct Document;
  std::shared_ptr<const Document> document_;
};

}  // namespace jostle::analyses
