// The parts of `jostle probe`: what each measures on this machine, how long it takes and what it returns.
// A part changes no setting of the machine. It writes raw samples and tables into the probe's folder and
// returns the parameters that they show.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/probe/identity.hpp"

namespace jostle::calibration::probe {

// One parameter as measured: a row of parameters.csv.
struct Measured {
  std::string parameter;   // its path in a profile; "seen.NAME" if profiles have no such parameter
  double value = 0;        // in `unit`
  std::string unit;        // a unit of profiles: "us", "GB/s", "MHz", "W", "%"; empty: a count
  double relative_sd = 0;  // standard error over value
  std::size_t samples = 0;
  std::string how;  // the experiment that shows it, in one line
};

// The interval of a parameter is narrow: its relative standard error is at most this. A part repeats its
// experiment until then, or until its time is over; the row then says what was reached.
inline constexpr double narrow = 0.02;

// The means of a part.
struct Session {
  std::filesystem::path folder;      // of the part; exists. Its files move to the probe's once it is finished
  std::filesystem::path root = "/";  // of /proc and /sys; another one for a made-up board
  bool quick = false;
  const std::atomic<bool>& interrupted;  // a part returns soon after this becomes true
  // Reports the share of the part that is done, 0 to 1, and what is measured now.
  std::function<void(double done, std::string_view what)> progress;
  double pace = 1;  // share of the time that an experiment on the GPU takes; less than 1 in tests
};

struct Outcome {
  std::vector<Measured> parameters;
  std::vector<std::string> files;     // names, relative to the folder
  std::vector<std::string> problems;  // what could not be measured, and why: one sentence each
};

using Probing = Outcome(const Session& session);
struct Part {
  std::string_view name;   // "turns"
  std::string_view group;  // a word of --only: gpu, cpu, memory, power
  std::string_view gives;  // its subject, in a few words
  int seconds, quick_seconds;
  bool on_gpu = false;  // without a GPU it is left out
  Probing* run;
};

// The parts on the GPU. Each runs its work in processes of its own (fork before anything of CUDA is used in
// this one), so that the probe itself never opens the GPU, and nothing of it is left on Ctrl-C.
Probing turns, launches, space, kernels, gpu_memory, power;
Probing cpu, cpu_memory;  // the parts on the CPU

[[nodiscard]] std::span<const Part> parts();

// The parts of these words, each a group or the name of a part; all if there are no words. An unknown word
// gives no part. Parts on the GPU are left out if the machine has none; so is power, if there is no sensor of
// it either and no word asks for it.
[[nodiscard]] std::vector<Part> chosen_parts(std::span<const Part> all, const std::vector<std::string>& only,
                                             const Identity& machine);

// A sentence for each kind of part that is left out on a machine, with the reason; empty if none is.
[[nodiscard]] std::string left_out_parts(const Identity& machine);

// The words of --only: the groups, then the names.
[[nodiscard]] std::vector<std::string> part_words(std::span<const Part> all);

// Asks the GPU's driver, in a process of its own, and fills in what it tells of the GPU. If it cannot be
// opened, the GPU counts as absent, with the reason.
void add_driver_facts(const Session& session, GpuIdentity& gpu);

}  // namespace jostle::calibration::probe
