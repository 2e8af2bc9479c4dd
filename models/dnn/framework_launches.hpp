// The kernels that PyTorch launches for the layers of a network, without their times.
//
// A layer of a framework is one kernel or several: the batch norm of a half-precision network is three, a
// convolution in groups six. The rules were read off the kernels of fourteen networks on an H100
// (evidence/h100-nets/counts.csv, tests/calibration/framework_launches.cpp), with PyTorch 2.11, CUDA 13 and
// cuDNN 9.19; networks in half precision are stored with their channels together (channels_last), others
// apart.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"

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
  gemm,              // a linear layer, or a convolution of 1 x 1: a product of matrices
  conv,              // an implicit product
  first_conv,        // the same from an image of three channels
  batched,           // many small products of activations
  attention,         // softmax(q k) v in one kernel
  depthwise,         // of few images
  depthwise_many,    // of eight images and more, for which cuDNN has another kernel
  depthwise_planar,  // with the channels apart
  batch_norm,
  batch_norm_planar,
  statistics,  // a batch norm's mean and variance, made ready in kernels of their own
  layer_norm,
  softmax,
  pointwise,  // a comparison, a sum or a product
  curve,      // an activation with an exponential or the like
  strided,    // pointwise of tensors that are not alike: a bias, a factor a channel
  copy,       // into another order
  concat,
  layout,     // cuDNN's own copies: padded channels, channels together or apart
  transform,  // its general form
  reduce,     // the mean of a plane
  max_pool,
  max_pool_planar,
  average_pool,
  resize,
  resize_point,  // from a plane of one position, by one block
  gather,        // rows of a table
  split,         // the sum of the parts of a product
  fill,          // a memset, or a constant
};
[[nodiscard]] std::string_view to_string(LaunchKind kind);

struct Launch {
  LaunchKind kind = LaunchKind::pointwise;
  std::size_t node = 0;  // the layer of the network
  FusedLayer work;       // its shape, for blocks and arithmetic; elements of one image
  // Elements read and written, of all images of a batch, and the weights read.
  double read = 0, written = 0, weights = 0;
  // What its time depends on beside bytes (framework_laws.hpp): steps that follow each other, and operations.
  double steps = 0, operations = 0;
};

// The launches of one batch, in order. `precision` is that of the whole network: half, or full with or
// without tensor cores.
[[nodiscard]] std::vector<Launch> launches_of(const Network& network, std::int64_t batch, Precision precision,
                                              AttentionKernels attention = AttentionKernels::fused);

}  // namespace jostle::dnn
