// Residual networks as backbones of other networks.
#pragma once

#include <array>

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

// A residual network of four stages. Stage i has 64 << i channels, four times as many after a block with a
// bottleneck.
struct ResNet {
  bool bottleneck = true;
  std::array<int, 4> blocks{};
  int factor = 1, groups = 1;  // channels inside a bottleneck relative to ResNet's, and groups of its 3 x 3
  std::array<int, 4> strides{1, 2, 2, 2};
  // Dilations of the 3 x 3 convolutions; the first block of a stage has that of the stage before.
  std::array<int, 4> dilations{1, 1, 1, 1};
};
inline constexpr ResNet resnet34{.bottleneck = false, .blocks = {3, 4, 6, 3}};
inline constexpr ResNet resnet50{.blocks = {3, 4, 6, 3}};
inline constexpr ResNet resnext50{.blocks = {3, 4, 6, 3}, .factor = 2, .groups = 32};
// Output stride 8, as used by segmentation heads: dilation instead of stride in the last two stages.
inline constexpr ResNet dilated_resnet50{
    .blocks = {3, 4, 6, 3}, .strides = {1, 2, 1, 1}, .dilations = {1, 1, 2, 4}};

// Adds the stem and the first `count` stages, without the pool and the classifier. Returns the result of each
// stage.
[[nodiscard]] std::array<Network::Node, 4> add_resnet(LayerBuilder& layers, Network::Node image,
                                                      const ResNet& of, int count = 4);

}  // namespace jostle::dnn
