// The probe's own inference on a core: one layer of a network, a 3 x 3 convolution in fp32, again and again.
#pragma once

#include <vector>

namespace jostle::calibration::probe {

class Convolution {
 public:
  // Channels in and out, and the side of the square picture; 32 and 28 need 250 KiB.
  explicit Convolution(int channels = 32, int side = 28);
  // One layer; the result depends on the input, so that no compiler leaves it out.
  [[nodiscard]] float run();
  [[nodiscard]] double operations() const;  // multiply-adds of run(), two each
  [[nodiscard]] double bytes() const;       // input, weights and output

 private:
  int channels_, side_;
  std::vector<float> input_, weights_, output_;
};

}  // namespace jostle::calibration::probe
