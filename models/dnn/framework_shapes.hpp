// The blocks of PyTorch's kernels on a chip of the architecture sm_90: what a block needs of an SM, and how
// many there are. They decide which kernels of other streams and processes find room beside them, and what a
// switch of contexts saves.
//
// cuBLAS and cuDNN compute products on tensor cores with kernels of their own there (nvjet_sm90_*,
// sm90_xmma_*): 384 threads of 168 registers and 130 to 230 KB of shared memory, so that an SM holds one
// block and nothing beside it. They are persistent (gpu::Kernel): large ones take tiles of 256 x 128 in turn,
// small ones have fewer blocks than there are SMs. Older generations have smaller blocks, one for each tile
// (tiling.hpp). Read off the profiler's tables of fourteen networks on an H100
// (evidence/h100-nets/launches.csv.gz) by scripts/fit-framework-laws --shapes, and, in single precision, off
// those of fifteen on an H200 (evidence/h200-random/launches.csv.gz): a kind has the blocks of most of its
// time, where libraries choose among a dozen tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/dnn/framework_launches.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

struct BlockShape {
  std::uint32_t threads = 128, registers = 32;  // counts of a block, and of a thread
  std::uint32_t shared_bytes = 0;
  std::uint32_t results = 1;  // elements that a block writes
  bool persistent = false;    // (gpu::Kernel)
  bool operator==(const BlockShape&) const = default;
};
struct ShapeOf {
  LaunchKind kind = LaunchKind::pointwise;
  std::optional<Precision> precision;  // none: of every precision without a row of its own
  int channels = 0;                    // limit of convolutions, channels a group; 0: of all
  double operations = 0;               // limit of products, GFLOP; 0: of all
  BlockShape shape;
  double written = 0;  // limit of products, elements; 0: of all
};

// Special rows come before those that hold for the rest of a kind.
[[nodiscard]] std::span<const ShapeOf> framework_shapes();

// A kind that was measured in another precision only has the blocks that it has there; thin_attention has no
// row.
[[nodiscard]] const BlockShape& shape_of(const Launch& launch, Precision precision);

// Gives the kernel the blocks of its launch.
void set_blocks(gpu::Kernel& kernel, const Launch& launch, Precision precision, const gpu::Spec& gpu);

}  // namespace jostle::dnn
