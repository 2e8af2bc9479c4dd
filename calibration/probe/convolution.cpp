#include "calibration/probe/convolution.hpp"

namespace jostle::calibration::probe {

Convolution::Convolution(int channels, int side)
    : channels_(channels),
      side_(side),
      input_(static_cast<std::size_t>(channels * (side + 2) * (side + 2)), 0.5F),
      weights_(static_cast<std::size_t>(channels * channels * 9), 0.01F),
      output_(static_cast<std::size_t>(channels * side * side)) {}

float Convolution::run() {
  const auto side = static_cast<std::size_t>(side_), row = side + 2, plane = row * row;
  const auto channels = static_cast<std::size_t>(channels_);
  for (std::size_t out = 0; out < channels; ++out) {
    float* const result = output_.data() + out * side * side;
    for (std::size_t i = 0; i < side * side; ++i) result[i] = 0;
    for (std::size_t in = 0; in < channels; ++in)
      for (std::size_t k = 0; k < 9; ++k) {
        const float weight = weights_[(out * channels + in) * 9 + k];
        const float* const from = input_.data() + in * plane + k / 3 * row + k % 3;
        for (std::size_t y = 0; y < side; ++y)
          for (std::size_t x = 0; x < side; ++x) result[y * side + x] += weight * from[y * row + x];
      }
  }
  input_[row + 1] = output_[0] * 1e-3F;
  return output_[0];
}

double Convolution::operations() const {
  return 2.0 * 9 * channels_ * channels_ * side_ * side_;
}

double Convolution::bytes() const {
  return 4.0 * static_cast<double>(input_.size() + weights_.size() + output_.size());
}

}  // namespace jostle::calibration::probe
