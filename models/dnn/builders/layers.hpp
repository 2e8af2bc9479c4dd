// Adds layers to a network one after another and computes the shapes, so that a builder reads like the paper.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

// The way in which a convolution or pool slides. `padding` < 0: the padding that keeps the size at stride 1.
struct Sliding {
  int window = 1;
  int stride = 1;
  int padding = -1;
  int dilation = 1;
  bool ceil = false;  // a last, partial step also counts
  int width = 0;      // width of the window; 0: it is square
};

// Properties of a convolution.
struct Filter {
  int groups = 1;
  bool bias = false;
  bool shared = false;  // it shares the weights of an earlier layer
  // In three dimensions: the input is a cube, whose height is depth x height (Layer::volume).
  bool volume = false;
};

// The caller names a layer, or it is named after the layer that it follows ("conv1.batch_norm",
// "conv1.activation"; a second one "conv1.activation2"). Every member throws std::invalid_argument for
// incompatible shapes; if the network's input is the cause, the message says so.
class LayerBuilder {
 public:
  using Node = Network::Node;

  // `usual` is the default of activation().
  explicit LayerBuilder(Activation usual = Activation::relu) : usual_(usual) {}

  [[nodiscard]] Node input(Shape shape);
  [[nodiscard]] Node conv(std::string_view name, Node from, int channels, Sliding sliding,
                          Filter filter = {});
  // The result is larger than the input: each position becomes stride x stride positions.
  [[nodiscard]] Node conv_transpose(std::string_view name, Node from, int channels, Sliding sliding,
                                    Filter filter = {});
  [[nodiscard]] Node linear(std::string_view name, Node from, int channels, bool bias = true);
  // `groups` parallel linear layers: each maps its part of the input channels to its part of the output
  // channels.
  [[nodiscard]] Node linear_groups(std::string_view name, Node from, int channels, int groups);
  // Layer::views and Layer::inside of the next layer.
  struct Host {
    int views = 0;
    bool inside = false;
  };
  void next(Host host) { host_ = host; }
  struct Heads {
    int heads, depth;
  };
  // One matrix product per head. At every position of a, the head's channels of a are multiplied by the
  // head's matrix in b. `out` has heads x (columns of the head's product) channels.
  [[nodiscard]] Node matmul(std::string_view name, Node a, Node b, Heads heads_of, Shape out);
  [[nodiscard]] Node embedding(std::string_view name, Node tokens, int rows, int channels);

  [[nodiscard]] Node batch_norm(Node from);
  [[nodiscard]] Node layer_norm(Node from);  // also for other norms that compute the mean at run time
  [[nodiscard]] Node activation(Node from) { return activation(from, usual_); }
  [[nodiscard]] Node activation(Node from, Activation kind);
  [[nodiscard]] Node softmax(Node from);

  [[nodiscard]] Node add(Node a, Node b);
  // The elementwise product (or quotient) of a and b. b may have fewer channels, each of which applies to
  // several channels of a, and a single position, which applies to all positions of a.
  [[nodiscard]] Node multiply(Node a, Node b);
  [[nodiscard]] Node add_constant(std::string_view name, Node from);
  // Adds a tensor of the shape of `from` that is computed from `numbers` learned numbers.
  [[nodiscard]] Node add_learned(std::string_view name, Node from, std::int64_t numbers);
  [[nodiscard]] Node multiply_by_constant(std::string_view name, Node from);
  [[nodiscard]] Node scale_channels(std::string_view name, Node from);  // by a learned factor each

  [[nodiscard]] Node max_pool(std::string_view name, Node from, Sliding sliding);
  [[nodiscard]] Node average_pool(std::string_view name, Node from, Sliding sliding);
  // Pools with the window that gives `size` x `size` (torchvision's adaptive pool): 1 for the whole plane.
  [[nodiscard]] Node average_pool_to(std::string_view name, Node from, int size);
  [[nodiscard]] Node resize(std::string_view name, Node from, int height, int width);

  [[nodiscard]] Node concat(std::string_view name, const std::vector<Node>& parts);  // along channels
  [[nodiscard]] Node concat_positions(std::string_view name,
                                      const std::vector<Node>& parts);  // along the height
  // Prepends learned positions.
  [[nodiscard]] Node prepend_learned(std::string_view name, Node from, int positions = 1);
  [[nodiscard]] Node slice(std::string_view name, Node from, Shape part);
  // A slice of `count` channels, at every position.
  [[nodiscard]] Node channels(std::string_view name, Node from, int count);
  [[nodiscard]] Node reshape(std::string_view name, Node from, Shape shape);
  [[nodiscard]] Node transpose(std::string_view name, Node from, Shape shape);
  [[nodiscard]] Node other(std::string_view name, std::initializer_list<Node> inputs, Shape out);

  [[nodiscard]] Shape shape(Node node) const { return network_.layer(node).out; }
  [[nodiscard]] Network take() { return std::move(network_); }

 private:
  Node put(Layer layer, std::span<const Node> inputs);     // sets `in`
  Node follow(Layer layer, std::span<const Node> inputs);  // sets `in`, and the name from the first input
  Node rearrange(Op op, std::string_view name, Node from, Shape shape);
  Node slide(const Layer& as, Node from, Sliding sliding, Filter filter);  // sets window and stride
  Node pool(Op op, std::string_view name, Node from, Sliding sliding);

  Activation usual_;
  Network network_;
  Host host_;
  std::map<std::string, int> followers_;  // number of layers that follow under each name
  std::vector<Node> named_after_;  // for each node: the node whose name is the prefix of its followers' names
};

// Throws std::invalid_argument for more than `most` tokens or frames, as `unit` says.
void require_at_most(std::string_view network, int input, int most, std::string_view unit);

}  // namespace jostle::dnn
