// Boxes and scores from feature maps, as SSD and RetinaNet predict them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

// A feature map that boxes are predicted from, and the number of boxes at each of its positions.
struct BoxSource {
  Network::Node node;
  int boxes;
};

// For each source, one convolution predicts places and one predicts classes.
struct BoxPredictors {
  int classes;
  Sliding slide;
  bool sigmoid = false;  // used instead of softmax
};
// Ends the network with these predictors, decoding, and suppression of overlapping boxes.
void add_boxes(LayerBuilder& layers, std::span<const BoxSource> sources, const BoxPredictors& of);

// One number for each box and output, box by box, as the loss and the decoder need it.
[[nodiscard]] Network::Node by_box(LayerBuilder& layers, const std::string& name, Network::Node raw,
                                   int outputs);
// Converts places relative to default boxes to corners, for all levels together.
[[nodiscard]] Network::Node decode_boxes(LayerBuilder& layers, const std::vector<Network::Node>& places);
// Removes boxes that overlap ones of higher score.
void suppress_boxes(LayerBuilder& layers, Network::Node scores, Network::Node boxes);

}  // namespace jostle::dnn
