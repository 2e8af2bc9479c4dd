#include "models/dnn/model_names.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "models/dnn/builders/described.hpp"

namespace jostle::dnn {
namespace {

// The names of torchvision, timm and Hugging Face for networks of the table whose design and input are the
// same.
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
    Alias{"depth-anything/Depth-Anything-V2-Small", "depth_anything_v2_small"},
    Alias{"depth-anything/Depth-Anything-V2-Small-hf", "depth_anything_v2_small"},
    Alias{"distilbert-base-uncased", "distilbert"},
    Alias{"distilbert_base", "distilbert"},
    Alias{"facebook/convnext-base-224", "convnext_base"},
    Alias{"facebook/convnext-tiny-224", "convnext_tiny"},
    Alias{"facebook/dinov3-vits16-pretrain-lvd1689m", "vit_small_patch16_dinov3"},
    Alias{"facebook/sam2.1-hiera-tiny", "sam2_hiera_tiny"},
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
    Alias{"rf-detr-base", "rfdetr_base"},
    Alias{"rf-detr-large", "rfdetr_large"},
    Alias{"rf-detr-medium", "rfdetr_medium"},
    Alias{"rf-detr-nano", "rfdetr_nano"},
    Alias{"rf-detr-small", "rfdetr_small"},
    Alias{"sam2.1_hiera_tiny", "sam2_hiera_tiny"},
    Alias{"sam2.1_t", "sam2_hiera_tiny"},
    Alias{"swin_tiny", "swin_t"},
    Alias{"swin_tiny_patch4_window7_224", "swin_t"},
    Alias{"timm/resnet50", "resnet50"},
    Alias{"vit_b_16", "vit_base"},
    Alias{"vit_base_patch16_224", "vit_base"},
    Alias{"vit_l_16", "vit_large"},
    Alias{"vit_large_patch16_224", "vit_large"},
    Alias{"vit_small_patch16_224", "vit_small"},
};
static_assert(std::ranges::is_sorted(aliases, {}, &Alias::name));

}  // namespace

std::string folded(std::string_view name) {
  std::string kept;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ':' && c != ' ')
      kept += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return kept;
}

std::string_view Model::series() const {
  constexpr std::string_view digits = "0123456789";
  const std::size_t letters = std::min(family.find_first_of(digits), family.size());
  if (name.starts_with(family) || !name.starts_with(family.substr(0, letters))) return family;
  return name.substr(0, name.find_first_not_of(digits, letters));
}

Network Model::build(int input) const {
  return described_network(name, input);
}

std::span<const Model> models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> rows;
    for (const DescribedNetwork& of : described_networks())
      rows.push_back({of.name, of.family, of.input, of.description, of.source});
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
  static const std::map<std::string, const Model*> known = [] {
    std::map<std::string, const Model*> all;
    for (const Model& model : models()) all.emplace(folded(model.name), &model);
    for (const Alias& alias : aliases) all.emplace(folded(alias.name), all.at(folded(alias.model)));
    return all;
  }();
  if (name.ends_with(".onnx") || name.ends_with(".json")) return nullptr;
  for (const std::size_t end : {name.size(), name.rfind('.'), name.find('.')})  // .pt, or timm's tag
    if (const auto found = known.find(folded(name.substr(0, end))); found != known.end())
      return found->second;
  return nullptr;
}

std::string catalogue_name(std::string_view name) {
  const Model* const model = find_model(name);
  return std::string(model != nullptr ? model->name : name);
}

}  // namespace jostle::dnn
