// Converts the graph of an ONNX file to the layers of a network.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/layout.hpp"
#include "profiles/onnx/notes.hpp"
#include "profiles/onnx/operators.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using dnn::Layer;
using dnn::Network;
using dnn::Op;
using dnn::Shape;
using input::printable;

// The limit on multiply-accumulates for one image: far beyond any network, and thousands of such images still
// fit 64 bits.
constexpr double max_macs = 1e14;
// The share of a network that is not understood, at least, where it is not known which of its parts run.
constexpr double least_missing = 0.01;

std::string layer_shown(const Node& node) {
  return fmt::format("node '{}' ({})", printable(node.name), printable(node.type));
}

int whole(std::int64_t size) {
  return static_cast<int>(std::clamp<std::int64_t>(size, 1, INT32_MAX));
}

bool is_recurrent(const Node& node) {
  return node.type == "LSTM" || node.type == "GRU" || node.type == "RNN";
}
// True if a recurrent layer reads the input, whose first dimension is then its steps and the second the
// batch.
bool is_steps_first(const Graph& graph, ValueId id) {
  return std::ranges::any_of(graph.nodes, [id](const Node& node) {
    return is_recurrent(node) && node.input(0) == id && node.integer("layout", 0) == 0;
  });
}

// True if the input holds weights of recurrent layers, which have no batch.
bool is_recurrent_weights(const Graph& graph, ValueId id) {
  return std::ranges::any_of(graph.nodes, [id](const Node& node) {
    return is_recurrent(node) && node.input(0) != id &&
           std::ranges::find(node.inputs, id) != node.inputs.end();
  });
}

// The number of images in the file's shapes: the first dimension of its inputs, if the outputs have the same.
std::int64_t batch_of(const Graph& graph) {
  const Value* first = nullptr;
  std::int64_t batch = 1;
  bool by_steps = false;
  for (const ValueId id : graph.inputs) {
    const Value& input = graph.values[id];
    if (input.dims.size() < 2 || is_recurrent_weights(graph, id)) continue;
    const bool steps_first = is_steps_first(graph, id);
    const std::int64_t own = input.dims[steps_first ? 1 : 0];
    by_steps |= steps_first;
    if (first == nullptr) {
      first = &input;
      batch = own;
    }
    if (own % std::max<std::int64_t>(batch, 1) != 0) {
      throw OnnxError(fmt::format("inputs '{}' and '{}' have different batches, {} and {}",
                                  printable(first->name), printable(input.name), batch, own),
                      "export the network with a batch of 1 or an open batch dimension");
    }
  }
  if (batch <= 1) return 1;
  for (const ValueId id : graph.outputs) {
    const Dims& dims = graph.values[id].dims;
    if (by_steps || dims.empty() || dims.front() % batch == 0) continue;
    throw OnnxError(
        fmt::format("the first dimension of input '{}' is {}, but that of output '{}' is {}: not a batch",
                    printable(first->name), batch, printable(graph.values[id].name), dims.front()),
        "export the network with a batch of 1 or an open batch dimension");
  }
  return batch;
}

class Lowering {
 public:
  explicit Lowering(const Graph& graph)
      : graph_(graph),
        batch_(batch_of(graph)),
        layouts_(layouts(graph)),
        nodes_(graph.values.size()),
        read_(graph.values.size(), false),
        learned_(graph.values.size(), false),
        eight_bit_(graph.values.size(), false) {
    for (const Node& node : graph.nodes) {
      for (const ValueId id : node.inputs) {
        if (id != none) read_[id] = true;
      }
    }
    for (const ValueId id : graph.outputs) read_[id] = true;
    for (const Node& node : graph.nodes) {
      if (node.type != "DequantizeLinear" || node.outputs.front() == none) continue;
      const ValueId from = node.input(0);
      if (from != none && value(from).element == Element::other)
        short_floats_ = node.name;
      else
        eight_bit_[node.outputs.front()] = true;
    }
  }

  Layers run() {
    for (const ValueId id : graph_.inputs) {
      const Shape shape = shape_in(id, layouts_[id]);
      const bool first = id == graph_.inputs.front();
      nodes_[id] = put({.name = value(id).name,
                        .op = Op::input,
                        .in = shape,
                        .out = shape,
                        .views = first ? graph_.constant_views : 0,
                        .copies = first ? graph_.constant_kernels : 0},
                       {});
    }
    for (const Node& node : graph_.nodes) add(node);
    if (network_.size() == graph_.inputs.size())
      throw OnnxError("nothing in the graph depends on its inputs");
    std::vector<std::string> warnings = notes_.sentences();
    for (const OpenBranch& open : graph_.open_branches)
      warnings.insert(
          warnings.begin(),
          fmt::format("operator If: its condition is not known before the network runs; counted as if it "
                      "took its {} branch, which has no fewer nodes than the other (node '{}')",
                      open.taken, printable(open.node)));
    if (!short_floats_.empty())
      warnings.push_back(fmt::format(
          "its numbers of fp8 or of four bits are computed in the precision of the process (node '{}')",
          printable(short_floats_)));
    if (std::string sentence = understanding_.sentence(); !sentence.empty())
      warnings.insert(warnings.begin(), std::move(sentence));
    return {std::move(network_), batch_, std::move(warnings),
            std::max(understanding_.missing(), graph_.open_branches.empty() ? 0.0 : least_missing)};
  }

 private:
  [[nodiscard]] const Value& value(ValueId id) const { return graph_.values[id]; }
  [[nodiscard]] Shape shape_in(ValueId id, Layout layout) const {
    return shape_of(value(id), layout, batch_);
  }
  [[nodiscard]] Shape shape(ValueId id) const { return shape_in(id, layouts_[id]); }

  Network::Node put(const Layer& layer, const std::vector<Network::Node>& inputs) {
    const double work = static_cast<double>(std::max(layer.in.elements(), layer.out.elements())) *
                        std::max(1, std::max(layer.in.channels / layer.groups, layer.depth)) *
                        static_cast<double>(layer.window_area());
    const bool counts = layer.op == Op::conv || layer.op == Op::conv_transpose || layer.op == Op::linear ||
                        layer.op == Op::matmul;
    if (counts) macs_ += work;
    if (macs_ > max_macs) {
      throw OnnxError(
          fmt::format("'{}': more than {:g} multiplications per image", printable(layer.name), max_macs));
    }
    understanding_.count(layer);
    return network_.add(layer, inputs);
  }

  // The inputs that are results of other layers.
  [[nodiscard]] std::vector<ValueId> made_inputs(const Node& node) const {
    std::vector<ValueId> made;
    for (const ValueId id : node.inputs) {
      if (id != none && nodes_[id]) made.push_back(id);
    }
    return made;
  }

  // The layer that makes a value, or a view of its result if that has another shape.
  Network::Node node_as(ValueId id, const Shape& wanted) {
    const Network::Node made = *nodes_[id];
    const Shape has = network_.layer(made).out;
    if (has == wanted) return made;
    return put(
        {.name = value(id).name + ".view", .op = Op::reshape, .in = has, .out = wanted, .inside = true},
        {made});
  }

  // The first output that is named; a recurrent layer may give its last state alone.
  [[nodiscard]] static ValueId output_of(const Node& node) {
    for (const ValueId id : node.outputs)
      if (id != none) return id;
    throw OnnxError(layer_shown(node) + " has no output");
  }

  void add(const Node& node) {
    const Operator& known = operator_of(node.type);
    const ValueId output = output_of(node);
    if (node.outputs.front() == none && known.kind != Kind::chain && known.kind != Kind::split &&
        known.kind != Kind::bytes && known.kind != Kind::unknown)
      throw OnnxError(layer_shown(node) + " has no output");
    understanding_.begin(known.kind != Kind::unknown && !node.guessed);
    if (known.kind == Kind::unknown)
      notes_.add(node, "unknown operator, its cost is that of the bytes it moves");
    if (node.guessed) notes_.add(node, "unknown result shape, assumed to be that of its first input");
    std::vector<ValueId> made = made_inputs(node);
    if (known.kind == Kind::alias && !made.empty()) {
      nodes_[output] = nodes_[made.front()];
      return;
    }
    if (known.kind == Kind::split) {
      add_split(node, made);
      return;
    }
    if (known.kind == Kind::chain && add_chain(node, made, output)) return;
    if (known.kind == Kind::elementwise) {
      // The result overwrites the largest operand, so that comes first.
      std::ranges::stable_sort(made, std::greater<>{}, [this](ValueId id) { return value(id).elements(); });
    }
    Layer layer{.name = node.name,
                .op = known.op,
                .in = {},
                .out = shape(output),
                .inside = node.inside,
                .views = node.views,
                .copies = node.copies};
    std::vector<Network::Node> inputs;
    if (made.empty()) {
      layer.in = node.input(0) == none ? layer.out : shape(node.input(0));
    } else {
      const bool rearranged = known.kind == Kind::view || known.kind == Kind::transpose ||
                              value(made.front()).dims.size() != value(output).dims.size();
      const Layout reads = rearranged ? layouts_[made.front()] : layouts_[output];
      layer.in =
          shape_in(made.front(),
                   known.kind == Kind::product || known.kind == Kind::convolution ? layouts_[output] : reads);
      inputs.push_back(node_as(made.front(), layer.in));
    }
    for (std::size_t i = 1; i < made.size(); ++i) inputs.push_back(*nodes_[made[i]]);
    describe(node, known, layer);
    if (layer.op == Op::slice) {  // a call of its own, unlike the parts of a split
      layer.inside = true;
      ++layer.views;
    }
    layer.eight_bit = is_eight_bit(node, known);
    const Network::Node here = put(layer, inputs);
    nodes_[output] = here;
    add_further_outputs(node, output, here);
  }

  // Adds layers one after another. Returns false if they cannot be derived from the node's inputs.
  bool add_chain(const Node& node, const std::vector<ValueId>& made, ValueId output) {
    const std::vector<Layer> chain = chain_of(node, graph_.values, batch_);
    if (chain.empty() || made.empty()) return false;
    std::vector<Network::Node> inputs{node_as(made.front(), chain.front().in)};
    for (std::size_t i = 1; i < made.size(); ++i) inputs.push_back(*nodes_[made[i]]);
    for (const Layer& layer : chain) inputs = {put(layer, inputs)};
    Network::Node here = inputs.front();
    if (const Shape has = chain.back().out, wanted = shape(output); has != wanted)
      here = put({.name = node.name + ".view", .op = Op::reshape, .in = has, .out = wanted, .inside = true},
                 {here});
    nodes_[output] = here;
    add_further_outputs(node, output, here);
    return true;
  }

  // Each output that is read becomes a slice of its own.
  void add_split(const Node& node, const std::vector<ValueId>& made) {
    if (made.empty()) return;  // parts of something that is known before the network runs
    const Shape in = shape(made.front());
    const Network::Node whole_tensor = node_as(made.front(), in);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id == none || !read_[id]) continue;
      nodes_[id] =
          put({.name = fmt::format("{}.{}", node.name, i), .op = Op::slice, .in = in, .out = shape(id)},
              {whole_tensor});
    }
  }

  void add_further_outputs(const Node& node, ValueId first, Network::Node here) {
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id == none || id == first || !read_[id]) continue;
      nodes_[id] = put({.name = fmt::format("{}.{}", node.name, i),
                        .op = Op::slice,
                        .in = network_.layer(here).out,
                        .out = shape(id)},
                       {here});
    }
  }

  // True if a product multiplies integers, or reads what was stored in 8 bits just before (Q/DQ). Weights are
  // then stored so too; their conversion is folded.
  [[nodiscard]] bool is_eight_bit(const Node& node, const Operator& known) const {
    if (known.kind != Kind::convolution && known.kind != Kind::product) return false;
    return known.eight_bit || (node.input(0) != none && eight_bit_[node.input(0)]);
  }

  // Parameters of the layer from the attributes of the operator.
  void describe(const Node& node, const Operator& known, Layer& layer) {
    switch (known.kind) {
      case Kind::convolution:
        describe_convolution(node, known, layer);
        break;
      case Kind::product:
        describe_product(node, known, layer);
        break;
      case Kind::pool:
        set_window(layer, node.integers("kernel_shape"));
        layer.stride = stride_of(node);
        break;
      case Kind::global_pool:
        layer.window = std::max(layer.in.height, 1);
        if (layer.in.width != layer.in.height) layer.window_width = layer.in.width;
        break;
      case Kind::reduction:
        if (reduces_plane(node)) {
          layer.window = std::max(layer.in.height, 1);
          if (layer.in.width != layer.in.height) layer.window_width = layer.in.width;
        } else {
          layer.op = Op::other;
        }
        break;
      case Kind::transpose:
        if (keeps_order(node)) layer.op = Op::reshape;
        break;
      case Kind::gather:
        describe_gather(node, layer);
        break;
      case Kind::elementwise:
        layer.activation = known.activation;
        if (node.type == "Clip" && clips_at_zero(node)) layer.activation = dnn::Activation::relu6;
        add_stored(node, layer);
        break;
      case Kind::concat:
      case Kind::chain:
      case Kind::bytes:
      case Kind::unknown:
        add_stored(node, layer);
        break;
      default:
        break;
    }
  }

  static int stride_of(const Node& node) { return whole(node.integer("strides", 1)); }

  static void set_window(Layer& layer, const std::vector<std::int64_t>& window) {
    if (window.empty()) return;
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < window.size(); ++axis)
      rows *= std::min(window[axis], std::int64_t{1} << 20U);
    if (window.size() == 1) {
      layer.window = whole(window.front());
      layer.window_width = 1;
      return;
    }
    layer.window = whole(rows);
    if (window.back() != rows) layer.window_width = whole(window.back());
    layer.volume = window.size() == 3;
  }

  void describe_convolution(const Node& node, const Operator& known, Layer& layer) {
    const ValueId id = node.input(static_cast<std::size_t>(known.weights));
    if (id == none || value(id).dims.size() < 3)
      throw OnnxError(layer_shown(node) + " needs weights of three or more dimensions");
    const Dims& weights = value(id).dims;
    layer.groups = whole(node.integer("group", 1));
    const bool transposed = layer.op == Op::conv_transpose;
    const std::int64_t in = transposed ? weights[0] : weights[1] * layer.groups;
    const std::int64_t out = transposed ? weights[1] * layer.groups : weights[0];
    if (in != layer.in.channels || out != layer.out.channels || out % layer.groups != 0 ||
        in % layer.groups != 0) {
      throw OnnxError(
          fmt::format("{}: weights for {} to {} channels in {} groups do not match {} to {} channels",
                      layer_shown(node), in, out, layer.groups, layer.in.channels, layer.out.channels));
    }
    set_window(layer, {weights.begin() + 2, weights.end()});
    layer.stride = stride_of(node);
    layer.dilation = whole(node.integer("dilations", 1));
    layer.shared = is_learned_again(id);
    const ValueId bias = known.bias >= 0 ? node.input(static_cast<std::size_t>(known.bias)) : none;
    layer.bias = bias != none;
    layer.folded_norm = layer.bias && is_made_by_exporter(value(bias).name);
  }

  // True for a name that PyTorch's exporter gives to what it computed itself, such as onnx::Conv_611; weights
  // of the network are named after their modules.
  [[nodiscard]] static bool is_made_by_exporter(std::string_view name) {
    return name.starts_with("onnx::") ||
           (!name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }));
  }

  void describe_product(const Node& node, const Operator& known, Layer& layer) {
    const ValueId left = node.input(0), right = node.input(static_cast<std::size_t>(known.weights));
    if (left == none || right == none) throw OnnxError(layer_shown(node) + " needs two factors");
    const Dims& out = value(node.outputs.front()).dims;
    const Dims& first = value(left).dims;
    const bool across = node.integer("transA", 0) != 0;
    if (first.empty()) throw OnnxError(layer_shown(node) + " multiplies by a scalar");
    const std::int64_t depth = across && first.size() > 1 ? first[first.size() - 2] : first.back();
    layer.bias = known.bias >= 0 && node.input(static_cast<std::size_t>(known.bias)) != none;
    if (is_linear(graph_, node) && !across && depth == layer.in.channels) {
      layer.shared = is_learned_again(right);
      return;
    }
    layer.op = Op::matmul;
    layer.depth = whole(depth);
    const std::int64_t columns = out.empty() ? 1 : out.back();
    layer.groups = out.size() > 2 && columns > 0 ? whole(layer.out.channels / columns) : 1;
    add_stored(node, layer);
  }

  // True if an earlier layer has these weights. Remembers them.
  bool is_learned_again(ValueId weights) {
    const bool before = learned_[weights];
    learned_[weights] = true;
    return before;
  }

  void describe_gather(const Node& node, Layer& layer) const {
    if (picks_rows(node, graph_.values)) {
      layer.depth = whole(value(node.input(0)).dims.front());
      return;
    }
    const bool fixed = node.input(1) != none && value(node.input(1)).constant;
    layer.op = fixed ? Op::slice : Op::other;
  }

  // Counts learned numbers among the operands; scalars and shapes do not count.
  void add_stored(const Node& node, Layer& layer) const {
    for (const ValueId id : node.inputs) {
      if (id == none || nodes_[id] || value(id).element != Element::real || value(id).elements() < 2)
        continue;
      layer.stored += value(id).elements();
    }
  }

  [[nodiscard]] bool reduces_plane(const Node& node) const {
    const ValueId from = node.input(0);
    if (from == none || value(from).dims.size() < 4 || layouts_[from] != Layout::first) return false;
    const auto rank = static_cast<std::int64_t>(value(from).dims.size());
    std::vector<std::int64_t> axes = node.integers("axes");
    if (node.input(1) != none && value(node.input(1)).numbers) {
      for (const double axis : *value(node.input(1)).numbers) axes.push_back(static_cast<std::int64_t>(axis));
    }
    std::vector<std::int64_t> plane;
    for (std::int64_t axis = 2; axis < rank; ++axis) plane.push_back(axis);
    for (std::int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
    std::ranges::sort(axes);
    return axes == plane;
  }

  // True if a transposition moves only dimensions of length one.
  [[nodiscard]] bool keeps_order(const Node& node) const {
    if (node.input(0) == none) return false;
    const Dims& dims = value(node.input(0)).dims;
    std::vector<std::int64_t> order = node.integers("perm");
    std::erase_if(order, [&dims](std::int64_t axis) {
      return axis >= 0 && axis < static_cast<std::int64_t>(dims.size()) &&
             dims[static_cast<std::size_t>(axis)] == 1;
    });
    const bool reversed = node.integers("perm").empty();
    return !reversed && std::ranges::is_sorted(order);
  }

  [[nodiscard]] bool clips_at_zero(const Node& node) const {
    const ValueId least = node.input(1);
    if (least != none) return value(least).numbers == Numbers{0};
    return node.attributes.contains("min") && node.real("min", 1) == 0;
  }

  const Graph& graph_;
  std::int64_t batch_;
  std::vector<Layout> layouts_;
  std::vector<std::optional<Network::Node>> nodes_;  // for each value: the layer that makes it
  std::vector<bool> read_;
  std::vector<bool> learned_;    // for each value: weights of a layer
  std::string short_floats_;     // the last node that dequantises numbers that are no int8
  std::vector<bool> eight_bit_;  // for each value: it was stored in 8 bits just before
  Network network_;
  Notes notes_;
  Understanding understanding_;
  double macs_ = 0;
};

}  // namespace

Layers layers_of(const Graph& graph) {
  return Lowering(graph).run();
}

}  // namespace jostle::profiles::onnx_reader
