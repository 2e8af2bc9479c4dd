// Files of docker compose: each service that runs a network becomes a process in a container of its own. Keys
// are those of the Compose Specification (services; deploy).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/log_text.hpp"
#include "input/parse.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;
using input::Kind;
using input::Node;

Node below(Node node, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) node = node && node->kind == Kind::mapping ? node->find(key) : nullptr;
  return node;
}
std::string word(const Node& node) {
  return node && node->kind == Kind::scalar ? node->text : "";
}
// All texts of a tree, such as those of a command.
std::string written(const Node& node) {
  std::string text = word(node);
  for (std::size_t i = 0; node && i < node->children.size(); ++i) text += " " + written(node->children[i]);
  return text;
}

class ComposeImport {
 public:
  ComposeImport(const ImportWishes& wishes, input::Problems& problems)
      : wishes_(wishes), problems_(problems) {}

  [[nodiscard]] std::string body(const Node& root) {
    std::string text = board_keys(wishes_, "jetson-agx-orin-64gb", unsaid_) + "processes:\n", processes;
    const Node services = below(root, {"services"});
    for (std::size_t i = 0; services && services->kind == Kind::mapping && i < services->keys.size(); ++i)
      processes += service_text(services->keys[i].name, services->children[i]);
    if (processes.empty())
      problems_.add(root->location, "services", "no service runs a network that is known",
                    "--model NAME or FILE.onnx, for services whose image or command does not name it");
    return text + processes + "run: {duration: 10 s, warmup: 2 s}\n";
  }
  [[nodiscard]] std::vector<std::string> unsaid() { return std::move(unsaid_); }

 private:
  // A number of cores or of weight, as a text or as itself; absent if it is not there.
  [[nodiscard]] std::optional<double> number(const Node& node, const std::string& path) {
    if (!node) return std::nullopt;
    if (const auto value = parse_number(word(node)); value && *value > 0) return value;
    problems_.add(node->location, path, "expected a positive number", "cpus: 1.5");
    return std::nullopt;
  }

  // "0-2,5" as [0, 1, 2, 5].
  [[nodiscard]] std::string cores(const Node& node, const std::string& path) {
    const std::vector<int> list = cpu_numbers(word(node));
    if (list.empty()) problems_.add(node->location, path, "expected numbers of cores", "cpuset: 0-3,5");
    return fmt::format("    cpus: [{}]\n", fmt::join(list, ", "));
  }

  [[nodiscard]] static bool has_gpu(const Node& service) {
    const Node reserved = below(service, {"deploy", "resources", "reservations", "devices"});
    return word(below(service, {"runtime"})) == "nvidia" || below(service, {"gpus"}) ||
           written(reserved).find("gpu") != std::string::npos ||
           written(below(service, {"devices"})).find("nv") != std::string::npos;
  }

  [[nodiscard]] std::string container(const std::string& name, const Node& service) {
    const auto quota = number(below(service, {"cpus"}), name + ".cpus");
    const auto limit = quota ? quota
                             : number(below(service, {"deploy", "resources", "limits", "cpus"}),
                                      name + ".deploy.resources.limits.cpus");
    const auto shares = number(below(service, {"cpu_shares"}), name + ".cpu_shares");
    if (!limit && !shares) return {};
    return fmt::format("    container: {{name: {}{}{}}}\n", yaml_text(name),
                       limit ? fmt::format(", cpus: {:g}", *limit) : "",
                       shares ? fmt::format(", shares: {:g}", *shares) : "");
  }

  [[nodiscard]] std::string service_text(const std::string& name, const Node& service) {
    const std::string said = name + " " + written(below(service, {"image"})) + " " +
                             written(below(service, {"command"})) + " " +
                             written(below(service, {"environment"}));
    const auto network = imported_network("", said, wishes_);
    if (!network) {
      unsaid_.push_back(fmt::format("{}: left out; its image and command name no network", name));
      return {};
    }
    const std::string precision = wishes_.precision.empty() ? "fp16" : wishes_.precision;
    unsaid_.push_back(fmt::format("{}: {} in {} is taken, and requests at random, {}", name, network->model,
                                  precision, wishes_.rate.empty() ? "30 /s" : wishes_.rate));
    std::string same =
        fmt::format("    model: {}\n    precision: {}\n", yaml_text(network->model), precision);
    if (!has_gpu(service)) same += "    placement: cpu\n";
    if (const Node set = below(service, {"cpuset"})) same += cores(set, name + ".cpuset");
    same += fmt::format("    arrivals: {{poisson: {}}}\n", wishes_.rate.empty() ? "30 /s" : wishes_.rate);
    if (below(service, {"mem_limit"}) || below(service, {"deploy", "resources", "limits", "memory"}))
      unsaid_.push_back(name + ": its limit of memory; a process that needs more is ended there");
    const Node scale = below(service, {"scale"}), replicas = below(service, {"deploy", "replicas"});
    const double count = number(scale ? scale : replicas, name + ".replicas").value_or(1);
    std::string text;
    for (int i = 1; i <= std::min(count, 64.0); ++i) {  // each in a container of its own
      const std::string own = count > 1 ? fmt::format("{}-{}", name, i) : name;
      text += fmt::format("  - name: {}\n", yaml_text(own)) + same + container(own, service);
    }
    return text;
  }

  const ImportWishes& wishes_;
  input::Problems& problems_;
  std::vector<std::string> unsaid_;
};

}  // namespace

std::optional<ImportedScenario> compose_scenario(const std::string& path, const ImportWishes& wishes,
                                                 input::Problems& problems) {
  const Node root = input::parse_yaml_file(path, problems);
  if (!root) return std::nullopt;
  const std::size_t before = problems.count();
  ComposeImport import(wishes, problems);
  const std::string body = import.body(root);
  if (problems.count() > before) return std::nullopt;
  return imported_scenario("docker-compose " + fs::path(path).filename().string(), body, import.unsaid());
}

}  // namespace jostle::calibration
