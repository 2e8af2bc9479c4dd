// Predicted against measured: single comparisons, groups of them, and their errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace jostle::analyses {

// One figure of one run. `quantity` groups figures of a kind, e.g. "images/s", "p50".
struct Comparison {
  std::string run;  // e.g. "c002 resnet50 fp16 b1 x8, process 3"
  std::string quantity;
  double measured = 0;
  double predicted = 0;
  std::optional<bool> covered = std::nullopt;  // whether the 90 % interval holds it, where there is one
  [[nodiscard]] double error() const { return predicted / measured - 1; }
};

// What is asked of a quantity: which absolute error is to stay within the limit.
enum class Judged { mean, median, each };
struct Bound {
  std::string quantity;
  double limit = 0;
  Judged judged = Judged::mean;
};

// Runs that are judged together.
struct ComparisonGroup {
  std::string name;      // "equal GPU-bound processes"
  std::string evidence;  // the file it is from
  std::string note;      // what to know when reading it; may be empty
  std::vector<Comparison> comparisons;
  std::vector<Bound> bounds;
};

struct ErrorSummary {
  std::string quantity;
  std::size_t count = 0;
  double mean_absolute = 0, median_absolute = 0, p90_absolute = 0, bias = 0;
  double worst = 0;  // signed, of greatest magnitude
  std::string worst_run;
  std::optional<Bound> bound;
  std::size_t beyond = 0;                      // runs whose error exceeds it
  std::size_t with_interval = 0, covered = 0;  // runs with a 90 % interval, and those inside
  [[nodiscard]] bool missed() const {
    if (!bound) return false;
    if (bound->judged == Judged::each) return beyond > 0;
    return (bound->judged == Judged::mean ? mean_absolute : median_absolute) > bound->limit;
  }
};
// One a quantity, in the order of appearance.
[[nodiscard]] std::vector<ErrorSummary> summarise(const ComparisonGroup& group);

}  // namespace jostle::analyses
