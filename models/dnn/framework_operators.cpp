// The operators that PyTorch's host is asked for, and the names of kinds of launches.
#include <algorithm>
#include <array>

#include "models/dnn/framework_launches.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr std::array<std::string_view, 40> kind_names{"gemm",
                                                      "conv",
                                                      "first_conv",
                                                      "batched",
                                                      "planar",
                                                      "planar_odd",
                                                      "large_conv",
                                                      "fourier_conv",
                                                      "grouped",
                                                      "grouped_direct",
                                                      "grouped_each",
                                                      "vector",
                                                      "tiled_attention",
                                                      "attention",
                                                      "thin_attention",
                                                      "depthwise",
                                                      "depthwise_many",
                                                      "depthwise_planar",
                                                      "depthwise_rows",
                                                      "batch_norm",
                                                      "batch_norm_planar",
                                                      "statistics",
                                                      "layer_norm",
                                                      "softmax",
                                                      "pointwise",
                                                      "curve",
                                                      "strided",
                                                      "copy",
                                                      "concat",
                                                      "layout",
                                                      "transform",
                                                      "reduce",
                                                      "max_pool",
                                                      "max_pool_planar",
                                                      "average_pool",
                                                      "resize",
                                                      "resize_point",
                                                      "gather",
                                                      "split",
                                                      "fill"};
static_assert(kind_names.size() == static_cast<std::size_t>(LaunchKind::fill) + 1);

}  // namespace

std::string_view to_string(LaunchKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

gpu::Operators operators_of(const Network& network, std::span<const Launch> launches) {
  gpu::Operators found;
  std::vector<bool> launches_kernels(network.size()), cut(network.size());
  for (const Launch& launch : launches) {
    launches_kernels[launch.node] = true;
    if (launch.asked) ++found.launching;
  }
  const auto op = [&](Node node) { return network.layer(node).op; };
  for (Node node = 0; node < network.size(); ++node) {
    const Layer& layer = network.layer(node);
    found.views += layer.views;
    const std::vector<Node>& inputs = network.inputs(node);
    const std::vector<Node>& readers = network.consumers(node);
    const bool view =
        is_view(layer.op) || layer.op == Op::transpose || (layer.op == Op::other && layer.copies == 0);
    if (layer.op == Op::slice && !layer.inside && !inputs.empty()) {  // one call gives all parts
      if (!cut[inputs.front()]) ++found.views;
      cut[inputs.front()] = true;
    } else if (view && !launches_kernels[node]) {
      if (!layer.inside) ++found.views;
    } else if (layer.op == Op::layer_norm && layer.in.width > 1) {
      // A norm over the channels of a convolution's planes turns them, and turns them back.
      const bool of_planes = op(inputs.front()) == Op::conv || std::ranges::any_of(readers, [&](Node reader) {
                               return op(reader) == Op::conv;
                             });
      if (of_planes) found.views += 2;
    } else if (layer.op == Op::average_pool && layer.out.positions() == 1 && readers.size() == 1 &&
               op(readers.front()) == Op::linear) {
      ++found.views;  // flattened
    }
  }
  return found;
}

}  // namespace jostle::dnn
