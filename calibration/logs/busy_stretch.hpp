// Finds the part of a sampled log in which the GPU was busy with one thing: the run, without the idle time
// around it, without an engine build before it and at one level of the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

// Samples in the order of the log: how busy the GPU was, and the values read with it. Memory is bounded: of a
// long log, neighbours are merged into blocks.
class SampledLoad {
 public:
  // A value read, by the index of its quantity.
  using Values = std::span<const std::pair<std::size_t, double>>;

  struct Stretch {
    std::int64_t samples = 0;
    int first = 0, last = 0;      // line numbers
    std::vector<Moments> values;  // each quantity's
    Moments other_load;           // loads of neighbouring samples that were left out: they had another level
    // The clock, and of samples with the same load that were left out because theirs was lower; empty: none.
    Moments clock, lower_clock;
  };

  void add(int line, double load, Values values);

  // The highest load that three samples in a row reach, so that a spike is none; 0 if there are fewer.
  [[nodiscard]] double highest() const { return highest_; }

  // The longest stretch of samples above half of the highest load, with gaps of at most two samples. Where
  // its load changes to another level, the busiest part of it; where the clock then does, by its index among
  // the values, the part of the highest clock: a board that throttles works at several at one load.
  [[nodiscard]] std::optional<Stretch> busiest(std::optional<std::size_t> clock = {}) const;

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
