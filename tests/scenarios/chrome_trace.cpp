// The timeline as Chrome's JSON is read back.
#include "scenarios/timeline/chrome_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "input/problems.hpp"
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

TEST_F(ChromeTraceFile, holds_the_events_when_it_is_finished) {
  {
    ChromeTrace trace(path_);
    trace.slice(trace.track("t"), at(0), microseconds(1), "s");
    EXPECT_FALSE(std::filesystem::exists(path_));
    trace.finish();
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

// Slices of each track and samples of each counter.
std::map<std::string, int> counted(const json& events) {
  std::map<std::string, int> count;
  std::map<int, std::string> names;
  for (const json& event : events) {
    if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") == "X") ++count[names.at(event.at("tid"))];
    if (event.at("ph") == "C") ++count[event.at("name")];
  }
  return count;
}

TEST(Timeline, is_the_same_behind_a_tee_and_changes_nothing) {
  const auto loaded = testing::load_text(
      "device: jetson-orin-nano\nprocesses:\n"
      "  - {model: resnet50, precision: int8, count: 2}\n"
      "  - {model: yolov8n, precision: fp16, arrivals: {periodic: 20 /s}}\n"
      "run: {duration: 300 ms, warmup: 20 ms}\n");
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  const ChromeTrace::Window whole{Time::zero(), Time::never(), SIZE_MAX};
  ChromeTrace first(whole), second(whole);
  TraceTee both(first, second);
  const auto traced = run(*loaded.scenario, {.interrupt = nullptr, .trace = &both, .progress = {}});
  const auto plain = run(*loaded.scenario, {});
  ASSERT_TRUE(traced && plain);
  EXPECT_EQ(to_json(*traced), to_json(*plain));
  std::map<std::string, int> in_first = counted(events_of(first));
  EXPECT_EQ(first.text(), (second.finish(), second.text()));
  for (const char* const name : {"core 0", "GPU: process", "GPU: copies", "GPU: stream of resnet50 0",
                                 "process 2 yolov8n 2", "CPU: run queue", "GPU: processes waiting",
                                 "GPU: SM active", "GPU: tensor active", "VDD_IN", "clock of the GPU"})
    EXPECT_GT(in_first[name], 0) << name;
}

TEST(Timeline, has_the_kernels_of_a_batch_by_name_once_for_equal_batches) {
  const auto loaded = testing::load_text(
      "device: jetson-orin-nano\nprocesses:\n"
      "  - {name: looks, model: resnet50, precision: fp16, count: 2}\n"
      "  - {name: eager, model: resnet50, precision: fp16, runtime: eager}\n"
      "run: {duration: 40 ms, warmup: 10 ms}\n");
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  ChromeTrace trace(ChromeTrace::Window{Time::zero(), Time::never(), SIZE_MAX});
  ASSERT_TRUE(run(*loaded.scenario, {.interrupt = nullptr, .trace = &trace, .progress = {}}));
  std::map<int, std::string> tracks;
  std::map<std::string, std::vector<json>> slices;
  for (const json& event : events_of(trace)) {
    if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") == "X") slices[tracks.at(event.at("tid"))].push_back(event);
  }
  const std::vector<json>& kernels = slices["kernels of looks, alone"];
  ASSERT_GT(kernels.size(), 50U);
  EXPECT_NEAR(kernels.front().at("ts").get<double>(), 10'000, 30'000);  // the end of the warm-up
  double end = kernels.front().at("ts");
  bool convolved = false, reformatted = false;
  for (const json& kernel : kernels) {
    EXPECT_NEAR(kernel.at("ts").get<double>(), end, 0.002);  // back to back
    end = kernel.at("ts").get<double>() + kernel.at("dur").get<double>();
    const std::string name = kernel.at("name");
    convolved = convolved || name.find("conv") != std::string::npos;
    reformatted = reformatted || name.starts_with("reformat, ");
  }
  EXPECT_TRUE(convolved && reformatted);
  EXPECT_FALSE(slices["kernels of eager, alone"].empty());
  EXPECT_EQ(std::ranges::count(tracks | std::views::values, "kernels of looks, alone"), 1);
}

TEST(Timeline, draws_one_thread_a_core_one_owner_of_the_gpu_and_who_waits) {
  const auto loaded = testing::load_text(
      "device: nvidia-h200\nhost_cores: 2\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 3}\n"
      "  - {name: front, model: resnet50, precision: fp16, runtime: eager, sync: blocking,"
      " arrivals: {periodic: 100 /s}}\n"
      "run: {duration: 40 ms, warmup: 10 ms, start: together}\n");
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  ChromeTrace trace(ChromeTrace::Window{Time::zero(), Time::never(), SIZE_MAX});
  ASSERT_TRUE(run(*loaded.scenario, {.interrupt = nullptr, .trace = &trace, .progress = {}}));
  const json events = events_of(trace);
  std::map<std::string, int> count = counted(events);
  for (const char* track : {"core 0", "core 1", "GPU: process", "process 0 resnet50 0",
                            "process 1 resnet50 1", "process 2 resnet50 2", "process 3 front"})
    EXPECT_GT(count[track], 0) << track;
  EXPECT_EQ(count.count("core 2"), 0U);  // confined to two

  std::map<int, double> ended;  // of each track, in us
  std::map<int, std::string> tracks;
  for (const json& event : events)
    if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
  int switches = 0, turns = 0;
  double most = 0;
  for (const json& event : events) {
    if (event.at("ph") == "C" && event.at("name") == "GPU: processes waiting")
      most = std::max(most, event.at("args").at("processes").get<double>());
    if (event.at("ph") != "X") continue;
    double& end = ended[event.at("tid")];
    const double begin = event.at("ts"), length = event.at("dur");
    EXPECT_GE(begin, end - 1e-3) << event;  // no two at a time
    end = begin + length;
    EXPECT_LE(end, 50'000);
    if (tracks.at(event.at("tid")) == "GPU: process") ++(event.at("name") == "switch" ? switches : turns);
  }
  EXPECT_GT(switches, 10);
  EXPECT_GE(turns, switches);
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 4);
}

TEST(Timeline, of_processes_with_streams_shows_their_turns_the_switches_and_who_waits) {
  const auto loaded = testing::load_text(
      "device: nvidia-h200\nprocesses:\n"
      "  - {name: front, model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, streams: 2}\n"
      "  - {name: back, model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 2}\n"
      "run: {duration: 40 ms, warmup: 10 ms}\n");
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  ChromeTrace trace(ChromeTrace::Window{Time::zero(), Time::never(), SIZE_MAX});
  ASSERT_TRUE(run(*loaded.scenario, {.interrupt = nullptr, .trace = &trace, .progress = {}}));
  const json events = events_of(trace);
  EXPECT_GT(counted(events)["GPU: front, stream 1"], 0);
  std::map<int, std::string> tracks;
  for (const json& event : events)
    if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
  std::map<std::string, int> slices;
  double end = 0, most = 0;
  for (const json& event : events) {
    if (event.at("ph") == "C" && event.at("name") == "GPU: processes waiting")
      most = std::max(most, event.at("args").at("processes").get<double>());
    if (event.at("ph") != "X" || tracks.at(event.at("tid")) != "GPU: process") continue;
    ++slices[event.at("name")];
    EXPECT_GE(event.at("ts").get<double>(), end - 1e-3) << event;  // no two at a time
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_GT(slices["front"], 3);
  EXPECT_GT(slices["back"], 6);
  EXPECT_GE(slices["switch"], slices["front"] + slices["back"] - 1);
  EXPECT_EQ(most, 2);
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
