#include "models/memory/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/roofline.hpp"
#include "models/memory/arena.hpp"

namespace jostle::memory {
namespace {

constexpr double engine_bytes_per_layer = 36e3;
constexpr double bound_element_bytes = 4;  // fp32, as trtexec's bindings
constexpr double batches_bound = 2;

double in_pages(double bytes, double page) {
  return page > 0 ? std::ceil(bytes / page) * page : bytes;
}

Storage storage_of(const Workload& workload, const dnn::ArithmeticPath& path) {
  Storage storage{.element_bytes = dnn::bytes_per_element(path.precision), .lowering = workload.lowering};
  if (workload.lowering == dnn::Lowering::optimised && path.tensor_cores) {
    // TensorRT's layouts for tensor cores: kHWC8 of halves, kCHW32 of bytes; fp32 and tf32 stay linear.
    if (path.precision == dnn::Precision::fp16) storage.channel_multiple = 8;
    if (path.precision == dnn::Precision::int8) storage.channel_multiple = 32;
    if (path.precision == dnn::Precision::fp8) storage.channel_multiple = 16;
  }
  return storage;
}

double engine_bytes(const Workload& workload, double element_bytes) {
  const auto parameters = static_cast<double>(workload.network.parameters());
  // Training: weight, gradient and momentum in fp32; in fp16 also the copy that autocast keeps.
  if (workload.training) return (workload.precision == dnn::Precision::fp16 ? 3 * 4 + 2 : 3 * 4) * parameters;
  double bytes = element_bytes * parameters;
  if (workload.lowering != dnn::Lowering::optimised) return bytes;
  for (dnn::Network::Node node = 0; node < workload.network.size(); ++node) {
    const dnn::Layer& layer = workload.network.layer(node);
    if (layer.macs() > 0) bytes += engine_bytes_per_layer;
    if (workload.precision == dnn::Precision::nvfp4 && layer.op == dnn::Op::linear)
      bytes += (dnn::bytes_per_element(workload.precision) - element_bytes) *
               static_cast<double>(layer.parameters());
  }
  return bytes;
}

using dnn::Activation;
using dnn::Layer;
using dnn::Network;
using dnn::Op;
using Node = Network::Node;

constexpr double index_bytes = 8;
constexpr std::int64_t passing = 2;  // the gradient being read and the one being written

bool keeps_result(const Layer& layer) {
  if (layer.op == Op::softmax) return true;
  if (layer.op != Op::activation) return false;
  return layer.activation != Activation::silu && layer.activation != Activation::gelu &&
         layer.activation != Activation::hard_swish && layer.activation != Activation::other;
}

bool keeps_inputs(const Layer& layer) {
  switch (layer.op) {
    case Op::conv:
    case Op::conv_transpose:
    case Op::linear:
    case Op::matmul:
    case Op::embedding:
    case Op::batch_norm:
    case Op::layer_norm:
    case Op::multiply:
    case Op::max_pool:
    case Op::average_pool:
    case Op::other:
      return true;
    case Op::activation:
      return !keeps_result(layer);
    default:
      return false;
  }
}

}  // namespace

Bindings bindings(const dnn::Network& network) {
  Bindings found;
  for (dnn::Network::Node node = 0; node < network.size(); ++node) {
    const dnn::Layer& layer = network.layer(node);
    if (layer.op == dnn::Op::input) {
      found.inputs += layer.out.elements();
    } else if (network.consumers(node).empty()) {
      found.outputs += layer.out.elements();
    }
  }
  return found;
}

Footprint footprint(const Workload& workload, const gpu::Spec& gpu, double page_bytes) {
  // An engine in nvfp4 has its linear layers' weights in it, and all else in fp16.
  const bool four_bits = workload.precision == dnn::Precision::nvfp4;
  const dnn::ArithmeticPath path = dnn::path_for(gpu, four_bits ? dnn::Precision::fp16 : workload.precision);
  const Storage storage = storage_of(workload, path);
  const Bindings bound = bindings(workload.network);
  const auto batch = static_cast<double>(workload.batch);
  const Portion all{.read_bytes = bound_element_bytes * static_cast<double>(bound.inputs),
                    .written_bytes = bound_element_bytes * static_cast<double>(bound.outputs)};
  const Portion portion = workload.portion.value_or(all);
  const auto buffers = [&](double bytes) { return batches_bound * in_pages(batch * bytes, page_bytes); };
  Footprint held;
  held.engine = in_pages(portion.parameters * engine_bytes(workload, storage.element_bytes), page_bytes);
  const double activations = workload.training
                                 ? training_activation_bytes(workload.network, storage.element_bytes)
                                 : peak_activation_bytes(workload.network, storage);
  held.arena = in_pages(batch * activations, page_bytes);
  held.io = buffers(portion.read_bytes) + buffers(portion.written_bytes);
  return held;
}

double training_activation_bytes(const Network& network, double element_bytes) {
  std::vector<Node> whole(network.size());  // the node that a view refers to, or the node itself
  std::vector<bool> kept(network.size());
  std::int64_t largest = 0;
  double bytes = 0;
  for (Node node = 0; node < network.size(); ++node) {
    const Layer& layer = network.layer(node);
    const std::vector<Node>& inputs = network.inputs(node);
    whole[node] = is_view(layer.op) && !inputs.empty() ? whole[inputs.front()] : node;
    if (keeps_inputs(layer)) {
      for (const Node input : inputs) kept[whole[input]] = true;
    }
    if (keeps_result(layer)) kept[node] = true;
    if (layer.op == Op::max_pool) bytes += index_bytes * static_cast<double>(layer.out.elements());
    largest = std::max(largest, layer.out.elements());
  }
  std::int64_t elements = passing * largest;
  for (Node node = 0; node < network.size(); ++node) {
    if (kept[node]) elements += network.layer(node).out.elements();
  }
  return bytes + element_bytes * static_cast<double>(elements);
}

}  // namespace jostle::memory
