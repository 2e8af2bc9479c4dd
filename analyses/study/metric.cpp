#include "analyses/study/metric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "scenarios/result/result_text.hpp"
#include "sim/time.hpp"

namespace jostle::analyses {
namespace {

constexpr const char* any_name = "*";

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  std::size_t from = 0;
  while (true) {
    const std::size_t dot = path.find('.', from);
    steps.push_back(path.substr(from, dot - from));
    if (dot == std::string::npos) return steps;
    from = dot + 1;
  }
}

std::optional<std::size_t> index_of(const std::string& step) {
  bool overflow = false;
  const auto index = input::parse_integer(step, overflow);
  return index && *index >= 0 ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
}

// A result with all possible keys; names that depend on the board are `*`.
const nlohmann::json& complete_result() {
  static const nlohmann::json whole = [] {
    const scenarios::NamedParameters any{{any_name, 0.0}};
    scenarios::Result result;
    scenarios::ProcessResult& process = result.processes.emplace_back();
    process.offered = 0.0;
    process.instances.emplace_back().offered = 0.0;
    process.tokens.emplace();
    process.instances.front().tokens.emplace();
    process.throughput.ci95 = process.throughput.pi90 = process.latency_ms.pi90 = {0.0, 0.0};
    scenarios::SystemResult& system = result.system;
    system.power_w.rails = system.power_w.rail_peaks = system.power_w.parts = system.limited_share = any;
    system.time_in_state = {{any_name, any}};
    system.dla.emplace_back();
    system.engines.emplace_back();
    result.loads.emplace_back().behind_processes = 1;
    system.link.emplace();
    system.cpu.clock_mhz = {0.0};
    scenarios::GpuWindows windows;
    windows.shares.push_back({any_name, {}, {}, {}, {}});
    process.gpu_windows = system.gpu.windows = windows;
    nlohmann::json json = nlohmann::json::parse(to_json(result));
    nlohmann::json& processes = json["processes"];
    for (const auto& figure : processes[1].items()) processes[0].emplace(figure.key(), figure.value());
    return json;
  }();
  return whole;
}

std::vector<std::string> names_in(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& entry : object.items()) names.push_back(entry.key());
  return names;
}

scenarios::Metric worse(scenarios::Metric a, scenarios::Metric b, Worst worst) {
  if (!a || !b) return std::nullopt;
  return worst == Worst::least ? std::min(*a, *b) : std::max(*a, *b);
}

using Steps = std::vector<std::string>;

// Whether the value is of those that the worst is sought among: figures that only loads have are theirs,
// tokens are of language models, all others of processes that infer.
bool counts(const nlohmann::json& entry, const std::string& figure) {
  if (!entry.is_object()) return true;
  if (figure == "tokens") return entry.contains(figure) && !entry[figure].is_null();
  const bool of_loads = figure == "bandwidth_gb_s" || figure == "busy_cores" || figure == "threads";
  return entry.contains("load") == of_loads;
}

scenarios::Metric find_in(const nlohmann::json& at, Steps::const_iterator step, Steps::const_iterator end,
                          Worst worst) {
  if (at.is_array()) {
    if (step != end) {
      if (const auto index = index_of(*step))
        return *index < at.size() ? find_in(at[*index], step + 1, end, worst) : std::nullopt;
      if (*step == any_name) ++step;
    }
    scenarios::Metric found;
    bool first = true;
    for (const nlohmann::json& entry : at) {
      if (step != end && !counts(entry, *step)) continue;
      const scenarios::Metric one = find_in(entry, step, end, worst);
      found = first ? one : worse(found, one, worst);
      first = false;
    }
    return found;
  }
  if (at.is_object()) {
    const auto child = at.find(step == end ? "mean" : *step);
    if (child == at.end()) return std::nullopt;
    return find_in(*child, step == end ? step : step + 1, end, worst);
  }
  return step == end && at.is_number() ? scenarios::Metric(at.get<double>()) : std::nullopt;
}

}  // namespace

bool check_metric(const input::Cursor& at, const std::string& path) {
  const nlohmann::json* json = &complete_result();
  const Steps steps = steps_of(path);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    if (json->is_array() && !json->empty() && (json->front().is_object() || index_of(step))) {
      json = &json->front();
      if (index_of(step) || step == any_name) continue;
    }
    if (!json->is_object()) {
      at.problem(fmt::format("unknown metric '{}': '{}' has no keys", input::printable(path),
                             input::printable(i == 0 ? path : steps[i - 1])));
      return false;
    }
    auto child = json->find(step);
    if (child == json->end()) child = json->find(any_name);
    if (child == json->end()) {
      at.problem(fmt::format("unknown metric '{}': results have no key '{}' there", input::printable(path),
                             input::printable(step)),
                 input::spelling_hint(step, names_in(*json)));
      return false;
    }
    json = &*child;
  }
  if (json->is_object() && json->contains("mean")) json = &(*json)["mean"];
  if (json->is_number() || json->is_null()) return true;
  at.problem(fmt::format("'{}' is not a metric", input::printable(path)),
             json->is_object() ? fmt::format("add one of {}", fmt::join(names_in(*json), ", ")) : "");
  return false;
}

MetricUnit metric_unit(const std::string& path) {
  struct Suffix {
    std::string_view text;
    const input::Dimension& dimension;
    double factor;
    const char* name;
  };
  static const std::array suffixes{
      Suffix{"_mj", input::energy_dimension(), 1e3, "mJ"},
      Suffix{"_ms", input::time_dimension(), 1.0 / static_cast<double>(sim::milliseconds(1).ps()), "ms"},
      Suffix{"_us", input::time_dimension(), 1.0 / static_cast<double>(sim::microseconds(1).ps()), "us"},
      Suffix{"_mhz", input::frequency_dimension(), 1e-6, "MHz"},
      Suffix{"_mb", input::size_dimension(), 1e-6, "MB"},
      Suffix{"_gb_s", input::bandwidth_dimension(), 1e-9, "GB/s"},
      Suffix{"_w", input::power_dimension(), 1, "W"},
      Suffix{"_c", input::temperature_dimension(), 1, "degC"}};
  const Steps steps = steps_of(path);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (const Suffix& suffix : suffixes) {
      if (step->ends_with(suffix.text)) return {&suffix.dimension, suffix.factor, suffix.name};
    }
    if (*step == "throughput") return {nullptr, 1, "images/s"};
    if (*step == "decode_per_s" || *step == "prefill_per_s") return {nullptr, 1, "tokens/s"};
  }
  return {};
}

struct ResultMetrics::Document {
  nlohmann::json json;
};

ResultMetrics::ResultMetrics(const std::string& json)
    : document_(std::make_shared<const Document>(Document{nlohmann::json::parse(json)})) {}

ResultMetrics::ResultMetrics(const scenarios::Result& result) : ResultMetrics(to_json(result)) {}

scenarios::Metric ResultMetrics::find(const std::string& path, Worst worst) const {
  const Steps steps = steps_of(path);
  return find_in(document_->json, steps.begin(), steps.end(), worst);
}

double ResultMetrics::needed_s() const {
  double most = 0;
  for (const nlohmann::json& process : document_->json.at("processes")) {
    const auto latency = process.find("latency_ms");
    if (latency == process.end() || !latency->contains("needs")) continue;
    for (const auto& needed : latency->at("needs"))
      if (needed.contains("run_s") && needed["run_s"].is_number())
        most = std::max(most, needed["run_s"].get<double>());
  }
  return most;
}

double ResultMetrics::dropped() const {
  double most = 0;
  for (const nlohmann::json& process : document_->json.at("processes")) {
    const double drops = process.value("drops", 0.0) * process.value("batch", 1.0);
    const auto images = process.find("images");
    const double served = images != process.end() && images->is_number() ? images->get<double>() : 0;
    if (drops > 0) most = std::max(most, drops / (drops + served));
  }
  return most;
}

bool ResultMetrics::overloaded() const {
  return std::ranges::any_of(document_->json.at("processes"), [](const nlohmann::json& process) {
    return process.contains("stable") && process["stable"] == false;
  });
}

scenarios::Metric ResultMetrics::stable_share() const {
  scenarios::Metric least;
  for (const nlohmann::json& process : document_->json.at("processes")) {
    if (!process.contains("stable") || process["stable"] != false) continue;
    const auto rate = process.find("stable_rate");
    if (rate == process.end() || !rate->is_number()) return std::nullopt;
    least = std::min(least.value_or(1), rate->get<double>() / process.at("offered").at("mean").get<double>());
  }
  return least;
}

}  // namespace jostle::analyses
