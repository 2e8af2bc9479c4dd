// Makes ONNX files for the tests, with the protobuf classes of ONNX itself.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/onnx.hpp"

namespace jostle::profiles {

// A size, or the name of an open dimension ("" for one without a name).
using OnnxDim = std::variant<std::int64_t, std::string>;
using OnnxAttribute = std::pair<std::string, std::variant<std::int64_t, double, std::vector<std::int64_t>>>;

class OnnxFile {
 public:
  explicit OnnxFile(std::int64_t opset = 13);

  void input(const std::string& name, const std::vector<OnnxDim>& dims, int type = onnx::TensorProto::FLOAT);
  void output(const std::string& name);
  // A weight whose numbers are in another file, which does not exist.
  std::string weight(const std::string& name, const std::vector<std::int64_t>& dims);
  std::string integers(const std::string& name, const std::vector<std::int64_t>& numbers);
  std::string number(const std::string& name, float value);
  // Gives the name of the first output, which is that of the node.
  std::string node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                   const std::vector<OnnxAttribute>& attributes = {},
                   const std::vector<std::string>& further_outputs = {});

  [[nodiscard]] onnx::ModelProto& proto() { return model_; }
  [[nodiscard]] std::string bytes() const { return model_.SerializeAsString(); }

 private:
  onnx::ModelProto model_;
};

// A file that computes a network of convolutions, norms, pools and linear layers.
[[nodiscard]] OnnxFile onnx_of(const dnn::Network& network, std::int64_t opset = 13,
                               const OnnxDim& batch = std::int64_t{1});

// One encoder layer as PyTorch exports it, with its arithmetic on shapes.
[[nodiscard]] OnnxFile onnx_transformer_layer(std::int64_t opset, const OnnxDim& tokens, std::int64_t hidden,
                                              std::int64_t heads);

// What is read of a file that must be readable; the test fails if it is not.
[[nodiscard]] OnnxNetwork read(const OnnxFile& file, std::optional<std::int64_t> input = {});
// The message about a file that must not be.
[[nodiscard]] std::string refusal(const std::string& bytes, std::optional<std::int64_t> input = {});

// The layers of one kind.
[[nodiscard]] std::vector<dnn::Layer> layers_of(const dnn::Network& network, dnn::Op op);

}  // namespace jostle::profiles
