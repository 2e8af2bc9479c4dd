// Explains the result of a scenario: where the time went, which resource is short, and what each change would
// bring, found by simulating it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/explain/group_outcome.hpp"
#include "analyses/explain/limits.hpp"
#include "analyses/explain/shares.hpp"
#include "analyses/explain/ways.hpp"
#include "analyses/explain/what_if.hpp"
#include "analyses/explain/worth.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::analyses {

// A metric before and after a change. The interval of the difference is computed from those of the two runs:
// half-widths in quadrature, as if the runs were independent. They share their random numbers, so that the
// true interval is narrower.
struct Change {
  scenarios::Metric before, after;
  scenarios::Metric half_width;  // 95 % interval of after - before

  // The difference over `before`, 0.1 for 10 %; none if either is absent.
  [[nodiscard]] scenarios::Metric relative() const;
  // relative() if the difference exceeds its interval, else 0.
  [[nodiscard]] double certain() const;
};

// The change of a process, or of one of its streams. After a change it may be a part of a process, or
// several.
struct ProcessChange {
  Change throughput;                       // images/s; sum over several parts
  Change latency_ms, p99_ms;               // mean, over the images of several parts; p99, of the worst part
  Change tokens_per_s = {};                // decoded tokens of a language model; sum over several parts
  std::string status = "ok";               // after the change; "absent": the change leaves the process out
  std::vector<ProcessChange> instances{};  // the streams, if the process had several before
};

// A mean clock before and after, over all boards. It has no interval.
struct ClockChange {
  std::string domain;        // name in time_in_state: "cpu0", "gpu", "emc"
  Change mhz;                // before and after are present
  bool by_governor = false;  // no lock, power mode or limit moved it
};

// The totals of a unit, and the energy of one: board power over the rate.
struct UnitChange {
  std::string unit;  // "images" or "tokens"
  Change per_s, energy_mj;
};

// A change that was simulated.
struct Tried {
  WhatIf what_if;
  std::vector<scenarios::Result> results;  // one per board
  std::vector<ProcessChange> processes = {};
  Change throughput = {};  // images/s of all networks; sequences/s if there are only language models
  Change latency_ms = {};  // mean over the processes that it leaves in; absent under overload
  Change p99_ms = {};      // the process whose objective it is, else the worst; absent under its overload
  Change power_w = {};     // sum over all boards
  Change energy_mj = {};   // per image: power over throughput
  bool all_fit = true;     // all boards have enough memory
  std::vector<ClockChange> clocks = {};
  std::vector<std::size_t> overloaded = {};  // after the change, indices among the processes before it
  std::string sentence = {};           // the changes of clocks; empty if no clock moved by more than 1 %
  std::vector<UnitChange> units = {};  // totals of images and of tokens
  Change objective = {};               // the value of the Aim
  double gain = 0;          // gain in the objective, relative: 0.1 for 10 % better; 0 if it may be chance
  std::string figure = {};  // "mean latency -63.1 %": the objective's change, as the table has it
  Worth worth = {};
  // For a scenario that misses a limit: how far the change is from meeting them (room_of()), and whether it
  // does; absent without a missed limit.
  scenarios::Metric room = {};
  std::optional<bool> meets = {};
  GroupOutcomes outcomes =
      {};  // the winners and losers; empty unless the change alters how the GPU is shared

  [[nodiscard]] bool is_stable() const { return all_fit && overloaded.empty(); }
  // Returns whether a sentence may advise it: one can make it, and the objective gains.
  [[nodiscard]] bool helps() const;
  // "jetson_clocks (mean latency -63.1 %)": a change is named in sentences with its figure.
  [[nodiscard]] std::string named() const;
};

struct Explained {
  ProcessGroup group;
  std::optional<Permille> share;       // none if no process has time shares
  scenarios::Metric batch_ms;          // mean time from one batch to the next; the shares are parts of it
  scenarios::GpuRunningBy running_by;  // mean
  std::string sentence;
  std::string pieces = {};              // engine_pieces() of a network on a DLA
  std::string latency = {};             // latency_parts() of a process with stages
  std::vector<std::string> turns = {};  // a language model that takes turns: sentences on the turns of others
};

// Processes that do not keep up; their backlog and latency grow.
struct Overload {
  std::vector<std::size_t> processes;    // indices
  double offered = 0, served = 0;        // images/s, sum over these processes
  std::vector<std::size_t> stable_with;  // index of each change under which all processes keep up
  std::string sentence;                  // sentence on these changes; empty if none was tried
};

// The critical resource; docs/explain.md states the rule.
struct Critical {
  Resource resource = Resource::gpu;
  double share = 0;                    // share of the processes' time; 0 for the clock governors
  std::optional<std::size_t> what_if;  // index of the change that shows it; none: found by its share alone
  double gain = 0;                     // gain of that change
  bool rescues = false;                // under overload: all processes keep up with the change
  std::string sentence;
};

// The readings of a tool on the board for this run, and their meaning.
struct Reported {
  std::string tool;               // "tegrastats" or "nvidia-smi"
  scenarios::Metric gpu_percent;  // GR3D_FREQ, or utilization.gpu
  scenarios::Metric cpu_percent;  // mean over the cores that are online; tegrastats
  scenarios::Metric emc_percent;  // EMC_FREQ; tegrastats
  scenarios::NamedParameters rails_w;
  int cores = 0;                          // cores that are online
  scenarios::Metric peak_bandwidth_gb_s;  // at the mean clock; emc_percent is relative to it
};

struct Explanation {
  scenarios::Result result;
  Aim aim;
  std::vector<Explained> groups;
  std::vector<std::string> tenants;  // sentences on background load of cores and the GPU
  std::optional<Overload> overload;  // none if all processes keep up
  std::optional<Critical> critical;  // none if no process has time shares, or only some changes were tried
  std::vector<ActiveLimit> limits;   // limits that hold clocks down
  std::vector<Tried> tried;          // the leading ones first, then by gain; last what nobody can make
  std::vector<std::size_t> leading;  // indices of the changes that matter most; empty if only some were tried
  Reported reported;
  std::vector<Way> ways = {};  // one process or three; empty if only some changes were tried
};

struct ExplainQuestion {
  const scenarios::Scenario& scenario;
  std::string directory;              // folder of the scenario's file, for what_ifs()
  std::vector<std::string> what_ifs;  // names of the requested changes; empty: all
  bool in_pairs = true;               // the leading changes have half-widths over five pairs of seeds
};

// Runs the scenario and every change of it, in parallel. Throws RunError, Interrupted. Ignores
// `control.trace`; calls `control.progress` from one thread at a time.
[[nodiscard]] Explanation explain(const ExplainQuestion& question, const scenarios::RunControl& control);

// The parts of explain() that need no run: of explained_groups() without changes, the sentences name none.
[[nodiscard]] std::vector<Explained> explained_groups(const scenarios::Scenario& scenario,
                                                      const scenarios::Result& before,
                                                      const std::vector<Tried>& tried = {});
// Why it comes out so in at most two sentences: of the processes that the verdict is about, else of those
// that do not keep up, else of the slowest of those with stages, or of all; then, unless stages have the
// second one, `critical` or the next processes.
[[nodiscard]] std::vector<std::string> reasons_of(const scenarios::Result& result,
                                                  const std::vector<Explained>& groups,
                                                  const std::string& critical = {});

[[nodiscard]] std::optional<Critical> critical_resource(const scenarios::Result& result,
                                                        const std::vector<Tried>& tried);
[[nodiscard]] std::vector<std::size_t> overloaded_in(const scenarios::Result& result);
[[nodiscard]] std::optional<Overload> overload_of(const scenarios::Result& result,
                                                  const std::vector<Tried>& tried);
[[nodiscard]] std::vector<ClockChange> clock_changes(const scenarios::Result& before,
                                                     const std::vector<scenarios::Result>& after,
                                                     const Governed& governed);
// "the governor lowered the GPU clock from 353 to 306 MHz", and the rise of latency that follows from it.
[[nodiscard]] std::string clocks_sentence(const Tried& tried, const scenarios::Result& before);
// The reason why a result has no metrics: "does not fit into memory", "shuts down".
[[nodiscard]] std::string why_none(const scenarios::Result& result);
// "53.6 % waiting for another process's slice; a second board (images/s +117.2 %) would remove it": the
// group's share of an image's time, and the change that removes it.
[[nodiscard]] std::string sentence_of(const Explained& explained, const scenarios::Result& before,
                                      const std::vector<Tried>& tried);
[[nodiscard]] Reported reported(const scenarios::Scenario& scenario, const board::DeviceSpec& device,
                                const scenarios::Result& result);

// {"schema":"jostle.explain/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string explanation_json(const Explanation& explanation);

}  // namespace jostle::analyses
