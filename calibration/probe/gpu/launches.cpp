// Costs of launches for the host, and the time between a launch and its start.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr double long_idle_ms = 100;
constexpr int calls_in_burst = 60;  // few enough not to fill the queue

// Medians with their errors, as they pass from a process to the probe.
struct Found {
  double value = 0, sd = 0, samples = 0;
};
Found found_of(const std::optional<Estimate>& estimate) {
  return estimate ? Found{estimate->value, estimate->sd, static_cast<double>(estimate->samples)} : Found{};
}
Found found(const std::vector<double>& values) {
  return found_of(middle(values));
}

struct Named {
  const char* parameter;
  const char* how;
};

// Means of bursts of `calls_in_burst` calls, in microseconds a call, while the GPU is otherwise idle.
Found burst_cost(const Gpu& gpu, int bursts, const std::function<void()>& call) {
  std::vector<double> means;
  for (int burst = 0; burst <= bursts; ++burst) {
    const double from = host_now();
    for (int i = 0; i < calls_in_burst; ++i) call();
    const double took = host_now() - from;
    gpu.cuda.check("cuCtxSynchronize", gpu.cuda.context_synchronize());
    if (burst > 0) means.push_back(1e6 * took / calls_in_burst);  // the first one warms up
  }
  return found(means);
}

constexpr Named call_rows[] = {{"seen.launch_call", "a launch of an empty kernel"},
                               {"seen.launch_call_8_blocks", "a launch of a kernel of 3 us on 8 blocks"},
                               {"seen.graph_call_1", "a launch of a graph of one kernel"},
                               {"seen.graph_call_60", "a launch of a graph of 60 kernels of 2 us"},
                               {"seen.graph_call_300", "a launch of a graph of 300 empty kernels"},
                               {"seen.event_record_call", "cuEventRecord"},
                               {"seen.event_query_call", "cuEventQuery of an event that has passed"},
                               {"seen.copy_call_to_device", "a call that copies 4 KiB to the device"},
                               {"seen.copy_call_to_host", "a call that copies 4 KiB to the host"}};

std::vector<Found> calls(int bursts) {
  const Gpu gpu;
  Queue queue(gpu, 1024), graph1(gpu, 1024), graph60(gpu, 1024), graph300(gpu, 1024);
  const Launch empty{KernelKind::spin, 1, 32, 0};
  const Launch eight{KernelKind::spin, 8, 128, static_cast<std::uint64_t>(3 * gpu.identity().clock_mhz)};
  const Launch two{KernelKind::spin, 8, 128, static_cast<std::uint64_t>(2 * gpu.identity().clock_mhz)};
  graph1.capture(std::vector<Launch>(1, empty));
  graph60.capture(std::vector<Launch>(60, two));
  graph300.capture(std::vector<Launch>(300, empty));
  cuda::Event event = nullptr;
  gpu.cuda.check("cuEventCreate", gpu.cuda.event_create(&event, cuda::event_without_timing));
  const HostMemory host(gpu, 4096);
  const DeviceMemory device(gpu, 4096);
  const auto check = [&gpu](const char* call, cuda::Result result) { gpu.cuda.check(call, result); };
  return {
      burst_cost(gpu, bursts, [&] { queue.launch(empty); }),
      burst_cost(gpu, bursts, [&] { queue.launch(eight); }),
      burst_cost(gpu, bursts, [&] { graph1.replay(); }),
      burst_cost(gpu, bursts / 4, [&] { graph60.replay(); }),
      burst_cost(gpu, bursts / 4, [&] { graph300.replay(); }),
      burst_cost(gpu, bursts, [&] { check("cuEventRecord", gpu.cuda.event_record(event, queue.stream())); }),
      burst_cost(gpu, bursts, [&] { check("cuEventQuery", gpu.cuda.event_query(event)); }),
      burst_cost(gpu, bursts,
                 [&] {
                   check("cuMemcpyHtoDAsync",
                         gpu.cuda.copy_from_host_async(device.at(), host.at(), 4096, queue.stream()));
                 }),
      burst_cost(gpu, bursts, [&] {
        check("cuMemcpyDtoHAsync", gpu.cuda.copy_to_host_async(host.at(), device.at(), 4096, queue.stream()));
      })};
}

// Times between the starts of empty kernels that follow each other on the GPU, in microseconds.
constexpr Named spacing_rows[] = {
    {"seen.empty_kernels_apart_in_graph", "starts of empty kernels of a graph"},
    {"seen.empty_kernels_apart_on_stream", "starts of empty kernels launched one by one far ahead"}};
std::vector<Found> spacings() {
  const Gpu gpu;
  const auto apart = [](const std::vector<Stamp>& stamps) {
    std::vector<double> us;
    for (std::size_t i = 1; i < stamps.size(); ++i)
      us.push_back(static_cast<double>(stamps[i].start - stamps[i - 1].start) / 1e3);
    return found_of(middle_of_stamps(us));
  };
  const Launch empty{KernelKind::spin, 1, 32, 0};
  Queue graph(gpu, 400), stream(gpu, 400);
  graph.capture(std::vector<Launch>(300, empty));
  graph.replay();
  graph.forget_stamps();
  graph.replay();
  std::vector<Found> all{apart(graph.stamps())};
  stream.launch({KernelKind::spin, 1, 32, static_cast<std::uint64_t>(5e3 * gpu.identity().clock_mhz)});
  for (int i = 0; i < 300; ++i) stream.launch(empty);
  std::vector<Stamp> stamps = stream.stamps();
  stamps.erase(stamps.begin());
  all.push_back(apart(stamps));
  return all;
}

// Round trips: from before the launch of a kernel that sets a word until the host knows, in microseconds.
class RoundTrip {
 public:
  explicit RoundTrip(const Gpu& gpu) : gpu_(gpu), word_(gpu, 64), kernel_(gpu.function("flag")) {
    gpu.cuda.check("cuStreamCreate", gpu.cuda.stream_create(&stream_, cuda::non_blocking_stream, 0));
    for (int i = 0; i < 20; ++i) until_seen();
  }
  ~RoundTrip() { gpu_.cuda.stream_destroy(stream_); }
  RoundTrip(const RoundTrip&) = delete;
  RoundTrip& operator=(const RoundTrip&) = delete;

  // Until the host, which looks at the word, sees it.
  double until_seen() {
    const double from = host_now();
    launch();
    const auto* const word = static_cast<const volatile std::uint32_t*>(word_.at());
    double took = 0;
    // The driver tells why, if a kernel does not set its word.
    while (*word != value_ && took < latest_word_s) took = host_now() - from;
    if (*word != value_) {
      gpu_.cuda.check("cuStreamQuery", gpu_.cuda.stream_query(stream_));
      throw GpuError("a kernel set no word that the host sees");
    }
    took = host_now() - from;
    gpu_.cuda.check("cuStreamSynchronize", gpu_.cuda.stream_synchronize(stream_));
    return 1e6 * took;
  }
  // Until a wait for the stream returns.
  double until_awake() {
    const double from = host_now();
    launch();
    gpu_.cuda.check("cuStreamSynchronize", gpu_.cuda.stream_synchronize(stream_));
    return 1e6 * (host_now() - from);
  }

 private:
  static constexpr double latest_word_s = 2;
  void launch() {
    ++value_;
    cuda::Pointer word = word_.on_device();
    void* parameters[] = {&word, &value_};
    gpu_.cuda.check("cuLaunchKernel",
                    gpu_.cuda.launch_kernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr));
  }

  const Gpu& gpu_;
  HostMemory word_;
  cuda::Function kernel_;
  cuda::Stream stream_ = nullptr;
  std::uint32_t value_ = 0;
};

constexpr Named wait_rows[] = {
    {"seen.round_trip_word", "launch of a kernel until the host sees a word that it sets"},
    {"seen.round_trip_spinning", "launch until a wait that spins returns"},
    {"seen.round_trip_yielding", "launch until a wait that yields returns"},
    {"seen.round_trip_blocking", "launch until a wait that sleeps returns"}};
std::vector<Found> waits(const Session& session, int trips) {
  std::vector<Found> all;
  for (const unsigned flag : {0u, cuda::wait_spinning, cuda::wait_yielding, cuda::wait_blocking}) {
    const auto us = found_apart(session, experiment_limit_s, [&] {
      const Gpu gpu(flag == 0 ? cuda::wait_spinning : flag);
      RoundTrip trip(gpu);
      std::vector<double> times;
      for (int i = 0; i < trips; ++i) times.push_back(flag == 0 ? trip.until_seen() : trip.until_awake());
      return times;
    });
    all.push_back(found(us));
  }
  return all;
}

struct Idled {
  double idle_ms = 0, latency_us = 0;
};
// A batch like a network's: a graph of kernels on all SMs that read weights. It finds more asleep, and colder
// caches, after the GPU idled than a single kernel does.
class NetworkLike {
 public:
  explicit NetworkLike(const Gpu& gpu) : gpu_(gpu), queue_(gpu, 16, 32 << 20) {
    const auto blocks = static_cast<unsigned>(gpu.identity().sms);
    queue_.capture(std::vector<Launch>(100, {KernelKind::read, blocks, 256, 4}));
    for (int i = 0; i < 20; ++i) until_done();
  }
  double until_done() {
    const double from = host_now();
    queue_.replay();
    while (gpu_.cuda.stream_query(queue_.stream()) == cuda::not_ready) {
    }
    queue_.synchronize();
    return 1e6 * (host_now() - from);
  }

 private:
  const Gpu& gpu_;
  Queue queue_;
};

// Latencies after the GPU idled; the host does not sleep meanwhile, so that only the GPU can.
std::vector<Idled> idled(const Session& session, const std::function<double()>& latency_us) {
  std::vector<Idled> all;
  for (const double ms :
       {0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 25.0, 50.0, 100.0, 300.0, 1000.0}) {
    const int repeats = std::clamp(static_cast<int>((session.quick ? 100 : 400) / ms), ms > 500 ? 2 : 5, 40);
    for (int i = 0; i < repeats; ++i) {
      const double until = host_now() + 1e-3 * session.pace * ms;
      while (host_now() < until) {
      }
      all.push_back({session.pace * ms, latency_us()});
    }
  }
  return all;
}
std::vector<Idled> idled_kernel(const Session& session) {
  const Gpu gpu;
  RoundTrip trip(gpu);
  return idled(session, [&trip] { return trip.until_seen(); });
}
std::vector<Idled> idled_network(const Session& session) {
  const Gpu gpu;
  NetworkLike network(gpu);
  return idled(session, [&network] { return network.until_done(); });
}

// The idle time at which half of the delay of a long idle is reached, and that delay.
void add_idle_wake(const std::vector<Idled>& all, const Session& session, const std::string& path,
                   const char* what, Outcome& outcome) {
  std::map<double, std::vector<double>> by_idle;
  std::vector<double> long_idle;
  for (const Idled& one : all) {
    by_idle[one.idle_ms].push_back(one.latency_us);
    if (one.idle_ms >= session.pace * long_idle_ms) long_idle.push_back(one.latency_us);
  }
  const double quick = median(by_idle.begin()->second);
  const auto late = middle(long_idle);
  const double cost = late->value - quick;
  if (cost < 2 + 3 * late->sd) {
    outcome.problems.push_back(
        fmt::format("{}: {} takes no longer after the GPU idled for up to 1 s", path, what));
    return;
  }
  // The last idle time after which the GPU is awake, and the next one: what disturbs the host adds to
  // latencies, so a short idle time may seem to be one after which the GPU slept, but not the other way
  // round.
  double before = by_idle.begin()->first, after = by_idle.rbegin()->first;
  for (const auto& [ms, latencies] : by_idle) {
    if (median(latencies) - quick > cost / 2) continue;
    before = ms;
    const auto next = by_idle.upper_bound(ms);
    after = next != by_idle.end() ? next->first : ms;
  }
  const double middle_ms = std::sqrt(before * after);
  outcome.parameters.push_back(
      {path + ".after", middle_ms, "ms", std::log(after / before) / std::sqrt(12.0), all.size(),
       fmt::format("idle time of 0.2 to 1000 ms at which half of the delay of {} is reached", what)});
  outcome.parameters.push_back(
      {path + ".cost", cost, "us", late->sd / cost, long_idle.size(),
       fmt::format("{} after 100 ms of idleness and more less that after 0.2 ms", what)});
}

// The launches that a stream takes while its first kernel runs, before a call waits.
double launches_in_flight() {
  const Gpu gpu;
  Queue queue(gpu, 16);
  const double seconds = 0.3;
  queue.launch({KernelKind::spin, 1, 32, 0});
  queue.synchronize();
  queue.launch(
      {KernelKind::spin, 1, 32, static_cast<std::uint64_t>(seconds * 1e6 * gpu.identity().clock_mhz)});
  int launched = 1;
  for (; launched < 20000; ++launched) {
    const double from = host_now();
    queue.launch({KernelKind::spin, 1, 32, 0});
    if (host_now() - from > 0.2 * seconds) break;
  }
  return launched;
}

struct Caller {
  double calls_per_s = 0, mean_us = 0, worst_us = 0, batches_per_s = 0;
};
enum class Batch : std::uint8_t { empty, three_us, graph };
constexpr std::pair<Batch, const char*> batches[] = {
    {Batch::empty, "empty"}, {Batch::three_us, "kernel 3us"}, {Batch::graph, "graph 60x2us"}};

// Making and freeing memory and streams waits for a context in which no other thread captures a graph.
std::mutex set_up;

// A thread that launches batches of 60 kernels, or of a graph of them, one ahead, on a stream of its own.
Caller launch_for(const Gpu& gpu, Batch batch, double seconds, const std::function<void()>& ready) {
  gpu.make_current();
  std::unique_lock lock(set_up);
  Queue queue(gpu, 64);
  const auto us = [&gpu](double time) { return static_cast<std::uint64_t>(time * gpu.identity().clock_mhz); };
  const Launch kernel = batch == Batch::empty      ? Launch{KernelKind::spin, 1, 32, 0}
                        : batch == Batch::three_us ? Launch{KernelKind::spin, 8, 128, us(3)}
                                                   : Launch{KernelKind::spin, 8, 128, us(2)};
  if (batch == Batch::graph) queue.capture(std::vector<Launch>(calls_in_burst, kernel));
  cuda::Event events[2];
  for (cuda::Event& event : events)
    gpu.cuda.check("cuEventCreate", gpu.cuda.event_create(&event, cuda::event_without_timing));
  lock.unlock();
  const int calls = batch == Batch::graph ? 1 : calls_in_burst;
  double in_calls = 0, worst = 0, all_calls = 0, all_batches = 0;
  ready();
  const double from = host_now();
  while (host_now() - from < seconds) {
    for (int i = 0; i < calls; ++i) {
      const double begin = host_now();
      if (batch == Batch::graph) {
        queue.replay();
      } else {
        queue.launch(kernel);
      }
      const double took = host_now() - begin;
      in_calls += took;
      worst = std::max(worst, took);
    }
    all_calls += calls;
    const auto turn = static_cast<std::size_t>(all_batches) % 2;
    gpu.cuda.check("cuEventRecord", gpu.cuda.event_record(events[turn], queue.stream()));
    all_batches += 1;
    while (all_batches > 1 && gpu.cuda.event_query(events[1 - turn]) == cuda::not_ready) {
    }
  }
  const double took = host_now() - from;
  queue.synchronize();
  ready();  // nothing is freed while another thread measures
  for (cuda::Event event : events) gpu.cuda.event_destroy(event);
  return {all_calls / took, 1e6 * in_calls / all_calls, 1e6 * worst, all_batches / took};
}

std::vector<Caller> launching_threads(Batch batch, int threads, double seconds) {
  const Gpu gpu;
  std::vector<Caller> all(static_cast<std::size_t>(threads));
  std::barrier meet(threads);
  std::vector<std::thread> running;
  std::mutex reporting;
  std::string problem;
  for (Caller& caller : all)
    running.emplace_back([&] {
      try {
        caller = launch_for(gpu, batch, seconds, [&] { meet.arrive_and_wait(); });
      } catch (const GpuError& error) {
        meet.arrive_and_drop();
        const std::scoped_lock lock(reporting);
        problem = error.what();
      }
    });
  for (std::thread& thread : running) thread.join();
  if (!problem.empty()) throw GpuError("a launching thread: " + problem);
  return all;
}

void add_threads(const Session& session, Outcome& outcome) {
  std::string csv = "kind,what,threads,index,calls_per_s,call_mean_us,call_worst_us,batches_per_s\n";
  for (const auto& [batch, what] : batches) {
    for (const int threads : {1, 2, 3, 4}) {
      session.progress(0.6, fmt::format("{} launching threads: {}", threads, what));
      const auto callers = found_apart(session, experiment_limit_s, [&] {
        return launching_threads(batch, threads, session.pace * (session.quick ? 0.3 : 1));
      });
      double mean = 0;
      for (std::size_t i = 0; i < callers.size(); ++i) {
        const Caller& one = callers[i];
        csv += fmt::format("threads,{},{},{},{:.1f},{:.3f},{:.1f},{:.1f}\n", what, threads, i,
                           one.calls_per_s, one.mean_us, one.worst_us, one.batches_per_s);
        mean += one.mean_us / static_cast<double>(callers.size());
      }
      outcome.parameters.push_back({fmt::format("seen.launch_call_{}_threads_{}", threads,
                                                batch == Batch::empty   ? "empty"
                                                : batch == Batch::graph ? "graph"
                                                                        : "3us"),
                                    mean, "us", 0, callers.size(),
                                    fmt::format("{} threads of a process launch: {}", threads, what)});
    }
  }
  write_file(session, outcome, "launch_threads.csv", csv);
}

void add_rows(Outcome& outcome, std::span<const Named> rows, const std::vector<Found>& values) {
  for (std::size_t i = 0; i < rows.size() && i < values.size(); ++i)
    outcome.parameters.push_back({rows[i].parameter, values[i].value, "us",
                                  values[i].value > 0 ? values[i].sd / values[i].value : 0,
                                  static_cast<std::size_t>(values[i].samples), rows[i].how});
}

}  // namespace

Outcome launches(const Session& session) {
  Outcome outcome;
  session.progress(0, "calls that launch and copy");
  add_rows(outcome, call_rows,
           found_apart(session, experiment_limit_s, [&] { return calls(session.quick ? 40 : 200); }));
  add_rows(outcome, spacing_rows, found_apart(session, experiment_limit_s, spacings));
  session.progress(0.15, "round trips, by way of waiting");
  add_rows(outcome, wait_rows, waits(session, session.quick ? 500 : 3000));
  session.progress(0.3, "first kernels after the GPU idled");
  std::string csv = "what,idle_ms,latency_us\n";
  for (const bool network : {false, true}) {
    const auto idle = found_apart(session, experiment_limit_s,
                                  [&] { return network ? idled_network(session) : idled_kernel(session); });
    for (const Idled& one : idle)
      csv += fmt::format("{},{:g},{:.2f}\n", network ? "graph" : "kernel", one.idle_ms, one.latency_us);
    if (network) {
      add_idle_wake(idle, session, "gpu.idle_wake", "a graph of 100 kernels that read", outcome);
    } else {
      add_idle_wake(idle, session, "seen.idle_wake_of_kernel", "the round trip of a kernel", outcome);
    }
  }
  write_file(session, outcome, "raw/idle_wake.csv", csv);
  session.progress(0.5, "launches in flight");
  const auto flight =
      found_apart(session, experiment_limit_s, [] { return std::vector<double>{launches_in_flight()}; });
  outcome.parameters.push_back({"seen.launches_in_flight", flight.at(0), "", 0, 1,
                                "launches that a stream takes before a call waits"});
  add_threads(session, outcome);
  return outcome;
}

}  // namespace jostle::calibration::probe
