// Why a scenario comes out as it does: where the time went, what is short, and what each change would bring,
// found by simulating it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/explain/shares.hpp"
#include "analyses/explain/standing.hpp"
#include "analyses/explain/what_if.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::analyses {

// A figure before and after. The interval is that of the difference, from those of the two runs: half-widths
// in quadrature, as if the runs were independent. They share their random numbers, so it is rather too wide.
struct Change {
  scenarios::Metric before, after;
  scenarios::Metric half_width;  // 95 %, of after - before

  // Of `before`, 0.1 for 10 %; none if either is absent.
  [[nodiscard]] scenarios::Metric relative() const;
  // The same where it is beyond its interval, else 0.
  [[nodiscard]] double certain() const;
};

// Of a process, or of one of its streams. After a change it may be a part of a process, or several.
struct ProcessChange {
  Change throughput;                       // images/s; of several parts their sum
  Change latency_ms, p99_ms;               // mean, of several parts over their images; p99, of the worst
  std::string status = "ok";               // after; "absent" of a process that is left out
  std::vector<ProcessChange> instances{};  // of a process that had several streams before
};

// A mean clock before and after, over all boards. No interval.
struct ClockChange {
  std::string domain;        // as in time_in_state: "cpu0", "gpu", "emc"
  Change mhz;                // before and after are present
  bool by_governor = false;  // nothing else moved it: no lock, no other power mode, no limit
};

// A change that was simulated.
struct Tried {
  WhatIf what_if;
  std::vector<scenarios::Result> results;  // one a board
  std::vector<ProcessChange> processes;
  Change throughput;    // images/s of all processes
  Change latency_ms;    // mean over the processes of their mean latencies; absent under overload
  Change p99_ms;        // of the worst process; absent under overload
  Change power_w;       // of all boards
  Change energy_mj;     // of an image: power by throughput
  bool all_fit = true;  // into memory
  std::vector<ClockChange> clocks;
  std::vector<std::size_t> overloaded;  // after: indices among the processes before
  std::string sentence;                 // what the clocks did; empty if no clock moved by more than 1 %
  Standings standings = {};             // who wins; none unless it shares the GPU otherwise

  [[nodiscard]] bool is_stable() const { return all_fit && overloaded.empty(); }
};

struct Explained {
  ProcessGroup group;
  std::optional<Permille> share;       // none where no process has figures
  scenarios::Metric batch_ms;          // time from one batch to the next, mean: what the shares are of
  scenarios::GpuRunningBy running_by;  // mean
  std::string sentence;
  std::vector<std::string> turns = {};  // of a language model that takes turns: those that others have
};

// Processes that do not keep up; their backlog and latency grow.
struct Overload {
  std::vector<std::size_t> processes;    // indices
  double offered = 0, served = 0;        // images/s, of these
  std::vector<std::size_t> stable_with;  // index of each change tried under which all keep up
  std::string sentence;                  // of the changes; empty if none was tried
};

// The rule: docs/explain.md.
struct Critical {
  Resource resource = Resource::gpu;
  double share = 0;                    // of the processes' time; 0 of the clock governors
  std::optional<std::size_t> what_if;  // index among those tried that shows it; none: by share alone
  double gain = 0;                     // what that brought: throughput, or latency where all have arrivals
  bool of_latency = false;
  bool rescues = false;  // under overload: with it all keep up
  std::string sentence;
};

// What a tool on the board would print, and what it stands for.
struct Reported {
  std::string tool;               // "tegrastats" or "nvidia-smi"
  scenarios::Metric gpu_percent;  // GR3D_FREQ, or utilization.gpu
  scenarios::Metric cpu_percent;  // mean over the cores that are online; tegrastats
  scenarios::Metric emc_percent;  // EMC_FREQ; tegrastats
  scenarios::NamedParameters rails_w;
  int cores = 0;                          // online
  scenarios::Metric peak_bandwidth_gb_s;  // at the mean clock, what emc_percent is of
};

struct Explanation {
  scenarios::Result result;
  std::vector<Explained> groups;
  std::vector<std::string> tenants;  // sentences: what else takes cores and the GPU
  std::optional<Overload> overload;  // none where all keep up
  std::optional<Critical> critical;  // none where no process has figures, or only some changes were tried
  std::vector<Tried> tried;
  Reported reported;
};

struct ExplainQuestion {
  const scenarios::Scenario& scenario;
  std::string directory;              // of the scenario's file: what_ifs()
  std::vector<std::string> what_ifs;  // names of those wanted; empty: all
};

// Runs the scenario and every change of it, side by side. Throws RunError, Interrupted. `control.trace` is
// left aside; `control.progress` is called from one thread at a time.
[[nodiscard]] Explanation explain(const ExplainQuestion& question, const scenarios::RunControl& control);

// The parts of it that need no run.
[[nodiscard]] Tried compared(WhatIf what_if, const scenarios::Result& before,
                             std::vector<scenarios::Result> results);
[[nodiscard]] std::optional<Critical> critical_resource(const scenarios::Result& result,
                                                        const std::vector<Tried>& tried,
                                                        bool all_have_arrivals);
[[nodiscard]] std::vector<std::size_t> overloaded_in(const scenarios::Result& result);
[[nodiscard]] std::optional<Overload> overload_of(const scenarios::Result& result,
                                                  const std::vector<Tried>& tried);
[[nodiscard]] std::vector<ClockChange> clock_changes(const scenarios::Result& before,
                                                     const std::vector<scenarios::Result>& after,
                                                     const Governed& governed);
// "the governor lowered the GPU clock from 353 to 306 MHz", and that latency rises for it.
[[nodiscard]] std::string clocks_sentence(const Tried& tried, const scenarios::Result& before);
// "53.6 % waiting for another process's slice; a second board would remove it": of an image's time, what a
// change takes away of it.
[[nodiscard]] std::string sentence_of(const Explained& explained, const scenarios::Result& before,
                                      const std::vector<Tried>& tried);
[[nodiscard]] Reported reported(const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                                const scenarios::Result& result);

}  // namespace jostle::analyses
