// The part `cpu`.
#include <algorithm>
#include <array>
#include <string_view>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/part.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

struct CpuExperiment {
  std::string_view what;
  double share;  // share of the part's time
  void (*measure)(const CpuBench&, Outcome&);
};
constexpr std::array cpu_experiments{
    CpuExperiment{"clocks", 0.03, measure_clocks},
    CpuExperiment{"scheduler", 0.0, read_scheduler_files},
    CpuExperiment{"switch", 0.04, measure_switch},
    CpuExperiment{"wake-up", 0.16, measure_wake_ups},
    CpuExperiment{"slices", 0.16, measure_slices},
    CpuExperiment{"speeds of cores", 0.2, measure_speeds},
    CpuExperiment{"refill after preemption", 0.23, measure_preemption},
    CpuExperiment{"refill after migration", 0.14, measure_migration},
};

}  // namespace

int CpuBench::other_core() const {
  if (clusters.front().cpus.size() > 1) return clusters.front().cpus.front();
  return clusters.size() > 1 ? clusters[1].cpus.front() : -1;
}

std::vector<int> CpuBench::cores() const {
  std::vector<int> all;
  for (const CpuCluster& cluster : clusters) all.insert(all.end(), cluster.cpus.begin(), cluster.cpus.end());
  return all;
}

CpuBench cpu_bench(const Session& session) {
  const std::vector<int> allowed = allowed_cpus();
  CpuBench bench{.session = session, .clusters = read_clusters(MachineFiles(session.root))};
  for (CpuCluster& cluster : bench.clusters)
    std::erase_if(cluster.cpus, [&](int cpu) { return std::ranges::find(allowed, cpu) == allowed.end(); });
  std::erase_if(bench.clusters, [](const CpuCluster& cluster) { return cluster.cpus.empty(); });
  if (bench.clusters.empty())
    bench.clusters.push_back({.cpus = allowed.empty() ? std::vector<int>{0} : allowed});
  if (session.quick) bench.pace = 0.25;
  return bench;
}

Outcome cpu(const Session& session) {
  Outcome outcome;
  const CpuBench bench = cpu_bench(session);
  double done = 0;
  for (const CpuExperiment& experiment : cpu_experiments) {
    if (session.interrupted) break;
    session.progress(done, experiment.what);
    experiment.measure(bench, outcome);
    done += experiment.share;
  }
  session.progress(1, "done");
  return outcome;
}

}  // namespace jostle::calibration::probe
