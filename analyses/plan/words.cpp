#include "analyses/plan/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/goal.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

struct Title {
  std::string_view metric, words;
};

constexpr std::array titles{
    Title{"system.throughput", "throughput"},
    Title{"system.power_w", "power"},
    Title{"system.energy_per_image_mj", "energy an image"},
    Title{"processes.throughput", "lowest throughput of a process"},
    Title{"processes.latency_ms", "mean latency"},
    Title{"processes.latency_ms.p50", "median latency"},
    Title{"processes.latency_ms.p90", "p90 latency"},
    Title{"processes.latency_ms.p95", "p95 latency"},
    Title{"processes.latency_ms.p99", "p99 latency"},
    Title{"processes.tokens.ttft_ms.p99", "p99 time to the first token"},
    Title{"processes.tokens.itl_ms.p99", "p99 time between tokens"},
    Title{"system.tokens.per_s", "tokens a second"},
    Title{"system.tokens.energy_mj", "energy a token"},
};

}  // namespace

std::string percent_words(double share) {
  constexpr double least = 0.05, two_digits = 9.95;
  const double percent = 100 * std::abs(share);
  if (percent < least && percent > 0) return "less than 0.1 %";
  if (percent < two_digits && percent != std::round(percent)) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string served_words(double share) {
  return fmt::format("{:.3g} %", std::floor(1000 * share) / 10);
}

namespace {

std::string with_digits(const std::string& metric, double value, int digits) {
  if (metric == headroom_metric) return percent_words(value);
  const std::string unit = metric_unit(metric).name;
  return input::decimal(value, digits) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string metric_words(const std::string& metric, double value) {
  return with_digits(metric, value, std::abs(value) < 1000 ? 3 : 4);
}

std::string bound_words(const std::string& metric, double limit) {
  return with_digits(metric, limit, 6);
}

std::string limit_words(const std::string& metric, const Criterion& limit) {
  const char* const sign = limit.maximise ? ">=" : "<=";
  if (metric == headroom_metric) return fmt::format("{} {} {}", metric, sign, percent_words(*limit.limit));
  return fmt::format("{} {} {:.6g}", metric, sign, *limit.limit);
}

std::string metric_title(const std::string& metric) {
  for (const Title& title : titles)
    if (title.metric == metric) return std::string(title.words);
  const auto path = scenarios::process_path(metric);
  const auto* const row = path && path->place ? scenarios::metric_row(path->metric) : nullptr;
  return row != nullptr ? fmt::format("{} of process {}", row->words, *path->place) : metric;
}

std::string Goal::title(const std::string& metric) const {
  const auto path = scenarios::process_path(metric);
  const auto* const row = path && path->place ? scenarios::metric_row(path->metric) : nullptr;
  if (row == nullptr || *path->place >= names.size() || std::ranges::count(names, names[*path->place]) > 1)
    return metric_title(metric);
  return fmt::format("{} {}", names[*path->place], row->words);
}

std::string criterion_words(const std::string& metric, const Criterion& criterion) {
  const std::string title = metric_title(metric);
  if (!criterion.limit) return fmt::format("the {} {}", criterion.maximise ? "highest" : "lowest", title);
  return fmt::format("{} at {} {}", title, criterion.maximise ? "least" : "most",
                     bound_words(metric, *criterion.limit));
}

std::string setting_value_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : output::json_text(value);
}

std::string plain_setting_name(const nlohmann::ordered_json& settings, const std::string& key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> known{
      {{"clocks.gpu", "GPU clock"},
       {"clocks.cpu", "CPU clock"},
       {"clocks.emc", "memory clock"},
       {"clocks.cores", "cores"},
       {"governors.cpu", "CPU governor"},
       {"governors.gpu", "GPU governor"},
       {"count", "processes"},
       {"device", "board"}}};
  constexpr std::string_view all = "processes.", first = "processes.0.";
  bool alone = true;
  for (const auto& [name, value] : settings.items())
    if (name.starts_with(all) && !name.starts_with(first)) alone = false;
  std::string name = alone && key.starts_with(first) ? key.substr(first.size()) : key, of;
  if (name.starts_with(all)) {
    const std::size_t dot = name.find('.', all.size());
    if (dot == std::string::npos) return name;
    of = fmt::format(" of process {}", name.substr(all.size(), dot - all.size()));
    name.erase(0, dot + 1);
  }
  for (const auto& [path, words] : known)
    if (name == path) return std::string(words) + of;
  if (name.starts_with("arrivals.")) name.erase(0, name.rfind('.') + 1);
  std::ranges::replace(name, '_', ' ');
  return name + of;
}

Asked asked_of(const scenarios::Scenario& scenario, const std::string& settings) {
  const nlohmann::ordered_json chosen = output::parsed_json(settings);
  Asked asked;
  if (!chosen.contains("device")) asked.board = scenario.device;
  if (scenario.power_mode && !chosen.contains("power_mode"))
    asked.board += (asked.board.empty() ? "power mode " : ", power mode ") + *scenario.power_mode;
  std::vector<std::string> networks;
  for (std::size_t i = 0; i < scenario.processes.size() && !chosen.contains("processes"); ++i) {
    const scenarios::ProcessEntry& entry = scenario.processes[i];
    const auto open = [&](const char* key) {
      return !chosen.contains(fmt::format("processes.{}.{}", i, key)) &&
             !chosen.contains(fmt::format("processes.*.{}", key));
    };
    std::string text = open("model") ? scenarios::called(entry) : "a network";
    if (entry.count > 1 && open("count")) text.insert(0, fmt::format("{} x ", entry.count));
    if (const auto precision = precision_name(entry); precision && open("precision"))
      text += " " + *precision;
    const process::Arrivals& arrivals = entry.arrivals;
    if (arrivals.rate_per_s > 0 && open("arrivals") && open("arrivals.periodic") && open("arrivals.poisson"))
      text += " at " + input::decimal(arrivals.rate_per_s, 4) + " /s";
    networks.push_back(std::move(text));
  }
  asked.networks = input::listed(networks);
  return asked;
}

std::string plain_settings(const std::string& settings) {
  const nlohmann::ordered_json json = output::parsed_json(settings);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    const std::string name = plain_setting_name(json, key);
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", name,
                        std::isdigit(static_cast<unsigned char>(name.back())) != 0 ? ":" : "",
                        setting_value_text(value));
  }
  return text.empty() ? "the scenario unchanged" : text;
}

}  // namespace jostle::analyses
