// PyTorch's kernels for a network whose kernels nobody measured.
#pragma once

#include <cstdint>
#include <span>

#include "models/dnn/framework_laws.hpp"
#include "models/dnn/precision.hpp"
#include "models/dnn/roofline.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

class Network;
struct Model;

// The attention of a built-in network, replayed as a graph or launched kernel by kernel. Networks of the
// family bert are those of transformers.
[[nodiscard]] AttentionKernels attention_of(const Model& model, bool replayed);

// True if the laws hold: for this architecture, and a precision that PyTorch computes in.
[[nodiscard]] bool has_framework_laws(const gpu::Spec& gpu, Precision precision);

struct FrameworkRules {
  AttentionKernels attention = AttentionKernels::fused;
  std::span<const LawOf> laws = framework_laws();
  // A step of a language model: its products in fp16 follow streamed_product().
  bool weights_stream = false;
};

// The launches of a network with the times that the laws give: coefficients of arithmetic and L2 follow the
// SMs and their clock, those of DRAM its bandwidth. Blocks are those of framework_shapes.hpp, the work of the
// pipes is that of the cost model (roofline.hpp). Between the nodes of a graph that runs alone there is a
// gap, as in the tables. Grade fitted.
[[nodiscard]] KernelsOfLayers framework_kernels(const Network& network, std::int64_t batch,
                                                Precision precision, const gpu::Spec& gpu,
                                                const FrameworkRules& rules = {});

}  // namespace jostle::dnn
