// Offload studies: what is read, what is compared, and the limits that no choice may miss.
#include "analyses/offload/offload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "models/board/spec.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

using ::testing::HasSubstr;

struct Read {
  std::optional<OffloadQuestion> question;
  std::string errors;
};

Read read(const std::string& text) {
  input::Problems problems;
  static Profiles profiles;
  const auto study = parse_study(text, "cameras.yaml", "", problems);
  auto question = study ? offload_question(*study, profiles, problems) : std::nullopt;
  return {std::move(question), problems.text()};
}

OffloadAnswer answered(const std::string& text) {
  const Read what = read(text);
  if (!what.question) throw std::runtime_error(what.errors);
  return offload(*what.question, {});
}

const std::string edge_process = "{model: resnet50, precision: fp16, arrivals: {periodic: 30 /s}, count: 2}";
std::string study(const std::string& offload, const std::string& processes = edge_process) {
  return "scenario:\n  device: jetson-orin-nano-super\n  processes: [" + processes +
         "]\n  run: {duration: 2 s, warmup: 500 ms}\n  jetson_clocks: true\noffload:\n"
         "  cloud: {device: nvidia-a40, processes: [{model: resnet50, precision: fp16}]}\n" +
         offload;
}

// Of a stream that is not served it grows without bound.
double p99(const StreamMetrics& stream) {
  return stream.served() ? stream.latency_ms.p99.value() : std::numeric_limits<double>::infinity();
}

const std::string chat =
    "scenario:\n  device: jetson-orin-nano-super\n  processes: [{model: qwen2.5_1.5b, precision: int4, "
    "runtime: mlc, "
    "generate: {prompt: 128, tokens: 32}, users: 2}]\n  run: {duration: 20 s, warmup: 2 s}\n  jetson_clocks: "
    "true\noffload:\n  cloud: {device: nvidia-a10, processes: [{model: qwen2.5_7b, precision: awq, runtime: "
    "vllm";

TEST(OffloadOfLanguageModels, tells_what_users_see_and_what_a_thousand_tokens_take) {
  const OffloadAnswer answer = answered(
      chat + "}]}\n  link: {bandwidth: 20 Mbit/s, rtt: [10 ms, 200 ms], energy_per_bit: 20 nJ/bit}\n");
  const auto& here = answer.edge.streams.front().tokens;
  const auto& near = answer.points[0].cloud.streams.front().tokens;
  const auto& far = answer.points[1].cloud.streams.front().tokens;
  ASSERT_TRUE(here && near && far);
  EXPECT_NEAR(*far->ttft_ms.p50 - *near->ttft_ms.p50, 190, 15);
  EXPECT_NEAR(*far->itl_ms.p50 / *near->itl_ms.p50, 1, 0.1);
  EXPECT_DOUBLE_EQ(*answer.edge.tokens_per_s, *here->per_s);
  EXPECT_NEAR(*answer.edge.edge_j_per_1000_tokens, 1e3 * *answer.edge.edge_power_w / *here->per_s, 1e-6);
  EXPECT_NEAR(*answer.edge.edge_j_per_1000_tokens * *here->per_joule, 1e3, 1e-3);
  EXPECT_FALSE(answer.edge.cloud_j_per_1000_tokens);
  const SideMetrics& cloud = answer.points[0].cloud;
  EXPECT_NEAR(*cloud.cloud_j_per_1000_tokens, 1e3 * *cloud.cloud_power_w / *near->per_s, 1e-6);
  EXPECT_NEAR(*cloud.cost_per_1000_tokens * 3.6 * *near->per_s, *cloud.cost_per_hour, 1e-9);
}

TEST(OffloadOfLanguageModels, asks_the_cloud_for_what_it_asks_the_edge_for) {
  EXPECT_THAT(read(chat + ", users: 4}]}\n  link: {bandwidth: 20 Mbit/s, rtt: 10 ms}\n").errors,
              HasSubstr("is set by the streams of the edge"));
  EXPECT_THAT(
      read("scenario:\n  device: jetson-orin-nano-super\n  processes: [{model: resnet50, precision: fp16, "
           "arrivals: {periodic: 1 /s}}]\noffload:\n  cloud: {device: nvidia-a10, processes: [{model: "
           "qwen2.5_7b, precision: awq, runtime: vllm}]}\n  link: {bandwidth: 20 Mbit/s, rtt: 10 ms}\n")
          .errors,
      HasSubstr("a language model needs `generate` or `bench`"));
}

TEST(OffloadStudy, reads_values_lists_and_ranges_of_links) {
  const auto range =
      read(study("  payload: 10 kB\n  link: {bandwidth: [50 Mbit/s, 5 Mbit/s], rtt: {start: 1 ms, "
                 "stop: 10 ms, step: 3 ms}, loss: 1 %}\n  boards: [2, 1]\n"));
  ASSERT_TRUE(range.question) << range.errors;
  const OffloadSection& section = range.question->section;
  EXPECT_EQ(section.bandwidths, (std::vector<double>{5e6 / 8, 50e6 / 8}));
  EXPECT_EQ(section.rtts.size(), 4U);
  EXPECT_EQ(section.boards, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(section.link.payload.bytes, 10e3);
  EXPECT_EQ(section.link.loss, 0.01);
  EXPECT_TRUE(read(study("  link: {bandwidth: 5 Mbit/s, rtt: 1 ms}\n")).question);
}

TEST(OffloadStudy, tells_file_line_path_and_spelling_of_what_is_wrong) {
  EXPECT_THAT(read(study("  lnk: {bandwidth: 5 Mbit/s, rtt: 1 ms}\n")).errors,
              HasSubstr("cameras.yaml:8: offload.lnk: unknown key (did you mean 'link'?)"));
  EXPECT_THAT(read(study("  link: {bandwidth: [5 Mbit/s, 5 ms], rtt: 1 ms}\n")).errors,
              HasSubstr("cameras.yaml:8: offload.link.bandwidth.1"));
  EXPECT_THAT(read(study("  link: {bandwidth: 5 Mbit/s, rtt: 1 ms, los: 1 %}\n")).errors,
              HasSubstr("did you mean 'loss'?"));
  EXPECT_THAT(
      read("scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n").errors,
      HasSubstr("the key offload is missing"));
  EXPECT_THAT(read("scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
                   "offload: {cloud: {device: nvidia-a4, processes: [{model: resnet50, precision: fp16}]},\n"
                   "  link: {bandwidth: 5 Mbit/s, rtt: 1 ms}}\n")
                  .errors,
              HasSubstr("cameras.yaml:2: offload.cloud.device: unknown device 'nvidia-a4'"));
}

TEST(OffloadStudy, the_shipped_ones_are_accepted) {
  for (const char* const name : {"gate_cameras.yaml", "cut_alexnet.yaml"}) {
    const auto file = std::filesystem::path(JOSTLE_SOURCE_DIR) / "scenarios/offload" / name;
    input::Problems problems;
    Profiles profiles;
    const auto shipped = load_study(file.string(), problems);
    ASSERT_TRUE(shipped) << problems.text();
    EXPECT_TRUE(offload_question(*shipped, profiles, problems)) << problems.text();
  }
}

TEST(OffloadStudy, leaves_arrivals_counts_and_the_run_to_the_edge) {
  const auto with_cloud = [](const std::string& cloud) {
    return read(
               "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16, batch: 2}]}\n"
               "offload:\n  cloud: " +
               cloud + "\n  link: {bandwidth: 5 Mbit/s, rtt: 1 ms}\n")
        .errors;
  };
  EXPECT_THAT(with_cloud("{device: nvidia-a40, processes: [{model: resnet50, precision: fp16, count: 2}]}"),
              HasSubstr("offload.cloud.processes.0.count"));
  EXPECT_THAT(with_cloud("{device: nvidia-a40, processes: [{model: resnet50, precision: fp16, batch: 4}]}"),
              HasSubstr("offload.cloud.processes.0.batch: its streams send batches of 2"));
  EXPECT_THAT(
      with_cloud("{device: nvidia-a40, run: {seed: 2}, processes: [{model: resnet50, precision: fp16}]}"),
      HasSubstr("offload.cloud.run"));
  EXPECT_THAT(
      with_cloud("{device: nvidia-a40, processes: [{model: resnet50, precision: fp16}, {model: resnet50, "
                 "precision: fp16}]}"),
      HasSubstr("2 process entries for 1 of the edge"));
}

TEST(OffloadStudy, refuses_over_the_link_what_a_run_refuses) {
  const std::string link = "  link: {bandwidth: 50 Mbit/s, rtt: 10 ms}\n";
  const auto errors = [&](const std::string& more) {
    return read(study(link, "{model: resnet50, precision: fp16, batch: 4, " + more + "}")).errors;
  };
  EXPECT_THAT(errors("arrivals: {poisson: 30 /s}, max_queue_delay: 5 ms"),
              HasSubstr("offload.cloud.processes.0: with the requests of the edge, `max_queue_delay` does "
                        "not work with `link`"));
  EXPECT_THAT(errors("arrivals: {clients: 2}"), HasSubstr("`clients` does not work with `link`"));
  EXPECT_EQ(errors("arrivals: {poisson: 30 /s, dynamic_batching: true}"), "");
}

TEST(Offload, says_what_the_best_option_takes_if_its_board_is_slower_over_the_same_link) {
  const OffloadAnswer answer = answered(study("  link: {bandwidth: 200 Mbit/s, rtt: 40 ms}\n"));
  const OffloadPoint& point = answer.points.at(0);
  ASSERT_EQ(point.best, Side::edge);
  const double before = answer.edge.worst_p99().value(), slower = point.best_if_slower.value();
  EXPECT_GT(slower, before);
  EXPECT_NEAR(slower / before, 1 + answer.usual_error.value(), 0.05);
}

const std::string near_link = "  link: {bandwidth: 200 Mbit/s, rtt: 1 ms}\n";

TEST(OffloadCost, follows_from_the_prices_of_the_profiles) {
  const OffloadAnswer answer = answered(study(near_link + "  payload: 100 kB\n  boards: 2\n"));
  const double board = 249.0 / (3 * 8760);
  EXPECT_NEAR(answer.edge.cost_per_hour.value(), board, 1e-9);
  EXPECT_NEAR(answer.edge.cost_per_million.value(), board / (*answer.edge.throughput * 3600) * 1e6, 1e-6);
  EXPECT_NEAR(answer.boards.front().metrics.cost_per_hour.value(), 2 * board, 1e-9);
  const OffloadPoint& point = answer.points.front();
  EXPECT_EQ(point.cloud.cost_per_hour, answer.prices.cloud_per_hour);  // no board, and the link costs nothing
  EXPECT_EQ(point.cheapest, Side::edge);
  EXPECT_NEAR(point.cloud.link_gb_per_h.value(), 60 * 100e3 * 3600 / 1e9, 0.5);
  EXPECT_GT(point.cloud.cloud_power_w.value(), 20);
  EXPECT_FALSE(answer.edge.cloud_power_w);
}

TEST(OffloadCost, of_the_study_wins_over_that_of_a_profile) {
  const OffloadAnswer answer =
      answered(study(near_link + "  payload: 100 kB\n  life: 1 years\n  energy_price: 0.4 USD/kWh\n" +
                     "  price: {board: 8760 USD, cloud: 0.25 USD/h, link: 0.01 USD/GB}\n"));
  EXPECT_NEAR(answer.edge.cost_per_hour.value(), 1 + *answer.edge.edge_power_w / 1e3 * 0.4, 1e-9);
  const OffloadPoint& point = answer.points.front();
  EXPECT_NEAR(point.cloud.cost_per_hour.value(), 0.25 + *point.cloud.link_gb_per_h * 0.01, 1e-9);
  EXPECT_EQ(point.cheapest, Side::cloud);
  // A board and the cloud's machine are both paid where both work.
  for (const OffloadPoint& each : answer.points) {
    if (each.on_edge != 1) continue;
    EXPECT_GT(each.split.cost_per_hour.value(), answer.edge.cost_per_hour.value());
  }
}

TEST(OffloadCost, is_not_known_without_a_price_of_the_cloud) {
  std::string text = study(near_link);
  text.replace(text.find("nvidia-a40"), 10, "jetson-nano");
  const OffloadAnswer answer = answered(text);
  EXPECT_TRUE(answer.edge.cost_per_hour);
  EXPECT_FALSE(answer.points.front().cloud.cost_per_hour);
  EXPECT_FALSE(answer.points.front().cheapest);
  EXPECT_THAT(read(study(near_link + "  price: {board: 249}\n")).errors,
              HasSubstr("offload.price.board: '249' has no unit"));
}

// As offload runs them.
Result run_with_every_percentile(const std::string& text) {
  scenarios::RunControl control;
  control.every_percentile = true;
  return run(scenarios::testing::scenario_of(text), control).value();
}

TEST(Offload, over_a_link_that_costs_nothing_is_the_clouds_own_run) {
  const OffloadAnswer answer = answered(study("  payload: 0 B\n  link: {bandwidth: 1 Gbit/s, rtt: 0 ms}\n"));
  const Result solo = run_with_every_percentile(
      "{device: nvidia-a40, run: {duration: 2 s, warmup: 500 ms}, processes: [" + edge_process + "]}");
  ASSERT_EQ(answer.points.size(), 1U);
  for (std::size_t i = 0; i < 2; ++i) {
    const StreamMetrics& there = answer.points[0].cloud.streams[i];
    EXPECT_EQ(there.latency_ms.mean, solo.processes[i].latency_ms.mean);
    EXPECT_EQ(there.latency_ms.p50, solo.processes[i].latency_ms.p50);
    EXPECT_EQ(there.latency_ms.p99, solo.processes[i].latency_ms.p99);
    EXPECT_EQ(there.throughput, solo.processes[i].throughput.mean);
    EXPECT_TRUE(there.served());
  }
}

TEST(Offload, to_a_cloud_that_is_infinitely_far_stays_at_the_edge) {
  const OffloadAnswer answer = answered(study("  link: {bandwidth: 1 Gbit/s, rtt: 1000 s}\n"));
  const Result alone = run_with_every_percentile(
      "{device: jetson-orin-nano-super, jetson_clocks: true, run: {duration: 2 s, warmup: 500 ms}, "
      "processes: [" +
      edge_process + "]}");
  const OffloadPoint& point = answer.points.at(0);
  EXPECT_EQ(point.best, Side::edge);
  EXPECT_EQ(point.on_edge, 2U);
  EXPECT_EQ(answer.break_even.at(0).kind, BreakEven::Kind::never);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(point.by_latency[i], Side::edge);
    for (const SideMetrics* const side : {&answer.edge, &point.split}) {
      EXPECT_EQ(side->streams[i].latency_ms.p99, alone.processes[i].latency_ms.p99);
      EXPECT_EQ(side->streams[i].latency_ms.mean, alone.processes[i].latency_ms.mean);
      EXPECT_EQ(side->streams[i].throughput, alone.processes[i].throughput.mean);
    }
  }
  EXPECT_EQ(answer.edge.edge_power_w, alone.system.power_w.mean);
  EXPECT_NEAR(*answer.edge.edge_energy_mj, *alone.system.energy_per_image_mj, 0.01);
}

TEST(Offload, never_gains_by_a_longer_way_or_a_narrower_link) {
  const OffloadAnswer answer =
      answered(study("  link: {bandwidth: [20 Mbit/s, 80 Mbit/s, 200 Mbit/s], rtt: [0 ms, 10 ms, 45 ms]}\n"));
  ASSERT_EQ(answer.points.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t stream = 0; stream < 2; ++stream) {
      const StreamMetrics& here = answer.points[i].cloud.streams[stream];
      if (i % 3 < 2) {
        const StreamMetrics& further = answer.points[i + 1].cloud.streams[stream];
        EXPECT_EQ(further.served(), here.served());
        if (here.served()) {
          EXPECT_GT(p99(further), p99(here));
          EXPECT_GT(*further.latency_ms.p50, *here.latency_ms.p50);
        }
      }
      if (i < 6) {
        EXPECT_LT(p99(answer.points[i + 3].cloud.streams[stream]), p99(here));
      }
    }
    // What can be chosen among is never worse than what is among it.
    const OffloadPoint& point = answer.points[i];
    if (answer.edge.served()) {
      EXPECT_LE(*point.split.worst_p99(), *answer.edge.worst_p99());
    }
    if (point.cloud.served()) {
      EXPECT_LE(*point.split.worst_p99(), *point.cloud.worst_p99());
    }
  }
  // 2 x 30 x 120 kB/s do not go through 20 Mbit/s.
  EXPECT_EQ(answer.points[0].cloud.streams[0].saturated, "link");
  EXPECT_EQ(answer.points[0].by_latency[0], Side::edge);
  EXPECT_TRUE(answer.points[3].cloud.served());
}

TEST(Offload, splits_streams_that_neither_side_serves_alone) {
  // Four of these are too many for the edge; the link carries two of them.
  const std::string heavy = "{model: resnet50, precision: fp32, arrivals: {periodic: 40 /s}, count: 4}";
  const OffloadAnswer answer = answered(study("  link: {bandwidth: 85 Mbit/s, rtt: 2 ms}\n", heavy));
  const OffloadPoint& point = answer.points.at(0);
  EXPECT_FALSE(answer.edge.served());
  EXPECT_EQ(answer.edge.streams[0].saturated, "edge");
  EXPECT_FALSE(point.cloud.served());
  EXPECT_EQ(point.cloud.streams[3].saturated, "link");
  EXPECT_TRUE(point.split.served());
  EXPECT_EQ(point.best, Side::split);
  EXPECT_EQ(point.on_edge, 2U);
}

TEST(Offload, charges_the_radio_and_the_resting_board_to_the_edge) {
  const OffloadAnswer free = answered(study("  link: {bandwidth: 1 Gbit/s, rtt: 2 ms}\n"));
  const OffloadAnswer radio =
      answered(study("  link: {bandwidth: 1 Gbit/s, rtt: 2 ms, energy_per_bit: 1 uJ/bit}\n"));
  const SideMetrics &without = free.points[0].cloud, &with = radio.points[0].cloud;
  EXPECT_LT(*without.edge_power_w, *free.edge.edge_power_w);  // the board rests
  EXPECT_NEAR(*with.edge_power_w - *without.edge_power_w, 60 * 120e3 * 8 * 1e-6, 0.5);
  EXPECT_NEAR(*with.edge_energy_mj - *without.edge_energy_mj, 1e3 * 120e3 * 8 * 1e-6, 20);
  EXPECT_EQ(free.points[0].by_energy, Side::cloud);
  EXPECT_EQ(radio.points[0].by_energy, Side::edge);
  EXPECT_EQ(with.streams[0].latency_ms.p99, without.streams[0].latency_ms.p99);
}

TEST(Offload, spreads_streams_over_boards) {
  const std::string heavy = "{model: resnet50, precision: fp32, arrivals: {periodic: 40 /s}, count: 4}";
  const OffloadAnswer answer =
      answered(study("  link: {bandwidth: 1 Gbit/s, rtt: 2 ms}\n  boards: [1, 2, 4, 8]\n", heavy));
  ASSERT_EQ(answer.boards.size(), 4U);
  EXPECT_EQ(answer.boards[0].metrics.edge_power_w, answer.edge.edge_power_w);
  EXPECT_EQ(p99(answer.boards[0].metrics.streams[2]), p99(answer.edge.streams[2]));
  EXPECT_FALSE(answer.boards[0].metrics.served());
  EXPECT_TRUE(answer.boards[2].metrics.served());
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(*answer.boards[i].metrics.edge_power_w, *answer.boards[i - 1].metrics.edge_power_w);
    for (std::size_t stream = 0; stream < 4; ++stream)
      EXPECT_LE(p99(answer.boards[i].metrics.streams[stream]),
                p99(answer.boards[i - 1].metrics.streams[stream]) * 1.001);
  }
  // Those beyond the fourth have nothing to do.
  EXPECT_EQ(p99(answer.boards[3].metrics.streams[1]), p99(answer.boards[2].metrics.streams[1]));
}

TEST(Offload, a_board_with_fewer_streams_is_clocked_lower_by_its_governor_alone) {
  const std::string cameras = "{model: yolov8s, precision: int8, arrivals: {periodic: 30 /s}, count: 4}";
  const std::string pinned =
      study("  link: {bandwidth: 1 Gbit/s, rtt: 2 ms}\n  boards: [1, 2, 4]\n", cameras);
  std::string governed = pinned;
  const std::string locked = "  jetson_clocks: true\n";
  governed.erase(governed.find(locked), locked.size());
  const auto clocks_and_p99 = [](const std::string& text) {
    std::vector<std::pair<double, double>> rows;
    for (const BoardsRow& row : answered(text).boards)
      rows.emplace_back(row.gpu_clock_mhz.value(), row.metrics.worst_p99().value_or(0));
    return rows;
  };
  const auto alone = clocks_and_p99(governed), fixed = clocks_and_p99(pinned);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_LT(alone[i].first, alone[i - 1].first);
    EXPECT_EQ(fixed[i].first, fixed[0].first);
  }
}

TEST(Offload, is_the_same_with_any_number_of_threads) {
  const auto question =
      *read(
           study("  link: {bandwidth: [60 Mbit/s, 1 Gbit/s], rtt: [1 ms, 30 ms], jitter: 3 ms, loss: 1 %}\n"))
           .question;
  const OffloadAnswer one = offload(question, {.threads = 1, .progress = {}});
  const OffloadAnswer four = offload(question, {.threads = 4, .progress = {}});
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].cloud.worst_p99(), four.points[i].cloud.worst_p99());
    EXPECT_EQ(one.points[i].split.worst_p99(), four.points[i].split.worst_p99());
  }
}

TEST(Offload, leaves_off_when_told_to) {
  const auto question = *read(study("  link: {bandwidth: 1 Gbit/s, rtt: 2 ms}\n")).question;
  const std::atomic<bool> told = true;
  EXPECT_THROW((void)offload(question, {.interrupt = &told, .progress = {}}), Interrupted);
}

TEST(BreakEven, lies_where_a_line_between_the_points_crosses) {
  const std::vector<sim::Duration> rtts{sim::milliseconds(0), sim::milliseconds(10), sim::milliseconds(20)};
  const BreakEven found = break_even(rtts, {5.0, 15.0, 25.0}, 17.5);
  EXPECT_EQ(found.kind, BreakEven::Kind::up_to);
  EXPECT_EQ(found.rtt, sim::milliseconds(12.5));
  EXPECT_EQ(break_even(rtts, {5.0, 15.0, 25.0}, 4.0).kind, BreakEven::Kind::never);
  EXPECT_EQ(break_even(rtts, {5.0, 15.0, 25.0}, 26.0).kind, BreakEven::Kind::always);
  // Who is not served is never better, and is beaten by all who are.
  EXPECT_EQ(break_even(rtts, {{}, {}, {}}, 4.0).kind, BreakEven::Kind::never);
  EXPECT_EQ(break_even(rtts, {5.0, 15.0, 25.0}, {}).kind, BreakEven::Kind::always);
  EXPECT_EQ(break_even(rtts, {{}, {}, {}}, {}).kind, BreakEven::Kind::never);
  EXPECT_EQ(break_even(rtts, {5.0, {}, {}}, 8.0).rtt, sim::milliseconds(0));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
