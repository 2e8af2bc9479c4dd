// Real-time threads: how long they wait for a busy core, and which share of one the kernel leaves them.
#include <fmt/format.h>
#include <sched.h>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/hogs.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {
namespace {

bool become_real_time() {
  sched_param priority{};
  priority.sched_priority = 1;
  return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

}  // namespace

void measure_real_time(const CpuBench& bench, Outcome& outcome) {
  // The kernel counts real-time threads by the second, and gives the others their part of it.
  if (bench.cores().size() < 2) {
    outcome.problems.push_back("real-time threads were not measured: they would hold the only core");
    return;
  }
  const HogRun run =
      run_hogs(bench, {.core = bench.core(), .hogs = 2, .seconds = 3.3, .prepare = [](int hog) {
                         return hog == 0 || become_real_time();
                       }});
  if (bench.session.interrupted) return;
  if (run.shares.empty()) {
    outcome.problems.push_back(
        "real-time threads were not measured: SCHED_FIFO is not allowed for this user");
    return;
  }
  std::string raw = "hogs,hog,start_ns,length_ns\n";
  for (const Stretch& stretch : run.stretches)
    raw += fmt::format("fifo,{},{},{}\n", stretch.hog, stretch.start_ns, stretch.length_ns);
  outcome.files.push_back(write_raw(bench.session, "cpu_real_time", raw));
  outcome.parameters.push_back(measured("seen.share_of_real_time", {100 * run.shares[1], 0.02, 3}, "%",
                                        "time on the core of a hog under SCHED_FIFO beside one that is not"));
}

}  // namespace jostle::calibration::probe
