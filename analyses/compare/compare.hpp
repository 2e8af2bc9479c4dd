// Compares two scenarios by paired runs with the same seeds, with confidence intervals of the differences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// The difference of one metric between a and b: means over the replications in which both have it.
struct Difference {
  std::string metric;  // "throughput"
  std::string unit;    // "images/s"
  scenarios::Metric a = {}, b = {};
  scenarios::Metric difference = {};  // b - a
  scenarios::Metric half_width = {};  // 95 % interval of `difference`, Student's t of the paired differences;
                                      // none with fewer than two pairs
  [[nodiscard]] scenarios::Metric relative() const;  // relative to a
  [[nodiscard]] bool significant() const;            // the 95 % interval excludes 0
};

// The runs of a scenario in which a process does not keep up. They have no latency to compare.
struct OverloadedRuns {
  std::size_t runs = 0;
  scenarios::Metric stable_share;  // sustainable over offered rate, in these runs; none: unknown
};

// A process, or one stream of it.
struct Unit {
  std::size_t process = 0;                  // index among all processes
  std::optional<std::size_t> stream = {};   // index among its instances in the result
  std::string label = {};                   // name or model
  [[nodiscard]] std::string place() const;  // "0", "0.1"
};

// A pair of processes, or all of one label together.
struct ComparedProcess {
  Unit a, b;
  std::size_t of_a = 1, of_b = 1;  // processes or streams together
  std::string label;               // common to both; with changes, "resnet50 fp16 b1 -> resnet50 fp16 b4"
  std::vector<Difference> metrics = {};
  OverloadedRuns overload_a = {}, overload_b = {};
  std::size_t with_latency = 0;  // pairs in which it keeps up on both sides
};

struct Pairing {
  std::vector<std::pair<Unit, Unit>> both;
  std::vector<Unit> only_a, only_b;
};
// Pairs processes of the same name, the k-th with the k-th; then the k-th process of an entry with the k-th
// of the same entry; then those of the same model. A process with instances counts as its streams where one
// of them has the name, or the model, of a process without instances on the other side.
[[nodiscard]] Pairing pairing(const scenarios::Scenario& a, const scenarios::Scenario& b);

struct Compared {
  std::vector<scenarios::Result> a, b;  // one per replication
  std::vector<ComparedProcess> processes = {};
  std::vector<Unit> only_a, only_b;  // without a counterpart in the other scenario
  // The processes of one label together, those of one side alone too: three processes against three streams
  // of one, forty equal ones. Rates are added; of times the worst counts.
  std::vector<ComparedProcess> groups = {};
  std::string isolation_a = {}, isolation_b = {};  // isolation_of()
  std::vector<Difference> system = {};
  // The verdict on B's limits or objective (on A's if B has none), with both sides in its text; absent
  // without any.
  std::optional<scenarios::Verdict> verdict = {};
  std::optional<double> until = {};  // the requested precision (Pairs)
  // Returns whether the intervals of all differences in throughput are within this share of a's throughput;
  // false with fewer than two pairs.
  [[nodiscard]] bool known_to(double share) const;
};

// The number of pairs of runs.
struct Pairs {
  // The first check of `until`. The differences in throughput are checked after every second pair from here
  // on, and no more pairs run once they are known to `until`. Common random numbers make this fewer runs than
  // two separate means would need.
  static constexpr std::size_t least = 6;
  std::optional<std::size_t> most = {};  // none: 10, or 100 with `until`
  std::optional<double> until = {};
};

// The differences of paired results with the same seeds.
[[nodiscard]] Compared compared(const scenarios::Scenario& a, const scenarios::Scenario& b,
                                std::vector<scenarios::Result> results_a,
                                std::vector<scenarios::Result> results_b);

// Runs both scenarios with the seeds of replications of `a`, in parallel. The scenarios' own numbers of
// replications do not count. Throws RunError, Interrupted.
[[nodiscard]] Compared compare(const scenarios::Scenario& a, const scenarios::Scenario& b, const Pairs& pairs,
                               const scenarios::RunControl& control);

// The names of the two sides, as the user gave them.
struct ComparedNames {
  std::string a, b;
};

// {"schema":"jostle.compare/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string comparison_json(const Compared& compared, const ComparedNames& names);

}  // namespace jostle::analyses
