// Processes that a part measures with: forks of the probe, and memory that they share with it.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "calibration/probe/part.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

// One T in memory that forks share, made of the arguments; without any, all zeros at first. Throws
// std::runtime_error.
template <class T>
class Shared {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  template <class... Arguments>
  explicit Shared(Arguments... arguments)
      : at_(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED) throw std::runtime_error("no memory that processes share");
    if constexpr (sizeof...(Arguments) == 0) {
      new (at_) T;
    } else {
      new (at_) T(arguments...);
    }
  }
  ~Shared() { munmap(at_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator*() const { return *static_cast<T*>(at_); }
  T* operator->() const { return static_cast<T*>(at_); }

 private:
  void* at_;
};

// Samples that one worker adds and the probe reads meanwhile.
struct SampleBuffer {
  static constexpr std::uint32_t most = 1U << 16U;
  std::atomic<std::uint32_t> count;
  double values[most];

  // False once it is full.
  bool add(double value) {
    const std::uint32_t at = count.load(std::memory_order_relaxed);
    if (at >= most) return false;
    values[at] = value;
    count.store(at + 1, std::memory_order_release);
    return true;
  }
  [[nodiscard]] std::vector<double> all() const {
    return {values, values + count.load(std::memory_order_acquire)};
  }
};

// The messages between workers and probe.
struct WorkerSignals {
  std::atomic<bool> stop;
  std::atomic<int> ready;
};

// A pipe; both ends are closed at the end. Throws std::runtime_error.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  // One byte each way; false if the other side is gone.
  [[nodiscard]] bool send() const;
  [[nodiscard]] bool receive() const;

 private:
  int ends_[2] = {-1, -1};
};

// Forks that run a function each. All that still run at the end are killed; none outlives the probe.
class Workers {
 public:
  Workers() = default;
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Starts one on a core (negative: on any). Throws std::runtime_error if no process can be made. The worker
  // ends if the core is not to be had.
  void start(int cpu, const std::function<void()>& work);
  // True once all have ended.
  [[nodiscard]] bool ended();
  // Waits until all have ended, for at most `seconds` or until soon after `interrupted` is true.
  bool wait(double seconds, const std::atomic<bool>& interrupted);
  // The same until one has ended: of two that hand a byte to and fro, the other then waits for ever.
  void wait_for_one(double seconds, const std::atomic<bool>& interrupted);

 private:
  std::vector<pid_t> running_;
};

// Confines this process to one core; false if it may not run there.
bool run_on(int cpu);
// The cores on which this process may run, ascending.
[[nodiscard]] std::vector<int> allowed_cpus();

// Waits for the samples of running workers until their median is narrow or the time is over, sets
// `signals.stop` and waits until one of the workers has ended, so that the last sample is whole.
[[nodiscard]] std::vector<double> collect(const Session& session, const Repetition& repetition,
                                          Workers& workers, WorkerSignals& signals,
                                          const SampleBuffer& samples);

}  // namespace jostle::calibration::probe
