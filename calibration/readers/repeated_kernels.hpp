// The kernels of one batch, in order, from a trace of many: the sequence of kernels that repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/readers/measurement.hpp"

namespace jostle::calibration {

class RepeatedKernels {
 public:
  // In the order of their start; times in ns.
  void add(std::int64_t name, std::int64_t start, double duration);

  // The kernels of one batch, as mean times over the batches of the second half of the trace (the first has
  // the warm-up); the batch begins after the longest pause. `layer_time` in us, of the kernel's name, which
  // is still an id: `of` is empty. Empty if no sequence of kernels repeats at least three times without a
  // break: other work is between them, or the batches are launched as graphs.
  struct Kernel {
    std::int64_t name;
    Measurement time;
  };
  [[nodiscard]] std::vector<Kernel> batch() const;

 private:
  struct One {
    std::int64_t name, start;
    double duration;
  };
  std::vector<One> kernels_;  // the last ones
};

}  // namespace jostle::calibration
