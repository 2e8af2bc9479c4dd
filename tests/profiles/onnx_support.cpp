#include "tests/profiles/onnx_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace jostle::profiles {
namespace {

using dnn::Layer;
using dnn::Op;

// The padding, in front and behind, that makes a window fit what the layer says of its sizes.
struct Fit {
  std::int64_t stride, before, after;
};
Fit fit(int in, int out, int window, int dilation) {
  const int stride = (in + out - 1) / out;
  const int all = std::max(0, (out - 1) * stride + dilation * (window - 1) + 1 - in);
  return {stride, all / 2, all - all / 2};
}

std::vector<OnnxAttribute> sliding(const Layer& layer) {
  const int width = layer.window_width > 0 ? layer.window_width : layer.window;
  const Fit down = fit(layer.in.height, layer.out.height, layer.window, layer.dilation);
  const Fit across = fit(layer.in.width, layer.out.width, width, layer.dilation);
  return {{"kernel_shape", std::vector<std::int64_t>{layer.window, width}},
          {"strides", std::vector<std::int64_t>{down.stride, across.stride}},
          {"pads", std::vector<std::int64_t>{down.before, across.before, down.after, across.after}}};
}

class Writer {
 public:
  Writer(const dnn::Network& network, OnnxFile& file) : network_(network), file_(file) {}

  void write(const OnnxDim& batch) {
    for (std::size_t node = 0; node < network_.size(); ++node) {
      const Layer& layer = network_.layer(node);
      const std::string name = std::to_string(node) + "/" + layer.name;
      std::vector<std::string> inputs;
      for (const std::size_t input : network_.inputs(node)) inputs.push_back(names_[input]);
      if (layer.op == Op::input) {
        file_.input(name, {batch, std::int64_t{layer.in.channels}, std::int64_t{layer.in.height},
                           std::int64_t{layer.in.width}});
        names_.push_back(name);
      } else {
        names_.push_back(write(layer, name, inputs));
      }
      if (network_.consumers(node).empty()) file_.output(names_.back());
    }
  }

 private:
  std::string write(const Layer& layer, const std::string& name, std::vector<std::string> inputs) {
    const std::int64_t in = layer.in.channels, out = layer.out.channels;
    switch (layer.op) {
      case Op::conv: {
        inputs.push_back(file_.weight(name + ".w", {out, in / layer.groups, layer.window, layer.window}));
        if (layer.bias) inputs.push_back(file_.weight(name + ".b", {out}));
        auto attributes = sliding(layer);
        attributes.emplace_back("group", std::int64_t{layer.groups});
        attributes.emplace_back("dilations", std::vector<std::int64_t>{layer.dilation, layer.dilation});
        return file_.node("Conv", name, inputs, attributes);
      }
      case Op::batch_norm:
        for (const char* part : {".scale", ".shift", ".mean", ".variance"})
          inputs.push_back(file_.weight(name + part, {out}));
        return file_.node("BatchNormalization", name, inputs);
      case Op::linear: {
        const std::string flat = file_.node("Flatten", name + ".flat", inputs);
        return file_.node("Gemm", name,
                          {flat, file_.weight(name + ".w", {out, in}), file_.weight(name + ".b", {out})},
                          {{"transB", std::int64_t{1}}});
      }
      case Op::activation:
        return file_.node("Relu", name, inputs);
      case Op::add:
        return file_.node("Add", name, inputs);
      case Op::max_pool:
        return file_.node("MaxPool", name, inputs, sliding(layer));
      case Op::average_pool:
        return file_.node("GlobalAveragePool", name, inputs);
      default:
        ADD_FAILURE() << "no ONNX for " << to_string(layer.op);
        return name;
    }
  }

  const dnn::Network& network_;
  OnnxFile& file_;
  std::vector<std::string> names_;
};

}  // namespace

OnnxFile::OnnxFile(std::int64_t opset) {
  model_.set_ir_version(7);
  model_.add_opset_import()->set_version(opset);
  model_.mutable_graph()->set_name("test");
}

void OnnxFile::input(const std::string& name, const std::vector<OnnxDim>& dims, int type) {
  auto* const info = model_.mutable_graph()->add_input();
  info->set_name(name);
  auto* const tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const OnnxDim& dim : dims) {
    auto* const added = tensor->mutable_shape()->add_dim();
    if (const auto* size = std::get_if<std::int64_t>(&dim)) added->set_dim_value(*size);
    if (const auto* open = std::get_if<std::string>(&dim); open != nullptr && !open->empty())
      added->set_dim_param(*open);
  }
}

void OnnxFile::output(const std::string& name) {
  auto* const info = model_.mutable_graph()->add_output();
  info->set_name(name);
  info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

std::string OnnxFile::weight(const std::string& name, const std::vector<std::int64_t>& dims) {
  auto* const tensor = model_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : dims) tensor->add_dims(dim);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* const entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value("not-there.bin");
  return name;
}

std::string OnnxFile::integers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  auto* const tensor = model_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_dims(static_cast<std::int64_t>(numbers.size()));
  for (const std::int64_t number : numbers) tensor->add_int64_data(number);
  return name;
}

std::string OnnxFile::number(const std::string& name, float value) {
  auto* const tensor = model_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_float_data(value);
  return name;
}

std::string OnnxFile::node(const std::string& type, const std::string& name,
                           const std::vector<std::string>& inputs,
                           const std::vector<OnnxAttribute>& attributes,
                           const std::vector<std::string>& further_outputs) {
  auto* const node = model_.mutable_graph()->add_node();
  const std::size_t dot = type.rfind('.');
  if (dot != std::string::npos) node->set_domain(type.substr(0, dot));
  node->set_op_type(dot == std::string::npos ? type : type.substr(dot + 1));
  node->set_name(name);
  for (const std::string& input : inputs) node->add_input(input);
  node->add_output(name);
  for (const std::string& output : further_outputs) node->add_output(output);
  for (const auto& [key, value] : attributes) {
    auto* const attribute = node->add_attribute();
    attribute->set_name(key);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      attribute->set_type(onnx::AttributeProto::INT);
      attribute->set_i(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      attribute->set_type(onnx::AttributeProto::FLOAT);
      attribute->set_f(static_cast<float>(*real));
    } else {
      attribute->set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t item : std::get<2>(value)) attribute->add_ints(item);
    }
  }
  return name;
}

OnnxFile onnx_of(const dnn::Network& network, std::int64_t opset, const OnnxDim& batch) {
  OnnxFile file(opset);
  Writer(network, file).write(batch);
  return file;
}

namespace {

// Before opset 13 the axes are an attribute.
std::string unsqueezed(OnnxFile& file, std::int64_t opset, const std::string& name, const std::string& from) {
  if (opset < 13) return file.node("Unsqueeze", name, {from}, {{"axes", std::vector<std::int64_t>{0}}});
  return file.node("Unsqueeze", name, {from, file.integers(name + ".axes", {0})});
}

// LayerNormalization exists from opset 17; before, exporters write out its arithmetic.
std::string layer_norm(OnnxFile& file, std::int64_t opset, const std::string& name, const std::string& from,
                       std::int64_t hidden) {
  const std::string scale = file.weight(name + ".scale", {hidden}),
                    shift = file.weight(name + ".shift", {hidden});
  if (opset >= 17) return file.node("LayerNormalization", name, {from, scale, shift});
  const std::vector<OnnxAttribute> last{{"axes", std::vector<std::int64_t>{-1}}};
  const std::string mean = file.node("ReduceMean", name + ".mean", {from}, last);
  const std::string difference = file.node("Sub", name + ".sub", {from, mean});
  const std::string square = file.node("Pow", name + ".pow", {difference, file.number(name + ".two", 2)});
  const std::string variance = file.node("ReduceMean", name + ".variance", {square}, last);
  const std::string sum = file.node("Add", name + ".add", {variance, file.number(name + ".epsilon", 1e-5F)});
  const std::string root = file.node("Sqrt", name + ".sqrt", {sum});
  const std::string quotient = file.node("Div", name + ".div", {difference, root});
  return file.node("Add", name, {file.node("Mul", name + ".mul", {quotient, scale}), shift});
}

std::string linear(OnnxFile& file, const std::string& name, const std::string& from, std::int64_t in,
                   std::int64_t out) {
  const std::string product = file.node("MatMul", name, {from, file.weight(name + ".w", {in, out})});
  return file.node("Add", name + ".add", {file.weight(name + ".b", {out}), product});
}

std::string gelu(OnnxFile& file, const std::string& name, const std::string& from) {
  const std::string scaled =
      file.node("Div", name + ".div", {from, file.number(name + ".root", 1.41421356F)});
  const std::string sum = file.node(
      "Add", name + ".add", {file.node("Erf", name + ".erf", {scaled}), file.number(name + ".one", 1)});
  return file.node("Mul", name,
                   {file.node("Mul", name + ".mul", {from, sum}), file.number(name + ".half", 0.5F)});
}

}  // namespace

OnnxFile onnx_transformer_layer(std::int64_t opset, const OnnxDim& tokens, std::int64_t hidden,
                                std::int64_t heads) {
  OnnxFile file(opset);
  file.input("ids", {"batch", tokens}, onnx::TensorProto::INT64);
  const std::string embedded = file.node("Gather", "words", {file.weight("table", {1000, hidden}), "ids"});
  // How many tokens there are, worked out in the graph.
  const std::string shape = file.node("Shape", "shape", {embedded});
  const auto dimension = [&](const std::string& name, std::int64_t index) {
    auto* const tensor = file.proto().mutable_graph()->add_initializer();
    tensor->set_name(name + ".index");
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_int64_data(index);
    return unsqueezed(file, opset, name, file.node("Gather", name + ".of", {shape, name + ".index"}));
  };
  const std::string apart = file.node(
      "Concat", "apart",
      {dimension("images", 0), dimension("length", 1), file.integers("heads", {heads, hidden / heads})},
      {{"axis", std::int64_t{0}}});
  const auto head_split = [&](const std::string& name, std::vector<std::int64_t> order) {
    const std::string made = linear(file, name, embedded, hidden, hidden);
    const std::string split = file.node("Reshape", name + ".split", {made, apart});
    return file.node("Transpose", name + ".heads", {split}, {{"perm", std::move(order)}});
  };
  const std::string query = head_split("query", {0, 2, 1, 3}), key = head_split("key", {0, 2, 3, 1}),
                    values = head_split("value", {0, 2, 1, 3});
  const std::string scores = file.node("MatMul", "scores", {query, key});
  const std::string scaled = file.node("Div", "scaled", {scores, file.number("root", 8)});
  const std::string weights = file.node("Softmax", "softmax", {scaled}, {{"axis", std::int64_t{-1}}});
  const std::string mixed = file.node("MatMul", "mix", {weights, values});
  const std::string merged =
      file.node("Transpose", "merge", {mixed}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  const std::string together =
      file.node("Concat", "together", {"images", "length", file.integers("width", {hidden})},
                {{"axis", std::int64_t{0}}});
  const std::string flat = file.node("Reshape", "flat", {merged, together});
  const std::string attention = linear(file, "attention", flat, hidden, hidden);
  const std::string first =
      layer_norm(file, opset, "norm1", file.node("Add", "sum1", {attention, embedded}), hidden);
  const std::string wide = gelu(file, "gelu", linear(file, "wide", first, hidden, 4 * hidden));
  const std::string narrow = linear(file, "narrow", wide, 4 * hidden, hidden);
  file.output(layer_norm(file, opset, "norm2", file.node("Add", "sum2", {narrow, first}), hidden));
  return file;
}

OnnxNetwork read(const OnnxFile& file, std::optional<std::int64_t> input) {
  input::Problems problems;
  auto network = parse_onnx(file.bytes(), "test.onnx", input, problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  return network ? *std::move(network) : OnnxNetwork{};
}

std::string refusal(const std::string& bytes, std::optional<std::int64_t> input) {
  input::Problems problems;
  const auto network = parse_onnx(bytes, "broken.onnx", input, problems);
  EXPECT_FALSE(network.has_value());
  EXPECT_FALSE(problems.empty());
  EXPECT_EQ(problems.text().rfind("broken.onnx", 0), 0U) << problems.text();
  return problems.text();
}

std::vector<dnn::Layer> layers_of(const dnn::Network& network, dnn::Op op) {
  std::vector<dnn::Layer> found;
  for (std::size_t node = 0; node < network.size(); ++node) {
    if (network.layer(node).op == op) found.push_back(network.layer(node));
  }
  return found;
}

}  // namespace jostle::profiles
