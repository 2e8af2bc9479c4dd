// MobileNets as backbones of others.
#pragma once

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

struct MobileNetFeatures {
  Network::Node middle;  // the last that a stride of 16 gives; of MobileNetV2 inside the block with the next
                         // stride, where it is widest
  Network::Node last;    // before the pool
};
[[nodiscard]] MobileNetFeatures add_mobilenet_v1(LayerBuilder& layers, Network::Node image);
[[nodiscard]] MobileNetFeatures add_mobilenet_v2(LayerBuilder& layers, Network::Node image, double width);

}  // namespace jostle::dnn
