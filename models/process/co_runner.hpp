// A co-runner: background load, that is threads that are of no use to the user of the board, and take cores,
// caches and DRAM bandwidth from the processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cpu/container_spec.hpp"
#include "models/cpu/cpu.hpp"
#include "models/memory/spec.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/identity.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"

namespace jostle::process {

// The activity of its threads, without pause while they work. A new kind is a value here and a row below.
enum class LoadKind : std::uint8_t {
  memory_write,  // fill buffers far larger than the caches
  memory_read,   // read such buffers
  memory_copy,   // read one and write another
  busy,          // compute in registers
};

struct LoadRow {
  LoadKind kind;
  std::string_view name;  // used in scenarios and results
  // Bytes/s that one of its threads moves alone; null: it leaves the memory alone.
  double (*bytes_per_s)(const memory::CoreTraffic& cores) = nullptr;
  // The profile's parameters that it rests on: its grade is the lowest of theirs. Without any it is exact.
  std::array<std::string_view, 3> parameters = {};
  [[nodiscard]] constexpr bool moves_memory() const { return bytes_per_s != nullptr; }
};

// In the order of the enum. Copying a byte means reading one and writing one.
inline constexpr std::array load_rows{
    LoadRow{.kind = LoadKind::memory_write,
            .name = "memory_write",
            .bytes_per_s = [](const memory::CoreTraffic& cores) { return cores.write; },
            .parameters = {"memory.cores.write", "memory.cores.together"}},
    LoadRow{.kind = LoadKind::memory_read,
            .name = "memory_read",
            .bytes_per_s = [](const memory::CoreTraffic& cores) { return cores.read; },
            .parameters = {"memory.cores.read", "memory.cores.together"}},
    LoadRow{.kind = LoadKind::memory_copy,
            .name = "memory_copy",
            .bytes_per_s =
                [](const memory::CoreTraffic& cores) { return 2 / (1 / cores.read + 1 / cores.write); },
            .parameters = {"memory.cores.read", "memory.cores.write", "memory.cores.together"}},
    LoadRow{.kind = LoadKind::busy, .name = "busy"},
};
static_assert([] {
  for (std::size_t i = 0; i < load_rows.size(); ++i)
    if (static_cast<std::size_t>(load_rows.at(i).kind) != i) return false;
  return true;
}());

[[nodiscard]] constexpr const LoadRow& row_of(LoadKind kind) {
  return load_rows.at(static_cast<std::size_t>(kind));
}

// A thread with a duty cycle below 1 works at the beginning of each of its periods.
inline const sim::Duration duty_period = sim::milliseconds(10);

struct LoadSpec {
  std::string name;
  LoadKind kind = LoadKind::memory_write;
  int threads = 1;
  // Memory traffic of all threads together while they work; absent: as much as their cores can move.
  std::optional<double> bytes_per_s = {};
  double duty = 1;        // share of the time in which each thread wants a core, 0 to 1
  std::vector<int> cpus;  // allowed cores; empty: all that processes may use
  int nice = 0;
  int fifo = 0;  // SCHED_FIFO at this priority, 1 to 99; 0: SCHED_OTHER
  std::optional<cpu::ContainerSpec> container;
  std::string random_name;  // names its random numbers
};

class CoRunner {
 public:
  // `thread_bytes_per_s`: traffic of each thread while it has a core and the memory is free. `traffic`:
  // absent if nothing competes for the memory. Threads start when the engine runs. All parts must outlive the
  // co-runner.
  CoRunner(sim::Engine& engine, cpu::Cpu& cpu, std::optional<memory::Traffic>& traffic, const LoadSpec& spec,
           double thread_bytes_per_s, const Identity& identity);
  CoRunner(const CoRunner&) = delete;
  CoRunner& operator=(const CoRunner&) = delete;

  void end_warmup();  // forgets statistics

  [[nodiscard]] const LoadSpec& spec() const { return spec_; }
  // Totals since the end of the warm-up.
  [[nodiscard]] double bytes() const { return bytes_so_far() - bytes_before_; }
  [[nodiscard]] sim::Duration on_cores() const { return on_cores_so_far() - on_cores_before_; }

 private:
  struct Worker {
    CoRunner* runner;
    cpu::ThreadId thread;
    cpu::Flag stop;  // the thread works until this is set
    bool has_core = false;
    void pause() { stop.set(); }
  };

  sim::Process work(Worker& worker, sim::Time first);
  void thread_changed(Worker& worker, cpu::State state);
  [[nodiscard]] double bytes_so_far() const;
  [[nodiscard]] sim::Duration on_cores_so_far() const;

  sim::Engine& engine_;
  cpu::Cpu& cpu_;
  std::optional<memory::Traffic>& traffic_;
  LoadSpec spec_;
  double thread_bytes_per_s_;
  std::optional<memory::StreamId> stream_;
  std::deque<Worker> workers_;
  int working_ = 0;  // threads that have a core
  double bytes_before_ = 0;
  sim::Duration on_cores_before_;
};

}  // namespace jostle::process
