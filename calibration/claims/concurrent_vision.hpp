// The two boards and three networks of Chakraborty et al. (ISPASS 2025), "concurrent vision inference".
//
// The paper does not name the Orin Nano's power mode. Its fcn_resnet50 does 97 images/s in fp16, at 56.7
// GFLOP an image 5.5 TFLOP/s: 54 % of the tensor cores' peak in the 15 W mode, and more than the peak of the
// 7 W mode. So 15 W is assumed, and MAXN on the Nano; both are the defaults of the profiles. If a statement
// names no precision, fp16 is used, which both boards support.
#pragma once

#include <array>

#include "calibration/claims/statements.hpp"

namespace jostle::calibration {

inline constexpr const char* orin_nano = "jetson-orin-nano";
inline constexpr const char* nano = "jetson-nano";
inline constexpr std::array<const char*, 3> vision_models{"resnet50", "yolov8n", "fcn_resnet50"};
inline constexpr std::array<const char*, 4> precisions{"int8", "fp16", "tf32", "fp32"};
inline constexpr std::array<int, 5> batches{1, 2, 4, 8, 16};
inline constexpr const char* images = "images/s";
inline constexpr std::array<int, 4> process_counts{1, 2, 4, 8};

// The list of `measure` for each value.
template <typename Values, typename Measure>
[[nodiscard]] std::vector<double> over(const Values& values, Measure measure) {
  std::vector<double> measured;
  for (const auto& value : values) measured.push_back(measure(value));
  return measured;
}

}  // namespace jostle::calibration
