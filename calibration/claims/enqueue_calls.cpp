// Statements on ExecutionContext calls (EC): their duration on the host and its components.
//
// The study measured with the tracer that halves throughput (C39), so these runs use it too. Half of the
// cores of its boards were heavily loaded, 3 of 6 and 2 of 4, so processes are confined to that many cores.
// The study does not state the governors; clocks are assumed to be locked (jetson_clocks), as is usual for
// such measurements. It does not state how trtexec waited either. Spinning (--useSpinWait) is assumed,
// because threads that sleep while the GPU works load only half a core in total, for any number of threads,
// while the study saw half of all cores heavily loaded (C33) and calls preempted from 4 processes on (C60).
// The number of processes from which calls take longer, and by how much, follows from this. A launch is timed
// from the entry of its call to its return, as a tracer does, including preempted time.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyses/support/support.hpp"
#include "calibration/claims/concurrent_vision.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

struct StudiedBoard {
  const char* device;
  const char* precision;
  int loaded_cores;
};
constexpr StudiedBoard orin{orin_nano, "int8", 3};
constexpr StudiedBoard small{nano, "fp16", 2};

Setup traced(const StudiedBoard& board, int batch, int count) {
  return {.device = board.device,
          .model = "resnet50",
          .precision = board.precision,
          .batch = batch,
          .count = count,
          .traced = true,
          .process = "sync: spin",
          .board = fmt::format("jetson_clocks: true\nhost_cores: {}\n", board.loaded_cores),
          .seconds = 20};
}

// Means over the processes, in ms.
struct Call {
  double mean = 0, launch = 0, reschedule = 0, compute = 0, blocking = 0, sync = 0, batch = 0;
};
Call call(Runs& runs, const StudiedBoard& board, int batch, int count) {
  const scenarios::Result& result = runs.of(traced(board, batch, count));
  Call mean;
  const double share = 1.0 / static_cast<double>(result.processes.size());
  for (const scenarios::ProcessResult& process : result.processes) {
    mean.mean += share * known(process.ec_ms.mean);
    mean.launch += share * known(process.ec_ms.launch);
    mean.reschedule += share * known(process.ec_ms.reschedule);
    mean.compute += share * known(process.ec_ms.compute);
    mean.blocking += share * known(process.ec_ms.blocking);
    mean.sync += share * known(process.sync_ms);
    mean.batch += share * 1e3 * static_cast<double>(process.batch) / known(process.throughput.mean);
  }
  return mean;
}
double duration(Runs& runs, const StudiedBoard& board, int batch, int count) {
  return call(runs, board, batch, count).mean;
}
double launch(const Call& call) {
  return call.launch + call.reschedule;
}

void one_or_two_processes(Runs& runs, Checks& checks) {
  for (const int count : {1, 2})
    checks.near_range(fmt::format("EC, {} processes, batch 1", count), 1, 2, duration(runs, orin, 1, count),
                      "ms");
}

void growth_with_processes(Runs& runs, Checks& checks) {
  const double one = duration(runs, orin, 1, 1);
  checks.near("EC of 4 processes over one", 30, duration(runs, orin, 1, 4) / one, "x");
  checks.near("EC of 8 processes over one", 70, duration(runs, orin, 1, 8) / one, "x");
}

void flat_over_batch(Runs& runs, Checks& checks) {
  const auto ec = over(batches, [&](int batch) { return duration(runs, orin, batch, 2); });
  for (std::size_t i = 1; i < ec.size(); ++i)
    checks.near(fmt::format("EC at batch {} over batch 1, 2 processes", batches[i]), 1, ec[i] / ec[0], "x");
  checks.ordered("slightly up at 16", {{"batch 16", ec[4]}, {"batch 1", ec[0]}});
}

void growth_on_nano(Runs& runs, Checks& checks) {
  for (const int count : {1, 2})
    checks.near(fmt::format("EC of 4 processes over {}, batch 1", count), 2,
                duration(runs, small, 1, 4) / duration(runs, small, 1, count), "x");
}

void flat_over_batch_on_nano(Runs& runs, Checks& checks) {
  for (const int count : {1, 2, 4}) {
    std::vector<double> ec, launches;
    for (const int batch : batches) {
      if (!runs.fit(traced(small, batch, count))) break;
      const Call at = call(runs, small, batch, count);
      ec.push_back(at.mean);
      launches.push_back(launch(at));
    }
    checks.near(fmt::format("EC at the largest batch over batch 1, {} processes", count), 1,
                ec.back() / ec.front(), "x");
    // "Noticeably" is taken as at least 5 %.
    checks.at_most(fmt::format("launches at the largest batch over batch 1, {} processes", count), 0.95,
                   launches.back() / launches.front(), "x");
  }
}

void one_launch(Runs& runs, Checks& checks) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(orin.device, problems);
  double kernels = 0;
  for (const auto& [precision, count] :
       analyses::support(profile.value(), scenarios::BuiltInModel{"resnet50"}, dnn::Precision::int8,
                         process::Runtime::tensorrt, 1)
           .kernels_by_precision)
    kernels += static_cast<double>(count);
  checks.near_range("a launch, 1 process, batch 1", 20, 100, 1e3 * launch(call(runs, orin, 1, 1)) / kernels,
                    "us");
}

void blocking_dominates(Runs& runs, Checks& checks) {
  for (const int count : {1, 2}) {
    const Call at = call(runs, orin, 1, count);
    checks.at_most(fmt::format("off the core, share of EC, {} processes", count), 5,
                   100 * (at.blocking + at.reschedule) / at.mean, "%");
  }
  for (const int count : {4, 8}) {
    const Call at = call(runs, orin, 1, count);
    checks.at_least(fmt::format("off the core, share of EC, {} processes", count), 50,
                    100 * (at.blocking + at.reschedule) / at.mean, "%");
  }
}

// Values are compared from 2 processes on, where they start to change (C33). Compute time is claimed to rise
// from 4 on.
void rising_parts(Runs& runs, Checks& checks) {
  for (const StudiedBoard& board : {orin, small}) {
    std::vector<double> launches, compute;
    for (const int count : {2, 4, 8}) {
      if (!runs.fit(traced(board, 1, count))) break;
      const Call at = call(runs, board, 1, count);
      launches.push_back(launch(at));
      compute.push_back(at.compute);
    }
    checks.rises(fmt::format("{}: launches and rescheduling over 2, 4, 8 processes, ms", board.device),
                 launches);
    checks.rises(fmt::format("{}: compute over 2, 4, 8 processes, ms", board.device), compute);
  }
}

// Launches and ECs must stay constant if the processes double up to the number of loaded cores, and get
// longer beyond.
void knee(Runs& runs, Checks& checks) {
  for (const StudiedBoard& board : {orin, small}) {
    const Call one = call(runs, board, 1, 1), two = call(runs, board, 1, 2);
    checks.near(fmt::format("{}: EC of 2 processes over one", board.device), 1, two.mean / one.mean, "x");
    checks.at_most(fmt::format("{}: off the core with 2 processes, share of EC", board.device), 5,
                   100 * two.reschedule / two.mean, "%");
    std::vector<double> ec, launches;
    for (const int count : {2, 4, 8}) {
      if (!runs.fit(traced(board, 1, count))) break;
      const Call at = call(runs, board, 1, count);
      ec.push_back(at.mean);
      launches.push_back(launch(at));
    }
    checks.rises(fmt::format("{}: EC over 2, 4, 8 processes, ms", board.device), ec);
    checks.rises(fmt::format("{}: launches over 2, 4, 8 processes, ms", board.device), launches);
  }
}

void timeline_is_a_sum(Runs& runs, Checks& checks) {
  for (const StudiedBoard& board : {orin, small}) {
    for (const int count : {1, 4}) {
      const Call at = call(runs, board, 1, count);
      checks.near(fmt::format("{}, {} processes: EC and synchronisation", board.device, count), at.batch,
                  at.mean + at.sync, "ms");
    }
  }
}

void call_is_a_sum(Runs& runs, Checks& checks) {
  for (const StudiedBoard& board : {orin, small}) {
    for (const int count : {1, 4}) {
      const Call at = call(runs, board, 1, count);
      checks.equal(
          fmt::format("{}, {} processes: launch, restart, compute and blocking", board.device, count),
          at.mean, at.launch + at.reschedule + at.compute + at.blocking, "ms");
    }
  }
}

void preempted_from_four_on(Runs& runs, Checks& checks) {
  const auto waiting = [&](int count) { return call(runs, orin, 1, count).reschedule; };
  checks.at_most("off the core, 1 and 2 processes", 0.001, std::max(waiting(1), waiting(2)), "ms of an EC");
  for (const int count : {4, 8})
    checks.is(fmt::format("off the core, {} processes", count), "more than 0",
              value_text(waiting(count)) + " ms", waiting(count) > 0);
}

void larger_batches_steady(Runs& runs, Checks& checks) {
  const Call one = call(runs, orin, 1, 8), sixteen = call(runs, orin, 16, 8);
  checks.ordered("EC of 8 processes, ms", {{"batch 1", one.mean}, {"batch 16", sixteen.mean}});
  checks.at_most("launches of 8 processes, batch 16 over 1", 0.95, launch(sixteen) / launch(one), "x");
}

constexpr StatementCheck enqueue_all[] = {
    {"C25", one_or_two_processes},
    {"C26", growth_with_processes},
    {"C27", flat_over_batch},
    {"C28", growth_on_nano},
    {"C29", flat_over_batch_on_nano},
    {"C30", one_launch},
    {"C31", blocking_dominates},
    {"C32", rising_parts},
    {"C33", knee},
    {"C58", timeline_is_a_sum},
    {"C59", call_is_a_sum},
    {"C60", preempted_from_four_on},
    {"C61", larger_batches_steady},
};

}  // namespace

std::span<const StatementCheck> enqueue_statements() {
  return enqueue_all;
}

}  // namespace jostle::calibration
