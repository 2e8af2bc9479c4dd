// The result that a page shows.
#include "analyses/interval/interval.hpp"
#include "cli/run/report.hpp"
#include "scenarios/run/cpu_time.hpp"

namespace jostle::cli {

scenarios::Result with_interval(const scenarios::Result& result, const scenarios::Scenario& scenario,
                                double cpu_seconds, const scenarios::RunControl& control) {
  constexpr double runs = 80;  // rough number for an interval
  if (result.status != "ok" || result.system.throughput_pi90 ||
      runs * cpu_seconds > scenarios::most_unasked_s)
    return result;
  scenarios::RunControl quiet;
  quiet.interrupt = control.interrupt;
  quiet.progress = control.progress;
  return analyses::run_with_interval(scenario, quiet).value_or(result);
}

}  // namespace jostle::cli
