// Figures of plans in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyses/plan/goal.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

// A share with a digit behind the point, or two digits in front of it: "3.1 %", "57 %". One that would be
// shown as nothing is "less than 0.1 %".
[[nodiscard]] std::string percent_words(double share);

// The share of a load that is served, rounded down so that it never reads as all: "95.4 %".
[[nodiscard]] std::string served_words(double share);

// A value of the metric with its unit, to three digits: "41.2 ms"; of headroom "14 %".
[[nodiscard]] std::string metric_words(const std::string& metric, double value);

// A limit of the metric, as it was given: "12.125 W".
[[nodiscard]] std::string bound_words(const std::string& metric, double limit);

// A limit: "processes.latency_ms.p99 <= 60", "headroom >= 20 %".
[[nodiscard]] std::string limit_words(const std::string& metric, const Criterion& limit);

// A metric as a reader calls it: "throughput", "p99 latency" of the worst process, "p99 of process 1". A
// metric that is rarely a goal keeps its path.
[[nodiscard]] std::string metric_title(const std::string& metric);

// A criterion in a question: "the lowest power of the board", "throughput of the board at least 120
// images/s".
[[nodiscard]] std::string criterion_words(const std::string& metric, const Criterion& criterion);

// A value of a setting, JSON: texts without quotes.
[[nodiscard]] std::string setting_value_text(const nlohmann::ordered_json& value);

// A key of a study in plain words: "GPU clock" for clocks.gpu; without "processes.0." if no other process is
// set in `settings` (key to value).
[[nodiscard]] std::string plain_setting_name(const nlohmann::ordered_json& settings, const std::string& key);

// What is asked of a study's board, without what the keys of `settings` (JSON) choose:
// "jetson-orin-nano-super, power mode 15W", and "2 x yolov8n int8 at 15 /s and resnet50".
struct Asked {
  std::string board, networks;
};
[[nodiscard]] Asked asked_of(const scenarios::Scenario& scenario, const std::string& settings);

// All settings of a point, JSON: "batch 8, power mode 15W".
[[nodiscard]] std::string plain_settings(const std::string& settings);

}  // namespace jostle::analyses
