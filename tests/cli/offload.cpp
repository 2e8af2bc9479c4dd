// The output of offload studies: tables that fit, lines of JSON, CSV, a picture.
#include "analyses/offload/offload.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/offload/text.hpp"
#include "cli/terminal/terminal.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using namespace analyses;
using namespace scenarios;
using ::testing::HasSubstr;
using ::testing::Not;

StreamMetrics stream(double ms, const std::string& saturated = {}) {
  Latency latency;
  latency.mean = latency.p50 = latency.p90 = latency.p95 = latency.p99 = ms;
  return {.latency_ms = latency, .throughput = 30.0, .drops = 0, .saturated = saturated};
}

SideMetrics side(double ms, double watts, const std::string& saturated = {}) {
  return {.streams = {stream(ms, saturated), stream(ms + 1, saturated)},
          .throughput = 60.0,
          .edge_power_w = watts,
          .edge_energy_mj = 1e3 * watts / 60,
          .link_busy = 0.5};
}

// The cloud is better at 50 Mbit/s up to 20 ms; at 5 Mbit/s the link is full.
OffloadAnswer sample() {
  OffloadAnswer answer;
  answer.name = "gate <1>";
  answer.edge_device = "jetson-orin-nano";
  answer.cloud_device = "nvidia-a40";
  answer.streams = {{0, 0, "left", "yolov8n", "yolov8n"}, {1, 0, "left", "yolov8n", "yolov8n"}};
  answer.edge = side(30, 8);
  for (const double mbit : {5.0, 50.0}) {
    for (const int rtt : {1, 30}) {
      OffloadPoint point;
      point.bandwidth = mbit * 1.25e5;
      point.rtt = sim::milliseconds(rtt);
      point.cloud = side(10 + rtt, 4, mbit < 50 ? "link" : "");
      const bool cloud = mbit == 50 && rtt == 1;
      point.split = cloud ? point.cloud : answer.edge;
      point.on_edge = cloud ? 0 : 2;
      point.best = cloud ? Side::cloud : Side::edge;
      point.by_latency.assign(2, point.best);
      if (mbit == 50) point.by_energy = point.least_energy = Side::cloud;
      answer.points.push_back(point);
    }
    BreakEven found{.bandwidth = mbit * 1.25e5, .stream = {}, .rtt = sim::milliseconds(20)};
    found.kind = mbit < 50 ? BreakEven::Kind::never : BreakEven::Kind::up_to;
    answer.break_even.push_back(found);
  }
  answer.boards = {{1, side(30, 8)}, {2, side(20, 14)}};
  answer.why_not_partitioned = "the streams are closed loops";
  return answer;
}

// The same with two cuts, of which the second is best wherever the cloud is not.
OffloadAnswer cut_sample() {
  OffloadAnswer answer = sample();
  answer.why_not_partitioned.clear();
  answer.layers = 12;
  answer.partitions = {{{3, "pool1", 70'000}, 140e3, side(5, 3), side(28, 4)},
                       {{8, "pool5", 9216}, 18'432, side(11, 5), side(13, 6)}};
  for (OffloadPoint& point : answer.points) {
    point.partition = 1;
    point.layers = side(13, 6);
    if (point.best == Side::edge) point.best = Side::layers;
  }
  return answer;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(OffloadText, says_up_to_where_the_cloud_is_faster) {
  const std::string text = offload_text(sample(), Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("5 Mbit/s  all (worst stream)  never"));
  EXPECT_THAT(text, HasSubstr("50 Mbit/s  all (worst stream)  up to 20 ms RTT"));
  EXPECT_THAT(text, HasSubstr("50 Mbit/s  CE\n 5 Mbit/s  EE\n"));
  EXPECT_THAT(text, HasSubstr("2 boards"));
  EXPECT_THAT(text, HasSubstr("link"));
}

TEST(OffloadText, says_when_a_governor_makes_more_boards_slower) {
  OffloadAnswer answer = sample();
  answer.boards[0].gpu_clock_mhz = 306;
  answer.boards[1].gpu_clock_mhz = 814;
  EXPECT_THAT(offload_text(answer, 200, false), Not(HasSubstr("governor")));
  std::swap(answer.boards[0].metrics, answer.boards[1].metrics);
  std::swap(answer.boards[0].gpu_clock_mhz, answer.boards[1].gpu_clock_mhz);
  EXPECT_THAT(offload_text(answer, 200, false), HasSubstr("306 MHz with 2 of them, 814 with 1"));
}

std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(OffloadText, says_on_how_many_links_the_choice_would_flip_at_the_usual_error) {
  OffloadAnswer answer = sample();
  EXPECT_THAT(in_one_line(head_text(offload_words(answer, {}), 200, false)),
              Not(HasSubstr("the choice stays")));
  answer.usual_error = 0.25;
  for (OffloadPoint& point : answer.points)
    point.best_if_slower = 1.25 * *analyses::metrics(answer, point, point.best).worst_p99();
  // Where the link is full nothing else keeps up; at 30 ms the edge has 31 ms and the cloud 41, a third more.
  answer.points[1].other_split = 50;
  EXPECT_THAT(in_one_line(head_text(offload_words(answer, {}), 200, false)),
              HasSubstr("with 5 Mbit/s and 30 ms it stays (p99 31.0, then 38.8, against 50.0 ms)"));
  answer.points[1].other_split.reset();
  EXPECT_THAT(
      in_one_line(head_text(offload_words(answer, {}), 200, false)),
      HasSubstr("longer by the model's usual 25 %, the choice stays the same on 4 of 4 links: with 50 Mbit/s "
                "and 1 ms it stays (p99 12.0, then 15.0, against 31.0 ms), with 5 Mbit/s and 30 ms it stays: "
                "nothing else keeps up"));
  answer.points[3].best_if_slower = 41.5;  // a queue makes more of it than a quarter; the cloud has 41
  EXPECT_THAT(in_one_line(head_text(offload_words(answer, {}), 200, false)),
              HasSubstr("the same on 3 of 4 links"));
  answer.points[1].best_if_slower.reset();
  EXPECT_THAT(
      in_one_line(head_text(offload_words(answer, {}), 200, false)),
      HasSubstr("the same on 2 of 4 links: with 50 Mbit/s and 1 ms it stays (p99 12.0, then 15.0, "
                "against 31.0 ms), with 5 Mbit/s and 30 ms it would not keep up, and nothing else does"));
}

TEST(OffloadText, fits_sixty_columns) {
  for (const OffloadAnswer& answer : {sample(), cut_sample()}) {
    for (const std::string& line : lines(offload_text(answer, 60, false)))
      EXPECT_LE(display_width(line), 60U) << line;
  }
}

TEST(OffloadText, tells_of_every_cut_where_it_is_what_it_sends_and_what_the_edge_does) {
  const std::string text = offload_text(cut_sample(), Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("Split between the 12 layers of yolov8n"));
  EXPECT_THAT(text, HasSubstr("At 50 Mbit/s and 1 ms RTT:"));
  EXPECT_THAT(text, HasSubstr("     8  pool5  18.43 kB         12.0"));
  EXPECT_THAT(text, HasSubstr("L layers split"));
  EXPECT_THAT(text, HasSubstr("50 Mbit/s  CL\n 5 Mbit/s  LL\n"));
}

TEST(OffloadText, says_why_there_are_no_cuts) {
  const std::string text = offload_text(sample(), Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("No split between layers: the streams are closed loops.\n"));
  EXPECT_THAT(text, Not(HasSubstr("layers p99")));
  EXPECT_THAT(text, Not(HasSubstr("L layers split")));
}

TEST(OffloadText, small_letters_are_for_those_who_are_not_served) {
  OffloadAnswer answer = sample();
  answer.edge = side(30, 8, "edge");
  EXPECT_THAT(offload_text(answer, 80, false), HasSubstr(" 5 Mbit/s  ee\n"));
}

TEST(OffloadJson, has_a_line_for_each_point_and_stream_and_each_summary) {
  std::size_t points = 0, break_even = 0, boards = 0;
  for (const std::string& line : lines(analyses::offload_json(sample()))) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["schema"], "jostle.offload/1");
    if (json["kind"] == "point") {
      ++points;
      EXPECT_EQ(json["edge"]["latency_ms"]["p99"], 30.0 + json["stream"].get<double>());
      EXPECT_EQ(json["cloud"]["served"], json["bandwidth_mbit_s"] == 50.0);
      EXPECT_EQ(json["cloud"]["saturated"].is_null(), json["bandwidth_mbit_s"] == 50.0);
      EXPECT_EQ(json["better"]["energy"].is_null(), json["bandwidth_mbit_s"] == 5.0);
      EXPECT_EQ(json["least_energy"].is_null(), json["bandwidth_mbit_s"] == 5.0);
    }
    if (json["kind"] == "break_even") ++break_even;
    if (json["kind"] == "boards") ++boards;
  }
  EXPECT_EQ(points, 8U);
  EXPECT_EQ(break_even, 2U);
  EXPECT_EQ(boards, 2U);
}

TEST(OffloadJson, tells_where_the_network_is_cut_or_null) {
  std::size_t cuts = 0;
  for (const std::string& line : lines(analyses::offload_json(cut_sample()))) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] == "point") {
      const auto& layers = json["layers"];
      EXPECT_EQ(layers["cut"], 8);
      EXPECT_EQ(layers["of_layers"], 12);
      EXPECT_EQ(layers["after"], "pool5");
      EXPECT_EQ(layers["request_bytes"], 18432.0);
      EXPECT_EQ(layers["latency_ms"]["p99"], 13.0 + json["stream"].get<double>());
      EXPECT_EQ(layers["head"]["latency_ms"]["p99"], 11.0 + json["stream"].get<double>());
      EXPECT_EQ(layers["edge_power_w"], 6.0);
    }
    if (json["kind"] != "cut") continue;
    ++cuts;
    EXPECT_EQ(json["head"]["edge_power_w"], json["cut"] == 3 ? 3.0 : 5.0);
    EXPECT_EQ(json["nearest"]["worst_p99_ms"], json["cut"] == 3 ? 29.0 : 14.0);
  }
  EXPECT_EQ(cuts, 2U);
  for (const std::string& line : lines(analyses::offload_json(sample()))) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_NE(json["kind"], "cut");
    if (json["kind"] == "point") {
      EXPECT_TRUE(json["layers"].is_null());
    }
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
