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
  return metric;
}

std::string criterion_words(const std::string& metric, const Criterion& criterion) {
  const std::string title = metric_title(metric);
  if (!criterion.limit) return fmt::format("the {} {}", criterion.maximise ? "highest" : "lowest", title);
  return fmt::format("{} at {} {}", title, criterion.maximise ? "least" : "most",
                     bound_words(metric, *criterion.limit));
}

}  // namespace jostle::analyses
