// Changes that explain() tries beside those of tests/analyses/explain.cpp: precision, placement, limits,
// requests; what they are worth; and what is told of units and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <string>

#include "analyses/explain/engine_pieces.hpp"
#include "analyses/explain/explain.hpp"
#include "scenarios/language/objective.hpp"
#include "tests/analyses/explained.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names_of(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Tried& each : explanation.tried) names.push_back(each.what_if.name);
  return names;
}
std::vector<std::string> leaders(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const std::size_t index : explanation.leading) names.push_back(explanation.tried[index].what_if.name);
  return names;
}
double rate(const std::string& text, const std::vector<std::string>& set) {
  return run_text(text, {set, std::nullopt}).system.throughput.value();
}

const std::string on_dla =
    "device: jetson-orin-nx-16gb\npower_mode: MAXN\njetson_clocks: true\n"
    "processes:\n  - {model: yolo11s, precision: fp16, placement: dla0}\nrun: {duration: 2 s}\n";
const std::string hot =
    "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\nambient: 45 degC\nfan: false\n"
    "processes:\n  - {model: yolov8s, precision: fp16}\nrun: {thermal: equilibrium, duration: 20 s}\n";
const std::string over_current =
    "device: jetson-xavier-nx\npower_mode: 15W_6CORE\n"
    "processes:\n  - {model: yolov4_tiny, precision: fp16}\n";
const std::string mixed =
    "device: jetson-orin-nano-super\npower_mode: 25W\nprocesses:\n"
    "  - {name: cam, model: yolov8n, precision: fp16, arrivals: {periodic: 30 /s, queue: {limit: 2, drop: "
    "oldest}}}\n"
    "  - {name: chat, model: qwen2.5_1.5b, precision: q4_k_m, runtime: llama.cpp, generate: {prompt: 512, "
    "tokens: 128}}\nrun: {duration: 20 s}\n";

TEST(PowerMode, of_another_JetPack_is_no_change_that_is_tried) {
  const auto in_mode = [](const char* mode) {
    return explained(std::string("device: jetson-orin-nx-16gb\npower_mode: ") + mode +
                     "\nprocesses:\n  - {model: yolov8s, precision: fp16}\nrun: {duration: 1 s}\n");
  };
  const auto names = names_of(in_mode("MAXN"));
  EXPECT_THAT(names, Not(Contains("next-power-mode")))
      << "40W needs the Super configuration, MAXN is not in it";
  EXPECT_EQ(tried(in_mode("40W"), "next-power-mode").what_if.label,
            "power mode MAXN_SUPER (JetPack 6.2 Super)");
}

// Tokens/s by the label of each change of weights.
std::map<std::string, double> rates_by_weights(const std::string& device, const std::string& process) {
  const Explanation explanation =
      explained("device: " + device + "\nprocesses:\n  - {" + process +
                ", generate: {prompt: 128, tokens: 64}}\nrun: {duration: 20 s}\n");
  std::map<std::string, double> rates;
  for (const Tried& each : explanation.tried) {
    if (each.what_if.name != "weights") continue;
    EXPECT_TRUE(each.worth.accuracy_unknown);
    rates["now"] = each.processes.front().tokens_per_s.before.value();
    rates[each.what_if.label] = each.processes.front().tokens_per_s.after.value();
  }
  return rates;
}

TEST(Weights, are_tried_in_the_formats_of_runtime_and_board_and_fewer_bytes_decode_faster) {
  std::map<std::string, double> orin =
      rates_by_weights("jetson-agx-orin-64gb", "model: qwen3_4b, precision: fp16, runtime: vllm");
  EXPECT_EQ(orin.size(), 6U) << "awq, gptq, mxfp4, int8 and fp8; no nvfp4, and none of llama.cpp";
  EXPECT_EQ(orin["weights in gptq"], orin["weights in awq"]);
  EXPECT_GT(orin["weights in awq"], orin["weights in int8"]);
  EXPECT_GT(orin["weights in int8"], 1.5 * orin["now"]);
  EXPECT_GT(orin["weights in awq"], 2 * orin["now"]);
  std::map<std::string, double> thor =
      rates_by_weights("jetson-agx-thor", "model: qwen3_4b, precision: fp16, runtime: vllm");
  EXPECT_EQ(thor.size(), 7U);
  EXPECT_GT(thor["weights in nvfp4"], thor["weights in fp8"]);
  EXPECT_GE(thor["weights in mxfp4"], thor["weights in nvfp4"]);
  EXPECT_GT(thor["weights in awq"], thor["weights in fp8"]);
  EXPECT_GE(thor["weights in fp8"], thor["weights in int8"]);
  EXPECT_GT(thor["weights in int8"], 1.4 * thor["now"]);
  std::map<std::string, double> llama =
      rates_by_weights("jetson-orin-nano-super", "model: qwen3_0.6b, precision: q8_0, runtime: llama.cpp");
  EXPECT_EQ(llama.size(), 5U) << "fp16, q4_k_m, q4_0 and mxfp4";
  EXPECT_GT(llama["weights in q4_k_m"], llama["now"]);
  EXPECT_LT(llama["weights in fp16"], llama["now"]);
}

TEST(Weights, that_make_a_process_fit_lead_and_else_those_that_bring_most) {
  const auto of = [](const std::string& device, const std::string& runtime, int prompt) {
    return explained(
        "device: " + device + "\nprocesses:\n  - {model: qwen3_4b, precision: fp16, runtime: " + runtime +
        ", generate: {prompt: " + std::to_string(prompt) + ", tokens: 16}}\nrun: {duration: 10 s}\n");
  };
  const Explanation tight = of("jetson-orin-nano-super", "tensorrt-llm", 128);
  ASSERT_NE(tight.result.status, "ok");
  ASSERT_FALSE(tight.leading.empty());
  EXPECT_EQ(tight.tried[tight.leading.front()].what_if.name, "weights");
  const Explanation roomy = of("nvidia-a10", "tensorrt-llm", 4096);
  std::map<std::string, double> net;
  for (const Tried& each : roomy.tried)
    if (each.what_if.name == "weights") net[each.what_if.label] = each.worth.net();
  EXPECT_GT(net["weights in w4a8"], net["weights in awq"]);
  for (const std::size_t i : roomy.leading)
    if (roomy.tried[i].what_if.name == "weights") {
      EXPECT_EQ(roomy.tried[i].worth.net(), std::ranges::max(net | std::views::values));
    }
}

TEST(Placement, the_GPU_in_place_of_a_DLA_leads_with_what_falls_back) {
  const Explanation explanation = explained(on_dla);
  EXPECT_EQ(leaders(explanation).front(), "placement-gpu");
  EXPECT_EQ(tried(explanation, "placement-gpu").throughput.after.value(),
            rate(on_dla, {"processes.0.placement=gpu"}));
  EXPECT_GT(tried(explanation, "placement-gpu").throughput.relative().value(), 10);
  EXPECT_THAT(explanation.groups[0].pieces,
              AllOf(HasSubstr("layers run on the GPU, in"), HasSubstr("resize")));
}

TEST(Placement, twins_on_both_DLAs_and_the_GPU_add_up_to_one_process) {
  const Explanation explanation = explained(on_dla);
  const Tried& both = tried(explanation, "gpu-and-dla");
  ASSERT_EQ(both.results.front().processes.size(), 3U);
  double sum = 0;
  for (const ProcessResult& process : both.results.front().processes) sum += process.throughput.mean.value();
  EXPECT_DOUBLE_EQ(both.processes[0].throughput.after.value(), sum);
  EXPECT_DOUBLE_EQ(both.throughput.after.value(), sum);
}

TEST(Placement, counts_of_processes_are_dealt_out_over_the_DLAs) {
  const Explanation explanation = explained(on_dla, {"processes.0.count=3"});
  const Tried& both = tried(explanation, "both-dlas");
  EXPECT_EQ(both.what_if.boards[0].parts, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(both.results.front().processes.size(), 3U);
}

TEST(Placement, is_not_offered_without_a_DLA) {
  const Explanation explanation = explained(over_current, {"device=jetson-orin-nano", "power_mode=15W"});
  for (const char* name : {"placement-gpu", "both-dlas", "gpu-and-dla"})
    EXPECT_THAT(names_of(explanation), Not(Contains(name)));
}

TEST(Precision, is_lowered_where_it_can_be_with_accuracy_unknown) {
  const Explanation explanation = explained(over_current, {"processes.0.precision=fp32"});
  EXPECT_EQ(tried(explanation, "precision-fp16").throughput.after.value(),
            rate(over_current, {"processes.0.precision=fp16"}));
  EXPECT_TRUE(tried(explanation, "precision-int8").worth.accuracy_unknown);
  EXPECT_THAT(prices_in_words(tried(explanation, "precision-int8"), explanation.result),
              Contains("accuracy unknown"));
  EXPECT_THAT(names_of(explained(over_current, {"processes.0.precision=int8"})),
              Not(Contains(::testing::StartsWith("precision"))));
}

TEST(Limits, over_current_is_named_with_its_size) {
  const Explanation explanation = explained(over_current);
  ASSERT_EQ(explanation.limits.size(), 1U);
  EXPECT_EQ(explanation.limits[0].name, "over_current");
  EXPECT_NEAR(explanation.limits[0].share, 0.5, 0.02);
  const Tried& without = tried(explanation, "no-limits");
  EXPECT_GT(without.throughput.relative().value(), 0.05);
  EXPECT_EQ(without.results.front().system.limited_by, "none");
}

TEST(Limits, heat_is_named_with_its_size_and_what_ends_it) {
  const Explanation explanation = explained(hot);
  ASSERT_FALSE(explanation.limits.empty());
  EXPECT_EQ(explanation.limits[0].name, "thermal");
  const Tried& without = tried(explanation, "no-limits");
  EXPECT_NEAR(without.throughput.relative().value(), 1.18, 0.06);
  EXPECT_TRUE(without.p99_ms.after.has_value());
  EXPECT_LT(without.results.front().system.temperature_peak_c.value(), 60);
  EXPECT_THAT(explanation.limits[0].sentence,
              AllOf(HasSubstr("heat"), HasSubstr("a fan (images/s +"),
                    HasSubstr("not with: air of 25 degC (images/s +"), Not(HasSubstr("power mode 7W"))));
  EXPECT_EQ(leaders(explanation).front(), "fan");
}

TEST(Requests, an_overloaded_camera_may_drop_or_skip_frames) {
  const std::string camera =
      "device: jetson-nano\nprocesses:\n  - {model: yolov4_tiny, precision: fp16, arrivals: {periodic: 60 "
      "/s}}\n"
      "run: {duration: 10 s}\n";
  const Explanation explanation = explained(camera);
  ASSERT_TRUE(explanation.overload.has_value());
  const Tried& drop = tried(explanation, "drop-frames");
  EXPECT_TRUE(drop.is_stable());
  EXPECT_THAT(prices_in_words(drop, explanation.result), Contains(HasSubstr("of frames dropped")));
  const Tried& skip = tried(explanation, "skip-frames");
  EXPECT_TRUE(skip.is_stable());
  EXPECT_THAT(prices_in_words(skip, explanation.result), Contains("50 % of frames skipped"));
  EXPECT_TRUE(explanation.tried[explanation.leading.front()].worth.rescues);
  EXPECT_THAT(names_of(explained(camera, {"processes.0.arrivals.periodic=10 /s"})),
              Not(Contains("drop-frames")));
}

TEST(Host, stages_quotas_and_confined_cores_are_taken_away) {
  const std::string pipeline =
      "device: jetson-orin-nano\nhost_cores: 1\nprocesses:\n  - {model: yolov8n, precision: fp16, count: 2, "
      "stages: {before: [{name: decode, time: 12 ms}], after: [{name: nms, time: 6 ms}]}}\n"
      "run: {duration: 2 s}\n";
  const Explanation explanation = explained(pipeline);
  EXPECT_GT(tried(explanation, "all-cores").throughput.relative().value(), 0.5);
  EXPECT_GT(tried(explanation, "no-stages").throughput.relative().value(), 0.5);
  EXPECT_EQ(tried(explanation, "no-stages").what_if.label, "without decode and 1 more");
  EXPECT_THAT(names_of(explanation), Contains("sync-spin"));
}

TEST(Units, images_and_tokens_are_never_added) {
  const Explanation explanation = explained(mixed);
  const Result& result = explanation.result;
  EXPECT_DOUBLE_EQ(result.system.throughput.value(), result.processes[0].throughput.mean.value());
  EXPECT_NEAR(result.system.energy_per_image_mj.value(),
              1e3 * result.system.power_w.mean.value() / result.system.throughput.value(), 1e-6);
  for (const Tried& each : explanation.tried) {
    ASSERT_EQ(each.units.size(), 2U);
    EXPECT_EQ(each.units[0].unit, "images");
    EXPECT_EQ(each.units[1].unit, "tokens");
    EXPECT_DOUBLE_EQ(each.units[1].per_s.before.value(), result.processes[1].tokens->per_s.value());
    EXPECT_NEAR(each.units[1].energy_mj.before.value() / 1e3 * result.processes[1].tokens->per_joule.value(),
                1, 1e-9);
  }
}

TEST(Objective, judges_changes_by_the_metric_that_it_names) {
  const Explanation explanation = explained(mixed, {"objective=processes.1.tokens.decode_per_s"});
  for (const Tried& each : explanation.tried) {
    if (each.results.size() != 1 || each.results.front().processes.size() != 2) continue;
    const auto& after = each.results.front().processes[1].tokens->decode_per_s;
    const auto& before = explanation.result.processes[1].tokens->decode_per_s;
    EXPECT_NEAR(each.worth.gain, std::log(*after / *before), 1e-12) << each.what_if.name;
  }
}

TEST(Objective, that_is_no_metric_is_refused_with_a_suggestion) {
  const auto complaint = [](const std::string& objective) {
    input::Problems problems;
    (void)parse_scenario({mixed, "mixed.yaml", ""}, shipped_catalogue(),
                         {{"objective=" + objective}, std::nullopt}, problems);
    return problems.text();
  };
  EXPECT_EQ(complaint("processes.1.tokens.decode_per_s"), "");
  EXPECT_EQ(complaint("system.power_w.mean"), "");
  EXPECT_THAT(complaint("processes.1.tokens.decode_pers"),
              HasSubstr("did you mean 'processes.1.tokens.decode_per_s'"));
  EXPECT_THAT(complaint("processes.7.throughput.mean"), HasSubstr("the last is processes.1"));
  EXPECT_THAT(complaint("processes.0.tokens.per_s"), HasSubstr("no metric that changes can be judged by"));
}

TEST(Worth, a_price_in_latency_energy_and_boards_is_taken_from_the_gain) {
  const Explanation explanation = explained(over_current, {"processes.0.count=2"});
  const Tried& second = tried(explanation, "second-board");
  EXPECT_DOUBLE_EQ(second.worth.boards, std::log(2.0));
  EXPECT_DOUBLE_EQ(tried(explanation, "one-process-fewer").worth.given_up, std::log(2.0));
  const Tried& batch = tried(explanation, "batch-doubled");
  EXPECT_GT(batch.worth.latency, 0);
  EXPECT_DOUBLE_EQ(batch.worth.net(), batch.worth.gain - batch.worth.price());
}

TEST(Worth, leading_changes_are_the_best_of_their_kinds_and_can_be_made) {
  for (const std::string& text : {on_dla, hot, over_current}) {
    const Explanation explanation = explained(text);
    EXPECT_LE(explanation.leading.size(), 3U);
    double last = INFINITY;
    std::set<ChangeKind> kinds;
    for (const std::size_t index : explanation.leading) {
      const Tried& each = explanation.tried[index];
      EXPECT_EQ(each.what_if.role, Role::advice);
      EXPECT_TRUE(kinds.insert(each.what_if.kind).second);
      EXPECT_LE(each.worth.net(), last);
      last = each.worth.net();
      for (const Tried& other : explanation.tried) {
        const bool alternative = other.what_if.kind == each.what_if.kind && !other.worth.ruins &&
                                 other.what_if.role == Role::advice && !other.worth.accuracy_unknown;
        if (alternative) {
          EXPECT_LE(other.worth.net(), each.worth.net() + std::log(1.05)) << other.what_if.name;
        }
      }
    }
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
