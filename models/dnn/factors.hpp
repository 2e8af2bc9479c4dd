// Correction factors of the cost model, fitted on measurements: one factor on the time of every kernel, and
// others for each layer where these were timed one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// A kind of GPU: its architecture, and all of its SMs, whatever a power mode leaves powered.
struct Chip {
  std::string architecture;  // "sm_87"
  int sms = 0;

  [[nodiscard]] static Chip of(const gpu::Spec& gpu) { return {gpu.architecture, gpu.sm_count}; }
  bool operator==(const Chip&) const = default;
};

struct Factor {
  Chip chip;          // the chip that it was measured on; if model is empty, it holds for all
  std::string model;  // empty: it holds for all networks of the family
  std::string family;
  Precision precision = Precision::fp16;
  Lowering lowering = Lowering::optimised;
  double value = 1;   // measured time over computed time
  double drawn = 1;   // a ratio to it, drawn from its uncertainty: of times at every batch
  std::string basis;  // the measurements that it was fitted on, for the user
  // Set for a network whose layers were timed one by one: measured over computed time of each fused layer
  // (Lowering::optimised), in order, in addition to `value`; and the batch and GPU clock of that run.
  std::vector<double> layers = {};
  std::int64_t batch = 0;  // without layers: the batch that it was fitted at; 0: it holds at every batch
  double gpu_hz = 0;
};

// The network and the conditions that a factor is wanted for.
struct FactorOf {
  Chip chip;
  std::string_view model, family;  // equal for a network without a family
  Precision precision = Precision::fp16;
  Lowering lowering = Lowering::optimised;
  std::int64_t batch = 0;  // chooses among layers that were timed at several batches; 0: any
};

// The best available factor, or null. The order of preference is: a factor for the network in this precision,
// measured on the GPU of the same architecture with the nearest number of SMs (equal ones first: boards with
// one GPU differ in clocks and memory, which a factor does not depend on); for the family in this precision;
// for the family in the nearest precision (in the order fp32, tf32, fp16, int8; the narrower one at a tie).
// The last is used because what a family's factor corrects, such as kernels that the lowering does not model,
// hardly depends on the precision. A network without a family, from a file, is a family of its own, and its
// factor in the nearest precision is used. Among factors with layers, the one with the nearest batch is used.
// Ties: the first.
[[nodiscard]] const Factor* find_factor(std::span<const Factor> factors, const FactorOf& of);

// A profile's own factors, then the others, without those that an own factor of their family, or of the same
// network on the same GPU, replaces.
[[nodiscard]] std::vector<Factor> with_own(std::span<const Factor> own, std::span<const Factor> others);

}  // namespace jostle::dnn
