// Correction factors of the cost model, fitted on measurements: one factor on the time of every kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

struct Factor {
  std::string device, model;  // empty: for all devices, all networks of the family
  std::string family;
  Precision precision = Precision::fp16;
  Lowering lowering = Lowering::optimised;
  double value = 1;   // measured time over computed time
  std::string basis;  // for the user: what it was fitted on
};

// What a factor is wanted for.
struct FactorOf {
  std::string_view device, model, family;
  Precision precision = Precision::fp16;
  Lowering lowering = Lowering::optimised;
};

// The best available factor, or null. In this order: for this device, network and precision; for the family
// in this precision; for the family in the nearest precision (in the order fp32, tf32, fp16, int8; the
// narrower one at a tie). The last is used because what a family's factor corrects, such as kernels that the
// lowering does not model, hardly depends on the precision.
[[nodiscard]] const Factor* find_factor(std::span<const Factor> factors, const FactorOf& of);

}  // namespace jostle::dnn
