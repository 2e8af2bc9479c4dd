// The timeline is read back with protobuf's own decoder, which knows nothing of the writer.
#include "scenarios/timeline/perfetto_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "input/refused.hpp"
#include "scenarios/perfetto.pb.h"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::Time;
using sim::TrackId;
namespace proto = test::perfetto;

struct Slice {
  std::string track, name;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::size_t depth = 0;
  bool operator==(const Slice&) const = default;
};
struct Sample {
  std::string counter;
  std::uint64_t at_ns = 0;
  double value = 0;
  bool operator==(const Sample&) const = default;
};
struct Timeline {
  std::vector<Slice> slices;  // in the order of their ends
  std::vector<Sample> samples;
  std::map<std::string, std::string> parent_of, unit_of;
  std::map<std::string, int> rank_of;
  std::size_t packets = 0, names = 0;
};

// Reads the file as a viewer does: events sorted by time, those of equal time as written.
Timeline read(const std::filesystem::path& path) {
  Timeline timeline;
  proto::Trace trace;
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(trace.ParseFromIstream(&stream));
  std::map<std::uint64_t, std::string> tracks, names;
  std::multimap<std::uint64_t, const proto::TrackEvent*> events;
  bool first = true;
  for (const proto::TracePacket& packet : trace.packet()) {
    ++timeline.packets;
    EXPECT_EQ(packet.trusted_packet_sequence_id(), 1U);
    EXPECT_EQ(packet.sequence_flags(), first ? 1U : 2U)
        << "the first packet clears the state, the others need it";
    first = false;
    for (const auto& name : packet.interned_data().event_names()) {
      EXPECT_TRUE(names.emplace(name.iid(), name.name()).second) << "a number given twice";
    }
    if (packet.has_track_descriptor()) {
      const auto& descriptor = packet.track_descriptor();
      EXPECT_NE(descriptor.uuid(), 0U);
      EXPECT_TRUE(tracks.emplace(descriptor.uuid(), descriptor.name()).second);
      if (descriptor.has_parent_uuid()) {
        timeline.parent_of[descriptor.name()] = tracks.at(descriptor.parent_uuid());
      }
      if (descriptor.has_counter()) timeline.unit_of[descriptor.name()] = descriptor.counter().unit_name();
      EXPECT_EQ(descriptor.child_ordering(), proto::TrackDescriptor::EXPLICIT);
      timeline.rank_of[descriptor.name()] = descriptor.sibling_order_rank();
    }
    if (packet.has_track_event()) events.emplace(packet.timestamp(), &packet.track_event());
  }
  timeline.names = names.size();

  std::map<std::uint64_t, std::vector<Slice>> open;
  for (const auto& [at, event] : events) {
    const std::string& track = tracks.at(event->track_uuid());
    auto& stack = open[event->track_uuid()];
    if (event->type() == proto::TrackEvent::TYPE_SLICE_BEGIN) {
      stack.push_back({track, names.at(event->name_iid()), at, 0, stack.size()});
    } else if (event->type() == proto::TrackEvent::TYPE_SLICE_END) {
      if (stack.empty()) {
        ADD_FAILURE() << "an end without a beginning on " << track;
        continue;
      }
      stack.back().end_ns = at;
      timeline.slices.push_back(stack.back());
      stack.pop_back();
    } else {
      EXPECT_EQ(event->type(), proto::TrackEvent::TYPE_COUNTER);
      timeline.samples.push_back({track, at, event->double_counter_value()});
    }
  }
  for (const auto& [uuid, stack] : open)
    EXPECT_TRUE(stack.empty()) << tracks.at(uuid) << " has an open slice";
  return timeline;
}

class PerfettoTraceFile : public ::testing::Test {
 protected:
  PerfettoTraceFile() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("jostle_") + test->name() + ".perfetto-trace");
  }
  ~PerfettoTraceFile() override { std::filesystem::remove(path_); }
  [[nodiscard]] static Time at(double us) { return Time::zero() + microseconds(us); }

  std::filesystem::path path_;
};

TEST_F(PerfettoTraceFile, slices_come_back_with_their_track_name_times_and_nesting) {
  PerfettoTrace trace(path_);
  const TrackId gpu = trace.track("GPU");
  const TrackId core = trace.track("core 0");
  trace.begin(gpu, at(1), "turn of process 0");
  trace.slice(gpu, at(1), microseconds(2), "kernel");
  trace.slice(core, at(0), microseconds(5), "process 1");
  trace.slice(gpu, at(3), microseconds(1.5), "kernel");
  trace.end(gpu, at(6));
  trace.finish();

  const std::vector<Slice> expected{{"GPU", "kernel", 1000, 3000, 1},
                                    {"GPU", "kernel", 3000, 4500, 1},
                                    {"core 0", "process 1", 0, 5000, 0},
                                    {"GPU", "turn of process 0", 1000, 6000, 0}};
  EXPECT_EQ(read(path_).slices, expected);
}

TEST_F(PerfettoTraceFile, counters_keep_their_values_units_and_parents) {
  PerfettoTrace trace(path_);
  const TrackId board = trace.track("board");
  const TrackId power = trace.counter("power", "W", board);
  const TrackId queue = trace.counter("queue", "", board);
  trace.count(power, at(1), 7.25);
  trace.count(queue, at(1), 3);
  trace.count(power, at(2), -0.5);
  trace.finish();

  const Timeline timeline = read(path_);
  EXPECT_EQ(timeline.samples,
            (std::vector<Sample>{{"power", 1000, 7.25}, {"queue", 1000, 3}, {"power", 2000, -0.5}}));
  EXPECT_EQ(timeline.unit_of, (std::map<std::string, std::string>{{"power", "W"}, {"queue", ""}}));
  EXPECT_EQ(timeline.parent_of, (std::map<std::string, std::string>{{"power", "board"}, {"queue", "board"}}));
}

TEST_F(PerfettoTraceFile, tracks_are_shown_in_the_order_they_were_made) {
  PerfettoTrace trace(path_);
  const TrackId processes = trace.track("processes");
  for (int i = 0; i < 12; ++i) (void)trace.track("process " + std::to_string(i), processes);
  trace.finish();
  const Timeline timeline = read(path_);
  EXPECT_LT(timeline.rank_of.at("process 2"), timeline.rank_of.at("process 10"));
  EXPECT_EQ(timeline.parent_of.at("process 10"), "processes");
}

TEST_F(PerfettoTraceFile, a_name_is_stored_once) {
  PerfettoTrace trace(path_);
  const TrackId track = trace.track("t");
  for (int i = 0; i < 100; ++i) trace.slice(track, at(i), microseconds(1), i % 2 == 0 ? "even" : "odd");
  trace.finish();
  const Timeline timeline = read(path_);
  EXPECT_EQ(timeline.names, 2U);
  EXPECT_EQ(timeline.packets, 201U);
}

TEST_F(PerfettoTraceFile, touching_slices_of_less_than_a_nanosecond_still_nest_and_do_not_overlap) {
  PerfettoTrace trace(path_);
  const TrackId track = trace.track("t");
  trace.begin(track, Time(100), "outer");
  Time now(100);
  for (int i = 0; i < 50; ++i) {
    trace.slice(track, now, Duration(333), "inner");
    now += Duration(333);
  }
  trace.end(track, now);
  trace.finish();

  std::uint64_t last_end = 0;
  const Timeline timeline = read(path_);
  ASSERT_EQ(timeline.slices.size(), 51U);
  for (const Slice& slice : timeline.slices) {
    EXPECT_EQ(slice.depth, slice.name == "outer" ? 0U : 1U);
    EXPECT_GE(slice.end_ns, slice.start_ns);
    if (slice.name == "inner") {
      EXPECT_GE(slice.start_ns, last_end);
    }
    last_end = slice.end_ns;
  }
}

TEST_F(PerfettoTraceFile, slices_left_open_end_when_the_trace_does) {
  PerfettoTrace trace(path_);
  const TrackId track = trace.track("t");
  trace.begin(track, at(1), "outer");
  trace.begin(track, at(2), "inner");
  trace.count(trace.counter("c", ""), at(9), 1);
  trace.finish();
  EXPECT_EQ(read(path_).slices,
            (std::vector<Slice>{{"t", "inner", 2000, 9000, 1}, {"t", "outer", 1000, 9000, 0}}));
}

TEST_F(PerfettoTraceFile, an_end_without_a_beginning_is_left_out) {
  PerfettoTrace trace(path_);
  const TrackId track = trace.track("t");
  trace.end(track, at(1));
  trace.slice(track, at(2), microseconds(1), "whole");
  trace.finish();
  EXPECT_EQ(read(path_).slices, (std::vector<Slice>{{"t", "whole", 2000, 3000, 0}}));
}

TEST_F(PerfettoTraceFile, a_trace_larger_than_the_buffer_is_complete) {
  constexpr int events = 200'000;
  {
    PerfettoTrace trace(path_);
    const TrackId counter = trace.counter("c", "");
    for (int i = 0; i < events; ++i) trace.count(counter, at(i), i);
    EXPECT_FALSE(std::filesystem::exists(path_)) << "it appears when it is whole";
    trace.finish();
  }
  const Timeline timeline = read(path_);
  ASSERT_EQ(timeline.samples.size(), static_cast<std::size_t>(events));
  EXPECT_EQ(timeline.samples.back(), (Sample{"c", (events - 1) * 1000ULL, events - 1.0}));
}

TEST_F(PerfettoTraceFile, without_its_end_a_trace_leaves_what_was_there) {
  std::ofstream(path_) << "before";
  {
    PerfettoTrace trace(path_);
    trace.slice(trace.track("t"), at(0), microseconds(1), "x");
  }
  std::ifstream stream(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "before");
}

TEST_F(PerfettoTraceFile, a_file_that_cannot_be_created_is_an_error_that_names_it) {
  try {
    PerfettoTrace trace("/no/such/directory/trace");
    FAIL();
  } catch (const input::Refused& error) {
    EXPECT_STREQ(error.what(), "cannot write /no/such/directory/trace: No such file or directory");
  }
}

TEST_F(PerfettoTraceFile, a_full_disk_is_an_error_at_the_end) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  PerfettoTrace trace("/dev/full");
  trace.slice(trace.track("t"), at(0), microseconds(1), "x");
  EXPECT_THROW(trace.finish(), output::WriteError);
}

TEST_F(PerfettoTraceFile, a_run_draws_each_core_the_gpus_owner_each_process_and_who_waits) {
  const std::string text =
      "device: nvidia-h200\nhost_cores: 2\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 3}\n"
      "  - {name: front, model: resnet50, precision: fp16, runtime: eager, sync: blocking,"
      " arrivals: {periodic: 100 /s}}\n"
      "run: {duration: 40 ms, warmup: 10 ms}\n";
  const auto loaded = jostle::scenarios::testing::load_text(text);
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  PerfettoTrace trace(path_);
  ASSERT_TRUE(run(*loaded.scenario, {.interrupt = nullptr, .trace = &trace, .progress = {}}));
  trace.finish();

  const Timeline timeline = read(path_);
  std::map<std::string, std::size_t> slices;  // of each track
  std::map<std::string, std::uint64_t> ended;
  std::size_t switches = 0, turns = 0;
  for (const Slice& slice : timeline.slices) {
    ++slices[slice.track];
    // One thread on a core, one owner of the GPU, one batch of a process at a time.
    EXPECT_EQ(slice.depth, 0U) << slice.track << ": " << slice.name;
    EXPECT_GE(slice.start_ns, ended[slice.track]) << slice.track << ": " << slice.name;
    ended[slice.track] = slice.end_ns;
    EXPECT_LE(slice.end_ns, 50'000'000U);
    if (slice.track == "GPU: process") ++(slice.name == "switch" ? switches : turns);
  }
  for (const char* track : {"core 0", "core 1", "GPU: process", "process 0 resnet50 0",
                            "process 1 resnet50 1", "process 2 resnet50 2", "process 3 front"})
    EXPECT_GT(slices[track], 0U) << track;
  EXPECT_EQ(slices.count("core 2"), 0U);  // confined to two
  EXPECT_GT(switches, 10U);
  EXPECT_GE(turns, switches);

  ASSERT_EQ(timeline.unit_of.at("GPU: processes waiting"), "processes");
  double most = 0;
  for (const Sample& sample : timeline.samples) {
    EXPECT_GE(sample.value, 0);
    if (sample.counter != "GPU: processes waiting") continue;
    most = std::max(most, sample.value);
  }
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 4);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
