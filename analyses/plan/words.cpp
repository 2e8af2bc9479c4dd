#include "analyses/plan/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "analyses/plan/goal.hpp"
#include "analyses/study/metric.hpp"
#include "input/quantity.hpp"

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

std::string metric_words(const std::string& metric, double value) {
  constexpr int digits = 4;
  if (metric == headroom_metric) return percent_words(value);
  const std::string unit = metric_unit(metric).name;
  return input::decimal(value, digits) + (unit.empty() ? "" : " " + unit);
}

std::string limit_words(const std::string& metric, const Criterion& limit) {
  const char* const sign = limit.maximise ? ">=" : "<=";
  if (metric == headroom_metric) return fmt::format("{} {} {}", metric, sign, percent_words(*limit.limit));
  return fmt::format("{} {} {:.6g}", metric, sign, *limit.limit);
}

std::string metric_title(const std::string& metric) {
  for (const Title& title : titles)
    if (title.metric == metric) return std::string(title.words);
  return metric;
}

std::string criterion_words(const std::string& metric, const Criterion& criterion) {
  const std::string title = metric_title(metric);
  if (!criterion.limit) return fmt::format("the {} {}", criterion.maximise ? "highest" : "lowest", title);
  return fmt::format("{} at {} {}", title, criterion.maximise ? "least" : "most",
                     metric_words(metric, *criterion.limit));
}

}  // namespace jostle::analyses
