#include "calibration/probe/gpu/loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "calibration/probe/clock.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr int ahead = 2;         // batches in flight
constexpr double set_up_s = 25;  // the limit of what an experiment takes beside its own time

// A loop's stream, its batches in flight and what they took.
class Running {
 public:
  Running(const Gpu& gpu, const Loop& loop)
      : gpu_(gpu), loop_(loop), queue_(gpu, loop.kept, loop.data_bytes, loop.priority) {
    const unsigned flags = cuda::event_without_timing | (loop.blocking ? cuda::event_blocking : 0u);
    for (cuda::Event& event : events_) gpu.cuda.check("cuEventCreate", gpu.cuda.event_create(&event, flags));
    if (!loop.graph) return;
    queue_.capture(std::vector<Launch>(static_cast<std::size_t>(loop.kernels_per_batch), loop.kernel));
  }
  ~Running() {
    for (cuda::Event event : events_)
      if (event != nullptr) gpu_.cuda.event_destroy(event);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Launches a batch if fewer than two are in flight and returns true if it did.
  bool enqueue() {
    if (begun_ - done_ >= ahead) return false;
    const double from = host_now();
    if (loop_.graph) {
      queue_.replay();
    } else {
      for (int i = 0; i < loop_.kernels_per_batch; ++i) paced_launch();
    }
    gpu_.cuda.check("cuEventRecord", gpu_.cuda.event_record(event(begun_), queue_.stream()));
    enqueue_s_ += host_now() - from;
    ++begun_;
    return true;
  }
  // Takes note of the oldest batch if it has ended.
  void look() {
    if (done_ == begun_) return;
    const cuda::Result result = gpu_.cuda.event_query(event(done_));
    if (result == cuda::not_ready) return;
    gpu_.cuda.check("cuEventQuery", result);
    ++done_;
  }
  void wait() {
    gpu_.cuda.check("cuEventSynchronize", gpu_.cuda.event_synchronize(event(done_)));
    ++done_;
  }
  void drain() {
    queue_.synchronize();
    done_ = begun_;
  }
  void restart() {
    queue_.forget_stamps();
    begun_ = done_ = 0;
    enqueue_s_ = 0;
  }
  [[nodiscard]] double done() const { return static_cast<double>(done_); }
  [[nodiscard]] Looped result(double seconds, double batches) const {
    return {queue_.stamps(), seconds, batches, 1e6 * enqueue_s_ / std::max(1.0, static_cast<double>(begun_))};
  }

 private:
  cuda::Event event(std::uint64_t batch) const { return events_[batch % ahead]; }
  void paced_launch() {
    queue_.launch(loop_.kernel);
    if (loop_.pace_us <= 0) return;
    const double until = host_now() + 1e-6 * loop_.pace_us;
    while (host_now() < until) {
    }
  }

  const Gpu& gpu_;
  const Loop loop_;
  Queue queue_;
  std::array<cuda::Event, ahead> events_{};
  std::uint64_t begun_ = 0, done_ = 0;
  double enqueue_s_ = 0;
};

using RunningLoops = std::vector<std::unique_ptr<Running>>;

void run_for(RunningLoops& running, bool blocking, double seconds) {
  const double until = host_now() + seconds;
  while (host_now() < until) {
    for (const auto& one : running) {
      const bool enqueued = one->enqueue();
      if (blocking && running.size() == 1) {
        if (!enqueued) one->wait();
      } else {
        one->look();
      }
    }
  }
}

std::vector<Looped> taken(const std::vector<std::string>& reports) {
  std::vector<Looped> all;
  for (const std::string& report : reports) {
    std::string_view bytes = report;
    while (!bytes.empty()) all.push_back(take_looped(bytes));
  }
  return all;
}

}  // namespace

double host_now() {
  return 1e-9 * static_cast<double>(now_ns());
}

void put(std::string& bytes, const Looped& looped) {
  put(bytes, looped.stamps);
  put(bytes, std::vector<double>{looped.seconds, looped.batches, looped.enqueue_us});
}

Looped take_looped(std::string_view& bytes) {
  Looped looped;
  looped.stamps = take<Stamp>(bytes);
  const auto numbers = take<double>(bytes);
  if (numbers.size() != 3) throw ProbeError("a process ended before it had reported");
  looped.seconds = numbers[0];
  looped.batches = numbers[1];
  looped.enqueue_us = numbers[2];
  return looped;
}

std::vector<Looped> run_loops(const Gpu& gpu, std::span<const Loop> loops, double warm_up_s,
                              double measured_s, const std::function<void()>& ready) {
  RunningLoops running;
  for (const Loop& loop : loops) running.push_back(std::make_unique<Running>(gpu, loop));
  const bool blocking = loops.front().blocking;
  ready();
  run_for(running, blocking, warm_up_s);
  for (const auto& one : running) one->drain();
  for (const auto& one : running) one->restart();
  ready();
  const double from = host_now();
  run_for(running, blocking, measured_s);
  const double seconds = host_now() - from;
  std::vector<double> batches;
  for (const auto& one : running) batches.push_back(one->done());
  std::vector<Looped> results;
  for (std::size_t i = 0; i < running.size(); ++i) results.push_back(running[i]->result(seconds, batches[i]));
  return results;
}

std::vector<Looped> run_processes(const Session& session, std::span<const Loops> processes, double warm_up_s,
                                  double measured_s, Through through) {
  warm_up_s *= session.pace;
  measured_s *= session.pace;
  const auto work = [&](int rank, Gate& gate) {
    if (through == Through::driver) {
      // Without a daemon's pipe, a process opens the GPU by itself.
      setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent", 1);
      // Each stream has a connection to the GPU of its own, up to the most there are. (Clients share those.)
      setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    }
    const Loops& loops = processes[static_cast<std::size_t>(rank)];
    const Gpu gpu(loops.front().blocking ? cuda::wait_blocking : cuda::wait_spinning);
    std::string report;
    for (const Looped& looped : run_loops(gpu, loops, warm_up_s, measured_s, [&gate] { gate.meet(); }))
      put(report, looped);
    gate.meet();  // no context is destroyed while others measure
    return report;
  };
  return taken(
      in_processes(static_cast<int>(processes.size()), session, {warm_up_s + measured_s + set_up_s}, work));
}

std::optional<Estimate> middle_of_stamps(const std::vector<double>& us) {
  const auto found = middle(us);
  std::int64_t step_ns = 0;
  for (const double time : us)
    step_ns = std::gcd(step_ns, static_cast<std::int64_t>(std::llround(1e3 * time)));
  const double step_us = 1e-3 * static_cast<double>(step_ns);
  if (!found || step_us < narrow * std::abs(found->value)) return found;
  double sum = 0, squares = 0, count = 0;
  for (const double time : us) {
    const double off = time - found->value;
    if (std::abs(off) > 2 * step_us) continue;
    sum += off;
    squares += off * off;
    ++count;
  }
  const double mean = sum / count, variance = std::max(0.0, squares / count - mean * mean);
  return Estimate{found->value + mean, std::sqrt(variance / count), static_cast<std::size_t>(count)};
}

GpuFacts identify(const Session& session) {
  return found_apart(session, set_up_s, [] { return std::vector<GpuFacts>{gpu_facts()}; }).at(0);
}

std::vector<OwnedTurn> owned_turns(std::span<const Loops> processes, std::span<const Looped> results) {
  struct Run {
    std::uint64_t start, end;
    std::size_t process, index;
  };
  std::vector<Run> runs;
  std::uint64_t from = 0, until = ~std::uint64_t{0};
  std::size_t result = 0;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    for (std::size_t loop = 0; loop < processes[p].size(); ++loop) {
      const std::vector<Stamp>& stamps = results[result++].stamps;
      if (stamps.empty()) return {};
      from = std::max(from, stamps.front().start);
      until = std::min(until, stamps.back().end);
      for (std::size_t i = 0; i < stamps.size(); ++i) runs.push_back({stamps[i].start, stamps[i].end, p, i});
    }
  }
  std::erase_if(runs, [&](const Run& run) { return run.start < from || run.end > until; });
  std::ranges::sort(runs, {}, &Run::start);
  std::vector<OwnedTurn> turns;
  double end_us = 0;
  for (const Run& run : runs) {
    const double start_us = static_cast<double>(run.start - from) / 1e3;
    if (turns.empty() || turns.back().process != run.process) {
      turns.push_back({run.process, start_us, 0, 0, run.index, turns.empty() ? 0 : start_us - end_us});
    }
    end_us = static_cast<double>(run.end - from) / 1e3;
    turns.back().length_us = end_us - turns.back().start_us;
    ++turns.back().kernels;
  }
  if (turns.size() < 3) return {};
  return {turns.begin() + 1, turns.end() - 1};
}

}  // namespace jostle::calibration::probe
