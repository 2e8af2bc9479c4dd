// Inception v3 (Szegedy et al., 2015) as torchvision defines it, without the auxiliary classifier, which only
// training uses.
#include <array>
#include <vector>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct InceptionPart {
  int channels;
  Sliding slide;
};

// Adds the modules, each a set of branches that are concatenated.
class InceptionV3 {
 public:
  Network build(int input) {
    constexpr Sliding inside{.window = 3, .padding = 0};  // the plane shrinks by one on each side
    Node node = chain("stem.0", layers_.input({3, input, input}), {{32, halve}, {32, inside}, {64, three}});
    node = layers_.max_pool("stem.pool0", node, halve);
    node = chain("stem.1", node, {{80, one}, {192, inside}});
    node = layers_.max_pool("stem.pool1", node, halve);
    node = windows("mixed_5b", node, 32);
    node = windows("mixed_5c", node, 64);
    node = windows("mixed_5d", node, 64);
    node = smaller("mixed_6a", node, {{384, halve}}, {{64, one}, {96, three}, {96, halve}});
    node = factors("mixed_6b", node, 128);
    node = factors("mixed_6c", node, 160);
    node = factors("mixed_6d", node, 160);
    node = factors("mixed_6e", node, 192);
    node = smaller("mixed_7a", node, {{192, one}, {320, halve}},
                   {{192, one}, {192, row}, {192, column}, {192, halve}});
    node = forks("mixed_7b", node);
    node = forks("mixed_7c", node);
    (void)layers_.linear("fc", layers_.average_pool(node), 1000);
    return layers_.take();
  }

 private:
  static constexpr Sliding one{.window = 1}, three{.window = 3}, five{.window = 5};
  static constexpr Sliding row{.window = 1, .width = 7}, column{.window = 7, .width = 1};
  static constexpr Sliding short_row{.window = 1, .width = 3}, short_column{.window = 3, .width = 1};
  static constexpr Sliding halve{.window = 3, .stride = 2, .padding = 0};

  // Convolutions one after another.
  Node chain(const std::string& name, Node node, const std::vector<InceptionPart>& parts) {
    int number = 0;
    for (const InceptionPart& part : parts)
      node = layers_.conv_norm_activation(name + "." + std::to_string(number++), node, part.channels,
                                          part.slide);
    return node;
  }

  Node pooled(const std::string& name, Node from, int channels) {
    return chain(name + ".pool", layers_.average_pool(name + ".average", from, three), {{channels, one}});
  }

  // Branches with one window of 5 x 5, and with two of 3 x 3.
  Node windows(const std::string& name, Node from, int channels) {
    return layers_.concat(
        name,
        {chain(name + ".1x1", from, {{64, one}}), chain(name + ".5x5", from, {{48, one}, {64, five}}),
         chain(name + ".3x3dbl", from, {{64, one}, {96, three}, {96, three}}), pooled(name, from, channels)});
  }

  Node smaller(const std::string& name, Node from, const std::vector<InceptionPart>& first,
               const std::vector<InceptionPart>& second) {
    const Node one_branch = chain(name + ".first", from, first);
    const Node other_branch = chain(name + ".second", from, second);
    return layers_.concat(name, {one_branch, other_branch, layers_.max_pool(name + ".max", from, halve)});
  }

  // Branches with windows of 7 x 7, factored into a row and a column, with `inside` channels inside.
  Node factors(const std::string& name, Node from, int inside) {
    return layers_.concat(
        name, {chain(name + ".1x1", from, {{192, one}}),
               chain(name + ".7x7", from, {{inside, one}, {inside, row}, {192, column}}),
               chain(name + ".7x7dbl", from,
                     {{inside, one}, {inside, column}, {inside, row}, {inside, column}, {192, row}}),
               pooled(name, from, 192)});
  }

  // Branches that end with a row and a column beside each other.
  Node forks(const std::string& name, Node from) {
    const Node plain = chain(name + ".1x1", from, {{320, one}});
    const auto fork = [&](const std::string& branch, Node node) {
      return layers_.concat(branch, {chain(branch + ".row", node, {{384, short_row}}),
                                     chain(branch + ".column", node, {{384, short_column}})});
    };
    const Node once = fork(name + ".3x3", chain(name + ".before", from, {{384, one}}));
    const Node twice = fork(name + ".3x3dbl", chain(name + ".before_dbl", from, {{448, one}, {384, three}}));
    return layers_.concat(name, {plain, once, twice, pooled(name, from, 192)});
  }

  LayerBuilder layers_;
};

}  // namespace

Network build_inception_v3(int input) {
  return InceptionV3().build(input);
}

}  // namespace jostle::dnn
