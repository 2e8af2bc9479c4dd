// The encoder of Whisper (Radford et al., 2022) as Hugging Face's transformers define it: from a spectrogram
// of 80 bands, large of 128, to a vector for every second frame.
#include <stdexcept>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct WhisperEncoder {
  const char* name;
  int blocks, width, heads, bands = 80;
};

Network whisper_encoder(const WhisperEncoder& of, int frames) {
  constexpr int positions = 1500;
  if (frames < 1 || frames > 2 * positions) {
    throw std::invalid_argument("an input of " + std::to_string(frames) + " frames: " + of.name +
                                " takes 1 to " + std::to_string(2 * positions));
  }
  LayerBuilder layers(Activation::gelu);
  const auto conv = [&](const char* name, Node from, int stride) {
    return layers.conv_bias_activation(name, from, of.width, {.window = 3, .stride = stride, .width = 1});
  };
  Node node = conv("conv2", conv("conv1", layers.input({of.bands, frames}), 1), 2);
  node = layers.transpose("tokens", node, layers.shape(node));
  node = layers.add_learned("positions", node, std::int64_t{positions} * of.width);
  for (int i = 0; i < of.blocks; ++i)
    node = add_encoder_block(layers, "block" + std::to_string(i), node,
                             {.heads = of.heads, .projection = Projection::separate});
  (void)layers.layer_norm(node);
  return layers.take();
}

}  // namespace

Network build_whisper_tiny(int frames) {
  return whisper_encoder({"whisper_tiny", 4, 384, 6}, frames);
}
Network build_whisper_base(int frames) {
  return whisper_encoder({"whisper_base", 6, 512, 8}, frames);
}

Network build_whisper_small(int frames) {
  return whisper_encoder({"whisper_small", 12, 768, 12}, frames);
}
Network build_whisper_large_v3_turbo(int frames) {
  return whisper_encoder({"whisper_large_v3_turbo", 32, 1280, 20, 128}, frames);
}

}  // namespace jostle::dnn
