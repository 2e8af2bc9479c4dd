// A network of nothing but dense products, as benchmarks of matrix products run them.
#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {

Network build_products(int width, int count) {
  LayerBuilder layers;
  auto node = layers.input({width, 1, 1});
  for (int i = 0; i < count; ++i) node = layers.linear("product" + std::to_string(i), node, width, false);
  return layers.take();
}

}  // namespace jostle::dnn
