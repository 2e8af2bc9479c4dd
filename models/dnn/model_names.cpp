#include "models/dnn/model_names.hpp"

#include <algorithm>
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

// Sorted by name.
constexpr std::array<Model, 18> table{{
    {"alexnet", "alexnet", build_alexnet, 224, "AlexNet, one column", "torchvision"},
    {"bert_tiny", "bert", build_bert_tiny, 128, "BERT-Tiny, 2 layers of 128, 2 heads; classifies a sequence",
     "transformers"},
    {"distilbert", "bert", build_distilbert, 128,
     "DistilBERT, 6 layers of 768, 12 heads; classifies a sequence", "transformers"},
    {"fcn_resnet50", "fcn", build_fcn_resnet50, 224,
     "FCN on ResNet-50, 21 classes, without the auxiliary head", "torchvision"},
    {"mobilenet_v2", "mobilenet", build_mobilenet_v2, 224, "MobileNetV2, width 1", "torchvision"},
    {"resnet101", "resnet", build_resnet101, 224, "ResNet-101", "torchvision"},
    {"resnet152", "resnet", build_resnet152, 224, "ResNet-152", "torchvision"},
    {"resnet18", "resnet", build_resnet18, 224, "ResNet-18", "torchvision"},
    {"resnet34", "resnet", build_resnet34, 224, "ResNet-34", "torchvision"},
    {"resnet50", "resnet", build_resnet50, 224, "ResNet-50", "torchvision"},
    {"ssd300", "ssd", build_ssd300, 300, "SSD300 on VGG-16, 91 classes", "torchvision"},
    {"vgg16", "vgg", build_vgg16, 224, "VGG-16 without batch norm", "torchvision"},
    {"yolov4_tiny", "yolov4", build_yolov4_tiny, 416, "YOLOv4-tiny, 80 classes", "darknet"},
    {"yolov8l", "yolov8", build_yolov8l, 640, "YOLOv8 large, 80 classes", "Ultralytics"},
    {"yolov8m", "yolov8", build_yolov8m, 640, "YOLOv8 medium, 80 classes", "Ultralytics"},
    {"yolov8n", "yolov8", build_yolov8n, 640, "YOLOv8 nano, 80 classes", "Ultralytics"},
    {"yolov8s", "yolov8", build_yolov8s, 640, "YOLOv8 small, 80 classes", "Ultralytics"},
    {"yolov8x", "yolov8", build_yolov8x, 640, "YOLOv8 extra large, 80 classes", "Ultralytics"},
}};
static_assert(std::ranges::is_sorted(table, {}, &Model::name));

}  // namespace

std::span<const Model> models() {
  return table;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Model& model : table) all.emplace_back(model.name);
    return all;
  }();
  return names;
}

const Model* find_model(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Model::name);
  return found == table.end() ? nullptr : found;
}

}  // namespace jostle::dnn
