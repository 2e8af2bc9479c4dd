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
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/fusion.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/profile/own_networks.hpp"
#include "profiles/readers/language_config.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/network.hpp"

namespace jostle::scenarios {
namespace {

// Dense products of numbers: a side that benchmarks use, and batches beyond those of images.
constexpr std::int64_t widest_product = 65'536, most_products = 1024, max_columns = 16'384;

std::optional<ProductsModel> read_products(const Cursor& at) {
  Mapping mapping(at, "a mapping: products, layers");
  ProductsModel model;
  bool good = mapping.required("products", model.width, Integer{1, widest_product});
  mapping.optional("layers", model.layers, Integer{1, most_products});
  good &= mapping.good();
  if (!good) return std::nullopt;
  const int width = static_cast<int>(model.width);
  dnn::LayerBuilder layers;
  auto node = layers.input({width, 1, 1});
  for (std::int64_t i = 0; i < model.layers; ++i)
    node = layers.linear("product" + std::to_string(i), node, width, false);
  model.network = std::make_shared<const dnn::Network>(layers.take());
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
  const std::string profile = context.scenario == nullptr ? std::string() : context.scenario->device_path;
  if (const std::string file = profiles::own_network_file(*text, profile); !file.empty()) {
    input::note_read(file);
    return OnnxModel{.path = *text, .resolved = file};
  }
  const std::string own_text(profiles::own_network_name(*text, profile));
  const auto& names = context.catalogue.models;
  const std::string name = llm::catalogue_name(own_text);
  if (std::find(names.begin(), names.end(), name) != names.end()) return BuiltInModel{name};
  std::vector<std::string> own = traced_networks(context);
  if (std::find(own.begin(), own.end(), own_text) != own.end()) return BuiltInModel{own_text};
  const std::vector<std::string> kept = profiles::own_networks(profile);
  own.insert(own.end(), kept.begin(), kept.end());
  at.problem(fmt::format("unknown model '{}'", input::printable(*text)),
             model_hint(*text, resolved(context, *text), std::move(own)));
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
  return traits_of(process.host.runtime).lowering == dnn::Lowering::framework;
}

// Reads the network in the file for this input, unless an earlier process has read it.
void read_file(const Cursor& at, ProcessEntry& process, const std::vector<ProcessEntry>& earlier) {
  auto* const model = std::get_if<OnnxModel>(&process.work.model);
  if (model == nullptr) return;
  for (const ProcessEntry& other : earlier) {
    const auto* const same = std::get_if<OnnxModel>(&other.work.model);
    if (same == nullptr || same->resolved != model->resolved || other.work.input != process.work.input ||
        same->separate_norms != model->separate_norms || runs_framework(other) != runs_framework(process))
      continue;
    model->file = same->file;
    return;
  }
  auto network = profiles::read_onnx(model->resolved, process.work.input, at.problems());
  if (network &&
      model->separate_norms.value_or(runs_framework(process) && dnn::has_named_norms(network->network)))
    network->network = dnn::with_batch_norms(network->network);
  if (network) model->file = std::make_shared<const profiles::OnnxNetwork>(*std::move(network));
}

// Reads how the batch norms run that the file of a network has folded.
void read_norms(const Cursor& at, ProcessEntry& process) {
  const auto separate = Choice<bool>{"folded or separate", {{"folded", false}, {"separate", true}}}(at);
  auto* const model = std::get_if<OnnxModel>(&process.work.model);
  if (model == nullptr) return;  // refused by its rule
  if (separate.value_or(false) && !runs_framework(process))
    at.problem(fmt::format("{} folds batch norms itself", to_string(process.host.runtime)),
               "batch_norm: separate needs runtime: eager, cuda-graph or libtorch");
  else
    model->separate_norms = separate;
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
  const auto ends = read_ends(at, "two numbers of layers, such as [0, 20]", 0, 1'000'000);
  if (!ends) return;
  if (traits_of(process.host.runtime).kind != RuntimeKind::engine || process.host.placement != Placement::gpu)
    return;  // refuse_unable() says so
  std::size_t count = 0;
  try {
    const auto network = network_of(process);
    if (!network) throw std::invalid_argument("equal kernels");
    count = dnn::fuse(*network, dnn::Lowering::optimised).size();
  } catch (const std::exception&) {
    if (at.problems().empty()) at.problem("the model has no layers");
    return;
  }
  const auto first = static_cast<std::size_t>(ends->first), end = static_cast<std::size_t>(ends->second);
  if (first >= end || end > count)
    return at.problem(fmt::format(
        "expected two numbers from 0 to {}: the first layer, and the layer after the last", count));
  if (end - first < count) process.work.layers = LayerRange{first, end};
}

// Reads `model`, `precision` and `batch`. Returns the kind of the model; 0 if the model cannot be read.
Kinds read_network(Mapping& mapping, const LoadContext& context, ProcessEntry& process) {
  bool network = true, known = false;
  if (const auto model_at = mapping.require("model")) {
    auto model = read_model(*model_at, context);
    if (!model) model = stand_in(*model_at, context);
    known = model.has_value();
    if (model) process.work.model = std::move(*model);
    network = !model_at->is(Kind::mapping) || std::holds_alternative<ProductsModel>(process.work.model);
  }
  const Choice<Precision> precision{"a precision", precision_names(), spelled_precision};
  if (language_model(process.work.model) != nullptr)
    read_weights(mapping, process);
  else if (network)
    mapping.required("precision", process.work.precision, precision);
  else
    mapping.optional("precision", process.work.precision, precision);
  const bool products = std::holds_alternative<ProductsModel>(process.work.model);
  mapping.optional("batch", process.work.batch, Integer{1, products ? max_columns : max_batch});
  return known ? kind_of(process.work.model) : 0;
}

// Reads the rows of all groups. `place`: alone, several or instance.
void read_groups(Mapping& mapping, const LoadContext& context, ProcessEntry& process, Kinds place) {
  const Kinds entry = place | (place == kind::several ? Kinds{} : read_network(mapping, context, process));
  refuse_other_kinds(mapping, entry);
  if (place != kind::instance) process.host.runtime = default_runtime(mapping, process.language.has_value());
  each_group(process, [&](auto& group) { read_keys(mapping, group, entry); });
  if (place != kind::instance) {
    read_policy(mapping, process.host);
    settle_host(mapping, process);
  }
  refuse_unable(mapping, process, place);
  const auto at = mapping.find("sm_partition");
  if (at && at->is(Kind::scalar) && at->value().text == "rest")
    process.gpu.sm_partition = rest_of_sms;
  else if (at)
    process.gpu.sm_partition = Integer{1, 4096}(*at);
}

void read_input(Mapping& mapping, ProcessEntry& process, const std::vector<ProcessEntry>& earlier) {
  if (const auto at = mapping.find("input"); at && process.work.input)
    check_input(*at, process.work.model, *process.work.input);
  if (const auto at = mapping.find("batch_norm")) read_norms(*at, process);
  read_file(mapping.cursor(), process, earlier);
}

ProcessEntry read_instance(const Cursor& at, const LoadContext& context, const ProcessEntry& process,
                           const std::vector<ProcessEntry>& earlier) {
  ProcessEntry instance;
  instance.host.runtime = process.host.runtime;
  instance.host.sync = process.host.sync;
  instance.host.placement = process.host.placement;
  instance.host.static_graph = process.host.static_graph;
  instance.host.transfers = process.host.transfers;
  Mapping mapping(at, "an instance: a mapping with model and precision");
  read_groups(mapping, context, instance, kind::instance);
  read_input(mapping, instance, earlier);
  read_requests(mapping, context, instance);
  read_generation(mapping, context, instance);
  check_rules(mapping, instance, kind::instance);
  return instance;
}

void read_instances(const Cursor& at, const LoadContext& context, ProcessEntry& process,
                    const std::vector<ProcessEntry>& earlier) {
  std::int64_t streams = 0;
  std::vector<ProcessEntry> read = earlier;  // lets files named before be reused
  for (const Cursor& item : at.items("a list of instances", static_cast<std::size_t>(max_streams), 1)) {
    process.instances.push_back(read_instance(item, context, process, read));
    read.push_back(process.instances.back());
    streams += process.instances.back().count;
  }
  at_most(max_streams, streams, "streams in one process", at);
  if (process.instances.empty()) return;
  const ModelWork& first = process.instances.front().work;
  process.work.model = first.model;
  process.work.precision = first.precision;
  process.work.batch = first.batch;
}

}  // namespace

ProcessEntry read_process(const Cursor& at, const LoadContext& context,
                          const std::vector<ProcessEntry>& earlier) {
  ProcessEntry process;
  Mapping mapping(at, "a process: a mapping with model and precision");
  const auto instances_at = mapping.find("instances");
  read_groups(mapping, context, process, instances_at ? kind::several : kind::alone);
  if (instances_at) {
    read_instances(*instances_at, context, process, earlier);
  } else {
    read_input(mapping, process, earlier);
    if (const auto layers_at = mapping.find("layers")) read_layers(*layers_at, process);
    read_stages(mapping, process);
    read_requests(mapping, context, process);
    read_generation(mapping, context, process);
    read_offload(mapping, process);
  }
  settle_host_threads(mapping, process);
  check_rules(mapping, process, instances_at ? kind::several : kind::alone);
  return process;
}

}  // namespace jostle::scenarios
