// The networks that are built in, one file a family. Each follows torchvision's definition of that name.
#pragma once

#include "models/dnn/builders/layers.hpp"
#include "models/dnn/network.hpp"

namespace jostle::dnn {

// `input` is the side of a square RGB image. Throws std::invalid_argument if a network cannot take it.
[[nodiscard]] Network build_resnet18(int input);
[[nodiscard]] Network build_resnet34(int input);
[[nodiscard]] Network build_resnet50(int input);
[[nodiscard]] Network build_resnet101(int input);
[[nodiscard]] Network build_resnet152(int input);
[[nodiscard]] Network build_fcn_resnet50(int input);
// The same with the auxiliary head, which only training uses but published counts include.
[[nodiscard]] Network build_fcn_resnet50_with_auxiliary(int input);
[[nodiscard]] Network build_mobilenet_v2(int input);

// The four stages of ResNet-50 with bottleneck blocks and output stride 8 (dilation instead of stride in the
// last two), as segmentation heads use it.
struct DilatedFeatures {
  Network::Node third;   // after stage three: 1024 channels
  Network::Node fourth;  // after stage four: 2048 channels
};
[[nodiscard]] DilatedFeatures add_dilated_resnet50(LayerBuilder& layers, Network::Node image);

}  // namespace jostle::dnn
