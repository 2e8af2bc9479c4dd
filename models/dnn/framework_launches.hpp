// The kernels that PyTorch launches for the layers of a network, without their times.
//
// PyTorch runs a layer as one or several kernels: a batch norm in half precision as three, a grouped
// convolution as six. The rules are derived from the kernels of fourteen networks on an H100
// (evidence/h100-nets/counts.csv, tests/profiles/framework_launches.cpp) and, in single precision, of fifteen
// on an H200 (evidence/h200-random/launches.csv.gz), with PyTorch 2.11, CUDA 13 and cuDNN 9.19. Tensors in
// half precision have the layout NHWC (channels_last), others NCHW (planar).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"

namespace jostle::dnn {

class Network;

// How PyTorch computes softmax(q k) v.
enum class AttentionKernels {
  fused,  // in one kernel
  // In steps, in single precision. transformers drops a mask of ones, which it cannot look at while a graph
  // is captured: the mask then goes into scaled_dot_product_attention, which computes with it step by step
  // (evidence/h100-nets/README.md, bert_base).
  masked
};

enum class LaunchKind {
  gemm,              // matrix product: a linear layer, in half precision also a 1 x 1 convolution
  conv,              // convolution as an implicit matrix product
  first_conv,        // convolution of the input image, which has few channels
  batched,           // batch of small matrix products of activations
  planar,            // 1 x 1 convolution in the layout NCHW on tensor cores
  planar_odd,        // the same of planes that are loaded word by word
  large_conv,        // convolution in fp32 by tiles of 256 x 64
  fourier_conv,      // convolution in fp32 in several kernels, by Fourier transforms
  grouped,           // convolution in groups, in tf32
  grouped_direct,    // the same in one kernel on CUDA cores, in single precision
  grouped_each,      // the same by kernels side by side, one for each group, in single precision
  vector,            // product for a few rows
  tiled_attention,   // attention in single precision, by tiles of 64 queries and 64 keys
  attention,         // softmax(q k) v in one kernel
  thin_attention,    // the same for a token of each sequence, whose keys and values are in a cache
  depthwise,         // depthwise convolution of fewer than eight images
  depthwise_many,    // depthwise convolution of eight images or more, for which cuDNN has another kernel
  depthwise_planar,  // depthwise convolution in the layout NCHW
  depthwise_rows,    // depthwise convolution of rows of channels, in single precision
  batch_norm,
  batch_norm_planar,
  statistics,  // conversion and inversion of a batch norm's mean and variance, before batch_norm
  layer_norm,
  softmax,
  pointwise,  // elementwise comparison, sum or product
  curve,      // activation with a transcendental function, such as an exponential
  strided,    // elementwise with broadcasting, such as a bias or a factor per channel
  copy,       // copy to another order of elements
  concat,
  layout,     // cuDNN's copies between NCHW and NHWC, or to padded channels
  transform,  // cuDNN's copy between arbitrary layouts
  reduce,     // the mean of a plane
  max_pool,
  max_pool_planar,
  average_pool,
  resize,
  resize_point,  // resize of a plane of one position, done by one block
  gather,        // lookup of the rows of a table
  split,         // sum of the partial results of a matrix product (split-K)
  fill,          // memset, or a constant
};
[[nodiscard]] std::string_view to_string(LaunchKind kind);

struct Launch {
  LaunchKind kind = LaunchKind::pointwise;
  std::size_t node = 0;  // the layer in the network
  bool asked = false;    // the first launch of an operator that the host is asked for
  FusedLayer work;       // shape of the layer for one image, for the number of blocks and of operations
  // Numbers of elements that are read, written and read as weights, for all images of the batch.
  double read = 0, written = 0, weights = 0;
  // The other variables of the law for its time (framework_laws.hpp): serial steps (of a norm: its rows, in
  // ten thousands), and operations.
  double steps = 0, operations = 0;
  int splits = 1;     // blocks that share each sum of a product, so that its steps are fewer
  double blocks = 0;  // the kernel's grid where it follows from the layer; 0: as its shape has it
};

// The launches of one batch, in order. `precision` is the precision of the whole network: fp16, or fp32 with
// tensor cores (tf32) or without.
[[nodiscard]] std::vector<Launch> launches_of(const Network& network, std::int64_t batch, Precision precision,
                                              AttentionKernels attention = AttentionKernels::fused);

// The outermost operators of the batch whose launches these are. Checked on the counts of a profiler in 21
// networks (evidence/h200-host/networks.csv).
[[nodiscard]] gpu::Operators operators_of(const Network& network, std::span<const Launch> launches);

}  // namespace jostle::dnn
