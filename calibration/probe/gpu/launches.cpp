// Costs of launches for the host, and the time between a launch and its start.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr double long_idle_ms = 100;
constexpr int calls_in_burst = 60;  // few enough not to fill the queue

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
std::vector<Idled> idled(const Session& session) {
  const Gpu gpu;
  NetworkLike network(gpu);
  std::vector<Idled> all;
  for (const double ms :
       {0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 25.0, 50.0, 100.0, 300.0, 1000.0}) {
    const int repeats = std::clamp(static_cast<int>((session.quick ? 100 : 400) / ms), ms > 500 ? 2 : 5, 40);
    for (int i = 0; i < repeats; ++i) {
      const double until = host_now() + 1e-3 * session.pace * ms;
      while (host_now() < until) {
      }
      all.push_back({session.pace * ms, network.until_done()});
    }
  }
  return all;
}

// The idle time at which half of the delay of a long idle is reached, and that delay.
void add_idle_wake(const std::vector<Idled>& all, const Session& session, Outcome& outcome) {
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
    outcome.problems.emplace_back(
        "gpu.idle_wake: a graph of 100 kernels that read takes no longer after the GPU idled for up to 1 s");
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
  outcome.parameters.push_back({"gpu.idle_wake.after", middle_ms, "ms",
                                std::log(after / before) / std::sqrt(12.0), all.size(),
                                "idle time of 0.2 to 1000 ms at which half of the delay of a graph of 100 "
                                "kernels that read is reached"});
  outcome.parameters.push_back(
      {"gpu.idle_wake.cost", cost, "us", late->sd / cost, long_idle.size(),
       "a graph of 100 kernels that read after 100 ms of idleness and more less that after 0.2 ms"});
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
      session.progress(0.5, fmt::format("{} launching threads: {}", threads, what));
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

}  // namespace

Outcome launches(const Session& session) {
  Outcome outcome;
  session.progress(0, "first kernels after the GPU idled");
  const auto idle = found_apart(session, experiment_limit_s, [&] { return idled(session); });
  std::string csv = "what,idle_ms,latency_us\n";
  for (const Idled& one : idle) csv += fmt::format("graph,{:g},{:.2f}\n", one.idle_ms, one.latency_us);
  add_idle_wake(idle, session, outcome);
  write_file(session, outcome, "raw/idle_wake.csv", csv);
  add_threads(session, outcome);
  return outcome;
}

}  // namespace jostle::calibration::probe
