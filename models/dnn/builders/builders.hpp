// The built-in networks, one file per family. Each follows the definition named in model_names.cpp.
#pragma once

#include "models/dnn/builders/layers.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

// `input` is the side of a square RGB image. Throws std::invalid_argument if the network does not support it.
[[nodiscard]] Network build_alexnet(int input);
[[nodiscard]] Network build_fcn_resnet50(int input);
// The same with the auxiliary head, which is used only in training but is part of the published counts.
[[nodiscard]] Network build_fcn_resnet50_with_auxiliary(int input);
[[nodiscard]] Network build_mobilenet_v2(int input);
[[nodiscard]] Network build_resnet18(int input);
[[nodiscard]] Network build_resnet34(int input);
[[nodiscard]] Network build_resnet50(int input);
[[nodiscard]] Network build_resnet101(int input);
[[nodiscard]] Network build_resnet152(int input);
[[nodiscard]] Network build_ssd300(int input);
[[nodiscard]] Network build_vgg16(int input);
[[nodiscard]] Network build_yolov4_tiny(int input);
[[nodiscard]] Network build_yolov8n(int input);
[[nodiscard]] Network build_yolov8s(int input);
[[nodiscard]] Network build_yolov8m(int input);
[[nodiscard]] Network build_yolov8l(int input);
[[nodiscard]] Network build_yolov8x(int input);

// The same for sequences; `input` is their length in tokens.
[[nodiscard]] Network build_bert_tiny(int tokens);
[[nodiscard]] Network build_distilbert(int tokens);

// The four stages of ResNet-50 with bottleneck blocks and output stride 8 (dilation instead of stride in the
// last two stages), as used by segmentation heads.
struct DilatedFeatures {
  Network::Node third;   // after stage three: 1024 channels
  Network::Node fourth;  // after stage four: 2048 channels
};
[[nodiscard]] DilatedFeatures add_dilated_resnet50(LayerBuilder& layers, Network::Node image);

// The 3 x 3 convolutions of stage `number` (1 to 5) of VGG-16, without the pool after them.
[[nodiscard]] Network::Node add_vgg16_stage(LayerBuilder& layers, int number, Network::Node from);

}  // namespace jostle::dnn
