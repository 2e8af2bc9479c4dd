#include "models/dnn/framework_launches.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

constexpr std::int64_t many_images = 8;   // from here on cuDNN pads channels and has another depthwise kernel
constexpr int group_of_channels = 8;      // channels that tensor cores load together
constexpr int image_channels = 4;         // the most that the kernels of a first convolution take
constexpr std::int64_t wide_window = 49;  // a first convolution whose image is padded for many images
constexpr int mask_fills = 10;            // a mask of shifted windows is written region by region
// Products whose sums are split over blocks, seen in language models (evidence/h100-users/products.csv: of
// 0.5B up to 128 rows, of 7B up to 384) and assumed of image networks. The four blocks that share a sum are
// chosen together with the law of streamed products.
constexpr std::int64_t thin_rows = 128, long_depth = 4096;
constexpr int sums_shared_by = 4;
constexpr double longest_plane = 784;  // positions that one block adds up; longer planes are divided
// In single precision a warp adds up a plane of fewer positions, a block one of more.
constexpr double plane_of_warp = 8192, warps_of_block = 16;
constexpr std::int64_t few_rows = 8;         // the most that a product of a matrix and vectors takes
constexpr std::int64_t layout_tile = 32;     // positions and channels of a block that changes the layout
constexpr std::int64_t attention_tile = 64;  // queries, and keys, of a block of tiled_attention
// The other work of a block of tiled_attention, in tiles of keys.
constexpr double attention_tiles_ahead = 0.6287;
constexpr double largest_concat = 4224, concat_part = 512;  // blocks an input, elements of a block
// Convolutions in single precision: bounds seen in evidence/h200-random/launches.csv.gz.
constexpr double large_result = 12e6;        // elements from which cuDNN has tiles of 256 x 64 in fp32
constexpr double small_planar_result = 2e5;  // elements up to which the result in tf32 is planar at once,
constexpr std::int64_t few_planar_channels = 64;  // those of so few channels are planar too
constexpr std::int64_t fourier_images = 32, fourier_positions = 196;

double up_to_multiple(std::int64_t value, std::int64_t of) {
  const std::int64_t multiples = (value + of - 1) / of;
  return static_cast<double>(multiples * of);
}
double tiles(std::int64_t value, std::int64_t tile) {
  return up_to_multiple(value, tile) / static_cast<double>(tile);
}

// Large batches of many channels go through Fourier transforms in fp32.
bool is_fourier(const Layer& layer, std::int64_t batch) {
  const std::int64_t channels = batch < 2 * fourier_images ? 256 : 128;
  return layer.groups == 1 && layer.window_area() == 9 && layer.stride == 1 && layer.dilation == 1 &&
         batch >= fourier_images && layer.out.positions() >= fourier_positions &&
         layer.in.channels >= channels;
}

bool is_line(Activation activation) {
  return activation == Activation::relu || activation == Activation::relu6 ||
         activation == Activation::leaky_relu;
}

// Views of other networks than the built-in ones, and what belongs to another layer's operator.
bool moves_nothing(const Layer& layer) {
  const bool view = layer.op == Op::transpose || layer.op == Op::other || layer.inside;
  return layer.copies == 0 && view;
}

bool is_planar_at_once(const Layer& layer, double out) {
  return layer.groups == 1 && ((layer.window_area() > 1 && out <= small_planar_result) ||
                               layer.out.channels <= few_planar_channels);
}

// Channels a group that tiles of 32 do not hold without a rest: weights are copied with padding.
bool pads_groups(const Layer& layer) {
  constexpr int tile = 32;
  const int channels = static_cast<int>(layer.in.channels / layer.groups);
  return layer.groups > 1 && channels % tile != 0 && tile % channels != 0;
}

// The kernel of a convolution in groups in single precision: bounds seen in the sweep of shapes. `cores`: in
// fp32, on CUDA cores.
LaunchKind grouped_kind(const Layer& layer, std::int64_t batch, bool cores) {
  constexpr std::int64_t few_images = 2, small_group = 8, wide_group = 24, small_plane = 196;
  constexpr std::int64_t plane = 784, large_plane = 3136, many = 16;
  const std::int64_t channels = layer.in.channels / layer.groups, positions = layer.out.positions();
  const bool narrow = channels <= small_group / 2 ||
                      (channels <= small_group && positions <= (cores ? plane : small_plane)) ||
                      (cores && batch == 1 && channels <= wide_group && positions <= small_plane);
  if ((batch <= few_images && narrow) || layer.window_area() == 1) return LaunchKind::grouped_direct;
  const bool each = cores || (pads_groups(layer) && positions >= large_plane && batch < many);
  return each ? LaunchKind::grouped_each : LaunchKind::grouped;
}

// Some kernels compute tiles of channels and rows, also where these are padding.
void pad_operations(Launch& launch, const Layer& layer, std::int64_t batch, double depth) {
  constexpr std::int64_t channels = 32, rows = 64;
  const std::int64_t positions = batch * layer.out.positions();
  if (launch.kind == LaunchKind::planar || launch.kind == LaunchKind::planar_odd)
    launch.operations =
        2e-9 * static_cast<double>(positions) * depth * up_to_multiple(layer.out.channels, channels);
  const double groups = layer.groups;
  const double width = static_cast<double>(layer.in.channels) / groups;
  if (launch.kind == LaunchKind::grouped_direct) {
    constexpr double results_of_block = 1024, blocks_of_round = 264;
    launch.blocks = std::ceil(launch.written / results_of_block);
    launch.steps = width * std::ceil(launch.blocks / blocks_of_round) / 1e3;
  }
  if (launch.kind == LaunchKind::grouped_each) {
    constexpr double start_of_each = 18.9;  // start of a kernel, in channels
    launch.steps = groups * (start_of_each + width) / 1e3;
    constexpr double at_once = 5;
    launch.blocks = at_once * tiles(positions, rows);
  }
  if (launch.kind == LaunchKind::grouped || launch.kind == LaunchKind::grouped_each)
    launch.operations = 2e-9 * up_to_multiple(positions, rows) * depth *
                        up_to_multiple(layer.out.channels / layer.groups, channels) * layer.groups;
}

// The layers around a layer.
struct Surroundings {
  const Network& network;

  [[nodiscard]] const Layer& input_of(Node node, std::size_t which = 0) const {
    return network.layer(network.inputs(node).at(which));
  }
  [[nodiscard]] bool reads(Node node, Op op) const {
    const std::vector<Node> inputs = network.inputs(node);
    return !inputs.empty() && network.layer(inputs.front()).op == op;
  }
  // The node's only reader, if it is of this kind.
  [[nodiscard]] bool read_by(Node node, Op op) const {
    const std::vector<Node> readers = network.consumers(node);
    return readers.size() == 1 && network.layer(readers.front()).op == op;
  }
  // The result of a convolution is read as rows of channels, and rows are averaged, without a copy.
  [[nodiscard]] bool is_view_of_rows(Node node) const {
    const Layer& layer = network.layer(node);
    return reads(node, Op::conv) || (layer.in == layer.out && read_by(node, Op::average_pool));
  }
};

class Launcher {
 public:
  Launcher(const Network& network, std::int64_t batch, Precision precision, AttentionKernels attention)
      : network_(network),
        near_{network},
        batch_(batch),
        images_(static_cast<double>(batch)),
        half_(precision == Precision::fp16),
        cores_(precision == Precision::fp32),
        masked_(attention == AttentionKernels::masked),
        apart_(network.size()) {}

  std::vector<Launch> run() {
    for (Node node = 0; node < network_.size(); ++node) find_attention(node);
    for (node_ = 0; node_ < network_.size(); ++node_) {
      const Layer& layer = network_.layer(node_);
      apart_[node_] = lies_apart(layer);
      if (!done_.contains(node_)) launch(layer);
    }
    return std::move(launches_);
  }

 private:
  // Scores, softmax and mix without anything between them are one kernel; the heads that it writes need no
  // merging.
  void find_attention(Node node) {
    if (network_.layer(node).op != Op::softmax || !near_.reads(node, Op::matmul) ||
        !near_.read_by(node, Op::matmul) || near_.input_of(node).copies >= 0)
      return;
    const Node mix = network_.consumers(node).front();
    attention_.insert(network_.inputs(node).front());
    done_.insert({node, mix});
    for (const Node reader : network_.consumers(mix))
      if (network_.layer(reader).op == Op::transpose) done_.insert(reader);
  }

  // True if the channels of the input are apart; a layer of constants has none.
  [[nodiscard]] bool input_lies_apart() const {
    const std::vector<Node> inputs = network_.inputs(node_);
    return !inputs.empty() && apart_[inputs.front()];
  }

  // True if the channels of the result are apart. Convolutions in half precision want them together.
  [[nodiscard]] bool lies_apart(const Layer& layer) const {
    const std::vector<Node> inputs = network_.inputs(node_);
    switch (layer.op) {
      case Op::input:
      case Op::conv_transpose:
        return !half_;
      case Op::conv:
        return !half_ && input_lies_apart();
      case Op::transpose:
        return !near_.is_view_of_rows(node_);
      case Op::resize:
        return half_ ? layer.in.positions() == 1 : input_lies_apart();
      case Op::linear:
      case Op::layer_norm:
      case Op::matmul:
        return false;
      case Op::slice:
      case Op::concat:
        return std::ranges::any_of(inputs, [this](Node input) { return apart_[input]; });
      default:
        return !half_ && input_lies_apart();
    }
  }

  Launch& add(LaunchKind kind, double read, double written) {
    const Layer& layer = network_.layer(node_);
    const bool first = launches_.empty() || launches_.back().node != node_;
    Launch& launch = launches_.emplace_back();
    launch.asked = first && !layer.inside;
    launch.kind = kind;
    launch.node = node_;
    launch.work.name = layer.name;
    launch.work.op = Op::other;
    launch.work.once = static_cast<std::int64_t>(std::max(read, written));
    launch.read = read;
    launch.written = written;
    return launch;
  }
  // A launch that reads and writes `count` elements.
  void move(LaunchKind kind, double count) { add(kind, count, count); }
  // The launches of the layer since this one are of one more operator.
  void ask() { launches_.back().asked = true; }

  void launch(const Layer& layer) {
    const double in = images_ * static_cast<double>(layer.in.elements());
    const double out = images_ * static_cast<double>(layer.out.elements());
    if (moves_nothing(layer)) return;
    switch (layer.op) {
      case Op::slice:
        return;
      case Op::input:
        return compute_constants(layer.copies);
      case Op::reshape:
        if (layer.copies > 0) move(LaunchKind::copy, out);
        return;
      case Op::conv:
      case Op::conv_transpose:
        return convolve(layer, in, out);
      case Op::linear:
        return multiply_by_weights(layer, in, out);
      case Op::matmul:
        return multiply_activations(layer, in, out);
      case Op::batch_norm:
        return normalise(layer, in, out);
      case Op::layer_norm:
        return normalise_rows(layer, in, out);
      case Op::softmax:
        add(LaunchKind::softmax, in, out);
        return;
      case Op::activation:
        add(is_line(layer.activation) ? LaunchKind::pointwise : LaunchKind::curve, in, out);
        return;
      case Op::add:
        return add_up(in, out);
      case Op::multiply:
        return scale(layer, in, out);
      case Op::max_pool:
        add(half_ ? LaunchKind::max_pool : LaunchKind::max_pool_planar, in, out);
        return;
      case Op::average_pool:
        return average(layer, in, out);
      case Op::concat:
        return concatenate(out);
      case Op::transpose:
        return reorder(layer, out);
      case Op::embedding:
        move(LaunchKind::gather, out);
        return;
      case Op::resize: {
        const bool point = layer.in.positions() == 1;
        add(point ? LaunchKind::resize_point : LaunchKind::resize, in, out).operations = out / 1e6;
        return;
      }
      case Op::other:
        add(LaunchKind::copy, in, out);
        return;
    }
  }

  void compute_constants(int count) {
    for (int i = 0; i < count; ++i) {
      add(LaunchKind::pointwise, 0, 0);
      ask();
    }
  }

  void normalise_rows(const Layer& layer, double in, double out) {
    const bool planar = !half_ && input_lies_apart() && layer.in.width > 1;
    if (layer.copies >= 0 ? layer.copies > 0 : planar) move(LaunchKind::copy, in);
    const double rows = images_ * static_cast<double>(layer.out.positions());
    Launch& norm = add(LaunchKind::layer_norm, in, out);
    norm.steps = rows / 1e4;
    if (!half_) norm.blocks = rows;
  }

  // A product with the shape that the law and the blocks depend on: sums of `depth` products each.
  void multiply(LaunchKind kind, double in, double out, double depth, double weights) {
    Launch& launch = add(kind, in, out);
    launch.work = alone(network_.layer(node_));
    launch.weights = weights;
    launch.steps = depth / 1e3;
    launch.operations = 2e-9 * images_ * static_cast<double>(network_.layer(node_).macs());
  }

  // True for a convolution in single precision of rows of channels, whose result is such rows too.
  [[nodiscard]] bool in_rows() const { return !half_ && !input_lies_apart(); }

  void convolve(const Layer& layer, double in, double out) {
    const bool apart = near_.reads(node_, Op::slice) || input_lies_apart();
    if (half_ && (layer.copies >= 0 ? layer.copies > 0 : apart)) move(LaunchKind::copy, in);
    if (layer.depthwise()) {
      slide_channels(layer, in, out);
    } else {
      slide(layer, in, out);
    }
    if (layer.bias) {
      const bool alike = batch_ == 1 && layer.out.positions() == 1;
      add(alike ? LaunchKind::pointwise : LaunchKind::strided, out, out);
    }
  }

  // In half precision cuDNN has no kernel for channels that each make two with a stride, and runs them one
  // after another (pit_s_224 and fastvit_t8; without a stride fastvit's last stage is one kernel).
  void slide_channels(const Layer& layer, double in, double out) {
    const int parts = half_ && layer.out.channels > layer.in.channels && layer.stride > 1 ? layer.groups : 1;
    for (int i = 0; i < parts; ++i) slide_some_channels(layer, in / parts, out / parts);
  }

  void slide_some_channels(const Layer& layer, double in, double out) {
    Launch& launch = add(in_rows()               ? LaunchKind::depthwise_rows
                         : !half_                ? LaunchKind::depthwise_planar
                         : batch_ >= many_images ? LaunchKind::depthwise_many
                                                 : LaunchKind::depthwise,
                         in, out);
    launch.work = alone(layer);
    launch.steps = static_cast<double>(layer.window_area()) / 10;
    launch.operations = static_cast<double>(layer.window_area()) * out / 1e7;
  }

  void slide(const Layer& layer, double in, double out) {
    const auto weights = static_cast<double>(layer.weights());
    const bool image = layer.in.channels <= image_channels && layer.window_area() > 1;
    const bool single = layer.window_area() == 1 && layer.stride == 1 && layer.groups == 1;
    const bool grouped = half_ && layer.groups > 1 && (pads_groups(layer) || layer.window_area() == 1);
    const bool padded = !grouped && is_padded(layer, image);
    const bool turned = !half_ && !cores_ && !in_rows() && !single &&
                        (!image || layer.window_area() >= wide_window) &&
                        (layer.groups == 1 || grouped_kind(layer, batch_, cores_) == LaunchKind::grouped);
    const std::int64_t channels = layer.in.channels / layer.groups;
    if (in_rows() && !single) move(LaunchKind::copy, weights);
    if (grouped || padded) move_operands(layer, in, weights, grouped);
    if (turned) {
      turn(images_, layer.in.positions(), layer.in.channels);
      // Weights of one position lie alike in both layouts.
      if (pads_groups(layer))
        move(LaunchKind::transform, weights);
      else if (layer.window_area() > 1)
        turn(static_cast<double>(layer.out.channels), layer.window_area(), channels);
    }
    const bool plane = layer.in.positions() > 1;
    const double depth = static_cast<double>(channels) * static_cast<double>(layer.window_area());
    const LaunchKind kind = image                          ? LaunchKind::first_conv
                            : !half_                       ? single_kind(layer, single, out)
                            : single && !(padded && plane) ? LaunchKind::gemm
                                                           : LaunchKind::conv;
    multiply(kind, in, out, depth, image ? 0 : weights);
    pad_operations(launches_.back(), layer, batch_, depth);
    if (grouped) move(LaunchKind::transform, out);
    if (turned && (image || !is_planar_at_once(layer, out)))
      turn(images_, layer.out.positions(), layer.out.channels);
    if (padded && plane && !image) move(LaunchKind::layout, out);
  }

  // The kernel of a convolution in single precision, `single` of a window of one position.
  [[nodiscard]] LaunchKind single_kind(const Layer& layer, bool single, double out) const {
    if (layer.groups > 1) return grouped_kind(layer, batch_, cores_);
    if (cores_)
      return is_fourier(layer, batch_)                    ? LaunchKind::fourier_conv
             : out >= large_result && layer.dilation == 1 ? LaunchKind::large_conv
                                                          : LaunchKind::conv;
    if (!single) return LaunchKind::conv;
    constexpr int word_group = 4;  // positions that are loaded together
    return batch_ * layer.out.positions() <= few_rows ? LaunchKind::vector
           : layer.in.positions() % word_group != 0   ? LaunchKind::planar_odd
                                                      : LaunchKind::planar;
  }

  // cuDNN's copy to another layout, tile by tile: few positions or channels leave most of a tile idle.
  void turn(double planes, std::int64_t positions, std::int64_t channels) {
    move(LaunchKind::layout, planes * static_cast<double>(positions * channels));
    Launch& launch = launches_.back();
    launch.blocks = planes * tiles(positions, layout_tile) * tiles(channels, layout_tile);
    launch.steps = launch.blocks * static_cast<double>(layout_tile * layout_tile) / 1e6;
  }

  // Tensor cores load groups of channels. With many images cuDNN pads what does not come in groups; with few
  // it takes kernels that load single ones. Vectors are padded only if they are short or odd.
  [[nodiscard]] bool is_padded(const Layer& layer, bool image) const {
    if (!half_ || batch_ < many_images) return false;
    if (image) return layer.window_area() >= wide_window;
    if (layer.in.channels % group_of_channels == 0 || layer.in.channels <= image_channels) return false;
    constexpr int short_vector = 24;
    return layer.in.positions() > 1 || layer.in.channels < short_vector || layer.in.channels % 4 != 0;
  }

  void move_operands(const Layer& layer, double in, double weights, bool grouped) {
    const bool plane = layer.in.positions() > 1, image = layer.in.channels <= image_channels;
    if (plane) add(LaunchKind::fill, 0, 0);
    move(grouped ? LaunchKind::transform : LaunchKind::layout, in);
    if (plane) add(LaunchKind::fill, 0, 0);
    move(plane && !image ? LaunchKind::transform : LaunchKind::layout, weights);
  }

  void multiply_by_weights(const Layer& layer, double in, double out) {
    const std::int64_t channels = layer.in.channels / layer.groups;
    if (layer.copies > 1) move(LaunchKind::copy, in);
    const bool few = !half_ && batch_ * layer.out.positions() <= few_rows;
    multiply(few ? LaunchKind::vector : LaunchKind::gemm, in, out, static_cast<double>(channels),
             static_cast<double>(layer.weights()));
    if (half_ && batch_ * layer.out.positions() <= thin_rows && layer.in.channels >= long_depth) {
      launches_.back().splits = sums_shared_by;
      move(LaunchKind::split, out);
    }
    if (layer.copies > 0 && layer.bias) add(LaunchKind::strided, out, out);
  }

  void multiply_activations(const Layer& layer, double in, double out) {
    if (attention_.contains(node_)) return masked_ ? attend_masked(layer, in, out) : attend(layer, in);
    const double other = images_ * static_cast<double>(near_.input_of(node_, 1).out.elements());
    if (layer.copies >= 0) {
      for (int i = 0; i < layer.copies; ++i) move(LaunchKind::copy, i == 0 ? other : in);
      return multiply(LaunchKind::batched, in, out, layer.depth, 0);
    }
    const bool scores = near_.read_by(node_, Op::softmax) || near_.read_by(node_, Op::add);
    if (scores) {
      add(LaunchKind::strided, in, in);  // by one over the root of the depth
      move(LaunchKind::copy, in);
    }
    move(LaunchKind::copy, other);
    if (scores) ask();
    multiply(LaunchKind::batched, in, out, layer.depth, 0);
  }

  void attend(const Layer& layer, double in) {
    const bool thin = near_.input_of(node_, 1).op == Op::input && layer.out.height <= thin_rows;
    const bool tiled = !thin && !half_;
    if (!thin && half_) add(LaunchKind::fill, 0, 0);
    Launch& launch = add(thin    ? LaunchKind::thin_attention
                         : tiled ? LaunchKind::tiled_attention
                                 : LaunchKind::attention,
                         3 * in, in);
    if (thin) launch.weights = 2 * images_ * static_cast<double>(near_.input_of(node_, 1).out.elements());
    launch.work = alone(layer);
    launch.work.out = layer.in;
    launch.work.macs = 2 * layer.macs();
    const std::int64_t channels = layer.out.channels / layer.groups;
    launch.steps = static_cast<double>(channels) / 1e3;
    launch.operations = 4e-9 * images_ * static_cast<double>(layer.macs());
    if (!tiled) return;
    launch.steps = tiles(channels, attention_tile);
    launch.operations = launch.steps + attention_tiles_ahead;
    launch.blocks = tiles(layer.out.positions(), attention_tile) * layer.groups * images_;
  }

  // The steps of attention with a mask, in single precision: conversions and copies of q, k and v, scores,
  // the mask, the search for rows that it hides whole, and the mix.
  void attend_masked(const Layer& layer, double in, double out) {
    const double single = half_ ? 2 : 1, heads = single * in, scores = single * out;
    if (half_)
      for (int i = 0; i < 3; ++i) add(LaunchKind::layout, in, heads);
    for (int i = 0; i < 2; ++i) move(LaunchKind::pointwise, heads);  // by the root of the scale
    add(LaunchKind::fill, 0, 0);
    add(LaunchKind::strided, 0, 0);  // a mask of words becomes one of numbers
    for (int i = 0; i < 3; ++i) {
      move(LaunchKind::layout, heads);
      launches_.back().steps = heads / 1e6;
    }
    multiply(LaunchKind::batched, heads, scores, layer.depth, 0);
    move(LaunchKind::strided, scores);
    add(LaunchKind::pointwise, scores, out / 2);
    add(LaunchKind::reduce, out / 2, 0);
    move(LaunchKind::curve, scores);
    move(LaunchKind::strided, scores);
    multiply(LaunchKind::batched, scores, heads, layer.depth, 0);
    if (half_) {
      for (int i = 0; i < 2; ++i) add(LaunchKind::fill, 0, 0);
      add(LaunchKind::pointwise, scores, out);
      add(LaunchKind::pointwise, heads, in);
    }
    move(LaunchKind::copy, in);
  }

  // In half precision mean and variance are converted and inverted for each batch; cuDNN's kernel of full
  // precision does all in one.
  void normalise(const Layer& layer, double in, double out) {
    if (half_)
      for (int i = 0; i < 2; ++i) {
        move(LaunchKind::statistics, layer.out.channels);
        launches_.back().steps = layer.out.channels / 1e3;
      }
    Launch& norm = add(half_ ? LaunchKind::batch_norm : LaunchKind::batch_norm_planar, in, out);
    if (half_) return;
    norm.blocks = images_ * static_cast<double>(layer.out.channels);  // one for each plane
    norm.steps = norm.blocks / 1e4;
    norm.operations = static_cast<double>(layer.out.positions()) / 1e3;
  }

  // In single precision every input gets as many blocks as the largest needs, most of which find nothing to
  // do.
  void concatenate(double out) {
    move(LaunchKind::concat, out);
    const std::vector<Node> inputs = network_.inputs(node_);
    if (half_ || inputs.size() < 2) return;
    double largest = 0;
    for (const Node input : inputs)
      largest = std::max(largest, images_ * static_cast<double>(network_.layer(input).out.elements()));
    Launch& launch = launches_.back();
    launch.blocks =
        static_cast<double>(inputs.size()) * std::min(largest_concat, std::ceil(largest / concat_part));
    launch.steps = launch.blocks / 1e4;
  }

  void add_up(double in, double out) {
    if (network_.inputs(node_).size() > 1) {
      add(LaunchKind::pointwise, 2 * in, out);
    } else if (near_.reads(node_, Op::matmul)) {
      // A table of relative positions, gathered, copied and added to all images.
      add(LaunchKind::gather, 0, 0);
      add(LaunchKind::copy, 0, 0);
      add(LaunchKind::copy, 0, 0);
      ask();
      add(LaunchKind::strided, in, out);
      ask();
    } else if (near_.reads(node_, Op::add) && near_.reads(network_.inputs(node_).front(), Op::matmul)) {
      add_mask(in, out);
    } else {
      add(batch_ > 1 ? LaunchKind::strided : LaunchKind::pointwise, in, out);
    }
  }

  // A mask is made anew in each batch: regions are numbered, subtracted from each other and compared.
  void add_mask(double in, double out) {
    const auto asked = [this](LaunchKind kind, double read, double written) {
      add(kind, read, written);
      ask();
    };
    for (int i = 0; i < mask_fills; ++i) asked(LaunchKind::fill, 0, 0);
    asked(LaunchKind::copy, 0, 0);
    asked(LaunchKind::strided, 0, 0);
    for (int i = 0; i < 2; ++i) {
      asked(LaunchKind::pointwise, 0, 0);
      asked(LaunchKind::copy, 0, 0);
      add(LaunchKind::fill, 0, 0);
    }
    asked(LaunchKind::strided, in, out);
  }

  void scale(const Layer& layer, double in, double out) {
    const bool two = network_.inputs(node_).size() > 1;
    if (two && near_.input_of(node_, 1).out == layer.out) {
      add(LaunchKind::pointwise, 2 * in, out);
    } else {
      add(two || layer.stored > 0 ? LaunchKind::strided : LaunchKind::pointwise, in, out);
    }
  }

  void average(const Layer& layer, double in, double out) {
    if (layer.out.positions() > 1) {
      add(LaunchKind::average_pool, in, out);
      return;
    }
    const auto plane = static_cast<double>(layer.in.positions());
    add(LaunchKind::reduce, in, out).steps = (half_                   ? std::min(plane, longest_plane)
                                              : plane < plane_of_warp ? plane
                                                                      : plane / warps_of_block) /
                                             1e3;
  }

  // Rolling a plane is a kernel an axis; it comes before windows are cut, or after they are put together.
  void reorder(const Layer& layer, double out) {
    if (near_.is_view_of_rows(node_)) return;
    const bool rolls =
        layer.in == layer.out && (near_.reads(node_, Op::transpose) || near_.read_by(node_, Op::transpose));
    move(LaunchKind::copy, out);
    if (rolls) move(LaunchKind::copy, out);
  }

  const Network& network_;
  Surroundings near_;
  std::int64_t batch_;
  double images_;
  bool half_, cores_, masked_;  // fp16; fp32 on CUDA cores
  std::vector<bool> apart_;
  std::set<Node> attention_, done_;  // scores that begin an attention; layers inside of one
  Node node_ = 0;
  std::vector<Launch> launches_;
};

}  // namespace

std::vector<Launch> launches_of(const Network& network, std::int64_t batch, Precision precision,
                                AttentionKernels attention) {
  return Launcher(network, batch, precision, attention).run();
}

}  // namespace jostle::dnn
