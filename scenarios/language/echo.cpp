// Writes the resolved scenario back as JSON, and computes its hash.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "input/hash.hpp"
#include "input/units.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "output/json.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/readers/nvpmodel.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/objective.hpp"

namespace jostle::scenarios {
namespace {

using Json = nlohmann::ordered_json;

std::string time(sim::Duration value) {
  // The text must read back exactly: whole picoseconds are written if the shortest decimal would not.
  const std::string text = input::format_quantity(static_cast<double>(value.ps()), input::time_dimension());
  const auto read = input::parse_quantity(text, input::time_dimension());
  if (read.value && sim::picoseconds(*read.value) == value) return text;
  return fmt::format("{} ps", value.ps());
}

std::string quantity(double value, const input::Dimension& dimension) {
  const std::string text = input::format_quantity(value, dimension);
  const auto read = input::parse_quantity(text, dimension);
  if (read.value == value) return text;
  return fmt::format("{} {}", value / dimension.units.back().factor, dimension.units.back().name);
}

std::string payload(const Payload& payload) {
  return payload.tensor ? "tensor" : quantity(payload.bytes, input::size_dimension());
}

template <class R>
Json keys_json(const R& record, const Json& coded = {}, Kinds entry = 0);

// Writes a value as its reader reads it; null if it is absent.
template <class Read, class T>
Json value_json(const Read& read, const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? value_json(read, *value) : Json();
  } else if constexpr (requires { read.item; }) {
    Json list;
    for (const auto& one : value) list.push_back(value_json(read.item, one));
    return list;
  } else if constexpr (requires { read.names.front().second; }) {
    return std::ranges::find(read.names, value, &std::pair<std::string, T>::second)->first;
  } else if constexpr (requires { read.dimension; }) {
    return quantity(value, read.dimension);
  } else if constexpr (std::is_same_v<T, sim::Duration>) {
    return time(value);
  } else if constexpr (std::is_same_v<Read, InputSize>) {
    const auto [width, height] = dnn::sides_of(static_cast<int>(value));
    return width == height ? Json(width) : Json(dnn::input_text(static_cast<int>(value)));
  } else if constexpr (std::is_same_v<T, Payload>) {
    return payload(value);
  } else if constexpr (Keyed<T>) {
    return keys_json(value);
  } else {
    return value;
  }
}

// Writes the keys of a record that this kind of entry has, in the order of its rows. `coded`: those that code
// writes.
template <class R>
struct KeyWriter {
  const R& record;
  const Json& coded;
  Kinds entry;
  Json json = {};

  template <class T, class Read>
  void operator()(const char* key, T R::*member, const Read& read, const char* /*words*/ = "", Use use = {}) {
    if (!has_key(use.of, entry)) return;
    Json value = value_json(read, record.*member);
    const bool left_out = use.kind == Key::if_changed && value == value_json(read, R().*member);
    if (!value.is_null() && !left_out) json[key] = std::move(value);
  }
  void code(const char* key, Use /*use*/ = {}) {
    if (const auto at = coded.find(key); at != coded.end()) json[key] = *at;
  }
};
template <class R>
Json keys_json(const R& record, const Json& coded, Kinds entry) {
  KeyWriter<R> writer{record, coded, entry};
  keys(writer, KeysOf<R>());
  return writer.json;
}

// Moves keys behind all others: hashes of scenarios rest on an older order than that of the rows.
void move_to_the_end(Json& json, std::initializer_list<const char*> in_order) {
  for (const char* const key : in_order) {
    const auto at = json.find(key);
    if (at == json.end()) continue;
    Json value = std::move(*at);
    json.erase(at);
    json[key] = std::move(value);
  }
}

Json model_json(const Model& model) {
  if (const auto* products = std::get_if<ProductsModel>(&model))
    return {{"products", products->width}, {"layers", products->layers}};
  const auto* synthetic = std::get_if<SyntheticModel>(&model);
  return synthetic == nullptr ? Json(model_name(model)) : keys_json(*synthetic);
}

Json queue_json(const process::Arrivals& arrivals) {
  if (arrivals.drop == process::Drop::newest) return *arrivals.queue_limit;
  return {{"limit", *arrivals.queue_limit}, {"drop", to_string(arrivals.drop)}};
}

Json think_json(sim::Duration think, bool at_random) {
  return at_random ? Json{{"exponential", time(think)}} : Json(time(think));
}

Json arrivals_json(const ProcessEntry& process) {
  const process::Arrivals& arrivals = process.arrivals;
  Json json;
  const std::string rate = quantity(arrivals.rate_per_s, input::rate_dimension());
  if (arrivals.kind == process::ArrivalKind::periodic) json["periodic"] = rate;
  if (arrivals.kind == process::ArrivalKind::poisson) json["poisson"] = rate;
  if (arrivals.kind == process::ArrivalKind::clients) {
    json["clients"] = arrivals.clients;
    json["think"] = think_json(arrivals.think, arrivals.think_at_random);
  }
  if (arrivals.kind == process::ArrivalKind::trace) json["trace"] = process.trace.file;
  if (arrivals.phase) json["phase"] = time(*arrivals.phase);
  if (arrivals.queue_limit) json["queue"] = queue_json(arrivals);
  if (arrivals.burst > 1) json["burst"] = arrivals.burst;
  if (arrivals.streams > 1) json["streams"] = arrivals.streams;
  if (arrivals.kind == process::ArrivalKind::periodic && arrivals.drift != default_clock_drift)
    json["drift"] = quantity(arrivals.drift, input::drift_dimension());
  if (arrivals.dynamic_batch > 1) json["dynamic_batching"] = true;
  if (arrivals.wait) json["wait"] = keys_json(*arrivals.wait);
  return json;
}

Json stages_json(const std::vector<Stage>& stages) {
  Json json = Json::array();
  for (const Stage& stage : stages) {
    const std::string_view on = stage.engine ? media::to_string(*stage.engine) : stage.on_gpu ? "gpu" : "cpu";
    Json& one = json.emplace_back(Json{{"name", stage.name}, {"on", on}});
    if (stage.width > 0)
      one["size"] = fmt::format("{}x{}", stage.width, stage.height);
    else if (stage.cycles > 0)
      one["cycles"] = stage.cycles;
    else if (stage.bytes > 0)
      one["bytes"] = quantity(stage.bytes, input::size_dimension());
    else
      one["time"] = time(stage.time);
    if (stage.rate != 1) one["rate"] = quantity(stage.rate, input::share_dimension());
    if (stage.times != 1) one["times"] = stage.times;
    if (stage.threads > 0) one["threads"] = stage.threads;
    if (!stage.grade.empty()) one["grade"] = stage.grade;
    if (!stage.source.empty()) one["source"] = stage.source;
  }
  return json;
}

// Writes how requests come, wait and form batches.
void put_requests(Json& json, const ProcessEntry& part) {
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.kind == process::ArrivalKind::cascade) {
    json["after"] = arrivals.after;
    if (arrivals.fan_out.mean != 1 || arrivals.fan_out.kind != process::FanOutKind::fixed)
      json["fan_out"] = {{"mean", arrivals.fan_out.mean}, {"distribution", to_string(arrivals.fan_out.kind)}};
    if (arrivals.queue_limit) json["queue"] = queue_json(arrivals);
  } else if (!arrivals.closed_loop()) {
    json["arrivals"] = arrivals_json(part);
  }
  if (arrivals.max_delay) json["max_queue_delay"] = time(*arrivals.max_delay);
}

// Writes a length without the `positions` of images, which have a key of their own.
Json length_json(const process::Length& length, std::int64_t positions) {
  switch (length.kind) {
    case process::LengthKind::uniform:
      return {{"uniform", {length.least - positions, length.most - positions}}};
    case process::LengthKind::lognormal:
      return {{"lognormal",
               {{"mean", length.mean - static_cast<double>(positions)},
                {"variation", length.variation},
                {"max", length.most - positions}}}};
    default:
      return length.least - positions;
  }
}

Json sessions_json(const process::Sessions& of, bool closed) {
  Json json{{"turns", of.turns}};
  if (!closed) json["count"] = of.count;
  if (of.think > sim::Duration::zero()) json["think"] = think_json(of.think, of.think_at_random);
  return json;
}

void put_generation(Json& json, const ProcessEntry& part) {
  const process::GenerationSpec& spec = part.language->spec;
  if (!spec.prefills || !spec.decodes) {
    json["bench"] = spec.decodes ? Json{{"tg", spec.tokens.least}} : Json{{"pp", spec.prompt.least}};
    json["bench"]["depth"] = spec.depth;
    if (const std::int64_t sequences = spec.users * spec.prompts; sequences > 1)
      json["bench"]["sequences"] = sequences;
  } else {
    const std::int64_t positions = part.language->images * language_model(part.work.model)->vision.tokens;
    Json& generate = json["generate"];
    if (!part.language->trace.file.empty())
      generate["trace"] = part.language->trace.file;
    else
      generate = {{"prompt", length_json(spec.prompt, positions)}, {"tokens", length_json(spec.tokens, 0)}};
    if (part.language->images > 0) generate["images"] = part.language->images;
    generate["reuse"] =
        spec.sessions.kept ? Json("session") : Json(quantity(spec.reuse, input::share_dimension()));
    if (spec.sessions.turns > 1)
      generate["sessions"] = sessions_json(spec.sessions, part.arrivals.closed_loop());
    if (spec.chunk > 0) generate["chunk"] = spec.chunk;
    if (part.arrivals.closed_loop()) json["users"] = spec.users;
  }
  const LanguageWork& work = *part.language;
  if (work.cpu_moe > 0) json["cpu_moe"] = work.cpu_moe;
  if (work.draft != nullptr)
    json["draft"] = {{"model", work.draft->name},
                     {"tokens", spec.drafted},
                     {"accept", quantity(spec.accept, input::share_dimension())}};
  json["max_batch"] = spec.max_batch;
}

// Writes the keys of a process or an instance that follow from its model.
void put_model(Json& json, const ProcessEntry& part) {
  json["model"] = model_json(part.work.model);
  if (const auto precision = precision_name(part)) json["precision"] = *precision;
  json["batch"] = part.work.batch;
  if (part.language) put_generation(json, part);
  if (part.work.layers) json["layers"] = {part.work.layers->first, part.work.layers->end};
  const auto* const onnx = std::get_if<OnnxModel>(&part.work.model);
  if (onnx != nullptr && onnx->separate_norms)
    json["batch_norm"] = *onnx->separate_norms ? "separate" : "folded";
  if (!part.around.before.empty()) json["stages"]["before"] = stages_json(part.around.before);
  if (!part.around.after.empty()) json["stages"]["after"] = stages_json(part.around.after);
  put_requests(json, part);
}

// Writes all rows of an entry. `place`: alone, several or instance.
Json entry_json(const ProcessEntry& entry, Kinds place) {
  Json json;
  if (place != kind::several) put_model(json, entry);
  const Kinds all = place | (place == kind::several ? 0 : kind_of(entry.work.model));
  each_group(entry, [&](const auto& group) {
    if (const Json keys = keys_json(group, {}, all); !keys.is_null()) json.update(keys);
  });
  if (const auto& sms = entry.gpu.sm_partition)
    json["sm_partition"] = *sms == rest_of_sms ? Json("rest") : Json(*sms);
  move_to_the_end(json, {"name",      "model",           "precision",    "batch",   "bench",     "generate",
                         "users",     "gpu_layers",      "cpu_moe",      "draft",   "max_batch", "context",
                         "kv_memory", "count",           "instances",    "streams", "placement", "priority",
                         "input",     "batch_norm",      "sm_partition", "after",   "fan_out",   "queue",
                         "arrivals",  "max_queue_delay", "server"});
  return json;
}

void put_policy(Json& json, const ThreadSettings& threads) {
  if (threads.fifo == 0) return;
  json.erase("nice");
  json["policy"] = {{"fifo", threads.fifo}};
}

Json instance_json(const ProcessEntry& instance, const ProcessEntry& process) {
  Json json = entry_json(instance, kind::instance);
  if (instance.host.placement == process.host.placement) json.erase("placement");
  if (!json.contains("priority")) json["priority"] = to_string(instance.gpu.priority);
  move_to_the_end(json, {"priority", "input", "batch_norm", "sm_partition", "after", "fan_out", "queue",
                         "arrivals", "max_queue_delay", "server"});
  return json;
}

Json process_json(const ProcessEntry& process) {
  const bool several = !process.instances.empty();
  Json json = entry_json(process, several ? kind::several : kind::alone);
  for (const ProcessEntry& instance : process.instances)
    json["instances"].push_back(instance_json(instance, process));
  if (process.host.host_threads == default_host_threads(process)) json.erase("host_threads");
  if (traits_of(process.host.runtime).kind != RuntimeKind::framework) json.erase("graph");
  put_policy(json, process.host);
  move_to_the_end(
      json,
      {"instances", "streams", "priority",      "sm_partition",    "mps_threads", "mps_memory", "training",
       "placement", "runtime", "threads",       "host_threads",    "graph",       "transfers",  "sync",
       "layers",    "input",   "batch_norm",    "stages",          "interval",    "overlap",    "after",
       "fan_out",   "queue",   "arrivals",      "max_queue_delay", "server",      "cpus",       "nice",
       "container", "policy",  "gpu_timeslice", "gpu_interleave"});
  return json;
}

Json load_json(const LoadEntry& load) {
  const ThreadSettings& threads = load;
  Json json = keys_json(load);
  json.update(keys_json(threads));
  put_policy(json, threads);
  return json;
}

// Writes the alias `mps` if it suffices: the JSON of such scenarios, and so their hash, stay as they were
// before `sharing` existed.
void put_sharing(Json& json, const Scenario& scenario) {
  const gpu::SharingWay& way = gpu::way_of(scenario.sharing);
  if (way.alias)
    json["mps"] = *way.alias;
  else
    json["sharing"] = way.name;
  if (!scenario.mig.empty()) json["sharing"] = {{"mig", scenario.mig}};
}

Json run_json(const Run& run) {
  Json coded;
  if (run.warmup_given && !run.setup && !run.batches)
    coded["warmup"] = run.warmup_found ? "auto" : time(run.warmup);
  Json json = keys_json(run, coded);
  if (run.until || run.until_p99) json.erase("duration");
  move_to_the_end(json,
                  {"until", "duration", "setup", "batches", "warmup", "thermal", "seed", "replications"});
  return json;
}

}  // namespace

std::string to_json(const Scenario& scenario) {
  Json coded{{"device", scenario.device}, {"processes", Json::array()}, {"run", run_json(scenario.run)}};
  if (scenario.power_mode_file)
    coded["power_mode"] = {{"file", scenario.power_mode_file->path},
                           {"mode", scenario.power_mode_file->mode}};
  else if (scenario.power_mode)
    coded["power_mode"] = *scenario.power_mode;
  put_sharing(coded, scenario);
  if (!scenario.constraints.empty()) coded["constraints"] = output::parsed_json(constraints_json(scenario));
  for (const auto& [path, value] : scenario.figures) coded["figures"][path] = value;
  Json& entries = coded["processes"];
  for (const ProcessEntry& process : scenario.processes) entries.push_back(process_json(process));
  for (std::size_t i = 0; i < scenario.loads.size(); ++i)
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(place_of_load(scenario, i)),
                   load_json(scenario.loads[i]));
  Json json = keys_json(scenario, coded);
  move_to_the_end(json, {"link", "figures", "host_cores", "cpus", "processes", "run"});
  // Names may hold any bytes that a YAML text can; bytes that are not UTF-8 are replaced.
  return output::json_text(json);
}

std::string scenario_hash(const Scenario& scenario) {
  return scenario_hash(scenario, to_json(scenario));
}

std::string scenario_hash(const Scenario& scenario, std::string_view json) {
  std::uint64_t hash = input::fnv1a(json);
  if (scenario.power_mode_file) hash = input::fnv1a(input::hex(scenario.power_mode_file->file->hash), hash);
  for (const ProcessEntry& process : scenario.processes) {
    for (const ProcessEntry& part : parts_of(process)) {
      if (!part.trace.file.empty()) hash = input::fnv1a(input::hex(part.trace.hash), hash);
      if (part.language && !part.language->trace.file.empty())
        hash = input::fnv1a(input::hex(part.language->trace.hash), hash);
      const auto* const onnx = std::get_if<OnnxModel>(&part.work.model);
      if (onnx != nullptr && onnx->file) hash = input::fnv1a(input::hex(onnx->file->hash), hash);
      const auto* const config = std::get_if<ConfigModel>(&part.work.model);
      if (config != nullptr) hash = input::fnv1a(input::hex(config->hash), hash);
    }
  }
  return input::hex(hash);
}

}  // namespace jostle::scenarios
