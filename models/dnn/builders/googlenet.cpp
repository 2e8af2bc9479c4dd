// GoogLeNet (Szegedy et al., 2014) as torchvision defines it: batch norm after every convolution, 3 x 3
// windows where the paper has 5 x 5, and without the auxiliary classifiers, which only training uses.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

// Channels of an inception module: those of the 1 x 1 branch; before and after each of two 3 x 3
// convolutions; those of the 1 x 1 convolution after a pool.
struct InceptionModule {
  const char* name;
  int plain, before_first, first, before_second, second, pooled;
  int pool = 0;  // window of the pool after the module; 0: none
};
constexpr std::array<InceptionModule, 9> googlenet_modules{{{"3a", 64, 96, 128, 16, 32, 32},
                                                            {"3b", 128, 128, 192, 32, 96, 64, 3},
                                                            {"4a", 192, 96, 208, 16, 48, 64},
                                                            {"4b", 160, 112, 224, 24, 64, 64},
                                                            {"4c", 128, 128, 256, 24, 64, 64},
                                                            {"4d", 112, 144, 288, 32, 64, 64},
                                                            {"4e", 256, 160, 320, 32, 128, 128, 2},
                                                            {"5a", 256, 160, 320, 32, 128, 128},
                                                            {"5b", 384, 192, 384, 48, 128, 128}}};

Node halve_up(LayerBuilder& layers, const std::string& name, Node from, int window) {
  return layers.max_pool(name, from, {.window = window, .stride = 2, .padding = 0, .ceil = true});
}

Node add_inception(LayerBuilder& layers, const InceptionModule& of, Node from) {
  const std::string name = std::string("inception") + of.name;
  const auto conv = [&](const char* part, Node node, int channels, int window) {
    return layers.conv_norm_activation(name + part, node, channels, {.window = window});
  };
  const Node plain = conv(".branch1", from, of.plain, 1);
  const Node first = conv(".branch2.1", conv(".branch2.0", from, of.before_first, 1), of.first, 3);
  const Node second = conv(".branch3.1", conv(".branch3.0", from, of.before_second, 1), of.second, 3);
  const Node pool = layers.max_pool(name + ".branch4.0", from, {.window = 3});
  return layers.concat(name, {plain, first, second, conv(".branch4.1", pool, of.pooled, 1)});
}

}  // namespace

Network build_googlenet(int input) {
  LayerBuilder layers;
  Node node =
      layers.conv_norm_activation("conv1", layers.input({3, input, input}), 64, {.window = 7, .stride = 2});
  node = layers.conv_norm_activation("conv2", halve_up(layers, "maxpool1", node, 3), 64, {.window = 1});
  node = halve_up(layers, "maxpool2", layers.conv_norm_activation("conv3", node, 192, {.window = 3}), 3);
  for (const InceptionModule& module : googlenet_modules) {
    node = add_inception(layers, module, node);
    if (module.pool > 0) node = halve_up(layers, std::string("maxpool") + module.name, node, module.pool);
  }
  (void)layers.linear("fc", layers.average_pool(node), 1000);
  return layers.take();
}

}  // namespace jostle::dnn
