// Finds the part of a sampled log in which the GPU was busy with one thing: the run, without the idle time
// around it and without an engine build before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "calibration/readers/moments.hpp"

namespace jostle::calibration {

// Samples in the order of the log: how busy the GPU was, and the values read with it. Memory is bounded: of a
// long log, neighbours are merged into blocks.
class SampledLoad {
 public:
  // A value read, by the index of its quantity.
  using Values = std::span<const std::pair<std::size_t, double>>;

  struct Stretch {
    std::int64_t samples = 0;
    int first = 0, last = 0;       // line numbers
    std::vector<Moments> values;   // of each quantity
    std::int64_t other_level = 0;  // neighbouring samples that were left out, because they had another load
    double other_load = 0;         // their mean load
  };

  void add(int line, double load, Values values);

  // The highest load that three samples in a row reach, so that a spike is none; 0 if there are fewer.
  [[nodiscard]] double highest() const { return highest_; }

  // The longest stretch of samples above half of the highest load, with gaps of at most two samples. Where
  // its load changes to another level, the busiest part of it.
  [[nodiscard]] std::optional<Stretch> busiest() const;

 private:
  struct Block {
    int first = 0, last = 0;
    Moments load;
    std::vector<Moments> values;
  };
  void merge_neighbours();
  [[nodiscard]] std::vector<std::size_t> longest() const;  // blocks

  std::vector<Block> blocks_;
  std::int64_t per_block_ = 1;
  double recent_[3] = {};
  std::int64_t samples_ = 0;
  double highest_ = 0;
};

}  // namespace jostle::calibration
