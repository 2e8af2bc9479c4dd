// SqueezeNet (Iandola et al., 2016) as torchvision defines it.
#include <array>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

// The eight fire modules: channels inside, and channels of each of the two convolutions that are
// concatenated.
struct FireModule {
  int squeeze, expand;
};
constexpr std::array<FireModule, 8> fire_modules{
    {{16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}}};

struct SqueezeNetVersion {
  int channels, window;        // channels and window of the first convolution
  std::array<int, 2> pools{};  // numbers of the fire modules before which there are further pools
};

Node add_fire(LayerBuilder& layers, const std::string& name, Node from, const FireModule& of) {
  const Node narrow = layers.conv_bias_activation(name + ".squeeze", from, of.squeeze, {.window = 1});
  const Node one = layers.conv_bias_activation(name + ".expand1x1", narrow, of.expand, {.window = 1});
  const Node three = layers.conv_bias_activation(name + ".expand3x3", narrow, of.expand, {.window = 3});
  return layers.concat(name, {one, three});
}

Network squeezenet(int input, const SqueezeNetVersion& version) {
  LayerBuilder layers;
  const auto pool = [&layers](const std::string& name, Node from) {
    return layers.max_pool(name, from, {.window = 3, .stride = 2, .padding = 0, .ceil = true});
  };
  Node node = layers.conv_bias_activation("conv1", layers.input({3, input, input}), version.channels,
                                          {.window = version.window, .stride = 2, .padding = 0});
  node = pool("pool1", node);
  int number = 2;
  for (const FireModule& fire : fire_modules) {
    for (const int before : version.pools)
      if (before == number) node = pool("pool" + std::to_string(number), node);
    node = add_fire(layers, "fire" + std::to_string(number++), node, fire);
  }
  node = layers.average_pool(layers.conv_bias_activation("conv10", node, 1000, {.window = 1}));
  (void)layers.reshape("flatten", node, {1000});
  return layers.take();
}

}  // namespace

Network build_squeezenet1_0(int input) {
  return squeezenet(input, {96, 7, {5, 9}});
}
Network build_squeezenet1_1(int input) {
  return squeezenet(input, {64, 3, {4, 6}});
}

}  // namespace jostle::dnn
