#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "input/file.hpp"
#include "input/file_id.hpp"
#include "input/hash.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/batch_norms.hpp"
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/fusion.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/profile/time_span.hpp"
#include "profiles/readers/language_config.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/network.hpp"

namespace jostle::scenarios {
namespace {

using input::Boolean;
using input::Choice;
using input::Cursor;
using input::Integer;
using input::Kind;
using input::Mapping;
using input::Text;
using profiles::TimeSpan;

// Limits far beyond use, and small enough that nothing computed from them overflows.
constexpr std::int64_t max_input = 8192;
constexpr std::int64_t max_threads = 1024;

// Dense products of numbers: a side that benchmarks use, and batches beyond those of images.
constexpr std::int64_t widest_product = 65'536, most_products = 1024, max_columns = 16'384;

std::optional<ProductsModel> read_products(const Cursor& at) {
  Mapping mapping(at, "a mapping: products, layers");
  ProductsModel model;
  bool good = mapping.required("products", model.width, Integer{1, widest_product});
  mapping.optional("layers", model.layers, Integer{1, most_products});
  good &= mapping.good();
  if (!good) return std::nullopt;
  model.network = std::make_shared<const dnn::Network>(
      dnn::build_products(static_cast<int>(model.width), static_cast<int>(model.layers)));
  return model;
}

// The networks that the scenario's own profile knows by their kernels alone.
std::vector<std::string> traced_networks(const LoadContext& context) {
  if (context.scenario == nullptr || context.scenario->device_path.empty() || !context.catalogue.device)
    return {};
  input::Problems reported_later;
  const auto device =
      context.catalogue.device(context.scenario->device, context.scenario->device_path, reported_later);
  return device ? profiles::traced_networks(device->evidence) : std::vector<std::string>();
}

std::optional<Model> read_model(const Cursor& at, const LoadContext& context) {
  if (at.is(Kind::mapping)) {
    if (!at.value().find("products")) return Section<SyntheticModel>{"a mapping"}(at);
    auto products = read_products(at);
    return products ? std::optional<Model>(*std::move(products)) : std::nullopt;
  }
  const std::string* text = at.scalar(
      "the name of a model, a path to an .onnx file or a config.json, or a mapping of equal kernels");
  if (text == nullptr) return std::nullopt;
  if (text->ends_with(".onnx")) {
    const std::string path = resolved(context, *text);
    std::error_code error;
    if (path.find('\0') != std::string::npos || !std::filesystem::exists(path, error)) {
      at.problem(fmt::format("no such file '{}'", input::printable(*text)));
      return std::nullopt;
    }
    input::note_read(path);  // the file is read later; no output may overwrite it until then
    return OnnxModel{.path = *text, .resolved = path};
  }
  if (text->ends_with(".json")) {
    const std::string path = resolved(context, *text);
    const auto read = input::read_text_file(path, input::Limits{}.bytes, at.problems());
    if (!read) return std::nullopt;
    const auto of = profiles::parse_config(*read, path, at.problems());
    return of ? std::optional<Model>(ConfigModel{*text, *of, input::fnv1a(*read)}) : std::nullopt;
  }
  const auto& names = context.catalogue.models;
  const std::string name = dnn::catalogue_name(*text);
  if (std::find(names.begin(), names.end(), name) != names.end()) return BuiltInModel{name};
  std::vector<std::string> own = traced_networks(context);
  if (std::find(own.begin(), own.end(), *text) != own.end()) return BuiltInModel{*text};
  own.insert(own.end(), names.begin(), names.end());
  const auto& others = dnn::known_names();
  own.insert(own.end(), others.begin(), others.end());
  std::ranges::sort(own);
  own.erase(std::unique(own.begin(), own.end()), own.end());
  at.problem(fmt::format("unknown model '{}'", input::printable(*text)),
             input::similar(*text, own).empty() ? input::spelling_hint(*text, names)
                                                : input::spelling_hint(*text, own));
  return std::nullopt;
}

// A stand-in for a model that cannot be read, of the kind that was probably meant, so that no other key of
// the process is blamed: the built-in model with the nearest name or, for a config.json, a minimal language
// model.
std::optional<Model> stand_in(const Cursor& at, const LoadContext& context) {
  if (!at.is(Kind::scalar)) return std::nullopt;
  const std::string& text = at.value().text;
  constexpr llm::Architecture least{
      .layers = 1, .hidden = 1, .heads = 1, .kv_heads = 1, .head_dim = 1, .ffn = 1, .vocabulary = 1};
  if (text.ends_with(".json")) return ConfigModel{text, least};
  const std::string meant = input::nearest(text, context.catalogue.models);
  return meant.empty() ? std::nullopt : std::optional<Model>(BuiltInModel{meant});
}

bool runs_framework(const ProcessEntry& process) {
  return traits_of(process.runtime).lowering == dnn::Lowering::framework;
}

// Reads the network in the file for this input, unless an earlier process has read it.
void read_file(const Cursor& at, ProcessEntry& process, const std::vector<ProcessEntry>& earlier) {
  auto* const model = std::get_if<OnnxModel>(&process.model);
  if (model == nullptr) return;
  for (const ProcessEntry& other : earlier) {
    const auto* const same = std::get_if<OnnxModel>(&other.model);
    if (same == nullptr || same->resolved != model->resolved || other.input != process.input ||
        same->separate_norms != model->separate_norms || runs_framework(other) != runs_framework(process))
      continue;
    model->file = same->file;
    return;
  }
  auto network = profiles::read_onnx(model->resolved, process.input, at.problems());
  if (network &&
      model->separate_norms.value_or(runs_framework(process) && dnn::has_named_norms(network->network)))
    network->network = dnn::with_batch_norms(network->network);
  if (network) model->file = std::make_shared<const profiles::OnnxNetwork>(*std::move(network));
}

// Reads how the batch norms run that the file of a network has folded.
void read_norms(const Cursor& at, ProcessEntry& process) {
  const auto separate = Choice<bool>{"folded or separate", {{"folded", false}, {"separate", true}}}(at);
  auto* const model = std::get_if<OnnxModel>(&process.model);
  if (model == nullptr)
    at.problem("`batch_norm` needs an .onnx file: the built-in networks have their batch norms",
               "leave it out");
  else if (separate.value_or(false) && !runs_framework(process))
    at.problem(fmt::format("{} folds batch norms itself", to_string(process.runtime)),
               "batch_norm: separate needs runtime: eager, cuda-graph or libtorch");
  else
    model->separate_norms = separate;
}

// Reads `cuda_graph`, which makes tensorrt tensorrt-graph, and `transfers`.
void read_engine_graph(Mapping& mapping, ProcessEntry& process) {
  if (const auto at = mapping.find("cuda_graph")) {
    const bool graph = Boolean{}(*at).value_or(false);
    const bool is_graph = traits_of(process.runtime).kind == RuntimeKind::graph;
    if (is_graph != graph && process.runtime != Runtime::tensorrt)
      at->problem(fmt::format("runtime {} is {} a CUDA graph", to_string(process.runtime),
                              is_graph ? "always" : "never"),
                  "cuda_graph goes with runtime: tensorrt");
    else if (graph && !on_gpu(process.placement))
      at->problem("work of a DLA is not in a CUDA graph", "placement: gpu");
    else if (graph && !is_graph)
      process.runtime = Runtime::tensorrt_graph;
  }
  if (const auto at = mapping.find("transfers")) {
    process.transfers = Choice<bool>{"both or none", {{"both", true}, {"none", false}}}(*at).value_or(true);
    if (!copies_batches(traits_of(process.runtime)))
      at->problem(fmt::format("runtime {} copies no batches", to_string(process.runtime)),
                  runtime_list([](const auto& row) { return process::copies_batches(row); }));
  }
}

// Reads `runtime` and `placement`: one is cpu if and only if the other is.
void read_runtime(Mapping& mapping, ProcessEntry& process) {
  const bool placed =
      mapping.optional("placement", process.placement, Choice<Placement>{"a placement", placement_names()});
  bool on_cpu = process.placement == Placement::cpu;
  process.runtime = on_cpu             ? Runtime::cpu
                    : process.training ? Runtime::eager
                    : process.language ? Runtime::llama_cpp
                                       : Runtime::tensorrt;
  if (const auto at = mapping.find("runtime")) {
    const auto runtime = Choice<Runtime>{"a runtime", runtime_names()}(*at);
    if (runtime) process.runtime = *runtime;
    const bool cores = traits_of(process.runtime).kind == RuntimeKind::cores;
    if (cores && !placed) {
      process.placement = Placement::cpu;
      on_cpu = true;
    }
    if (cores && !on_cpu)
      at->problem(fmt::format("runtime {} needs placement: cpu", to_string(process.runtime)));
    if (!cores && on_cpu) {
      at->problem(fmt::format("runtime {} cannot run with placement: cpu", to_string(process.runtime)),
                  runtime_list([](const auto& row) { return row.kind == RuntimeKind::cores; }));
    }
  }
  if (const auto at = mapping.find("threads")) {
    process.threads = Integer{1, max_threads}(*at);
    if (!on_cpu && !mapping.has("gpu_layers") && !mapping.has("cpu_moe"))
      at->problem("only a process with placement: cpu, or with gpu_layers or cpu_moe, has threads");
  }
  if (const auto at = mapping.find("graph")) {
    const auto graph = Choice<bool>{"a kind of graph", {{"dynamic", false}, {"static", true}}}(*at);
    if (traits_of(process.runtime).kind != RuntimeKind::framework) {
      const auto framework = [](const auto& row) { return row.kind == RuntimeKind::framework; };
      at->problem(fmt::format("runtime {} does not choose between graphs", to_string(process.runtime)),
                  fmt::format("only {} do", runtime_list(framework, " and ")));
    }
    process.static_graph = graph.value_or(false);
  }
  read_engine_graph(mapping, process);
  const bool text = process.language.has_value();
  const process::RuntimeTraits& traits = traits_of(process.runtime);
  const bool operators = traits.lowering == dnn::Lowering::framework &&
                         (traits.kind == RuntimeKind::framework || traits.kind == RuntimeKind::graph);
  if (text ? !traits.serves_text && !operators : traits.serves_text && !mapping.has("instances")) {
    mapping.cursor().problem(fmt::format("runtime {} does not run {}", to_string(process.runtime),
                                         text ? "language models" : "networks other than language models"),
                             text ? runtime_list([](const auto& row) { return row.serves_text; })
                                  : runtime_list([](const auto& row) { return !row.serves_text; }));
  }
  process.sync = default_sync(process.runtime);
  mapping.optional("sync", process.sync, Choice<Sync>{"a way to synchronise", sync_names()});
}

// Checks that the process can train.
void check_training(const Cursor& at, const ProcessEntry& process) {
  if (std::holds_alternative<SyntheticModel>(process.model)) at.problem("a synthetic model cannot train");
  if (process.precision == Precision::int8) at.problem("int8 does not train", "fp32, tf32 or fp16");
  if (!on_gpu(process.placement)) {
    at.problem(fmt::format("training cannot run with placement: {}", to_string(process.placement)),
               "gpu or cuda-only");
  } else if (!traits_of(process.runtime).trains) {
    at.problem(fmt::format("runtime {} does not train", to_string(process.runtime)),
               runtime_list([](const auto& row) { return row.trains; }));
  }
}

// Checks the input size, by building the network.
void check_input(const Cursor& at, const Model& model, std::int64_t input) {
  const auto* const built_in = std::get_if<BuiltInModel>(&model);
  const dnn::Model* const network = built_in != nullptr ? dnn::find_model(built_in->name) : nullptr;
  if (network == nullptr) return;
  try {
    (void)dnn::built_network(*network, static_cast<int>(input));
  } catch (const std::invalid_argument& error) {
    at.problem(error.what());
  }
}

// Reads a part of the network, as a range of TensorRT's layers, which are in the order of its possible cuts.
void read_layers(const Cursor& at, ProcessEntry& process) {
  std::vector<std::size_t> ends;
  if (!at.is(Kind::sequence)) return at.problem("expected two numbers of layers", "such as [0, 20]");
  for (const Cursor& item : at.items("two numbers of layers, such as [0, 20]", 2)) {
    const auto value = Integer{0, 1'000'000}(item);
    if (!value) return;
    ends.push_back(static_cast<std::size_t>(*value));
  }
  if (traits_of(process.runtime).kind != RuntimeKind::engine || process.placement != Placement::gpu)
    return at.problem(
        fmt::format("only a process of runtime {} on the GPU runs a part of a network",
                    runtime_list([](const auto& row) { return row.kind == RuntimeKind::engine; })));
  std::size_t count = 0;
  try {
    const auto network = network_of(process);
    if (!network) throw std::invalid_argument("equal kernels");
    count = dnn::fuse(*network, dnn::Lowering::optimised).size();
  } catch (const std::exception&) {
    if (at.problems().empty()) at.problem("the model has no layers");
    return;
  }
  if (ends.size() != 2 || ends[0] >= ends[1] || ends[1] > count)
    return at.problem(fmt::format(
        "expected two numbers from 0 to {}: the first layer, and the layer after the last", count));
  if (ends[1] - ends[0] < count) process.layers = LayerRange{ends[0], ends[1]};
}

}  // namespace

void read_network(Mapping& mapping, const LoadContext& context, ProcessEntry& process) {
  bool network = true;
  if (const auto model_at = mapping.require("model")) {
    auto model = read_model(*model_at, context);
    if (!model) model = stand_in(*model_at, context);
    if (model) process.model = std::move(*model);
    network = !model_at->is(Kind::mapping) || std::holds_alternative<ProductsModel>(process.model);
  }
  const Choice<Precision> precision{"a precision", precision_names()};
  if (language_model(process.model) != nullptr)
    read_weights(mapping, process);
  else if (network)
    mapping.required("precision", process.precision, precision);
  else
    mapping.optional("precision", process.precision, precision);
  const bool products = std::holds_alternative<ProductsModel>(process.model);
  mapping.optional("batch", process.batch, Integer{1, products ? max_columns : max_batch});
}

void read_input(Mapping& mapping, ProcessEntry& process, const std::vector<ProcessEntry>& earlier) {
  if (const auto input_at = mapping.find("input")) {
    if (const auto input = Integer{1, max_input}(*input_at)) {
      process.input = *input;
      check_input(*input_at, process.model, *input);
    }
    if (std::holds_alternative<SyntheticModel>(process.model))
      input_at->problem("a synthetic model has no input", "leave it out");
    if (std::holds_alternative<ProductsModel>(process.model))
      input_at->problem("a model of products has no input size", "leave it out");
  }
  if (const auto norms_at = mapping.find("batch_norm")) read_norms(*norms_at, process);
  read_file(mapping.cursor(), process, earlier);
}

ProcessEntry read_process(const Cursor& at, const LoadContext& context,
                          const std::vector<ProcessEntry>& earlier) {
  ProcessEntry process;
  Mapping mapping(at, "a process: a mapping with model and precision");
  mapping.optional("name", process.name, Text{200});
  const auto instances_at = mapping.find("instances");
  if (!instances_at) read_network(mapping, context, process);
  mapping.optional("count", process.count, Integer{1, max_processes});
  const auto training_at = mapping.find("training");
  if (training_at) process.training = Boolean{}(*training_at).value_or(false);
  read_runtime(mapping, process);
  if (process.training) check_training(*training_at, process);
  if (instances_at) {
    read_instances(mapping, context, process, earlier);
  } else {
    read_input(mapping, process, earlier);
    if (const auto layers_at = mapping.find("layers")) read_layers(*layers_at, process);
    read_stages(mapping, process);
    read_requests(mapping, context, process);
    read_generation(mapping, context, process);
    read_offload(mapping, process);
    read_streams(mapping, process);
  }
  static_cast<ThreadSettings&>(process) = read_thread_settings(mapping);
  read_turns(mapping, process);
  return process;
}

}  // namespace jostle::scenarios
