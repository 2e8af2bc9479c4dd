// Processes that load a core: those that never sleep note when they had it, by reading the clock in a loop;
// one runs a layer of a network again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"

namespace jostle::calibration::probe {

// A time during which a hog ran without a gap.
struct Stretch {
  int hog = 0;
  std::int64_t start_ns = 0, length_ns = 0;
};

// Runs hogs on the core of the bench. The stretches of all, each hog's in order, without its first, which is
// cut.
[[nodiscard]] std::vector<Stretch> run_hogs(const CpuBench& bench, int hogs, double seconds);

// The probe's own inference on a core: one layer of a network, a 3 x 3 convolution in fp32, again and again.
class Convolution {
 public:
  // Channels in and out, and the side of the square picture; 32 and 28 need 250 KiB.
  explicit Convolution(int channels = 32, int side = 28);
  // One layer; the result depends on the input, so that no compiler leaves it out.
  [[nodiscard]] float run();

 private:
  int channels_, side_;
  std::vector<float> input_, weights_, output_;
};

}  // namespace jostle::calibration::probe
