#include "scenarios/run/replications.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "scenarios/language/scenario.hpp"
#include "scenarios/run/cpu_time.hpp"
#include "scenarios/run/parallel.hpp"
#include "sim/random.hpp"

namespace jostle::scenarios {
namespace {

// Reports the overall progress of all replications, from one thread at a time.
class Progress {
 public:
  Progress(const std::function<void(double)>& tell, std::size_t count) : tell_(tell), done_(count, 0.0) {}

  void note(std::size_t replication, double done) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    sum_ += done - done_[replication];
    done_[replication] = done;
    tell_(std::clamp(sum_ / static_cast<double>(done_.size()), 0.0, 1.0));
  }

 private:
  const std::function<void(double)>& tell_;
  std::mutex mutex_;
  std::vector<double> done_;
  double sum_ = 0;
};

}  // namespace

std::uint64_t replication_seed(std::uint64_t seed, std::uint64_t number) {
  return number == 0 ? seed : sim::RandomStream(seed, fmt::format("replication {}", number)).bits();
}

std::optional<std::vector<Result>> run_replications(const Scenario& scenario,
                                                    const profiles::Profile& profile,
                                                    const Replications& which, const RunControl& control) {
  if (control.requests != nullptr || control.answered != nullptr)
    throw RunError("run.replications: not possible with requests that another run hands over");
  const Assembly assembly = assemble(scenario, profile, control.shared);
  if (control.expected) control.expected(static_cast<double>(which.count) * cpu_seconds(scenario, assembly));
  std::vector<std::optional<Result>> results(which.count);
  Progress progress(control.progress, which.count);
  parallel_for(which.count, [&](std::size_t i) {
    const std::uint64_t number = which.first + i;
    Assembly own = assembly;
    own.setup.two_speeds = true;
    own.setup.seed = replication_seed(scenario.run.seed, number);
    RunControl one = control;
    if (number != 0) one.trace = nullptr;
    one.shared = nullptr;  // its result is not that of the scenario
    one.progress = [&progress, i](double done) { progress.note(i, done); };
    results[i] = one_run(scenario, profile, std::move(own), one);
  });
  std::vector<Result> all;
  for (std::optional<Result>& result : results) {
    if (!result) return std::nullopt;
    all.push_back(std::move(*result));
  }
  return all;
}

}  // namespace jostle::scenarios
