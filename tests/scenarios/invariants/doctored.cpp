// Every law can fail: one figure of a right result is changed, and the law names it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "tests/scenarios/invariants/laws.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A closed loop, a camera that is served, one that overloads its share, and one with a queue.
const std::string mixed = R"(
device: jetson-orin-nano
power_mode: 15W
processes:
  - {model: resnet50, precision: fp16}
  - {model: mobilenet_v2, precision: fp16, arrivals: {poisson: 15 /s}}
  - {model: resnet18, precision: fp16, arrivals: {periodic: 2000 /s}}
  - {model: resnet18, precision: fp16, arrivals: {periodic: 2000 /s, queue: 2}}
run: {duration: 30 s, warmup: 100 ms}
)";

// Clients of MPS, one with two streams.
const std::string overlapping = R"(
device: jetson-orin-nano-super
sharing: mps
processes:
  - {model: resnet18, precision: fp16, streams: 2}
  - {model: resnet18, precision: fp16, mps_threads: 50 %}
run: {duration: 500 ms, warmup: 100 ms}
)";

// Requests at random, each time others.
const std::string replicated = R"(
device: jetson-orin-nano
processes: [{model: resnet18, precision: fp16, arrivals: {poisson: 50 /s}}]
run: {replications: 2, duration: 500 ms, warmup: 100 ms}
)";

// A card below its own limit.
const std::string limited = R"(
device: nvidia-l4
power_limit: 45 W
processes: [{model: resnet50, precision: fp16, batch: 8}]
run: {duration: 2 s, warmup: 1 s}
)";

// A camera whose decoder works all the time.
const std::string pipelined = R"(
device: jetson-orin-nano
processes:
  - {model: resnet18, precision: fp16, stages: {before: [{name: decode, time: 20 ms}]}, overlap: 2,
     arrivals: {periodic: 100 /s}}
run: {duration: 500 ms, warmup: 100 ms}
)";

struct Doctor {
  std::string law;
  std::string what;
  std::function<void(Result&)> change;
  std::string scenario = mixed;
};

ProcessResult& closed(Result& result) {
  return result.processes[0];
}
ProcessResult& camera(Result& result) {
  return result.processes[1];
}
ProcessResult& overloaded(Result& result) {
  return result.processes[2];
}

void waits(Result& result) {
  closed(result).images = closed(result).throughput.mean = {};
  closed(result).time_share->fill(0);
  closed(result).time_share->at(index_of(process::Share::gpu_slice_wait)) = 1;
}

std::vector<Doctor> doctors() {
  const auto scale = [](Metric& figure, double by) { figure = figure.value() * by; };
  const std::string images = "images are rate times time",
                    streams = "the rates of the streams sum to their process's",
                    sum = "the rates of the processes sum to the system's",
                    energy = "power is energy an image times rate",
                    finished = "a process that finished did all its batches",
                    time = "the shares of a process's time sum to one",
                    bound = "the shares of what bounds kernels sum to one",
                    busy_gpu = "the kernels of all processes are what keeps the GPU busy",
                    active = "SMs are active only while kernels run",
                    busy = "busy shares lie between zero and one",
                    call = "an enqueue call is the sum of its parts",
                    order = "percentiles of latency are in order",
                    interval = "a confidence interval holds its mean and nothing below zero",
                    unasked = "a prediction interval is there only where it was asked for",
                    nothing = "nobody is served nothing in silence",
                    idle = "a process is idle only while it has nothing to do, which is no cause of anything",
                    pooled = "replications pool like means", served = "no more is served than came",
                    drops = "only a queue with a limit drops",
                    stable = "an open load is stable, or its backlog grows and it has no latency",
                    memory = "memory is the sum of its parts and fits",
                    no_memory = "a process that does not fit has no figures",
                    power = "power is the sum of its parts and at most its peak",
                    rails = "a rail sees at most all power, and its peak is at least its mean",
                    states = "the times at each clock sum to one",
                    clocks = "clocks are within the mode's limits", kept = "a card keeps its power limit",
                    number = "every figure is a number";
  return {
      {images, "one per cent more", [=](Result& r) { scale(closed(r).images, 1.01); }},
      {images, "no images, but a rate", [](Result& r) { closed(r).images = {}; }},
      {images, "fewer than none", [](Result& r) { closed(r).images = closed(r).throughput.mean = -1; }},
      {sum, "one per cent less", [=](Result& r) { scale(r.system.throughput, 0.99); }},
      {sum, "one process is not known", [](Result& r) { closed(r).images = closed(r).throughput.mean = {}; }},
      {sum, "the system is not known", [](Result& r) { r.system.throughput = {}; }},
      {streams, "one stream has more", [=](Result& r) { scale(closed(r).instances[1].throughput.mean, 1.1); },
       overlapping},
      {energy, "one per cent more", [=](Result& r) { scale(r.system.energy_per_image_mj, 1.01); }},
      {energy, "energy without a rate", [](Result& r) { r.system.throughput = {}; }},
      {finished, "too few images", [](Result& r) { closed(r).finished_ms = 800; }},
      {finished, "the run says so", [](Result& r) { r.system.stop = "batches"; }},
      {time, "more of one share", [](Result& r) { closed(r).time_share->at(0) += 1e-6; }},
      {time, "a negative share",
       [](Result& r) {
         closed(r).time_share->at(0) += 1;
         closed(r).time_share->at(1) -= 1;
       }},
      {time, "no shares", [](Result& r) { closed(r).time_share = {}; }},
      {bound, "more of one", [=](Result& r) { scale(closed(r).gpu_running_by.compute, 1.01); }},
      {bound, "one is null", [](Result& r) { closed(r).gpu_running_by.memory = {}; }},
      {busy_gpu, "busier", [=](Result& r) { scale(r.system.gpu.busy, 1.001); }},
      {busy_gpu, "busier than reported", [=](Result& r) { scale(r.system.gpu.reported_load, 0.1); }},
      {busy_gpu, "busier than all", [=](Result& r) { scale(r.system.gpu.busy, 3); }, overlapping},
      {busy_gpu, "less busy than one", [=](Result& r) { scale(r.system.gpu.busy, 0.3); }, overlapping},
      {active, "more than the GPU is busy",
       [](Result& r) { r.system.gpu.array.sm_active = 1.01 * r.system.gpu.busy.value(); }},
      {busy, "a GPU of more than one", [](Result& r) { r.system.gpu.reported_load = 1.01; }},
      {busy, "more cores than there are", [](Result& r) { r.system.cpu.busy_cores = 6.5; }},
      {busy, "a negative share", [](Result& r) { r.system.gpu.array.occupancy = -0.1; }},
      {call, "a longer launch", [=](Result& r) { scale(closed(r).ec_ms.launch, 1.01); }},
      {call, "a negative wait", [](Result& r) { closed(r).sync_ms = -1; }},
      {order, "p90 below p50", [=](Result& r) { scale(closed(r).latency_ms.p90, 0.1); }},
      {order, "p99 below p95", [=](Result& r) { scale(closed(r).latency_ms.p99, 0.5); }},
      {order, "no p95", [](Result& r) { closed(r).latency_ms.p95 = {}; }},
      {order, "a mean below half the median", [=](Result& r) { scale(closed(r).latency_ms.mean, 0.1); }},
      {interval, "beside the mean", [](Result& r) { closed(r).throughput.ci95->first = 1e6; }},
      {interval, "below zero", [](Result& r) { closed(r).throughput.ci95->first = -1; }},
      {interval, "of a stream, below its mean",
       [](Result& r) {
         closed(r).instances[0].throughput.ci95 = {{0, 1}};
       },
       overlapping},
      {interval, "of a latency, above its percentile",
       [](Result& r) {
         closed(r).latency_ms.ci95.p90 = {{1e3, 2e3}};
       }},
      {interval, "of replications, below zero", [](Result& r) { r.system.throughput_ci95->first = -1; },
       replicated},
      {interval, "of their power", [](Result& r) { r.system.power_w.ci95->second = 1; }, replicated},
      {unasked, "of a process",
       [](Result& r) {
         closed(r).latency_ms.pi90.mean = {{0, 1}};
       }},
      {unasked, "of the system",
       [](Result& r) {
         r.system.throughput_pi90 = {{0, 1}};
       }},
      {nothing, "all its time it waits for others", waits},
      {idle, "a closed loop",
       [](Result& r) { (*closed(r).time_share)[index_of(process::Share::idle)] = 0.9; }},
      {idle, "a pipeline that decodes all the time",
       [](Result& r) { (*closed(r).time_share)[index_of(process::Share::idle)] = 0.9; }, pipelined},
      {idle, "a sentence",
       [](Result& r) {
         r.warnings.emplace_back("process 0 served nothing in 30 s: it was idle for 100 % of the time");
       }},
      {pooled, "a latency of the first", [](Result& r) { closed(r).latency_ms.mean = 1e-3; }, replicated},
      {pooled, "images that are no sum", [=](Result& r) { scale(closed(r).images, 0.5); }, replicated},
      {pooled, "one that is known in all",
       [](Result& r) { r.system.power_w.wall = r.system.power_w.peak = {}; }, replicated},
      {served, "five times the camera's", [=](Result& r) { scale(camera(r).images, 5); }},
      {drops, "of a closed loop", [](Result& r) { closed(r).drops = 1; }},
      {drops, "fewer than none", [](Result& r) { r.processes[3].drops = -1; }},
      {stable, "a closed loop is stable", [](Result& r) { closed(r).stable = true; }},
      {stable, "overload without growth", [](Result& r) { overloaded(r).backlog_growth = 0; }},
      {stable, "overload that it could serve", [](Result& r) { overloaded(r).stable_rate = 1e6; }},
      {stable, "overload with a p99", [](Result& r) { overloaded(r).latency_ms.p99 = 100; }},
      {stable, "growth of what is stable", [](Result& r) { camera(r).backlog_growth = 1; }},
      {stable, "nothing is offered", [](Result& r) { camera(r).offered = {}; }},
      {memory, "a larger engine", [=](Result& r) { scale(closed(r).memory.engine, 1.01); }},
      {memory, "more than the capacity", [](Result& r) { r.system.memory.used_mb = 1e6; }},
      {memory, "less than processes hold", [](Result& r) { r.system.memory.used_mb = 1; }},
      {memory, "more for the GPU than it holds", [=](Result& r) { scale(closed(r).memory.gpu, 10); }},
      {no_memory, "figures without memory", [](Result& r) { closed(r).status = "out_of_memory"; }},
      {no_memory, "the status", [](Result& r) { r.status = "out_of_memory"; }},
      {power, "more in all", [=](Result& r) { scale(r.system.power_w.mean, 1.001); }},
      {power, "more of a part", [](Result& r) { r.system.power_w.parts[0].second += 0.01; }},
      {power, "a peak below the mean", [=](Result& r) { scale(r.system.power_w.peak, 0.1); }},
      {rails, "a rail of more than all", [](Result& r) { r.system.power_w.rails[1].second = 100; }},
      {rails, "a peak below the mean", [](Result& r) { r.system.power_w.rail_peaks[1].second = 0; }},
      {rails, "the input is not all", [](Result& r) { r.system.power_w.rails[0].second *= 0.99; }},
      {rails, "a rail without a peak", [](Result& r) { r.system.power_w.rail_peaks.pop_back(); }},
      {states, "less of one", [](Result& r) { r.system.time_in_state[0].second[0].second -= 0.01; }},
      {clocks, "a GPU above the mode", [](Result& r) { r.system.gpu.clock_mhz = 700; }},
      {clocks, "a state above the mode",
       [](Result& r) { r.system.time_in_state[0].second.emplace_back("1600", 0.1); }},
      {clocks, "a core above the mode", [](Result& r) { r.system.cpu.clock_mhz[0] = 1600; }},
      {clocks, "an EMC above the mode", [](Result& r) { r.system.memory.clock_mhz = 3000; }},
      {kept, "five per cent more", [=](Result& r) { r.system.power_w.mean = 1.05 * 45; }, limited},
      {number, "a p99", [](Result& r) { closed(r).latency_ms.p99 = INFINITY; }},
      {number, "a clock", [](Result& r) { r.system.cpu.clock_mhz[0] = std::nan(""); }},
  };
}

// The right run of each scenario.
const Simulated& right(const std::string& text) {
  static std::map<std::string, Simulated> runs;
  const auto found = runs.find(text);
  return found != runs.end() ? found->second : runs.emplace(text, simulated(text).value()).first->second;
}

TEST(Doctored, nothing_obeys_all_laws) {
  for (const std::string& text : {mixed, overlapping, replicated, limited, pipelined})
    EXPECT_THAT(breaches(right(text).run()), IsEmpty()) << text;
  EXPECT_EQ(right(mixed).result.processes[2].stable, false);
  EXPECT_EQ(right(mixed).result.processes[1].stable, true);
}

TEST(Doctored, any_figure_is_named_by_its_law) {
  for (const Doctor& doctor : doctors()) {
    Simulated changed = right(doctor.scenario);
    doctor.change(changed.result);
    EXPECT_THAT(breaches(changed.run()), Contains(StartsWith(doctor.law + ": "))) << doctor.what;
  }
}

TEST(Doctored, figures_test_every_law) {
  std::set<std::string> tested, all;
  for (const Doctor& doctor : doctors()) tested.insert(doctor.law);
  for (const Law& law : laws()) all.emplace(law.name);
  EXPECT_EQ(tested, all);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
