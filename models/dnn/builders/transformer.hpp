// Parts of transformers (Vaswani et al., 2017), which encoders of text, images and sound share.
//
// A tensor has a position for each token. Sequences have no padding, so attention needs no mask for it. The
// factor 1/sqrt(depth) of the scores is part of the product.
#pragma once

#include <cstdint>
#include <string>

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

// The inputs of attention. The channels are divided among the heads; there may be more keys than queries.
struct Attention {
  Network::Node query, key, value;
  int heads;
  std::int64_t bias = 0;  // learned numbers that the scores are shifted by: a table of relative positions
  bool mask = false;      // hides some keys from some queries
  int views = 6;          // of its definition, beside cuts and merged heads (Layer::views): those of timm's
};
// The softmax of the products of queries and keys, times the values; the heads are merged.
[[nodiscard]] Network::Node attend(LayerBuilder& layers, const std::string& name, const Attention& of);

}  // namespace jostle::dnn
