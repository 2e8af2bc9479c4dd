// How long an ONNX file of a thousand nodes takes from its bytes to fused layers.
#include "profiles/onnx/onnx.hpp"

#include <benchmark/benchmark.h>
#include <onnx/onnx_pb.h>

#include <stdexcept>
#include <string>

#include "models/dnn/fusion.hpp"

namespace jostle::calibration {
namespace {

constexpr int blocks = 333, channels = 128;  // a convolution with its weights, a sum and an activation each

void add_node(onnx::GraphProto& graph, const char* type, const std::string& output,
              std::initializer_list<std::string> inputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  node.set_name(output);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
}

std::string thousand_nodes() {
  onnx::ModelProto model;
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name("x");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int dim : {1, channels, 32, 32})
    input.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
  std::string last = "x";
  for (int i = 0; i < blocks; ++i) {
    const std::string name = "block" + std::to_string(i);
    onnx::TensorProto& weights = *graph.add_initializer();
    weights.set_name(name + ".w");
    weights.set_data_type(onnx::TensorProto::FLOAT);
    for (const int dim : {channels, channels, 1, 1}) weights.add_dims(dim);
    weights.set_raw_data(std::string(std::size_t{4} * channels * channels, '\0'));
    add_node(graph, "Conv", name + ".conv", {last, name + ".w"});
    add_node(graph, "Add", name + ".add", {name + ".conv", last});
    add_node(graph, "Relu", name, {name + ".add"});
    last = name;
  }
  add_node(graph, "GlobalAveragePool", "pool", {last});
  graph.add_output()->set_name("pool");
  return model.SerializeAsString();
}

void a_thousand_nodes(benchmark::State& state) {
  const std::string bytes = thousand_nodes();
  std::size_t layers = 0;
  for (auto _ : state) {
    input::Problems problems;
    const auto file = parse_onnx(bytes, "bench.onnx", {}, problems);
    if (!file) throw std::runtime_error(problems.text());
    layers = dnn::fuse(file->network, dnn::Lowering::optimised).size();
    benchmark::DoNotOptimize(layers);
  }
  state.counters["kernels"] = static_cast<double>(layers);
  state.counters["megabytes"] = static_cast<double>(bytes.size()) / 1e6;
}
BENCHMARK(a_thousand_nodes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jostle::calibration
