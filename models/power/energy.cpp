#include "models/power/energy.hpp"

#include <algorithm>
#include <numeric>

#include "sim/contract.hpp"
#include "sim/math.hpp"

namespace jostle::power {
namespace {

constexpr double rounding = 1e-6;  // of sums whose differences activities are, in seconds or joules

double square(double x) {
  return x * x;
}

// The leakage relative to that at the highest voltage of the curve.
double leakage_share(const VoltageCurve& curve, double volts) {
  if (curve.empty()) return 1;
  const double of_highest = volts / curve.back().volts;
  return of_highest * of_highest * of_highest;
}

// The energy relative to that at the lowest voltage of the curve.
double over_lowest(const VoltageCurve& curve, double volts) {
  return curve.empty() ? 1 : square(volts / curve.front().volts);
}

// Clusters have clocks of their own and one supply (VDD_CPU of a Jetson's module), at the voltage that the
// fastest of them needs.
double cpu_volts(const VoltageCurve& curve, const std::vector<ClusterActivity>& clusters) {
  double volts = 0;
  for (const ClusterActivity& cluster : clusters)
    if (cluster.online > 0) volts = std::max(volts, voltage_at(curve, cluster.hz / cluster.pulses));
  return volts;
}

}  // namespace

PerPart energy_of(const Spec& spec, const Activity& activity, double celsius) {
  PerPart joules{};
  const auto at = [&joules](Part part) -> double& { return joules[static_cast<std::size_t>(part)]; };
  const double seconds = activity.seconds;
  sim::contract(seconds >= 0, "activity is read in the order of time");
  sim::contract(spec.efficiency > 0 && spec.efficiency <= 1, "a regulator gives no more than it takes");
  const double leaking = sim::exp((celsius - spec.reference_c) / spec.leakage_growth_k);

  const double volts = cpu_volts(spec.cpu.voltage, activity.clusters);
  for (const ClusterActivity& cluster : activity.clusters) {
    sim::contract(cluster.online >= 0 && cluster.busy_core_s >= -rounding,
                  "cores that are online are busy, or idle");
    const double online_s = cluster.online * seconds;
    const double switched = spec.cpu.core_f * cluster.busy_core_s +
                            spec.cpu.idle_core_f * std::max(online_s - cluster.busy_core_s, 0.0);
    at(Part::cpu) += switched * square(volts) * cluster.hz +
                     spec.cpu.leakage_w * leakage_share(spec.cpu.voltage, volts) * leaking * online_s;
  }

  if (activity.sms > 0) {
    const double volts = voltage_at(spec.gpu.voltage, activity.gpu_hz / activity.gpu_pulses);
    const double powered = std::max(seconds - activity.gpu_gated_s, 0.0);
    const double sms = activity.sms;
    const double switched =
        sms * (spec.gpu.clock_tree_f * powered + spec.gpu.busy_f * activity.gpu_busy_s) +
        sms * (spec.gpu.sm_f * activity.working_s + spec.gpu.tensor_f * activity.tensor_s +
               spec.gpu.issue_f * activity.issue_s + spec.gpu.warp_f * activity.warps_s);
    at(Part::gpu) = switched * square(volts) * activity.gpu_hz +
                    sms * spec.gpu.leakage_w * leakage_share(spec.gpu.voltage, volts) * leaking * powered +
                    spec.gpu.byte_j * over_lowest(spec.gpu.voltage, volts) * activity.gpu_dram_bytes;
  }

  if (activity.dlas > 0) {
    const double volts = voltage_at(spec.dla.voltage, activity.dla_hz);
    const double all_s = activity.dlas * seconds;
    const double switched =
        spec.dla.busy_f * activity.dla_busy_s + spec.dla.idle_f * std::max(all_s - activity.dla_busy_s, 0.0);
    at(Part::dla) = switched * square(volts) * activity.dla_hz +
                    spec.dla.operation_j * over_lowest(spec.dla.voltage, volts) * activity.dla_operations +
                    spec.dla.leakage_w * leakage_share(spec.dla.voltage, volts) * leaking * all_s;
  }

  const double soc_volts = voltage_at(spec.soc.voltage, activity.emc_hz);
  at(Part::soc) = over_lowest(spec.soc.voltage, soc_volts) *
                      (spec.soc.base_w * seconds + spec.soc.byte_j * activity.dram_bytes) +
                  spec.soc.clock_f * square(soc_volts) * activity.emc_hz * seconds +
                  spec.soc.leakage_w * leakage_share(spec.soc.voltage, soc_volts) * leaking * seconds;
  at(Part::dram) = (spec.dram.base_w + spec.dram.clock_w_per_hz * activity.emc_hz) * seconds +
                   spec.dram.byte_j * activity.dram_bytes;
  at(Part::base) = spec.base_w * seconds + spec.base_byte_j * activity.dram_bytes;
  at(Part::loss) =
      (at(Part::cpu) + at(Part::gpu) + at(Part::dla) + at(Part::soc)) * (1 / spec.efficiency - 1);
  sim::contract(std::ranges::all_of(joules, [](double part) { return part >= -rounding; }),
                "no part of a board gives energy");
  return joules;
}

double sum_of(const PerPart& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

double on_rail(const Rail& rail, const PerPart& parts) {
  double sum = 0;
  for (const Part part : rail.parts) sum += parts[static_cast<std::size_t>(part)];
  return sum;
}

double at_wall(const Spec::Wall& wall, double watts) {
  return (watts + wall.base_w) / wall.efficiency;
}

}  // namespace jostle::power
