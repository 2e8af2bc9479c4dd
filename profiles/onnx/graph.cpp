#include "profiles/onnx/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <set>
#include <unordered_map>

#include "input/printable.hpp"
#include "profiles/onnx/messages.hpp"
#include "profiles/onnx/operators.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using input::printable;

// The limit on nodes; far beyond any network.
constexpr int max_nodes = 100'000;

Element element_of(int data_type) {
  switch (data_type) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
    case onnx::TensorProto::DOUBLE:
      return Element::real;
    case onnx::TensorProto::BOOL:
      return Element::boolean;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::UINT32:
    case onnx::TensorProto::UINT64:
      return Element::integer;
    default:
      return Element::other;
  }
}

// The ONNX library assumes that every required input has a name.
void check_required(const onnx::NodeProto& node, const onnx::OpSchema& schema) {
  for (int i = 0; i < std::min(node.input_size(), static_cast<int>(schema.inputs().size())); ++i) {
    const auto& parameter = schema.inputs()[static_cast<std::size_t>(i)];
    if (parameter.GetOption() == onnx::OpSchema::Single && node.input(i).empty())
      throw std::invalid_argument("a required input is missing");
  }
}

onnx::TypeProto tensor_type(int data_type, const Dims& dims) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(data_type);
  auto* const shape = type.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t dim : dims) shape->add_dim()->set_dim_value(dim);
  return type;
}

// The ONNX operator that ONNX Runtime fused an activation into.
std::optional<onnx::NodeProto> without_fused_activation(const onnx::NodeProto& node) {
  const bool convolution = node.op_type() == "FusedConv";
  if (node.domain() != "com.microsoft" || !(convolution || node.op_type() == "FusedGemm"))
    return std::nullopt;
  onnx::NodeProto plain = node;
  plain.set_domain("");
  plain.set_op_type(convolution ? "Conv" : "Gemm");
  if (plain.input_size() > 3) plain.mutable_input()->DeleteSubrange(3, plain.input_size() - 3);
  plain.clear_attribute();
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (!attribute.name().starts_with("activation")) *plain.add_attribute() = attribute;
  return plain;
}

bool has_shape(const onnx::TypeProto& type) {
  return type.has_tensor_type() && type.tensor_type().has_shape();
}

// Builds the Graph of one file.
class GraphReader {
 public:
  GraphReader(onnx::ModelProto& model, std::optional<std::int64_t> input)
      : proto_(*model.mutable_graph()), input_(input) {
    read_opsets(model);
  }

  Graph read() {
    if (proto_.node_size() > max_nodes) {
      throw OnnxError(fmt::format("{} nodes, but at most {} are allowed", proto_.node_size(), max_nodes));
    }
    read_stored(proto_);
    read_declared(proto_);
    read_inputs();
    const std::vector<int> order = order_of_live_nodes(proto_, ids_);
    for (const int index : order) add(*proto_.mutable_node(index));
    for (const onnx::ValueInfoProto& output : proto_.output())
      graph_.outputs.push_back(ids_.at(output.name()));
    if (!branches_.empty()) drop_unread_nodes();
    return std::move(graph_);
  }

 private:
  void read_opsets(const onnx::ModelProto& model) {
    for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
      const std::int64_t version = std::clamp<std::int64_t>(set.version(), 0, 1'000'000);
      opsets_[own_domain(set.domain()) ? "" : set.domain()] = static_cast<int>(version);
    }
    if (!opsets_.contains("")) throw OnnxError("the file does not say which opset of ONNX it is written for");
    graph_.opset = opsets_[""];
    if (graph_.opset < 1) throw OnnxError(fmt::format("opset {} does not exist", graph_.opset));
  }

  // Values

  Value& add_value(const std::string& name, onnx::TypeProto type) {
    const auto [at, fresh] = ids_.emplace(name, graph_.values.size());
    if (!fresh) throw OnnxError(fmt::format("two tensors are named '{}'", printable(name)));
    types_.push_back(std::move(type));
    types_by_name_[name] = &types_.back();
    Value value;
    value.name = name;
    value.known = true;
    value.element = element_of(types_.back().tensor_type().elem_type());
    for (const auto& dim : types_.back().tensor_type().shape().dim()) value.dims.push_back(dim.dim_value());
    check_dims(value);
    graph_.values.push_back(std::move(value));
    return graph_.values.back();
  }

  static void check_dims(const Value& value) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : value.dims) {
      const bool fits = dim >= 0 && dim <= largest_dim && (dim == 0 || elements <= max_elements / dim);
      if (!fits) {
        throw OnnxError(fmt::format("tensor '{}' has an impossible dimension or too many elements: {}",
                                    printable(value.name), fmt::join(value.dims, " x ")));
      }
      elements *= dim;
    }
  }

  void set_data(const std::string& name, onnx::TensorProto tensor) {
    data_.push_back(std::move(tensor));
    data_by_name_[name] = &data_.back();
  }

  // Adds a tensor that is stored in the file.
  void add_stored(const std::string& name, const onnx::TensorProto& tensor, bool initialiser) {
    Value& value =
        add_value(name, tensor_type(tensor.data_type(), {tensor.dims().begin(), tensor.dims().end()}));
    value.constant = true;
    value.stored = initialiser;
    value.numbers = numbers_of(tensor, max_numbers);
    if (value.numbers) set_data(name, tensor);
  }

  void read_stored(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      if (auto external = external_data(tensor)) graph_.external.push_back(*std::move(external));
      add_stored(tensor.name(), tensor, true);
    }
    for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer()) {
      Value& value =
          add_value(sparse.values().name(),
                    tensor_type(sparse.values().data_type(), {sparse.dims().begin(), sparse.dims().end()}));
      value.constant = value.stored = true;
    }
  }

  // Reads the shapes that the file itself declares, which are needed if they cannot be inferred.
  void read_declared(const onnx::GraphProto& graph) {
    const auto read = [this](const onnx::ValueInfoProto& info) {
      if (!has_shape(info.type())) return;
      const auto& dims = info.type().tensor_type().shape().dim();
      if (std::ranges::all_of(dims,
                              [](const auto& dim) { return dim.has_dim_value() && dim.dim_value() > 0; }))
        declared_[info.name()] = &info.type();
    };
    std::ranges::for_each(graph.value_info(), read);
    std::ranges::for_each(graph.output(), read);
  }

  // Inputs

  [[nodiscard]] std::optional<std::int64_t> channels_read_by_convolutions(const std::string& name) const {
    for (const onnx::NodeProto& node : proto_.node()) {
      if (node.op_type() != "Conv" || node.input_size() < 2 || node.input(0) != name) continue;
      const auto weights = ids_.find(node.input(1));
      if (weights == ids_.end() || graph_.values[weights->second].dims.size() < 3) continue;
      std::int64_t groups = 1;
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.name() == "group") groups = std::clamp<std::int64_t>(attribute.i(), 1, largest_dim);
      }
      return graph_.values[weights->second].dims[1] * groups;
    }
    return std::nullopt;
  }

  [[nodiscard]] DeclaredInput declared_input(const onnx::ValueInfoProto& info) const {
    if (!has_shape(info.type())) {
      throw OnnxError(fmt::format("input '{}' is not a tensor with a shape", printable(info.name())));
    }
    DeclaredInput input{info.name(), {}, channels_read_by_convolutions(info.name())};
    for (const auto& dim : info.type().tensor_type().shape().dim()) {
      input.dims.push_back(
          {dim.has_dim_value() ? std::optional(dim.dim_value()) : std::nullopt, dim.dim_param()});
    }
    return input;
  }

  void read_inputs() {
    std::vector<const onnx::ValueInfoProto*> given;  // older files list initialisers as inputs too
    for (const onnx::ValueInfoProto& info : proto_.input()) {
      if (!ids_.contains(info.name())) given.push_back(&info);
    }
    if (given.empty()) throw OnnxError("the graph has no input");
    std::vector<DeclaredInput> declared;
    for (const onnx::ValueInfoProto* info : given) declared.push_back(declared_input(*info));
    const std::vector<Dims> dims = definite(declared, input_);
    for (std::size_t i = 0; i < given.size(); ++i) {
      graph_.inputs.push_back(graph_.values.size());
      add_value(given[i]->name(), tensor_type(given[i]->type().tensor_type().elem_type(), dims[i]));
    }
  }

  // Nodes

  void add(onnx::NodeProto& proto) {
    if (own_domain(proto.domain()) && proto.op_type() == "If") {
      add_branch(proto);
      return;
    }
    const std::string domain = own_domain(proto.domain()) ? "" : proto.domain();
    const auto imported = opsets_.find(domain);
    std::optional<int> opset = imported == opsets_.end() ? std::nullopt : std::optional(imported->second);
    if (opset && domain.empty()) opset = in_known_form(proto, *opset, inputs_of(proto));
    Node node{.name = name_of(proto), .type = type_of(proto), .inputs = {}, .outputs = {}, .attributes = {}};
    for (const std::string& name : proto.input()) node.inputs.push_back(name.empty() ? none : ids_.at(name));
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      node.attributes[attribute.name()] = attribute_of(attribute);
    }
    std::vector<onnx::TypeProto> types(static_cast<std::size_t>(proto.output_size()));
    if (own_domain(proto.domain()) && proto.op_type() == "Constant") {
      add_constant(proto);
      return;
    }
    if (holds_graph(proto)) {
      std::set<std::string> captured;
      collect_captures(proto, captured);
      for (const std::string& name : captured)
        if (const auto found = ids_.find(name); found != ids_.end()) node.captures.push_back(found->second);
    }
    infer(proto, opset, types);
    fill(types, node);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string& name = proto.output(static_cast<int>(i));
      node.outputs.push_back(name.empty() ? none : graph_.values.size());
      if (name.empty()) continue;
      node.guessed = complete(types[i], name, node) || node.guessed;
      add_value(name, std::move(types[i]));
    }
    guessed_any_ = guessed_any_ || node.guessed;
    if (!settle(proto, node))
      graph_.nodes.push_back(std::move(node));
    else
      note_constant(node);
  }

  // Arithmetic on shapes is none of tensors, and what is stored is not computed.
  void note_constant(const Node& node) {
    const Kind kind = operator_of(node.type).kind;
    const Value* const value =
        node.outputs.empty() || node.outputs.front() == none ? nullptr : &graph_.values[node.outputs.front()];
    if (value == nullptr || kind == Kind::alias || value->element != Element::real || value->elements() < 2)
      return;
    const bool view = kind == Kind::view || kind == Kind::transpose || kind == Kind::slice ||
                      kind == Kind::split || node.type == "Expand";
    ++(view ? graph_.constant_views : graph_.constant_kernels);
  }

  // Adds the branch that an If takes as a part of the graph: the one that the condition chooses, or, if that
  // is not known before the network runs, the one with more nodes.
  void add_branch(const onnx::NodeProto& proto) {
    const ValueId condition =
        proto.input_size() == 1 && !proto.input(0).empty() ? ids_.at(proto.input(0)) : none;
    if (condition == none) throw OnnxError(fmt::format("{} has no condition", shown(proto)));
    const auto* const then = branch_of(proto, true);
    const auto* const otherwise = branch_of(proto, false);
    if (then == nullptr || otherwise == nullptr)
      throw OnnxError(fmt::format("{} lacks a branch", shown(proto)));
    const auto& numbers = graph_.values[condition].numbers;
    const bool known = numbers && numbers->size() == 1;
    const bool chosen = known ? numbers->front() != 0 : nodes_in(*then) >= nodes_in(*otherwise);
    if (!known) graph_.open_branches.push_back({name_of(proto), chosen ? "then" : "else"});
    branches_.push_back(
        with_names_marked(chosen ? *then : *otherwise, fmt::format("#{}", branches_.size() + 1)));
    onnx::GraphProto& branch = branches_.back();
    if (branch.output_size() < proto.output_size())
      throw OnnxError(fmt::format("{} has {} outputs, but its branch {}", shown(proto), proto.output_size(),
                                  branch.output_size()));
    read_stored(branch);
    read_declared(branch);
    for (onnx::NodeProto& node : *branch.mutable_node()) {
      for (const std::string& name : node.input())
        if (!name.empty() && !ids_.contains(name))
          throw OnnxError(
              fmt::format("{} reads '{}', which no node before it makes", shown(node), printable(name)));
      add(node);
    }
    for (int i = 0; i < proto.output_size(); ++i) rename(branch.output(i).name(), proto.output(i), proto);
  }

  // Gives a tensor a further name.
  void rename(const std::string& from, const std::string& to, const onnx::NodeProto& proto) {
    if (to.empty()) return;
    const auto found = ids_.find(from);
    if (found == ids_.end())
      throw OnnxError(fmt::format("no node in the branch of {} makes '{}'", shown(proto), printable(from)));
    if (!ids_.emplace(to, found->second).second)
      throw OnnxError(fmt::format("two tensors are named '{}'", printable(to)));
    types_by_name_[to] = types_by_name_.at(from);
    if (const auto data = data_by_name_.find(from); data != data_by_name_.end())
      data_by_name_[to] = data->second;
  }

  // Nodes that only a branch read that is not taken.
  void drop_unread_nodes() {
    std::vector<bool> needed(graph_.values.size(), false);
    for (const ValueId id : graph_.outputs) needed[id] = true;
    std::vector<Node> kept;
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      if (std::ranges::none_of(node->outputs, [&](ValueId id) { return id != none && needed[id]; })) continue;
      for (const ValueId id : node->inputs)
        if (id != none) needed[id] = true;
      for (const ValueId id : node->captures) needed[id] = true;
      kept.push_back(std::move(*node));
    }
    std::ranges::reverse(kept);
    graph_.nodes = std::move(kept);
  }

  void add_constant(const onnx::NodeProto& proto) {
    if (proto.output_size() != 1 || proto.attribute_size() != 1)
      throw OnnxError(fmt::format("{}: expected exactly one value", shown(proto)));
    const auto tensor = constant_tensor(proto.attribute(0));
    if (!tensor) throw OnnxError(fmt::format("{}: constant of an unknown kind", shown(proto)));
    add_stored(proto.output(0), *tensor, false);
  }

  [[nodiscard]] std::vector<const Value*> inputs_of(const onnx::NodeProto& proto) const {
    std::vector<const Value*> inputs;
    for (const std::string& name : proto.input())
      inputs.push_back(name.empty() ? nullptr : &graph_.values[ids_.at(name)]);
    return inputs;
  }

  // Infers the types of the outputs with ONNX's schema; a type stays empty if that is not possible.
  void infer(onnx::NodeProto& proto, std::optional<int> opset, std::vector<onnx::TypeProto>& types) {
    if (auto plain = without_fused_activation(proto)) {
      infer(*plain, opsets_[""], types);
      return;
    }
    if (!opset || holds_graph(proto)) return;
    const std::string domain = own_domain(proto.domain()) ? "" : proto.domain();
    const auto* const schema = onnx::OpSchemaRegistry::Schema(proto.op_type(), *opset, domain);
    if (schema == nullptr) return;
    try {
      const std::vector<const Value*> inputs = inputs_of(proto);
      schema->Verify(proto);
      check_node(proto, inputs);
      check_required(proto, *schema);
      onnx::shape_inference::InferenceContextImpl context(proto, types_by_name_, data_by_name_, {});
      schema->GetTypeAndShapeInferenceFunction()(context);
      types.swap(context.allOutputTypes_);
    } catch (const std::exception& error) {
      // After a guessed shape an inconsistency is not an error.
      if (!guessed_any_)
        throw OnnxError(fmt::format("{}: {}", shown(proto), printable(error.what(), 300)), newer_hint());
      types.assign(types.size(), {});
    }
  }

  [[nodiscard]] std::string newer_hint() const {
    return graph_.opset <= newest_schemas
               ? ""
               : fmt::format("the file is written for opset {}; export it for opset {}", graph_.opset,
                             newest_schemas);
  }

  // Fills types that the library has no rule for (fused_shapes.hpp).
  void fill(std::vector<onnx::TypeProto>& types, const Node& node) const {
    const bool open =
        std::ranges::any_of(types, [](const onnx::TypeProto& type) { return !is_definite(type); });
    if (!open) return;
    const auto shapes = fused_shapes(node, graph_.values);
    if (!shapes) return;
    for (std::size_t i = 0; i < std::min(types.size(), shapes->size()); ++i) {
      const FusedShape& shape = (*shapes)[i];
      if (is_definite(types[i])) continue;
      const ValueId like = node.input(shape.type_of);
      const int element = shape.is_position || like == none
                              ? static_cast<int>(onnx::TensorProto::INT64)
                              : types_by_name_.at(graph_.values[like].name)->tensor_type().elem_type();
      types[i] = tensor_type(element, shape.dims);
    }
  }

  static bool is_definite(const onnx::TypeProto& type) {
    return has_shape(type) && std::ranges::all_of(type.tensor_type().shape().dim(), [](const auto& dim) {
             return dim.has_dim_value() && dim.dim_value() >= 0;
           });
  }

  // Sets the unknown parts of a type from the file's declaration or else from the first input. Returns true
  // if anything had to be guessed.
  [[nodiscard]] bool complete(onnx::TypeProto& type, const std::string& name, const Node& node) const {
    if (is_definite(type)) return false;
    const auto definite = [](const auto& dim) { return dim.has_dim_value() && dim.dim_value() >= 0; };
    const auto declared = declared_.find(name);
    if (declared != declared_.end()) {
      type = *declared->second;
      return false;
    }
    const Value* const first = node.input(0) == none ? nullptr : &graph_.values[node.input(0)];
    const Dims shape = first != nullptr ? first->dims : Dims{};
    const int element = type.has_tensor_type() && type.tensor_type().elem_type() != 0
                            ? type.tensor_type().elem_type()
                        : first != nullptr ? types_by_name_.at(first->name)->tensor_type().elem_type()
                                           : static_cast<int>(onnx::TensorProto::FLOAT);
    if (!has_shape(type)) {
      type = tensor_type(element, shape);
      return true;
    }
    auto* const dims = type.mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < dims->dim_size(); ++axis) {
      if (definite(dims->dim(axis))) continue;
      const bool same_rank = shape.size() == static_cast<std::size_t>(dims->dim_size());
      dims->mutable_dim(axis)->set_dim_value(same_rank ? shape[static_cast<std::size_t>(axis)] : 1);
    }
    return true;
  }

  // True if the node's results are known before the network runs, so that it has no kernel.
  [[nodiscard]] bool settle(const onnx::NodeProto& proto, const Node& node) {
    if (holds_graph(proto)) return false;
    if (const auto numbers = node.guessed ? std::nullopt : fold(node, graph_.values)) {
      for (std::size_t i = 0; i < numbers->size(); ++i) {
        Value& value = graph_.values[node.outputs[i]];
        value.numbers = (*numbers)[i];
        value.constant = true;
        const int element = types_by_name_.at(value.name)->tensor_type().elem_type();
        set_data(value.name, tensor_of((*numbers)[i], value.dims, element));
      }
      return true;
    }
    const bool settled = std::ranges::all_of(
        node.inputs, [this](ValueId id) { return id == none || graph_.values[id].constant; });
    // Positions are known as well, but their table is part of the network.
    if (!settled || picks_rows(node, graph_.values)) return false;
    for (const ValueId id : node.outputs) {
      if (id != none) graph_.values[id].constant = true;
    }
    return true;
  }

  onnx::GraphProto& proto_;
  std::optional<std::int64_t> input_;
  std::map<std::string, int> opsets_;
  Graph graph_;
  bool guessed_any_ = false;
  std::deque<onnx::GraphProto> branches_;  // of the Ifs that became part of the graph; types point into them
  std::unordered_map<std::string, ValueId> ids_;
  // Types and tensors by name, as the library requests them; a deque keeps its elements in place.
  std::deque<onnx::TypeProto> types_;
  std::deque<onnx::TensorProto> data_;
  std::unordered_map<std::string, onnx::TypeProto*> types_by_name_;
  std::unordered_map<std::string, const onnx::TensorProto*> data_by_name_;
  std::unordered_map<std::string, const onnx::TypeProto*> declared_;
};

}  // namespace

bool picks_rows(const Node& node, const std::vector<Value>& values) {
  if (node.type != "Gather" || node.input(0) == none) return false;
  const Value& table = values[node.input(0)];
  const std::int64_t axis = node.integer("axis", 0);
  return table.constant && table.element == Element::real && table.dims.size() == 2 &&
         (axis == 0 || axis == -2);
}

Graph read_graph(const std::string& model, std::optional<std::int64_t> input) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(model)) throw OnnxError("not an ONNX file, or a truncated one");
  if (!proto.has_graph() || proto.graph().node_size() == 0) {
    throw OnnxError("the file contains no graph", "is it an ONNX file?");
  }
  return GraphReader(proto, input).read();
}

}  // namespace jostle::profiles::onnx_reader
