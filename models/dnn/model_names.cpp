#include "models/dnn/model_names.hpp"

#include <algorithm>
#include <array>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/described.hpp"

namespace jostle::dnn {
namespace {

// The networks that code builds, sorted by name.
constexpr std::array<Model, 68> table{{
    {"alexnet", "alexnet", build_alexnet, 224, "AlexNet, one column", "torchvision"},
    {"bert_base", "bert", build_bert_base, 128,
     "BERT-Base, 12 layers of 768, 12 heads; classifies a sequence", "transformers"},
    {"bert_large", "bert", build_bert_large, 128,
     "BERT-Large, 24 layers of 1024, 16 heads; classifies a sequence", "transformers"},
    {"bert_tiny", "bert", build_bert_tiny, 128, "BERT-Tiny, 2 layers of 128, 2 heads; classifies a sequence",
     "transformers"},
    {"deeplabv3_resnet50", "deeplab", build_deeplabv3_resnet50, 520,
     "DeepLabv3 on ResNet-50, 21 classes, without the auxiliary head", "torchvision"},
    {"deit_tiny", "vit", build_deit_tiny, 224, "DeiT-Tiny, 12 layers of 192, 3 heads, without distillation",
     "timm"},
    {"densenet121", "densenet", build_densenet121, 224, "DenseNet-121", "torchvision"},
    {"densenet169", "densenet", build_densenet169, 224, "DenseNet-169", "torchvision"},
    {"densenet201", "densenet", build_densenet201, 224, "DenseNet-201", "torchvision"},
    {"detr_resnet50", "detr", build_detr_resnet50, 800, "DETR on ResNet-50, 100 boxes, 91 classes",
     "transformers"},
    {"distilbert", "bert", build_distilbert, 128,
     "DistilBERT, 6 layers of 768, 12 heads; classifies a sequence", "transformers"},
    {"efficientnet_b0", "efficientnet", build_efficientnet_b0, 224, "EfficientNet-B0", "torchvision"},
    {"efficientnet_b1", "efficientnet", build_efficientnet_b1, 240, "EfficientNet-B1", "torchvision"},
    {"efficientnet_b2", "efficientnet", build_efficientnet_b2, 288, "EfficientNet-B2", "torchvision"},
    {"efficientnet_b3", "efficientnet", build_efficientnet_b3, 300, "EfficientNet-B3", "torchvision"},
    {"efficientnet_b4", "efficientnet", build_efficientnet_b4, 380, "EfficientNet-B4", "torchvision"},
    {"efficientnet_v2_s", "efficientnet", build_efficientnet_v2_s, 384, "EfficientNetV2-S", "torchvision"},
    {"efficientvit_b1", "efficientvit", build_efficientvit_b1, 224, "EfficientViT-B1, linear attention",
     "timm"},
    {"fcn_resnet50", "fcn", build_fcn_resnet50, 224,
     "FCN on ResNet-50, 21 classes, without the auxiliary head", "torchvision"},
    {"googlenet", "googlenet", build_googlenet, 224, "GoogLeNet, without auxiliary classifiers",
     "torchvision"},
    {"inception_v3", "inception", build_inception_v3, 299, "Inception v3, without the auxiliary classifier",
     "torchvision"},
    {"mnasnet1_0", "mnasnet", build_mnasnet1_0, 224, "MnasNet-B1, width 1", "torchvision"},
    {"mobilenet_v1", "mobilenet", build_mobilenet_v1, 224, "MobileNet, width 1", "Keras"},
    {"mobilenet_v2", "mobilenet", build_mobilenet_v2, 224, "MobileNetV2, width 1", "torchvision"},
    {"mobilenet_v2_050", "mobilenet", build_mobilenet_v2_050, 224, "MobileNetV2, width 0.5", "torchvision"},
    {"mobilenet_v3_large", "mobilenet_v3", build_mobilenet_v3_large, 224, "MobileNetV3-Large, width 1",
     "torchvision"},
    {"mobilenet_v3_small", "mobilenet_v3", build_mobilenet_v3_small, 224, "MobileNetV3-Small, width 1",
     "torchvision"},
    {"mobilevit_s", "mobilevit", build_mobilevit_s, 256, "MobileViT-S", "timm"},
    {"regnet_y_3_2gf", "regnet", build_regnet_y_3_2gf, 224, "RegNetY-3.2GF, groups of 24 channels",
     "torchvision"},
    {"resnet101", "resnet", build_resnet101, 224, "ResNet-101", "torchvision"},
    {"resnet152", "resnet", build_resnet152, 224, "ResNet-152", "torchvision"},
    {"resnet18", "resnet", build_resnet18, 224, "ResNet-18", "torchvision"},
    {"resnet34", "resnet", build_resnet34, 224, "ResNet-34", "torchvision"},
    {"resnet50", "resnet", build_resnet50, 224, "ResNet-50", "torchvision"},
    {"resnext50_32x4d", "resnext", build_resnext50_32x4d, 224, "ResNeXt-50, 32 groups", "torchvision"},
    {"retinanet_resnext50", "retinanet", build_retinanet_resnext50, 800,
     "RetinaNet on ResNeXt-50, 264 classes", "MLPerf"},
    {"shufflenet_v2_x0_5", "shufflenet", build_shufflenet_v2_x0_5, 224, "ShuffleNet V2, width 0.5",
     "torchvision"},
    {"shufflenet_v2_x1_0", "shufflenet", build_shufflenet_v2_x1_0, 224, "ShuffleNet V2, width 1",
     "torchvision"},
    {"squeezenet1_0", "squeezenet", build_squeezenet1_0, 224, "SqueezeNet 1.0", "torchvision"},
    {"squeezenet1_1", "squeezenet", build_squeezenet1_1, 224, "SqueezeNet 1.1", "torchvision"},
    {"ssd300", "ssd", build_ssd300, 300, "SSD300 on VGG-16, 91 classes", "torchvision"},
    {"ssd_mobilenet_v1", "ssd_mobilenet", build_ssd_mobilenet_v1, 300, "SSD on MobileNet, 91 classes",
     "TensorFlow"},
    {"ssd_mobilenet_v2", "ssd_mobilenet", build_ssd_mobilenet_v2, 300, "SSD on MobileNetV2, 91 classes",
     "TensorFlow"},
    {"ssd_resnet34", "ssd", build_ssd_resnet34, 1200, "SSD on ResNet-34, 81 classes", "MLPerf"},
    {"swin_t", "swin", build_swin_t, 224, "Swin Transformer, tiny", "torchvision"},
    {"unet", "unet", build_unet, 512, "U-Net for colour images, 2 classes", "Pytorch-UNet"},
    {"unet3d", "unet3d", build_unet3d, 128, "3-D U-Net for cubes of one channel, 3 classes", "MLPerf"},
    {"vgg16", "vgg", build_vgg16, 224, "VGG-16 without batch norm", "torchvision"},
    {"vgg19", "vgg", build_vgg19, 224, "VGG-19 without batch norm", "torchvision"},
    {"vit_base", "vit", build_vit_base, 224, "ViT-Base, 12 layers of 768, 12 heads, patches of 16",
     "torchvision"},
    {"vit_large", "vit", build_vit_large, 224, "ViT-Large, 24 layers of 1024, 16 heads, patches of 16",
     "torchvision"},
    {"vit_small", "vit", build_vit_small, 224, "ViT-Small, 12 layers of 384, 6 heads, patches of 16", "timm"},
    {"whisper_base", "whisper", build_whisper_base, 3000,
     "Whisper base, the encoder: 6 layers of 512, 8 heads", "transformers"},
    {"whisper_large_v3_turbo", "whisper", build_whisper_large_v3_turbo, 3000,
     "Whisper large v3 turbo, the encoder: 32 layers of 1280, 20 heads", "transformers"},
    {"whisper_small", "whisper", build_whisper_small, 3000,
     "Whisper small, the encoder: 12 layers of 768, 12 heads", "transformers"},
    {"whisper_tiny", "whisper", build_whisper_tiny, 3000,
     "Whisper tiny, the encoder: 4 layers of 384, 6 heads", "transformers"},
    {"wide_resnet50_2", "resnet", build_wide_resnet50_2, 224, "Wide ResNet-50, twice as wide inside",
     "torchvision"},
    {"yolov4_tiny", "yolov4", build_yolov4_tiny, 416, "YOLOv4-tiny, 80 classes", "darknet"},
    {"yolov5m", "yolov5", build_yolov5m, 640, "YOLOv5 medium, 80 classes", "Ultralytics"},
    {"yolov5n", "yolov5", build_yolov5n, 640, "YOLOv5 nano, 80 classes", "Ultralytics"},
    {"yolov5s", "yolov5", build_yolov5s, 640, "YOLOv5 small, 80 classes", "Ultralytics"},
    {"yolov8l", "yolov8", build_yolov8l, 640, "YOLOv8 large, 80 classes", "Ultralytics"},
    {"yolov8m", "yolov8", build_yolov8m, 640, "YOLOv8 medium, 80 classes", "Ultralytics"},
    {"yolov8n", "yolov8", build_yolov8n, 640, "YOLOv8 nano, 80 classes", "Ultralytics"},
    {"yolov8n_pose", "yolov8", build_yolov8n_pose, 640, "YOLOv8 nano, people with 17 keypoints",
     "Ultralytics"},
    {"yolov8n_seg", "yolov8", build_yolov8n_seg, 640, "YOLOv8 nano with masks, 80 classes", "Ultralytics"},
    {"yolov8s", "yolov8", build_yolov8s, 640, "YOLOv8 small, 80 classes", "Ultralytics"},
    {"yolov8x", "yolov8", build_yolov8x, 640, "YOLOv8 extra large, 80 classes", "Ultralytics"},
}};
static_assert(std::ranges::is_sorted(table, {}, &Model::name));

// The names of torchvision, timm and Hugging Face for networks of the table whose design and input are the
// same. Checkpoints of timm are named with a tag behind a dot, which says how they were trained, and are cut
// off before.
struct Alias {
  std::string_view name, model;
};
constexpr std::array aliases{
    Alias{"apple/mobilevit-small", "mobilevit_s"},
    Alias{"bert-base-cased", "bert_base"},
    Alias{"bert-base-uncased", "bert_base"},
    Alias{"bert-large-uncased", "bert_large"},
    Alias{"bert_base_s128", "bert_base"},
    Alias{"deit_tiny_patch16_224", "deit_tiny"},
    Alias{"distilbert-base-uncased", "distilbert"},
    Alias{"distilbert_base", "distilbert"},
    Alias{"facebook/convnext-base-224", "convnext_base"},
    Alias{"facebook/convnext-tiny-224", "convnext_tiny"},
    Alias{"google-bert/bert-base-uncased", "bert_base"},
    Alias{"google-bert/bert-large-uncased", "bert_large"},
    Alias{"google/vit-base-patch16-224", "vit_base"},
    Alias{"google/vit-large-patch16-224", "vit_large"},
    Alias{"microsoft/resnet-50", "resnet50"},
    Alias{"microsoft/swin-tiny-patch4-window7-224", "swin_t"},
    Alias{"mobilenetv2_050", "mobilenet_v2_050"},
    Alias{"mobilenetv2_100", "mobilenet_v2"},
    Alias{"mobilenetv3_large_100", "mobilenet_v3_large"},
    Alias{"mobilenetv3_small_100", "mobilenet_v3_small"},
    Alias{"openai/whisper-base", "whisper_base"},
    Alias{"openai/whisper-large-v3-turbo", "whisper_large_v3_turbo"},
    Alias{"openai/whisper-small", "whisper_small"},
    Alias{"openai/whisper-tiny", "whisper_tiny"},
    Alias{"regnety_032", "regnet_y_3_2gf"},
    Alias{"swin_tiny", "swin_t"},
    Alias{"swin_tiny_patch4_window7_224", "swin_t"},
    Alias{"timm/resnet50", "resnet50"},
    Alias{"vit_b_16", "vit_base"},
    Alias{"vit_base_patch16_224", "vit_base"},
    Alias{"vit_l_16", "vit_large"},
    Alias{"vit_large_patch16_224", "vit_large"},
    Alias{"vit_small_patch16_224", "vit_small"},
    Alias{"yolov8n-pose", "yolov8n_pose"},
    Alias{"yolov8n-seg", "yolov8n_seg"},
};
static_assert(std::ranges::is_sorted(aliases, {}, &Alias::name));

}  // namespace

Network Model::build(int input) const {
  return code != nullptr ? code(input) : described_network(name, input);
}

std::span<const Model> models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> rows(table.begin(), table.end());
    for (const DescribedNetwork& of : described_networks())
      rows.push_back({of.name, of.family, nullptr, of.input, of.description, of.source});
    std::ranges::sort(rows, {}, &Model::name);
    return rows;
  }();
  return all;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Model& model : models()) all.emplace_back(model.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = model_names();
    for (const Alias& alias : aliases) all.emplace_back(alias.name);
    return all;
  }();
  return names;
}

const Model* find_model(std::string_view name) {
  const auto by_name = [](std::string_view one) {
    const auto found = std::ranges::find(models(), one, &Model::name);
    return found == models().end() ? nullptr : &*found;
  };
  if (const Model* const found = by_name(name)) return found;
  if (name.ends_with(".onnx") || name.ends_with(".json")) return nullptr;
  name = name.substr(0, name.find('.'));  // timm's tag
  const auto* const alias = std::ranges::find(aliases, name, &Alias::name);
  return by_name(alias != aliases.end() ? alias->model : name);
}

std::string catalogue_name(std::string_view name) {
  const Model* const model = find_model(name);
  return std::string(model != nullptr ? model->name : name);
}

}  // namespace jostle::dnn
