// The contents of an ONNX file with all shapes resolved, as plain data: the step between protobuf and the
// network.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jostle::profiles::onnx_reader {

using Dims = std::vector<std::int64_t>;

// Element types of tensors, as far as they are distinguished here.
enum class Element { real, integer, boolean, other };

// The elements of a small constant tensor. A double holds the integers of shapes exactly.
using Numbers = std::vector<double>;

// A tensor: an input of the network, stored in the file, or the result of a node.
struct Value {
  std::string name;
  Dims dims;
  Element element = Element::real;
  bool known = false;     // dims and element are known
  bool constant = false;  // known before the network runs: it needs no kernel
  bool stored = false;    // an initialiser
  std::optional<Numbers> numbers;

  [[nodiscard]] std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) product *= dim;
    return product;
  }
};

struct Attribute {
  std::vector<std::int64_t> integers;  // one element for a plain integer
  std::vector<double> reals;
  std::string text;
};

// Indices into Graph::values; `none` for an omitted optional input or output.
using ValueId = std::size_t;
inline constexpr ValueId none = static_cast<ValueId>(-1);

struct Node {
  std::string name;
  std::string type;  // "Conv"; with the domain in front if it is not ONNX's own: "com.microsoft.Gelu"
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute> attributes;
  bool guessed = false;  // true: the output's shape is unknown and assumed to be that of the first input
  std::vector<ValueId> captures{};  // what graphs inside of the node read
  // The work of PyTorch's host for it: see dnn::Layer.
  bool inside = false, attends = false;  // attends: a product of an attention in one kernel
  int copies = -1, views = 0;

  [[nodiscard]] ValueId input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : none;
  }
  // The integers of an attribute; empty if the attribute is absent.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::vector<std::int64_t>{} : found->second.integers;
  }
  [[nodiscard]] std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const {
    const std::vector<std::int64_t> given = integers(attribute);
    return given.empty() ? otherwise : given.front();
  }
  [[nodiscard]] double real(const std::string& attribute, double otherwise) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() || found->second.reals.empty() ? otherwise : found->second.reals.front();
  }
};

// The location of a tensor whose numbers are in a file beside the model.
struct ExternalData {
  std::string tensor;
  std::string file;      // path relative to the folder of the model
  std::int64_t end = 0;  // number of bytes that the file must have at least
};

// An If whose condition is not known before the network runs.
struct OpenBranch {
  std::string node, taken;  // "then" or "else"
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;      // in an order in which they can run; only nodes that an output depends on
  std::vector<ValueId> inputs;  // inputs supplied by the caller, without initialisers
  std::vector<ValueId> outputs;
  std::int64_t opset = 0;  // version of ONNX's own operators
  std::vector<ExternalData> external;
  std::vector<OpenBranch> open_branches;
  // Nodes that no input changes, but PyTorch runs for each batch: those that move numbers, and those that do
  // not.
  int constant_kernels = 0, constant_views = 0;
};

// True if the node selects rows of a learned table by index: an embedding.
[[nodiscard]] bool picks_rows(const Node& node, const std::vector<Value>& values);

// Reads the bytes of a file without its weights (slim.hpp). Throws OnnxError.
[[nodiscard]] Graph read_graph(const std::string& model, std::optional<std::int64_t> input);

// The exception for an ONNX file that cannot be read. The reader throws it inside, and reports it to its
// caller as a problem.
class OnnxError : public std::runtime_error {
 public:
  explicit OnnxError(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace jostle::profiles::onnx_reader
