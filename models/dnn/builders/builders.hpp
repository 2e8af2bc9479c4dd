// The built-in networks that code builds, one file per family; networks.inc describes the others. Each
// follows the definition named in model_names.cpp.
#pragma once

#include "models/dnn/builders/layers.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

// `input` is the side of a square RGB image. Throws std::invalid_argument if the network does not support it.
[[nodiscard]] Network build_alexnet(int input);
[[nodiscard]] Network build_deeplabv3_resnet50(int input);
[[nodiscard]] Network build_deit_tiny(int input);
[[nodiscard]] Network build_densenet121(int input);
[[nodiscard]] Network build_densenet169(int input);
[[nodiscard]] Network build_densenet201(int input);
[[nodiscard]] Network build_detr_resnet50(int input);
[[nodiscard]] Network build_efficientnet_b0(int input);
[[nodiscard]] Network build_efficientnet_b1(int input);
[[nodiscard]] Network build_efficientnet_b2(int input);
[[nodiscard]] Network build_efficientnet_b3(int input);
[[nodiscard]] Network build_efficientnet_b4(int input);
[[nodiscard]] Network build_efficientnet_v2_s(int input);
[[nodiscard]] Network build_efficientvit_b1(int input);
[[nodiscard]] Network build_fcn_resnet50(int input);
[[nodiscard]] Network build_googlenet(int input);
[[nodiscard]] Network build_inception_v3(int input);
[[nodiscard]] Network build_mnasnet1_0(int input);
[[nodiscard]] Network build_mobilenet_v1(int input);
[[nodiscard]] Network build_mobilenet_v2(int input);
[[nodiscard]] Network build_mobilenet_v2_050(int input);
[[nodiscard]] Network build_mobilenet_v3_large(int input);
[[nodiscard]] Network build_mobilenet_v3_small(int input);
[[nodiscard]] Network build_mobilevit_s(int input);
[[nodiscard]] Network build_regnet_y_3_2gf(int input);
[[nodiscard]] Network build_resnet101(int input);
[[nodiscard]] Network build_resnet152(int input);
[[nodiscard]] Network build_resnet18(int input);
[[nodiscard]] Network build_resnet34(int input);
[[nodiscard]] Network build_resnet50(int input);
[[nodiscard]] Network build_resnext50_32x4d(int input);
[[nodiscard]] Network build_retinanet_resnext50(int input);
[[nodiscard]] Network build_shufflenet_v2_x0_5(int input);
[[nodiscard]] Network build_shufflenet_v2_x1_0(int input);
[[nodiscard]] Network build_squeezenet1_0(int input);
[[nodiscard]] Network build_squeezenet1_1(int input);
[[nodiscard]] Network build_ssd300(int input);
[[nodiscard]] Network build_ssd_mobilenet_v1(int input);
[[nodiscard]] Network build_ssd_mobilenet_v2(int input);
[[nodiscard]] Network build_ssd_resnet34(int input);
[[nodiscard]] Network build_swin_t(int input);
[[nodiscard]] Network build_unet(int input);
[[nodiscard]] Network build_vgg16(int input);
[[nodiscard]] Network build_vgg19(int input);
[[nodiscard]] Network build_vit_base(int input);
[[nodiscard]] Network build_vit_large(int input);
[[nodiscard]] Network build_vit_small(int input);
[[nodiscard]] Network build_wide_resnet50_2(int input);
[[nodiscard]] Network build_yolov4_tiny(int input);
[[nodiscard]] Network build_yolov5m(int input);
[[nodiscard]] Network build_yolov5n(int input);
[[nodiscard]] Network build_yolov5s(int input);
[[nodiscard]] Network build_yolov8l(int input);
[[nodiscard]] Network build_yolov8m(int input);
[[nodiscard]] Network build_yolov8n(int input);
[[nodiscard]] Network build_yolov8n_pose(int input);
[[nodiscard]] Network build_yolov8n_seg(int input);
[[nodiscard]] Network build_yolov8s(int input);
[[nodiscard]] Network build_yolov8x(int input);
// Networks with the auxiliary heads, which are used only in training but are part of the published counts.
[[nodiscard]] Network build_fcn_resnet50_with_auxiliary(int input);
[[nodiscard]] Network build_deeplabv3_resnet50_with_auxiliary(int input);

// The same for sequences; `input` is their length in tokens.
[[nodiscard]] Network build_bert_base(int tokens);
[[nodiscard]] Network build_bert_large(int tokens);
[[nodiscard]] Network build_bert_tiny(int tokens);
[[nodiscard]] Network build_distilbert(int tokens);
// The same for sound; `frames` of a spectrogram.
[[nodiscard]] Network build_whisper_base(int frames);
[[nodiscard]] Network build_whisper_large_v3_turbo(int frames);
[[nodiscard]] Network build_whisper_small(int frames);
[[nodiscard]] Network build_whisper_tiny(int frames);
// The same for a cube of one channel; `input` is its side.
[[nodiscard]] Network build_unet3d(int input);

// `count` linear layers of `width` x `width` numbers, without bias, each on one vector for an image.
[[nodiscard]] Network build_products(int width, int count);

// The 3 x 3 convolutions of stage `number` (1 to 5) of VGG-16, without the pool after them.
[[nodiscard]] Network::Node add_vgg16_stage(LayerBuilder& layers, int number, Network::Node from);

}  // namespace jostle::dnn
