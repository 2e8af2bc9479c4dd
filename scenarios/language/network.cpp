#include "scenarios/language/network.hpp"

#include <variant>

#include "models/dnn/built_network.hpp"
#include "profiles/onnx/content_name.hpp"
#include "profiles/onnx/onnx.hpp"

namespace jostle::scenarios {

const dnn::Network* network_of_file(const Model& model) {
  if (const auto* const products = std::get_if<ProductsModel>(&model)) return products->network.get();
  const auto* const onnx = std::get_if<OnnxModel>(&model);
  return onnx != nullptr && onnx->file ? &onnx->file->network : nullptr;
}

std::string network_name(const Model& model) {
  const auto* const onnx = std::get_if<OnnxModel>(&model);
  return onnx != nullptr && onnx->file ? profiles::content_name(onnx->file->hash) : model_name(model);
}

std::shared_ptr<const dnn::Network> network_of(const ProcessEntry& entry) {
  if (const auto* const onnx = std::get_if<OnnxModel>(&entry.work.model); onnx != nullptr && onnx->file)
    return {onnx->file, &onnx->file->network};
  if (const auto* const products = std::get_if<ProductsModel>(&entry.work.model)) return products->network;
  const auto* built_in = std::get_if<BuiltInModel>(&entry.work.model);
  const dnn::Model* model = built_in == nullptr ? nullptr : dnn::find_model(built_in->name);
  if (model == nullptr) return nullptr;
  return dnn::built_network(*model, static_cast<int>(entry.work.input.value_or(model->default_input)));
}

}  // namespace jostle::scenarios
