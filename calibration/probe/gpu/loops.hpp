// Closed loops of equal kernels, as a benchmark program runs a network: batches of launches, one batch always
// ahead of the one that is waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/children.hpp"
#include "calibration/probe/gpu/gpu.hpp"

namespace jostle::calibration::probe {

struct Loop {
  Launch kernel;
  int kernels_per_batch = 1;
  bool graph = true;  // a batch is one graph; else its kernels are launched one by one
  bool blocking =
      false;           // the host sleeps until a batch has ended; else it polls. For a lone loop of a process
  double pace_us = 0;  // time from one launch to the next, in which the host is busy; 0: none
  int priority = 0;
  std::size_t data_bytes = 64;
  std::size_t kept = 8192;  // launches whose stamps are kept, the last ones
};

struct Looped {
  std::vector<Stamp> stamps;
  double seconds = 0, batches = 0;
  double enqueue_us = 0;  // mean time in the calls that launch a batch
};

// Runs the loops on a stream each, in this process, by one host thread: for `warm_up_s`, then, after `ready`,
// for `measured_s`, of which it tells.
[[nodiscard]] std::vector<Looped> run_loops(const Gpu& gpu, std::span<const Loop> loops, double warm_up_s,
                                            double measured_s, const std::function<void()>& ready);

// The limit of what one experiment may take, and the time that loops run before they are measured.
inline constexpr double experiment_limit_s = 120, usual_warm_up_s = 0.2;

// The loops of one process, each on a stream.
using Loops = std::vector<Loop>;

// How the processes of an experiment get at the GPU.
enum class Through : std::uint8_t {
  driver,     // each by itself, so that they take turns
  mps_daemon  // as clients of the MPS daemon that runs
};

// Runs the processes all at once, for times by the session's pace. Returns the results of all loops, process
// by process.
[[nodiscard]] std::vector<Looped> run_processes(const Session& session, std::span<const Loops> processes,
                                                double warm_up_s, double measured_s,
                                                Through through = Through::driver);

// The time in which one process owned the GPU, between two changes of owner. A kernel that is stopped ends in
// its owner's next turn, so that a turn may overlap those after it.
struct OwnedTurn {
  std::size_t process = 0;
  double start_us = 0, length_us = 0;  // from the first launch that began in it to the end of the last
  std::size_t kernels = 0, first_kernel = 0;
  double gap_before_us =
      0;  // since the end of the turn before; negative where that one's last kernel was stopped
};
// The turns of processes that ran at once, in order, of the time in which all of them have stamps. `results`:
// as run_processes() gives them for `processes`. The first and last, of which only a part is seen, are left
// out.
[[nodiscard]] std::vector<OwnedTurn> owned_turns(std::span<const Loops> processes,
                                                 std::span<const Looped> results);

// The middle of times between stamps, in microseconds: the median, or, where the GPU's clock goes in steps
// that are not small against it, as on Tegra, the mean of what is near it, since every median is a whole
// step. Absent without times.
[[nodiscard]] std::optional<Estimate> middle_of_stamps(const std::vector<double>& us);

// The GPU that the driver lists first, asked by a process of its own. Throws ProbeError.
[[nodiscard]] GpuFacts identify(const Session& session);

// The time of the host, in seconds.
[[nodiscard]] double host_now();

// A result as bytes between processes, and back.
void put(std::string& bytes, const Looped& looped);
[[nodiscard]] Looped take_looped(std::string_view& bytes);

}  // namespace jostle::calibration::probe
