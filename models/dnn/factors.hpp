// What the cost model is off by, as fitted on measurements: one factor on the time of every kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

struct Factor {
  std::string device, model;  // empty: of any device, any network of the family
  std::string family;
  Precision precision = Precision::fp16;
  Lowering lowering = Lowering::optimised;
  double value = 1;   // measured over computed time
  std::string basis;  // for people: what it was fitted on
};

// The best there is, or null: of this device, network and precision; else of the family in this precision;
// else of the family in the precision nearest to it (fp32, tf32, fp16, int8 in a row; the narrower at a tie),
// for what a family's factor makes up for, such as kernels the lowering does not know of, hardly depends on
// it.
[[nodiscard]] const Factor* find_factor(std::span<const Factor> factors, std::string_view device,
                                        std::string_view model, std::string_view family, Precision precision,
                                        Lowering lowering);

}  // namespace jostle::dnn
