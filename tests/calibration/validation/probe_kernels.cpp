// Efficiencies of the cost model from a probe's kernels: what they tell of an H100, and what they leave.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

const std::string evidence = std::string(JOSTLE_SOURCE_DIR) + "/calibration/evidence/";

ProbedKernels of_h100() {
  input::Problems problems;
  const auto folder = calibration::probe::read_probe_folder(evidence + "h100-probe", problems);
  EXPECT_TRUE(folder) << problems.text();
  return fit_probed_kernels(*folder, profiles::shipped_base_profile("nvidia-h100"));
}

TEST(ProbeKernels, tell_what_depthwise_convolutions_reach) {
  const ProbedKernels found = of_h100();
  ASSERT_EQ(found.figures.size(), 1u);
  EXPECT_EQ(found.figures[0].path, "gpu.kernels.depthwise_efficiency");
  EXPECT_EQ(found.figures[0].grade, "fitted");
  EXPECT_NEAR(std::stod(found.figures[0].value), 8.4, 1);
  EXPECT_LT(found.figures[0].relative_sd, 0.2);
  ASSERT_EQ(found.kernels.size(), 21u);
  // Large kernels, which the start does not hide, are within a sixth.
  for (const KernelTime& kernel : found.kernels)
    if (kernel.kind != "gemm" && kernel.size > 5e7) {
      EXPECT_NEAR(kernel.fitted_us / kernel.measured_us, 1, 0.16) << kernel.kind;
    }
}

TEST(ProbeKernels, do_not_tell_what_products_of_a_library_reach) {
  EXPECT_THAT(of_h100().left_out,
              testing::ElementsAre(testing::HasSubstr("gpu.kernels.cuda_efficiency: the probe's own")));
}

// The error of the cost model alone, without kernel tables and without the laws of PyTorch's kernels.
double mean_error_of_cost_model(const std::vector<RunConfiguration>& runs, const std::string& efficiency) {
  const auto base = profiles::shipped_base_profile("nvidia-h100");
  input::Problems problems;
  auto profile = profiles::profile_of(
      base.document, problems,
      {"gpu.architecture=sm_91",
       "gpu.kernels.depthwise_efficiency={value: " + efficiency + ", grade: fitted, source: test}"});
  if (!profile) throw std::runtime_error(problems.text());
  profile->spec->evidence.clear();
  profile->spec->sibling.clear();
  const auto found = simulated(*profile, runs);
  double sum = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto rate = std::ranges::find(runs[i].reference_values, "throughput", &ReferenceValue::metric);
    const auto at = static_cast<std::size_t>(rate - runs[i].reference_values.begin());
    sum += std::abs(found[i].at(at) / rate->value - 1);
  }
  return sum / static_cast<double>(runs.size());
}

// It stays far off, 91 % in the mean after 99 %: small kernels of this card wait, which the model has not.
TEST(ProbeKernels, of_an_H100_bring_the_cost_model_nearer_to_networks_with_depthwise_convolutions) {
  std::vector<RunConfiguration> runs;
  for (RunConfiguration& run :
       read_evidence_files({evidence + "h100", std::string(JOSTLE_SOURCE_DIR) + "/profiles/kernels/h100"})
           .alone_in_traces)
    if (run.model == "mobilenet_v2" && run.precision == "fp32" && run.runtime == "cuda-graph")
      runs.push_back(std::move(run));
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_LT(mean_error_of_cost_model(runs, of_h100().figures.at(0).value),
            mean_error_of_cost_model(runs, "20 %") - 0.05);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
