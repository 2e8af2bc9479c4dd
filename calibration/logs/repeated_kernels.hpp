// Finds the kernels of one batch, in order, in a trace of many or of a few: the sequence of kernels that
// repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

// The longest stretch at the beginning or the end of `names` in which a sequence of `period` of them repeats
// at least twice; empty unless that is at least half of them.
struct RepeatedStretch {
  std::size_t first = 0, length = 0, period = 0;
  [[nodiscard]] bool whole() const { return period > 0 && length % period == 0; }
};
[[nodiscard]] RepeatedStretch repeated_stretch(const std::vector<std::int64_t>& names);

class RepeatedKernels {
 public:
  // Adds a kernel. Call in the order of their start; times are in ns.
  void add(std::int64_t name, std::int64_t start, double duration);

  // The kernels of one batch, as mean times over the batches of the second half of the trace (the first half
  // includes the warm-up); the batch begins after the longest pause. Each is a `layer_time` in us of the
  // kernel `name`, which is still an id, so `of` is empty. Empty if no sequence of kernels repeats at least
  // three times without interruption: other work is between them, or the batches are launched as graphs.
  struct Kernel {
    std::int64_t name;
    Measurement time;
  };
  [[nodiscard]] std::vector<Kernel> batch() const;

  // The same for a trace of a few batches: from the longest stretch at the beginning or the end of the trace
  // in which a sequence repeats at least twice, if that is at least half of the trace. Times are medians. A
  // batch begins with the first kernel of a stretch of whole batches, else after the longest pause.
  [[nodiscard]] std::vector<Kernel> batch_of_few() const;

 private:
  struct One {
    std::int64_t name, start;
    double duration;
  };
  [[nodiscard]] static std::vector<std::int64_t> names_of(std::span<const One> ones);
  [[nodiscard]] static std::vector<Kernel> in_order(std::span<const One> ones, std::size_t period,
                                                    bool whole);

  std::vector<One> kernels_;  // the most recent kernels
};

}  // namespace jostle::calibration
