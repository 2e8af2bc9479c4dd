// Two scenarios against each other: the same seeds in both, again and again, and how sure the differences
// are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// Of one figure, b against a: means over the replications in which both have it.
struct Difference {
  std::string figure;  // "throughput", as in the result
  std::string unit;    // "images/s"
  scenarios::Metric a, b;
  scenarios::Metric difference;  // b - a
  scenarios::Metric half_width;  // 95 %, Student's t of the differences pair by pair; none below two pairs
  [[nodiscard]] scenarios::Metric relative() const;  // of a
  [[nodiscard]] bool significant() const;            // the interval leaves out 0
};

struct ComparedProcess {
  std::size_t a = 0, b = 0;  // index in each
  std::string label;         // by name or model, with what differs as "resnet50 fp16 b1 -> b4"
  std::vector<Difference> figures;
};

// A process of one of the two without its like in the other.
struct Unmatched {
  std::size_t index = 0;
  std::string label;
};

struct Pairing {
  std::vector<std::pair<std::size_t, std::size_t>> both;
  std::vector<std::size_t> only_a, only_b;
};
// The k-th process of an entry is that of the same entry in the other.
[[nodiscard]] Pairing pairing(const scenarios::Scenario& a, const scenarios::Scenario& b);

struct Compared {
  std::vector<scenarios::Result> a, b;  // one a replication
  std::vector<ComparedProcess> processes;
  std::vector<Unmatched> only_a, only_b;
  std::vector<Difference> system;
};

// The differences of results that were simulated pair by pair, with the same seeds.
[[nodiscard]] Compared compared(const scenarios::Scenario& a, const scenarios::Scenario& b,
                                std::vector<scenarios::Result> results_a,
                                std::vector<scenarios::Result> results_b);

// Runs both with as many seeds as `replications`, from the seed of `a` on, side by side. Throws RunError,
// Interrupted.
[[nodiscard]] Compared compare(const scenarios::Scenario& a, const scenarios::Scenario& b, int replications,
                               const scenarios::RunControl& control);

}  // namespace jostle::analyses
