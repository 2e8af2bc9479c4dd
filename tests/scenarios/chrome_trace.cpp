// The timeline as Chrome's JSON is read back, and is that of the Perfetto file.
#include "scenarios/timeline/chrome_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "input/refused.hpp"
#include "scenarios/perfetto.pb.h"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/timeline/trace_tee.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using nlohmann::json;
using sim::microseconds;
using sim::Time;
using sim::TrackId;

constexpr ChromeTrace::Window everything{Time::zero(), Time::never(), 1000};

Time at(double us) {
  return Time::zero() + microseconds(us);
}

json events_of(ChromeTrace& trace) {
  trace.finish();
  return json::parse(trace.text()).at("traceEvents");
}

// Those of a phase, without what all have.
std::vector<json> of_phase(const json& events, const char* phase) {
  std::vector<json> found;
  for (json event : events) {
    if (event.at("ph") != phase) continue;
    for (const char* const key : {"ph", "pid"}) event.erase(key);
    found.push_back(std::move(event));
  }
  return found;
}

struct ChromeTraceFile : ::testing::Test {
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("jostle-chrome-" + std::to_string(::getpid()) + ".json"))
          .string();
  void TearDown() override { std::filesystem::remove(path_); }
};

TEST(ChromeTrace, slices_have_their_track_begin_and_duration_in_microseconds) {
  ChromeTrace trace(everything);
  const TrackId gpu = trace.track("GPU");
  trace.begin(gpu, at(1), "turn");
  trace.slice(gpu, at(1.5), microseconds(0.25), "kernel \"a\"");
  trace.end(gpu, at(6));
  const json events = events_of(trace);
  EXPECT_EQ(of_phase(events, "M").front(),
            (json{{"tid", 1}, {"name", "thread_name"}, {"args", {{"name", "GPU"}}}}));
  EXPECT_EQ(of_phase(events, "X"),
            (std::vector<json>{{{"tid", 1}, {"ts", 1.5}, {"dur", 0.25}, {"name", "kernel \"a\""}},
                               {{"tid", 1}, {"ts", 1.0}, {"dur", 5.0}, {"name", "turn"}}}));
}

TEST(ChromeTrace, slices_that_touch_within_a_nanosecond_still_do) {
  ChromeTrace trace(everything);
  const TrackId track = trace.track("t");
  Time now(100);
  for (int i = 0; i < 50; ++i) {
    trace.slice(track, now, sim::Duration(333), "s");
    now += sim::Duration(333);
  }
  const auto ns = [](const json& us) { return std::llround(us.get<double>() * 1000); };
  long long last = 0;
  for (const json& slice : of_phase(events_of(trace), "X")) {
    EXPECT_GE(ns(slice.at("ts")), last);
    last = ns(slice.at("ts")) + ns(slice.at("dur"));
  }
}

TEST(ChromeTrace, counters_have_their_unit) {
  ChromeTrace trace(everything);
  trace.count(trace.counter("power", "W"), at(3), 7.25);
  EXPECT_EQ(of_phase(events_of(trace), "C"),
            (std::vector<json>{{{"tid", 1}, {"ts", 3.0}, {"name", "power"}, {"args", {{"W", 7.25}}}}}));
}

TEST(ChromeTrace, a_window_clips_slices_and_is_entered_with_the_value_that_stands) {
  ChromeTrace trace(ChromeTrace::Window{at(10), at(20), 1000});
  const TrackId track = trace.track("t");
  const TrackId moving = trace.counter("moving", "W"), still = trace.counter("still", "MHz");
  trace.slice(track, at(1), microseconds(2), "before");
  trace.slice(track, at(5), microseconds(10), "into");
  trace.begin(track, at(18), "out of");
  trace.count(moving, at(1), 1);
  trace.count(moving, at(2), 2);
  trace.count(still, at(2), 9);
  trace.count(moving, at(15), 3);
  trace.count(moving, at(25), 4);
  trace.end(track, at(30));
  const json events = events_of(trace);
  const auto slices = of_phase(events, "X");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0], (json{{"tid", 1}, {"ts", 10.0}, {"dur", 5.0}, {"name", "into"}}));
  EXPECT_EQ(slices[1], (json{{"tid", 1}, {"ts", 18.0}, {"dur", 2.0}, {"name", "out of"}}));
  const auto counts = of_phase(events, "C");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].at("args"), (json{{"W", 2}}));
  EXPECT_EQ(counts[0].at("ts"), 10.0);
  EXPECT_EQ(counts[1].at("args"), (json{{"W", 3}}));
  EXPECT_EQ(counts[2].at("args"), (json{{"MHz", 9}}));
}

TEST(ChromeTrace, a_window_ends_where_its_events_are_used_up_and_what_is_open_there_is_kept) {
  ChromeTrace trace(ChromeTrace::Window{at(0), at(1000), 7});
  const TrackId track = trace.track("t"), other = trace.track("other");
  trace.begin(other, at(2), "long");
  for (int i = 0; i < 100; ++i) trace.slice(track, at(i), microseconds(1), "s");
  trace.end(other, at(100));
  const auto slices = of_phase(events_of(trace), "X");
  ASSERT_EQ(slices.size(), 8U);
  EXPECT_EQ(slices.back(), (json{{"tid", 2}, {"ts", 2.0}, {"dur", 5.0}, {"name", "long"}}));
  EXPECT_EQ(trace.window().end, at(7));
}

TEST(ChromeTrace, nothing_traced_is_still_a_document) {
  ChromeTrace trace(everything);
  EXPECT_EQ(events_of(trace), json::array());
}

TEST_F(ChromeTraceFile, the_ending_of_a_name_chooses_the_format) {
  {
    const auto trace = open_trace(path_);
    trace->slice(trace->track("t"), at(0), microseconds(1), "s");
    trace->finish();
  }
  std::ifstream stream(path_);
  EXPECT_EQ(json::parse(stream).at("traceEvents").size(), 3U);
}

TEST_F(ChromeTraceFile, a_file_that_cannot_be_created_or_filled_is_an_error) {
  EXPECT_THROW(ChromeTrace("/no/such/directory/trace.json"), input::Refused);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  ChromeTrace trace(std::string("/dev/full"));
  trace.slice(trace.track("t"), at(0), microseconds(1), "x");
  EXPECT_THROW(trace.finish(), output::WriteError);
}

// Both formats are given the same run by way of the tee, and the run is what it is without a timeline.
TEST_F(ChromeTraceFile, a_run_looks_the_same_in_both_formats_and_is_not_changed_by_them) {
  const auto loaded = testing::load_text(
      "device: jetson-orin-nano\nprocesses:\n"
      "  - {model: resnet50, precision: int8, count: 2}\n"
      "  - {model: yolov8n, precision: fp16, arrivals: {periodic: 20 /s}}\n"
      "run: {duration: 300 ms, warmup: 20 ms}\n");
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  const std::string other = path_ + ".pftrace";
  const auto chrome = open_trace(path_), perfetto = open_trace(other);
  TraceTee both(*chrome, *perfetto);
  const auto traced = run(*loaded.scenario, {.interrupt = nullptr, .trace = &both, .progress = {}});
  const auto plain = run(*loaded.scenario, {});
  ASSERT_TRUE(traced && plain);
  EXPECT_EQ(to_json(*traced), to_json(*plain));
  chrome->finish();
  perfetto->finish();

  std::map<std::string, int> in_chrome, in_perfetto;  // slices of each track, samples of each counter
  std::ifstream stream(path_);
  std::map<int, std::string> names;
  const json document = json::parse(stream);
  for (const json& event : document.at("traceEvents")) {
    if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") == "X") ++in_chrome[names.at(event.at("tid"))];
    if (event.at("ph") == "C") ++in_chrome[event.at("name")];
  }
  jostle::test::perfetto::Trace trace;
  std::ifstream packets(other, std::ios::binary);
  ASSERT_TRUE(trace.ParseFromIstream(&packets));
  std::map<std::uint64_t, std::string> tracks;
  for (const auto& packet : trace.packet()) {
    if (packet.has_track_descriptor())
      tracks[packet.track_descriptor().uuid()] = packet.track_descriptor().name();
    if (packet.has_track_event() && packet.track_event().type() != 2)  // ends belong to beginnings
      ++in_perfetto[tracks.at(packet.track_event().track_uuid())];
  }
  std::filesystem::remove(other);
  EXPECT_EQ(in_chrome, in_perfetto);
  for (const char* const name : {"core 0", "GPU: process", "GPU: copies", "GPU: stream of resnet50 0",
                                 "process 2 yolov8n 2", "CPU: run queue", "GPU: processes waiting",
                                 "GPU: SM active", "GPU: tensor active", "VDD_IN", "clock of the GPU"})
    EXPECT_GT(in_chrome[name], 0) << name;
}

TEST(Timeline, every_stream_has_tracks_of_its_own_that_are_named_after_it) {
  input::Problems problems;
  const auto scenario =
      parse_scenario({"device: nvidia-h200\nprocesses:\n"
                      "  - name: server\n    runtime: cuda-graph\n    instances:\n"
                      "      - {name: detector, model: resnet50, precision: fp16, count: 2}\n"
                      "      - {model: mobilenet_v2, precision: fp16}\n"
                      "run: {duration: 20 ms, warmup: 0 ms}\n",
                      "gate.yaml", ""},
                     shipped_catalogue(), {}, problems);
  ASSERT_TRUE(scenario) << problems.text();
  ChromeTrace trace(everything);
  RunControl control;
  control.trace = &trace;
  ASSERT_TRUE(run(*scenario, control));
  std::map<int, std::string> tracks;
  std::set<std::string> used;
  const json events = events_of(trace);
  for (const json& event : events)
    if (event.at("ph") == "M" && event.at("name") == "thread_name")
      tracks[event.at("tid")] = event.at("args").at("name");
  for (const json& event : events)
    if (event.at("ph") == "X") used.insert(tracks.at(event.at("tid")));
  for (const std::string stream : {"server, 0 detector", "server, 1 detector", "server, 2 mobilenet_v2"}) {
    EXPECT_TRUE(used.contains("process 0 " + stream)) << stream;
    EXPECT_TRUE(std::ranges::any_of(used, [&](const std::string& track) {
      return track.starts_with("GPU: ") && track.ends_with(stream);
    })) << stream;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
