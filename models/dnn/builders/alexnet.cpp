// AlexNet (Krizhevsky, 2014: the one-column variant) as torchvision defines it.
#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {

Network build_alexnet(int input) {
  constexpr Sliding pool{.window = 3, .stride = 2, .padding = 0};
  constexpr int side = 6;  // side of the classifier's input
  LayerBuilder layers;
  auto node = layers.conv_bias_activation("conv1", layers.input({3, input, input}), 64,
                                          {.window = 11, .stride = 4, .padding = 2});
  node = layers.conv_bias_activation("conv2", layers.max_pool("pool1", node, pool), 192, {.window = 5});
  node = layers.conv_bias_activation("conv3", layers.max_pool("pool2", node, pool), 384, {.window = 3});
  node = layers.conv_bias_activation("conv4", node, 256, {.window = 3});
  node = layers.conv_bias_activation("conv5", node, 256, {.window = 3});
  node = layers.average_pool_to(layers.max_pool("pool5", node, pool), side);
  node = layers.reshape("flatten", node, {256 * side * side});
  node = layers.activation(layers.linear("fc6", node, 4096));
  node = layers.activation(layers.linear("fc7", node, 4096));
  (void)layers.linear("fc8", node, 1000);
  return layers.take();
}

}  // namespace jostle::dnn
