// MobileNets as backbones of other networks.
#pragma once

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

struct MobileNetFeatures {
  // The last node at a stride of 16; in MobileNetV2 inside the block with the next stride, where it is
  // widest.
  Network::Node middle;
  Network::Node last;  // the last node before the pool
};
[[nodiscard]] MobileNetFeatures add_mobilenet_v1(LayerBuilder& layers, Network::Node image);
[[nodiscard]] MobileNetFeatures add_mobilenet_v2(LayerBuilder& layers, Network::Node image, double width);

}  // namespace jostle::dnn
