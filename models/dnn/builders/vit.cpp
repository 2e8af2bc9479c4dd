// Vision transformers with patches of 16 x 16 and 1000 classes: ViT (Dosovitskiy et al., 2021), and DeiT
// (Touvron et al., 2021) without the token of its teacher, as timm defines them; ViT-B and ViT-L are also
// torchvision's.
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct VisionTransformer {
  const char* name;
  int width, heads, blocks = 12;
  bool torchvision = false;  // else timm's
};

Network vision_transformer(const VisionTransformer& of, int input) {
  constexpr int patch = 16;
  constexpr int trained_tokens = 1 + (224 / patch) * (224 / patch);  // positions are interpolated from these
  require_multiple(of.name, input, patch);
  LayerBuilder layers(Activation::gelu);
  const Node patches = layers.conv("patches", layers.input({3, input, input}), of.width,
                                   {.window = patch, .stride = patch, .padding = 0}, {.bias = true});
  const Shape shape = layers.shape(patches);
  Node node = layers.transpose("tokens", patches, {of.width, shape.height * shape.width});
  node = layers.add_learned("positions", layers.prepend_learned("class_token", node),
                            std::int64_t{of.width} * trained_tokens);
  for (int i = 0; i < of.blocks; ++i)
    node = add_encoder_block(layers, "block" + std::to_string(i), node,
                             {.heads = of.heads, .module = of.torchvision});
  node = layers.slice("first_token", layers.layer_norm(node), {of.width});
  (void)layers.linear("head", node, 1000);
  return layers.take();
}

}  // namespace

Network build_deit_tiny(int input) {
  return vision_transformer({"deit_tiny", 192, 3}, input);
}
Network build_vit_small(int input) {
  return vision_transformer({"vit_small", 384, 6}, input);
}
Network build_vit_base(int input) {
  return vision_transformer({"vit_base", 768, 12, 12, true}, input);
}
Network build_vit_large(int input) {
  return vision_transformer({"vit_large", 1024, 16, 24, true}, input);
}

}  // namespace jostle::dnn
