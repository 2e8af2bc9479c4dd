// Model repositories of Triton: models that run networks become streams of one server, and ensembles of one
// network with steps on the CPU become a process with stages. Fields are those of Triton's ModelConfig
// (model_config.proto).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>

#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/protobuf_text.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_pbtxt = 1 << 20;
constexpr std::int64_t most_instances = 128, most_triton_batch = 4096;

// The backends that run networks, the runtime that is like each, and the file by which Triton knows it.
struct TritonBackend {
  std::string_view name, runtime, file;
};
constexpr std::array triton_backends{TritonBackend{"tensorrt", "tensorrt", "model.plan"},
                                     TritonBackend{"onnxruntime", "onnxruntime", "model.onnx"},
                                     TritonBackend{"pytorch", "libtorch", "model.pt"},
                                     TritonBackend{"python", {}, "model.py"}};

struct TritonModel {
  std::string server;               // folder of the repository among several; empty: it is the only one
  std::string name, backend, file;  // file: its .onnx, if there is one
  std::string model, precision, priority;
  std::string runtime;          // empty: it runs no network that is known
  std::string arrivals, input;  // from `parameters` that jostle wrote
  bool on_cpu = false;
  std::int64_t batch = 1, count = 1;
  std::optional<std::int64_t> delay_us, queue;
  bool ensemble = false, used = false;  // used: a step of an ensemble
  std::vector<std::string> steps;

  [[nodiscard]] bool network() const { return !runtime.empty(); }
};

class TritonImport {
 public:
  TritonImport(const ImportWishes& wishes, input::Problems& problems)
      : wishes_(wishes), problems_(problems) {}

  void read_folder(const std::string& folder) {
    std::error_code error;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (fs::is_regular_file(entry.path() / "config.pbtxt", error)) found.push_back(entry.path());
    const bool several = found.empty();
    if (several)
      for (const auto& entry : fs::directory_iterator(folder, error))
        for (const auto& model : fs::directory_iterator(entry.path(), error))
          if (fs::is_regular_file(model.path() / "config.pbtxt", error)) found.push_back(model.path());
    std::ranges::sort(found);
    if (found.empty())
      problems_.add_file(folder, "no model repository: no folder in it has a config.pbtxt",
                         "MODEL/config.pbtxt and MODEL/1/model.onnx");
    for (const fs::path& model : found)
      read_model(model, several ? model.parent_path().filename().string() : "");
  }

  [[nodiscard]] std::string body() {
    for (const auto& [name, model] : models_)
      for (const std::string& step : model.steps)
        if (const auto at = models_.find(step); at != models_.end())
          at->second.used = true;
        else
          problems_.add_file(name, fmt::format("the ensemble's step {} is no model of the repository", step));
    std::string text = board_keys(wishes_, "jetson-agx-orin-64gb", unsaid_) + "processes:\n";
    std::map<std::pair<std::string, std::string>, std::string> servers;  // by folder and runtime
    std::string others;
    for (auto& [name, model] : models_) {
      if (model.ensemble)
        others += ensemble_text(model);
      else if (!model.used && model.network() && model.on_cpu)
        others += process_text(model.name, model) + requests_text(model, "    ");
      else if (!model.used && model.network())
        servers[{model.server, model.runtime}] += instance_text(model);
      else if (!model.used && model.backend == "python")
        unsaid_.push_back(fmt::format(
            "{}: left out; its model.py is not read, nor what it asks of other models (BLS)", name));
      else if (!model.used)
        unsaid_.push_back(fmt::format("{}: left out; no runtime here runs the networks of backend {}", name,
                                      model.backend));
    }
    bool of_several = false;
    for (const auto& [key, instances] : servers) {
      const auto& [server, runtime] = key;
      const bool more =
          std::ranges::count(servers, server, [](const auto& one) { return one.first.first; }) > 1;
      of_several = of_several || more;
      text += fmt::format("  - name: {}{}\n    runtime: {}\n    instances:\n{}",
                          server.empty() ? "triton" : yaml_text(server), more ? "-" + runtime : "", runtime,
                          instances);
    }
    if (of_several)
      unsaid_.emplace_back(
          "one server with several backends: the models of each are a process of their own here");
    if (servers.empty() && others.empty() && problems_.empty())
      problems_.add_file("config.pbtxt", "no model of the repository runs a network");
    return text + others + "run: {duration: 10 s, warmup: 2 s}\n";
  }
  [[nodiscard]] std::vector<std::string> unsaid() { return std::move(unsaid_); }

 private:
  [[nodiscard]] std::string rate() {
    if (!wishes_.rate.empty()) return wishes_.rate;
    if (!rate_said_)
      unsaid_.emplace_back("the requests: 30 /s at random for each model are taken (--rate \"50 /s\")");
    rate_said_ = true;
    return "30 /s";
  }

  std::int64_t number(const ProtoField& of, const std::string& name, std::int64_t other, std::int64_t most,
                      const std::string& origin) {
    const ProtoField* const field = of.find(name);
    if (field == nullptr) return other;
    std::int64_t value = 0;
    const char* const end = field->value.data() + field->value.size();
    const auto [read, error] = std::from_chars(field->value.data(), end, value);
    if (!field->message && error == std::errc() && read == end && value >= 0 && value <= most) return value;
    problems_.add(
        {std::make_shared<const std::string>(origin), field->line, 1}, name,
        fmt::format("'{}' is not a whole number from 0 to {}", input::printable(field->value, 60), most));
    return other;
  }

  void read_model(const fs::path& folder, const std::string& server) {
    const std::string origin = (folder / "config.pbtxt").string();
    const auto text = input::read_text_file(origin, largest_pbtxt, problems_);
    const auto config = text ? parse_protobuf_text(*text, origin, problems_) : std::nullopt;
    if (!config) return;
    TritonModel model;
    model.server = server;
    model.name = config->text("name").empty() ? folder.filename().string() : config->text("name");
    model.backend = config->text("backend").empty() ? config->text("platform") : config->text("backend");
    model.batch = std::max<std::int64_t>(1, number(*config, "max_batch_size", 0, most_triton_batch, origin));
    if (const ProtoField* const ensemble = config->find("ensemble_scheduling")) {
      model.ensemble = true;
      for (const ProtoField* const step : ensemble->all("step"))
        model.steps.push_back((server.empty() ? "" : server + "/") + step->text("model_name"));
    }
    find_backend(model, folder, origin);
    read_instances(model, *config, origin);
    read_batching(model, *config, origin);
    read_optimization(model, *config);
    note_left_out(model, *config);
    if (model.network()) {
      model.arrivals = own_parameter(*config, "arrivals");
      model.input = own_parameter(*config, "input");
      if (model.precision.empty()) model.precision = own_parameter(*config, "precision");
      ImportWishes wishes = wishes_;
      if (wishes.model.empty()) wishes.model = own_parameter(*config, "model");
      find_network(model, folder, origin, wishes);
      find_precision(model, *config);
    }
    if (!models_.emplace(server.empty() ? model.name : server + "/" + model.name, model).second)
      problems_.add_file(origin, fmt::format("a second model is called '{}'", input::printable(model.name)));
  }

  // The value of a parameter that `jostle plan --write triton` writes for want of a field; empty: none.
  [[nodiscard]] static std::string own_parameter(const ProtoField& config, const std::string& key) {
    for (const ProtoField* const one : config.all("parameters"))
      if (const ProtoField* const value = one->find("value"); one->text("key") == "jostle." + key && value)
        return value->text("string_value");
    return {};
  }

  // Without a word on it, the file of a version tells the backend.
  void find_backend(TritonModel& model, const fs::path& folder, const std::string& origin) {
    for (const TritonBackend& known : triton_backends) {
      if (model.backend.empty() && !model.ensemble && !version_file(folder, known.file).empty())
        model.backend = known.name;
      if (model.backend == known.name || model.backend.starts_with(std::string(known.name) + "_"))
        model.runtime = known.runtime;
    }
    if (model.backend.empty() && !model.ensemble)
      problems_.add_file(origin,
                         fmt::format("{}: neither backend nor platform is given, and no folder of a version "
                                     "holds model.plan, model.onnx, model.pt or model.py, which would tell",
                                     input::printable(model.name)),
                         "backend: \"onnxruntime\"");
  }

  [[nodiscard]] static std::string version_file(const fs::path& folder, std::string_view name) {
    std::error_code error;
    for (int version = 1; version <= 99; ++version)
      if (fs::path file = folder / std::to_string(version) / name; fs::is_regular_file(file, error))
        return file.string();
    return {};
  }

  void read_instances(TritonModel& model, const ProtoField& config, const std::string& origin) {
    std::int64_t on_gpu = 0, on_cpu = 0;
    for (const ProtoField* const group : config.all("instance_group"))
      (group->text("kind") == "KIND_CPU" ? on_cpu : on_gpu) +=
          number(*group, "count", 1, most_instances, origin);
    model.on_cpu = model.network() && on_cpu > 0 && on_gpu == 0;
    model.count = std::clamp<std::int64_t>(model.network() ? on_gpu : on_gpu + on_cpu, 1, most_instances);
    if (!model.network() || on_cpu == 0) return;
    if (model.runtime == "tensorrt")
      problems_.add_file(
          origin, fmt::format("{}: KIND_CPU, but TensorRT runs on the GPU", input::printable(model.name)));
    else if (on_gpu > 0)
      unsaid_.push_back(fmt::format("{}: its instances on the CPU are left out", model.name));
    else if (on_cpu > 1)
      unsaid_.push_back(
          fmt::format("{}: of {} instances on the CPU one is taken, on all cores", model.name, on_cpu));
  }

  void read_batching(TritonModel& model, const ProtoField& config, const std::string& origin) {
    const ProtoField* const batching = config.find("dynamic_batching");
    if (batching == nullptr) {
      if (model.network() && model.batch > 1 && own_parameter(config, "batch").empty()) {
        unsaid_.push_back(fmt::format(
            "{}: the batch of a request; 1 is taken, since there is no dynamic batching", model.name));
        model.batch = 1;
      }
      return;
    }
    if (model.on_cpu) {
      unsaid_.push_back(
          fmt::format("{}: its dynamic batching is left out; a request at a time is taken", model.name));
      model.batch = 1;
    } else {
      model.delay_us = number(*batching, "max_queue_delay_microseconds", 0, 3'600'000'000, origin);
    }
    std::int64_t preferred = 0;
    for (const ProtoField& field : batching->fields)
      if (field.name == "preferred_batch_size") {
        ProtoField one;
        one.fields.push_back(field);
        preferred = std::max(preferred, number(one, field.name, 0, most_triton_batch, origin));
      }
    if (preferred > 0 && preferred < model.batch) {
      unsaid_.push_back(
          fmt::format("{}: batches beyond the largest preferred size, {}; it is taken for the largest "
                      "(max_batch_size is {})",
                      model.name, preferred, model.batch));
      model.batch = preferred;
    }
    if (number(*batching, "priority_levels", 0, 1'000'000, origin) > 1)
      unsaid_.push_back(
          fmt::format("{}: the shares of its priority levels; all requests are of one", model.name));
    if (const ProtoField* const policy = batching->find("default_queue_policy"))
      if (const auto size = number(*policy, "max_queue_size", 0, 1'000'000, origin); size > 0)
        model.queue = size;
  }

  // Treatment of requests by the server that a scenario has no words for.
  void note_left_out(const TritonModel& model, const ProtoField& config) {
    std::vector<std::string> names;
    for (const char* const name : {"sequence_batching", "response_cache"})
      if (config.find(name) != nullptr) names.emplace_back(name);
    const auto limited = [](const ProtoField* group) { return group->find("rate_limiter") != nullptr; };
    if (std::ranges::any_of(config.all("instance_group"), limited)) names.emplace_back("rate_limiter");
    if (!names.empty())
      unsaid_.push_back(fmt::format("{}: left out: {}", model.name, fmt::join(names, ", ")));
  }

  void read_optimization(TritonModel& model, const ProtoField& config) {
    const ProtoField* const optimization = config.find("optimization");
    if (optimization == nullptr) return;
    const std::string priority = optimization->text("priority");
    if (priority == "PRIORITY_MAX") model.priority = "high";
    if (priority == "PRIORITY_MIN") model.priority = "low";
    const ProtoField* const cuda = optimization->find("cuda");
    if (cuda != nullptr && cuda->text("graphs") == "true" && model.runtime == "tensorrt")
      model.runtime = "tensorrt-graph";
    const ProtoField* const accelerators = optimization->find("execution_accelerators");
    if (accelerators == nullptr) return;
    for (const ProtoField* const one : accelerators->all("gpu_execution_accelerator")) {
      if (one->text("name") != "tensorrt") continue;
      if (model.runtime == "onnxruntime") model.runtime = "onnxruntime-tensorrt";
      model.precision = "fp32";  // unless precision_mode says another
      for (const ProtoField* const parameter : one->all("parameters"))
        if (parameter->text("key") == "precision_mode") {
          model.precision = parameter->text("value");
          std::ranges::transform(model.precision, model.precision.begin(),
                                 [](unsigned char c) { return std::tolower(c); });
        }
    }
  }

  void find_network(TritonModel& model, const fs::path& folder, const std::string& origin,
                    const ImportWishes& wishes) {
    model.file = version_file(folder, "model.onnx");
    const auto network = imported_network(model.file, model.name, wishes);
    if (!network) {
      problems_.add_file(origin, fmt::format("cannot tell the network of {}", input::printable(model.name)),
                         "--model NAME or FILE.onnx, or a folder 1 with model.onnx in it");
      return;
    }
    model.model = network->model;
    if (network->guessed)
      unsaid_.push_back(
          fmt::format("the network of {}: {} is taken from its name", model.name, network->model));
  }

  // A TensorRT engine does not tell its precision; other backends compute in that of the file, and so of its
  // inputs.
  void find_precision(TritonModel& model, const ProtoField& config) {
    if (model.precision == "fp16" || model.precision == "int8" || model.precision == "fp32") return;
    model.precision = wishes_.precision;
    if (!model.precision.empty()) return;
    const ProtoField* const input = config.find("input");
    const bool half = input != nullptr && input->text("data_type") == "TYPE_FP16";
    model.precision = half || model.runtime.starts_with("tensorrt") ? "fp16" : "fp32";
    unsaid_.push_back(
        fmt::format("the precision of {}: {} is taken (--precision)", model.name, model.precision));
  }

  [[nodiscard]] std::string requests_text(const TritonModel& model, const char* indent) {
    std::string text;
    if (!model.input.empty()) text += fmt::format("{}input: {}\n", indent, model.input);
    if (!wishes_.rate.empty() || model.arrivals.empty())
      text += fmt::format("{}arrivals: {{poisson: {}}}\n", indent, rate());
    else if (model.arrivals != "closed loop")
      text += fmt::format("{}arrivals: {}\n", indent, model.arrivals);
    if (model.queue) text += fmt::format("{}queue: {}\n", indent, *model.queue);
    if (model.delay_us) text += fmt::format("{}max_queue_delay: {} us\n", indent, *model.delay_us);
    return text;
  }

  [[nodiscard]] std::string instance_text(const TritonModel& model) {
    std::string text =
        fmt::format("      - name: {}\n        model: {}\n        precision: {}\n        batch: {}\n",
                    yaml_text(model.name), yaml_text(model.model), model.precision, model.batch);
    if (model.count > 1) text += fmt::format("        count: {}\n", model.count);
    if (!model.priority.empty()) text += fmt::format("        priority: {}\n", model.priority);
    return text + requests_text(model, "        ");
  }

  [[nodiscard]] std::string process_text(const std::string& name, const TritonModel& network) {
    const bool session = network.runtime.starts_with("onnxruntime");
    if (network.on_cpu && !session)
      unsaid_.push_back(fmt::format("{}: how fast {} computes on the cores; runtime cpu is taken",
                                    network.name, network.backend));
    return fmt::format("  - name: {}\n    model: {}\n    precision: {}\n    batch: {}\n    {}\n",
                       yaml_text(name), yaml_text(network.model), network.precision, network.batch,
                       !network.on_cpu ? "runtime: " + network.runtime
                       : session       ? "runtime: onnxruntime-cpu"
                                       : "placement: cpu");
  }

  // A step on the CPU. Its time is not in the configuration.
  [[nodiscard]] std::string step_text(const TritonModel& step) {
    unsaid_.push_back(
        fmt::format("{}: how long the step takes; 5 ms are taken (time, in stages)", step.name));
    return fmt::format("{{name: {}, time: 5 ms, threads: {}, grade: assumed}}", yaml_text(step.name),
                       step.count);
  }

  [[nodiscard]] std::string ensemble_text(const TritonModel& ensemble) {
    const TritonModel* network = nullptr;
    std::string stages, more, last;
    for (const std::string& name : ensemble.steps) {
      const auto at = models_.find(name);
      if (at == models_.end()) continue;
      const TritonModel& step = at->second;
      if (step.network() && network != nullptr) {  // a further network takes the results of the one before
        more += process_text(step.name, step) + fmt::format("    after: {}\n", last);
        last = yaml_text(step.name);
        continue;
      }
      if (step.network()) {
        network = &step;
        last = yaml_text(ensemble.name);
      }
      stages += (stages.empty() ? "" : ", ") + (step.network() ? std::string("infer") : step_text(step));
    }
    if (network == nullptr) {
      unsaid_.push_back(
          fmt::format("{}: left out; none of its steps runs a network that is known", ensemble.name));
      return {};
    }
    std::string text = process_text(ensemble.name, *network);
    if (network->count > 1) text += fmt::format("    streams: {}\n", network->count);
    if (stages != "infer")
      text += fmt::format("    stages: [{}]\n{}", stages, network->on_cpu ? "" : "    overlap: 4\n");
    return text + requests_text(*network, "    ") + more;
  }

  const ImportWishes& wishes_;
  input::Problems& problems_;
  std::map<std::string, TritonModel> models_;
  std::vector<std::string> unsaid_;
  bool rate_said_ = false;
};

}  // namespace

std::optional<ImportedScenario> triton_scenario(const std::string& folder, const ImportWishes& wishes,
                                                input::Problems& problems) {
  const std::size_t before = problems.count();
  TritonImport import(wishes, problems);
  import.read_folder(folder);
  if (problems.count() > before) return std::nullopt;
  const std::string body = import.body();
  if (problems.count() > before) return std::nullopt;
  return imported_scenario("triton " + fs::path(folder).filename().string(), body, import.unsaid());
}

}  // namespace jostle::calibration
