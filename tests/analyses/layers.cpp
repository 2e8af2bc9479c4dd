// Parts of networks: the key `layers`, and offload studies that cut a network between edge and cloud.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyses/offload/offload.hpp"
#include "analyses/offload/runs.hpp"
#include "models/dnn/partition_points.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

using scenarios::testing::around;
using scenarios::testing::load_text;
using scenarios::testing::run_text;
using ::testing::HasSubstr;

// Of resnet50's 56 layers as TensorRT fuses them: where 2048 x 7 x 7 elements cross.
constexpr std::size_t all_layers = 56, cut_at = 48;
constexpr double crossing = 2048 * 7 * 7;

std::string errors_of(const std::string& process) {
  return load_text(around(process)).errors;
}
std::string with_layers(const std::string& layers) {
  return "model: resnet50, precision: fp16, layers: " + layers;
}

TEST(LayersKey, takes_a_range_within_the_network) {
  const auto loaded = load_text(around(with_layers("[0, 48]")));
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  const LayerRange range = loaded.scenario->processes[0].work.layers.value();
  EXPECT_EQ(range.first, 0U);
  EXPECT_EQ(range.end, cut_at);
}

TEST(LayersKey, all_layers_are_the_network_itself) {
  const auto loaded = load_text(around(with_layers("[0, 56]")));
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  EXPECT_FALSE(loaded.scenario->processes[0].work.layers);
}

TEST(LayersKey, tells_what_is_wrong_with_it) {
  const std::string range =
      "processes.0.layers: expected two numbers from 0 to 56: the first layer, and the layer after the last";
  EXPECT_THAT(errors_of(with_layers("[0, 57]")), HasSubstr(range));
  EXPECT_THAT(errors_of(with_layers("[20, 20]")), HasSubstr(range));
  for (const char* const layers : {"[20, 3]", "[20]", "[]"})
    EXPECT_THAT(errors_of(with_layers(layers)),
                HasSubstr("expected two numbers of layers, such as [0, 20], the smaller one first"));
  EXPECT_THAT(errors_of(with_layers("[1, 2, 3]")), HasSubstr("processes.0.layers"));
  EXPECT_THAT(errors_of(with_layers("20")), HasSubstr("processes.0.layers: expected two numbers of layers"));
  EXPECT_THAT(errors_of(with_layers("[-1, 20]")), HasSubstr("processes.0.layers.0"));
  EXPECT_THAT(errors_of(with_layers("[0, many]")), HasSubstr("processes.0.layers.1"));
  EXPECT_THAT(errors_of("model: resnet50, precision: fp16, layer: [0, 20]"),
              HasSubstr("did you mean 'layers'?"));
}

TEST(LayersKey, is_of_networks_that_tensorrt_runs_on_the_gpu) {
  const std::string only = "does not run a part of a network";
  EXPECT_THAT(errors_of(with_layers("[0, 20], runtime: eager")), HasSubstr(only));
  EXPECT_THAT(errors_of(with_layers("[0, 20], placement: cpu")), HasSubstr(only));
  EXPECT_THAT(errors_of(with_layers("[0, 20], placement: dla0")), HasSubstr(only));
  EXPECT_THAT(errors_of("model: {kernels: 9, duration: 5 us, blocks: 1, threads: 32}, layers: [0, 2]"),
              HasSubstr("has no key 'layers'"));
  EXPECT_THAT(errors_of("model: resnet5O, precision: fp16, layers: [0, 2]"), HasSubstr("unknown model"));
}

TEST(LayersKey, is_echoed) {
  const auto first = load_text(around(with_layers("[3, 20]")));
  const std::string echo = to_json(*first.scenario);
  const auto again = load_text(echo);
  ASSERT_TRUE(again.scenario) << again.errors;
  EXPECT_EQ(to_json(*again.scenario), echo);
  EXPECT_NE(echo.find("layers"), std::string::npos);
}

TEST(LayersRun, parts_take_the_time_of_the_whole_and_hold_less) {
  const auto run_part = [](const std::string& layers) {
    return run_text(
        "{device: jetson-orin-nano-super, jetson_clocks: true, run: {duration: 1 s}, processes: [{model: "
        "resnet50, "
        "precision: fp16, arrivals: {periodic: 20 /s}" +
        layers + "}]}");
  };
  const Result whole = run_part(""), head = run_part(", layers: [0, 28]"),
               tail = run_part(", layers: [28, 56]");
  const auto gpu_ms = [](const Result& result) { return *result.system.gpu.busy * 1e3 / 20; };
  // The tail reformats what it is given, the head what the whole is.
  EXPECT_NEAR(gpu_ms(head) + gpu_ms(tail), gpu_ms(whole), 0.02 * gpu_ms(whole));
  EXPECT_LT(*head.processes[0].memory_mb, *whole.processes[0].memory_mb);
  EXPECT_LT(*tail.processes[0].memory_mb, *whole.processes[0].memory_mb);
  EXPECT_NE(head.processes[0].grades.kernels, "measured");
}

TEST(LayersRun, a_tensor_payload_is_what_the_part_reads) {
  const auto busy = [](const std::string& layers) {
    return *run_text(
                "{device: nvidia-a40, run: {duration: 2 s, warmup: 500 ms}, link: {bandwidth: 100 Mbit/s, "
                "rtt: 0 ms, payload: tensor}, processes: [{model: resnet50, precision: fp16, batch: 2, "
                "arrivals: {periodic: 10 /s, phase: 1 ms}" +
                layers + "}]}")
                .system.link->busy;
  };
  EXPECT_NEAR(busy(""), 10 * 2 * 2 * 3 * 224 * 224 * 8 / 100e6, 1e-4);
  EXPECT_NEAR(busy(", layers: [48, 56]"), 10 * 2 * 2 * crossing * 8 / 100e6, 1e-4);
}

OffloadQuestion question_of(const std::string& text) {
  input::Problems problems;
  static Profiles profiles;
  const auto study = parse_study(text, "cameras.yaml", "", problems);
  auto question = study ? offload_question(*study, profiles, problems) : std::nullopt;
  if (!question) throw std::runtime_error(problems.text());
  return *std::move(question);
}

// `edge` and `cloud` go into the process of the one and the other.
std::string study(const std::string& offload, const std::string& edge = ", arrivals: {periodic: 20 /s}",
                  const std::string& cloud = {}, const std::string& run = "{duration: 2 s, warmup: 500 ms}",
                  const std::string& more = {}) {
  return "scenario:\n  device: jetson-orin-nano-super\n  jetson_clocks: true\n  run: " + run +
         "\n  processes: [{model: resnet50, precision: fp16" + edge +
         "}]\noffload:\n  cloud: {device: nvidia-a40" + more +
         ", processes: [{model: resnet50, precision: fp16" + cloud + "}]}\n" + offload;
}

const OffloadPartition& cut_after(const OffloadAnswer& answer, std::size_t layers) {
  for (const OffloadPartition& cut : answer.partitions)
    if (cut.at.layers == layers) return cut;
  throw std::runtime_error("no such cut");
}

TEST(OffloadLayers, take_the_heads_run_the_transfer_and_the_tails_run) {
  const OffloadAnswer answer =
      offload(question_of(study("  link: {bandwidth: 100 Mbit/s, rtt: 6 ms}\n")), {});
  EXPECT_EQ(answer.layers, all_layers);
  const OffloadPartition& cut = cut_after(answer, cut_at);
  EXPECT_EQ(cut.request_bytes, 2 * crossing);
  const Result tail = run_text(
      "{device: nvidia-a40, run: {duration: 2 s, warmup: 500 ms}, processes: [{model: resnet50, precision: "
      "fp16, "
      "layers: [48, 56], arrivals: {periodic: 20 /s}}]}");
  const double head_ms = *cut.head.streams[0].latency_ms.p50, tail_ms = *tail.processes[0].latency_ms.p50;
  const double link_ms = 1e3 * 2 * crossing * 8 / 100e6 + 6;
  EXPECT_NEAR(*cut.nearest.streams[0].latency_ms.p50, head_ms + link_ms + tail_ms, 0.02);
  EXPECT_NEAR(*cut.nearest.streams[0].throughput, 20, 0.6);
}

TEST(OffloadLayers, over_a_link_and_with_a_tail_that_cost_nothing_are_the_head_alone) {
  const OffloadAnswer answer = offload(
      question_of(study("  link: {bandwidth: 1000 Gbit/s, rtt: 0 ms}\n", ", arrivals: {periodic: 20 /s}", {},
                        "{duration: 1 s}", ", figures: {gpu.what_if: {arithmetic: 100, memory: 100}}")),
      {});
  for (const OffloadPartition& cut : answer.partitions) {
    const double head_ms = *cut.head.streams[0].latency_ms.mean;
    const double both_ms = *cut.nearest.streams[0].latency_ms.mean;
    EXPECT_GT(both_ms, head_ms);
    EXPECT_LT(both_ms, head_ms + 0.25);  // launches, copies and waking the host remain
  }
}

TEST(OffloadLayers, charge_the_heads_board_and_the_radio_to_the_edge) {
  const std::string link = "  link: {bandwidth: 1 Gbit/s, rtt: 1 ms, energy_per_bit: 100 nJ/bit}\n";
  const OffloadAnswer answer = offload(question_of(study(link)), {});
  const OffloadPartition& cut = cut_after(answer, cut_at);
  EXPECT_NEAR(*cut.nearest.edge_power_w - *cut.head.edge_power_w, 20 * 2 * crossing * 8 * 100e-9, 0.05);
  EXPECT_LT(*cut.head.edge_power_w, *answer.edge.edge_power_w * 1.01);
}

TEST(OffloadLayers, are_full_where_the_link_is) {
  const OffloadAnswer answer =
      offload(question_of(study("  link: {bandwidth: [10 Mbit/s, 100 Mbit/s], rtt: 1 ms}\n",
                                ", arrivals: {periodic: 30 /s}, count: 2")),
              {});
  // 2 x 30 x 200 kB/s; behind the average of all positions only 4 kB an image are left.
  const OffloadPoint &narrow = answer.points.at(0), &wide = answer.points.at(1);
  EXPECT_TRUE(narrow.layers.served());
  EXPECT_EQ(answer.partitions[narrow.partition].at.elements, 2048);
  EXPECT_TRUE(wide.layers.served());
  EXPECT_EQ(wide.layers.streams.size(), 2U);
  const BoardRun full = [] {
    const OffloadQuestion question = question_of(
        study("  link: {bandwidth: 10 Mbit/s, rtt: 1 ms}\n", ", arrivals: {periodic: 30 /s}, count: 2"));
    const dnn::PartitionPoint cut = partition_points_of(question).all.front();
    const HeadRun heads = run_heads(question, cut, nullptr);
    return run_tails(question, cut, heads, {question.section.bandwidths[0], question.section.rtts[0]},
                     nullptr);
  }();
  EXPECT_EQ(full.streams[0].saturated, "link");
}

TEST(OffloadLayers, are_asked_for_as_long_as_the_tails_run) {
  const OffloadAnswer answer =
      offload(question_of(study("  link: {bandwidth: 1 Gbit/s, rtt: 80 ms}\n", ", arrivals: {poisson: 60 /s}",
                                {}, "{until: {relative_error: 3 %, max: 20 s}}")),
              {});
  for (const OffloadPartition& cut : answer.partitions) {
    EXPECT_TRUE(cut.nearest.served());
    EXPECT_NEAR(*cut.nearest.throughput, 60, 6);
  }
}

TEST(OffloadLayers, of_batches_send_a_tensor_for_each_image) {
  const OffloadAnswer answer = offload(question_of(study("  link: {bandwidth: 1 Gbit/s, rtt: 1 ms}\n",
                                                         ", batch: 4, arrivals: {periodic: 9 /s}")),
                                       {});
  EXPECT_EQ(cut_after(answer, cut_at).request_bytes, 4 * 2 * crossing);
  EXPECT_NEAR(*answer.partitions.front().nearest.throughput, 36, 2);
}

TEST(OffloadLayers, that_do_not_fit_are_said_not_to_be_served) {
  const OffloadAnswer answer =
      offload(question_of(study("  link: {bandwidth: 10 Gbit/s, rtt: 1 ms}\n",
                                ", batch: 16, arrivals: {periodic: 1 /s}, count: 60", {}, "{duration: 1 s}")),
              {});
  for (const OffloadPoint& point : answer.points) {
    ASSERT_EQ(point.layers.streams.size(), 60U);
    EXPECT_EQ(point.layers.streams.back().saturated, "memory");
    EXPECT_FALSE(point.layers.served());
  }
}

TEST(OffloadLayers, say_why_there_are_none) {
  const std::string link = "  link: {bandwidth: 1 Gbit/s, rtt: 1 ms}\n";
  const auto why = [&](const std::string& edge, const std::string& cloud) {
    return partition_points_of(question_of(study(link, edge, cloud))).why_none;
  };
  const std::string asked = ", arrivals: {periodic: 20 /s}";
  EXPECT_EQ(why(asked, ""), "");
  EXPECT_EQ(why(asked + ", input: 224", ""), "");  // the network's own
  EXPECT_THAT(why("", ""), HasSubstr("closed loops"));
  EXPECT_THAT(why(asked + ", input: 256", ""), HasSubstr("different networks"));
  EXPECT_THAT(why(asked + ", runtime: eager", ""), HasSubstr("TensorRT"));
  EXPECT_THAT(why(asked, ", runtime: cuda-graph"), HasSubstr("TensorRT"));
  EXPECT_THAT(why(asked + ", layers: [0, 9]", ""), HasSubstr("already"));
  EXPECT_THAT(why(asked + "}, {model: resnet50, precision: fp16" + asked, ""),
              HasSubstr("one process entry"));
}

TEST(OffloadLayers, are_told_where_they_take_the_least_energy) {
  // More than the board can serve, and more than the link can carry; the convolutions alone are neither.
  const OffloadAnswer answer = offload(
      question_of(
          "scenario:\n  device: jetson-nano\n  run: {duration: 2 s}\n  processes: [{model: alexnet, "
          "precision: fp16, arrivals: {periodic: 30 /s}, count: 3}]\noffload:\n  cloud: {device: "
          "nvidia-a40, processes: [{model: alexnet, precision: fp16}]}\n  link: {bandwidth: [20 Mbit/s, "
          "320 Mbit/s], rtt: 4 ms}\n"),
      {});
  const OffloadPoint &narrow = answer.points.at(0), &wide = answer.points.at(1);
  EXPECT_FALSE(answer.edge.served());
  EXPECT_FALSE(narrow.cloud.served());
  EXPECT_FALSE(narrow.split.served());
  EXPECT_EQ(narrow.best, Side::layers);
  EXPECT_EQ(answer.partitions[narrow.partition].at.after, "pool5");
  EXPECT_EQ(narrow.by_energy, std::nullopt);
  EXPECT_EQ(narrow.least_energy, Side::layers);
  EXPECT_EQ(wide.best, Side::cloud);
  EXPECT_EQ(wide.least_energy, Side::cloud);
}

TEST(OffloadLayers, never_lose_to_what_they_are_chosen_from) {
  const OffloadAnswer answer = offload(
      question_of(
          study("  link: {bandwidth: [5 Mbit/s, 200 Mbit/s], rtt: [1 ms, 20 ms]}\n  payload: tensor\n")),
      {});
  for (const OffloadPoint& point : answer.points) {
    for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers}) {
      if (!metrics(answer, point, side).served()) continue;
      EXPECT_LE(*metrics(answer, point, point.best).worst_p99(), *metrics(answer, point, side).worst_p99());
    }
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
