// The cost model against published times: what was asked of it, and that the shipped factors are the fitted.
#include <gtest/gtest.h>

#include "calibration/embedded.hpp"
#include "scenarios/support.hpp"
#include "scenarios/validate/boards.hpp"

namespace jostle::scenarios {
namespace {

TEST(Boards, shipped_factors_are_those_that_the_evidence_gives) {
  EXPECT_EQ(factors_csv(fit_board_factors()), calibration::embedded_file("factors.csv").value_or(""))
      << "write it anew: jostle validate --fit > calibration/factors.csv";
}

TEST(Boards, a_device_of_which_nothing_was_fitted_is_within_15_percent_in_the_median) {
  const std::vector<ComparisonGroup> groups = validate_boards();
  ASSERT_EQ(groups.size(), 3U);
  for (const ErrorSummary& device : summarise(groups[0])) {
    EXPECT_FALSE(device.missed()) << device.quantity << ": " << device.median_absolute;
    EXPECT_TRUE(device.bound.has_value());
  }
}

TEST(Support, tells_measured_from_fitted_from_data_sheet) {
  input::Problems problems;
  const auto h200 = calibration::shipped_profile("nvidia-h200", problems);
  const auto nano = calibration::shipped_profile("jetson-nano", problems);
  ASSERT_TRUE(h200 && nano);
  using process::Runtime;
  EXPECT_EQ(support(*h200, "resnet50", dnn::Precision::fp16, Runtime::cuda_graph, 4).grade,
            dnn::Grade::measured);
  EXPECT_EQ(support(*h200, "resnet50", dnn::Precision::fp16, Runtime::cuda_graph, 6).grade,
            dnn::Grade::interpolated);
  EXPECT_EQ(support(*nano, "resnet50", dnn::Precision::fp16, Runtime::tensorrt, 1).grade, dnn::Grade::fitted);
  EXPECT_EQ(support(*nano, "bert_tiny", dnn::Precision::fp16, Runtime::tensorrt, 1).grade,
            dnn::Grade::datasheet);
  const Support int8 = support(*nano, "resnet50", dnn::Precision::int8, Runtime::tensorrt, 1);
  ASSERT_EQ(int8.kernels_by_precision.size(), 1U);
  EXPECT_EQ(int8.kernels_by_precision.front().first, dnn::Precision::fp32);
}

}  // namespace
}  // namespace jostle::scenarios
