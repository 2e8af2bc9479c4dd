// What the tensors between layers need: small networks by hand, the laws of liveness, and one that TensorRT
// was seen to allocate.

#include <gtest/gtest.h>

#include <array>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/memory/arena.hpp"

namespace jostle::memory {
namespace JOSTLE_FILE {

using dnn::Lowering;
using dnn::Network;
using dnn::Op;
using dnn::Shape;
using Node = Network::Node;

const Storage fp32{.element_bytes = 4};
const Storage fp16{.element_bytes = 2, .channel_multiple = 8};
const Storage pytorch{.element_bytes = 4, .lowering = Lowering::framework};

// Layers of 8 channels of 10 x 10 positions: 3200 bytes a tensor in fp32, 1600 in fp16.
const Shape shape{8, 10, 10};
constexpr double tensor = 3200;

Node add(Network& network, Op op, std::initializer_list<Node> inputs, Shape out = shape) {
  const Shape in = inputs.size() == 0 ? out : network.layer(*inputs.begin()).out;
  return network.add({.name = "", .op = op, .in = in, .out = out},
                     std::vector<Node>(inputs.begin(), inputs.end()));
}

TEST(Arena, of_a_chain_holds_what_is_read_and_what_is_written) {
  Network chain;
  Node last = add(chain, Op::input, {});
  for (int i = 0; i < 5; ++i) last = add(chain, Op::conv, {last});
  // Input and output are the caller's.
  EXPECT_EQ(peak_activation_bytes(chain, fp32), 2 * tensor);
  // A copy of the input in half precision, and the output before it is brought back, change no peak here.
  EXPECT_EQ(peak_activation_bytes(chain, fp16), 2 * tensor / 2);
}

TEST(Arena, of_one_layer_is_nothing_but_copies) {
  Network one;
  (void)add(one, Op::conv, {add(one, Op::input, {})});
  EXPECT_EQ(peak_activation_bytes(one, fp32), 0);
  EXPECT_EQ(peak_activation_bytes(one, fp16), tensor);
  EXPECT_EQ(peak_activation_bytes(one, pytorch), 2 * tensor);
}

TEST(Arena, folds_what_follows_a_convolution_into_its_place) {
  Network folded;
  const Node stem = add(folded, Op::conv, {add(folded, Op::input, {})});
  const Node conv = add(folded, Op::conv, {stem});
  const Node norm = add(folded, Op::batch_norm, {conv});
  const Node sum = add(folded, Op::add, {norm, stem});
  const Node relu = add(folded, Op::activation, {sum});
  (void)add(folded, Op::conv, {relu});
  EXPECT_EQ(peak_activation_bytes(folded, fp32), 2 * tensor);
  // PyTorch's batch norm and sum are tensors of their own beside the operands; its activation is in place.
  EXPECT_EQ(peak_activation_bytes(folded, pytorch), 3 * tensor);
}

TEST(Arena, keeps_a_branch_until_its_last_reader) {
  Network branch;
  const Node stem = add(branch, Op::conv, {add(branch, Op::input, {})});
  Node far = stem;
  for (int i = 0; i < 3; ++i) far = add(branch, Op::conv, {far});
  (void)add(branch, Op::conv, {add(branch, Op::add, {far, stem})});
  EXPECT_EQ(peak_activation_bytes(branch, fp32), 3 * tensor);
}

TEST(Arena, does_not_write_over_what_others_still_read) {
  Network fork;
  const Node conv = add(fork, Op::conv, {add(fork, Op::input, {})});
  const Node relu = add(fork, Op::activation, {conv});
  (void)add(fork, Op::conv, {add(fork, Op::add, {relu, conv})});
  EXPECT_EQ(peak_activation_bytes(fork, fp32), 2 * tensor);
}

TEST(Arena, joins_without_copies) {
  Network joined;
  const Node stem = add(joined, Op::conv, {add(joined, Op::input, {})});
  const Node a = add(joined, Op::conv, {stem});
  const Node b = add(joined, Op::conv, {stem});
  const Node both = add(joined, Op::concat, {a, b}, {16, 10, 10});
  (void)add(joined, Op::conv, {add(joined, Op::conv, {both}, shape)});
  // Stem, and a and b in their place; then those and the next.
  EXPECT_EQ(peak_activation_bytes(joined, fp32), 3 * tensor);
  // A framework copies: both beside a and b.
  EXPECT_EQ(peak_activation_bytes(joined, pytorch), 4 * tensor);
}

TEST(Arena, copies_what_two_concatenations_want) {
  Network twice;
  const Node stem = add(twice, Op::conv, {add(twice, Op::input, {})});
  const Node a = add(twice, Op::conv, {stem});
  const Node first = add(twice, Op::concat, {a, stem}, {16, 10, 10});
  const Node b = add(twice, Op::conv, {first}, shape);
  const Node second = add(twice, Op::concat, {a, b}, {16, 10, 10});
  (void)add(twice, Op::conv, {second}, shape);
  EXPECT_EQ(peak_activation_bytes(twice, fp32), 4 * tensor);
}

TEST(Arena, takes_views_for_nothing) {
  Network split;
  const Node stem = add(split, Op::conv, {add(split, Op::input, {})}, {16, 10, 10});
  const Node left = add(split, Op::slice, {stem});
  const Node right = add(split, Op::slice, {stem});
  const Node more = add(split, Op::conv, {right});
  const Node all = add(split, Op::concat, {left, right, more}, {24, 10, 10});
  (void)add(split, Op::conv, {add(split, Op::conv, {all}, shape)});
  // Both halves and what came of one, in one place; then the next beside.
  EXPECT_EQ(peak_activation_bytes(split, fp32), 4 * tensor);
}

TEST(Arena, of_resnet18_is_what_tensorrt_tells) {
  const Network network = dnn::find_model("resnet18")->build(224);
  EXPECT_NEAR(peak_activation_bytes(network, fp16) / (1024 * 1024), 2.3, 0.05);
}

TEST(Arena, of_every_network_shrinks_with_its_elements_and_is_less_than_a_framework_needs) {
  for (const dnn::Model& model : dnn::models()) {
    const Network network = model.build(model.default_input);
    const Storage halves{.element_bytes = 2};
    const double single = peak_activation_bytes(network, fp32);
    EXPECT_GT(single, 0) << model.name;
    EXPECT_LT(peak_activation_bytes(network, halves), 1.2 * single) << model.name;
    // While YOLO12 and RF-DETR compute their attention, the place of a later concatenation is held in full.
    const double held = model.name.starts_with("yolo12") || model.family == "rfdetr" ? 1.25 : 1;
    EXPECT_LE(single, held * peak_activation_bytes(network, pytorch)) << model.name;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::memory
