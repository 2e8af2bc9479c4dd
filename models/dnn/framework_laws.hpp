// The times of PyTorch's kernels on a chip of the architecture sm_90, as laws of their shapes.
//
//   time = start + per_step x steps + per_work x operations + per_mb x moved + per_cold_mb x cold
//
// with `steps` and `operations` of the launch; `moved` are its bytes to and from L2, in MB, and `cold` those
// from DRAM: weights for products, what L2 does not hold for others. Fitted by scripts/fit-framework-laws.
//
// On CUDA cores latency and work hide each other: of conv in fp32 and of tiled_attention the larger of the
// terms of steps and operations counts. Those of tiled_attention are of one block, its operations for each
// round of blocks.
#pragma once

#include <optional>
#include <span>

#include "models/dnn/framework_launches.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

// Coefficients in microseconds, for 132 SMs at 1980 MHz and a memory of 3.35 TB/s.
struct Law {
  double start = 0, per_step = 0, per_work = 0, per_mb = 0, per_cold_mb = 0;
  bool operator==(const Law&) const = default;
};
struct LawOf {
  LaunchKind kind = LaunchKind::pointwise;
  std::optional<Precision> precision;  // none: of every precision
  Law law;
};

// The laws that ship: of all networks of the evidence.
[[nodiscard]] std::span<const LawOf> framework_laws();

// The law of products whose weights come from DRAM in every step, as those of a language model do: the loads
// run on while sums are added up, so that the time is
//
//   start + root of ((per_step x steps / splits + per_work x operations)^2 + (per_cold_mb x cold)^2) + per_mb
//   x moved
[[nodiscard]] const Law& streamed_product();

// The laws of thin_attention and of grouped convolutions are the same in all sets. Throws
// std::invalid_argument if there is none.
[[nodiscard]] const Law& law_of(std::span<const LawOf> laws, LaunchKind kind, Precision precision);

}  // namespace jostle::dnn
