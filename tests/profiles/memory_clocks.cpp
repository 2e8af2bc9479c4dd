// One network on a TX2 at every pair of GPU and memory clocks, as measured (evidence/published/thynics.csv).
// In sample: cuda_efficiency_of.fp32 and bandwidth_efficiency were fitted on these
// rows, and the variant of tile_traffic.hpp chosen on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "input/problems.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/gpu/clocks.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

struct Point {
  double measured = 0, predicted = 0;  // ms
};
using Grid = std::map<double, std::map<double, Point>>;  // by GPU clock, by memory clock, in MHz

constexpr double highest_emc = 1866;

Grid grid() {
  input::Problems problems;
  const Profile profile = shipped_profile("jetson-tx2", problems).value();
  const gpu::Spec& gpu = profile.spec->gpu;
  const dnn::Request request{.model = "resnet50",
                             .precision = dnn::Precision::fp32,
                             .lowering = dnn::Lowering::optimised,
                             .chip = dnn::Chip::of(gpu)};
  const gpu::KernelSequence kernels = dnn::kernels_for(request, {}, gpu, profile.factors);
  const auto table = input::CsvTable::parse(
      calibration::evidence_file("evidence/published/thynics.csv").value(), "thynics.csv");
  Grid grid;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const double mhz = row.number(table.column("gpu_mhz"));
    const std::string clock = row.text(table.column("emc_mhz"));
    const double emc = clock.empty() ? highest_emc : std::stod(clock);
    const gpu::Rates rates{mhz * 1e6 / gpu.max_clock_hz, emc / highest_emc};
    grid[mhz][emc] = {row.number(table.column("value")), sim::to_ms(at_clocks(kernels, rates).total())};
  }
  return grid;
}

TEST(MemoryClocks, resnet50_in_fp32_is_within_six_percent_on_a_tx2_at_all_52_pairs) {
  std::size_t points = 0;
  double sum = 0;
  for (const auto& [mhz, of_emc] : grid()) {
    for (const auto& [emc, point] : of_emc) {
      EXPECT_NEAR(point.predicted, point.measured, 0.06 * point.measured) << mhz << " MHz, EMC " << emc;
      sum += std::abs(point.predicted / point.measured - 1);
      ++points;
    }
  }
  EXPECT_EQ(points, 52U);
  EXPECT_LT(sum / static_cast<double>(points), 0.02);
}

TEST(MemoryClocks, slow_a_tx2_at_its_highest_gpu_clock_as_much_as_measured) {
  const Grid all = grid();
  const auto& fastest = all.rbegin()->second;
  for (const auto& [emc, point] : fastest) {
    const Point& full = fastest.at(highest_emc);
    EXPECT_NEAR(point.predicted / full.predicted, point.measured / full.measured, 0.06) << "EMC " << emc;
  }
  const auto& slowest = all.begin()->second;
  EXPECT_NEAR(slowest.begin()->second.predicted / slowest.at(highest_emc).predicted, 1, 0.01);
}

// The kernels of MobileNetV2 in ONNX Runtime at eight GPU clocks (evidence/published/dankang21.csv, runs 9 to
// 23, whose host takes some 0.39 ms; profiles/devices/jetson-orin-nano.yaml: onnxruntime.per_batch). Nothing
// of the GPU was fitted on these rows.
TEST(MemoryClocks, mobilenet_v2_in_onnx_runtime_takes_what_was_measured_at_eight_gpu_clocks) {
  input::Problems problems;
  const Profile profile = shipped_profile("jetson-orin-nano-super", problems).value();
  const gpu::Spec& gpu = profile.spec->gpu;
  const gpu::KernelSequence kernels = dnn::kernels_for({.model = "mobilenet_v2",
                                                        .precision = dnn::Precision::fp32,
                                                        .lowering = dnn::Lowering::graph,
                                                        .chip = dnn::Chip::of(gpu)},
                                                       {}, gpu, profile.factors);
  constexpr double host = 0.39;  // ms
  const std::map<double, double> measured{{306, 11.40}, {408, 8.77}, {510, 7.20}, {612, 6.17},
                                          {714, 5.43},  {816, 4.89}, {918, 4.48}, {1020, 4.21}};
  for (const auto& [mhz, ms] : measured) {
    const gpu::Rates rates{mhz * 1e6 / gpu.max_clock_hz, 1};
    EXPECT_NEAR(sim::to_ms(at_clocks(kernels, rates).total()) + host, ms, 0.07 * ms) << mhz << " MHz";
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
