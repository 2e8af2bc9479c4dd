// Expressions over runs, and the rows of calibration/checks.csv that use them.
#include <gtest/gtest.h>

#include "calibration/claims/check.hpp"
#include "calibration/claims/reproduce.hpp"
#include "calibration/claims/values.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

struct Expressions : testing::Test {
  Runs runs;
  Values values{runs};
  Settings settings;
  List of(std::string_view expression) { return values.list(expression, settings); }
};

TEST_F(Expressions, bind_as_arithmetic_does) {
  EXPECT_EQ(of("1 + 2*3 - 4/2/2"), List{6});
  EXPECT_EQ(of("-(1 + 2)*3"), List{-9});
  EXPECT_EQ(of("2*3 < 7"), List{1});
  EXPECT_EQ(of("4e-6*1e6 > 4"), List{0});
}

TEST_F(Expressions, of_lists_are_taken_value_by_value_or_each_with_the_only_one) {
  EXPECT_EQ(of("(1, 2, 3)*2"), (List{2, 4, 6}));
  EXPECT_EQ(of("(4, 6)/(2, 3)"), (List{2, 2}));
  EXPECT_THROW((void)of("(1, 2) + (1, 2, 3)"), scenarios::RunError);
}

TEST_F(Expressions, call_functions_of_lists) {
  EXPECT_EQ(of("max(1, 3, 2) - min((5, 4))"), List{-1});
  EXPECT_EQ(of("span(2, 9, 4), mean(1, 2), count(7, 7, 7)"), (List{7, 1.5, 3}));
  EXPECT_EQ(of("first(rest(1, 2, 3)), last(1, 2, 3), middle(1, 2, 3, 4)"), (List{2, 3, 3}));
  EXPECT_EQ(of("steps(1, 2, 6)"), (List{2, 3}));
  EXPECT_EQ(of("drops(9, 6, 5)"), (List{3, 1}));
  EXPECT_EQ(of("more(3, 2), abs(-2), round(1.23456, 2)"), (List{50, 2, 1.23}));
  EXPECT_EQ(of("pick((10, 20, 30), (3, 1, 2))"), List{20});
  EXPECT_EQ(of("most_often(3, 1, 3, 2)"), List{3});
}

TEST_F(Expressions, that_are_none_are_refused) {
  for (const char* wrong : {"", "1 +", "(1", "1 2", "max[a=1", "mix(1)", "pick((), 1)", "pick(1)", "$x"})
    EXPECT_THROW((void)of(wrong), scenarios::RunError) << wrong;
}

TEST_F(Expressions, take_each_combination_of_the_settings_in_brackets) {
  Values::set(settings, "batch", "1");
  Values::set(settings, "some", "2|8");
  EXPECT_EQ(of("batch"), List{1});
  EXPECT_EQ(of("batch[batch=4]"), List{4});
  EXPECT_EQ(of("10*a[a=1|2; b=1..3] + b[a=1|2; b=1..3]"), (List{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(of("batch[batch=$some]"), (List{2, 8}));
  EXPECT_EQ(of("batch[batch=(3*batch, 5)]"), (List{3, 5}));
  EXPECT_EQ(values.text("batch $batch of $(2*3 + batch), some #(10/3)", settings), "batch 1 of 7, some 3.33");
  EXPECT_THROW((void)values.text("$nothing", settings), scenarios::RunError);
}

TEST_F(Expressions, name_metrics_of_results_memory_and_profiles) {
  Values::set(settings, "source", "concurrent-vision");
  const scenarios::Result& result = runs.of(values.text("$text", settings));
  EXPECT_EQ(of("rate"), List{*result.system.throughput});
  EXPECT_EQ(of("processes.*.throughput[count=1]"), List{*result.processes.front().throughput.mean});
  EXPECT_EQ(of("processes.0.time_share.gpu_running + 0*rate").size(), 1U);
  EXPECT_EQ(of("count(processes.*.batch[count=3])"), List{3});
  EXPECT_GT(of("gpu_mb[count=2]/gpu_mb").front(), 1.5);
  EXPECT_EQ(of("fit[device=jetson-nano; count=1|20]"), (List{1, 0}));
  EXPECT_EQ(of("count[device=jetson-nano; count=1|20; fit]"), List{1});
  EXPECT_EQ(of("device.cuda_cores[device=jetson-nano]"), List{128});
  EXPECT_THROW((void)of("system.no_such_metric"), scenarios::RunError);
  EXPECT_THROW((void)of("device.no_such_constant"), scenarios::RunError);
}

TEST_F(Expressions, take_clocks_from_the_power_mode_of_the_board) {
  Values::set(settings, "source", "energy-knobs");
  EXPECT_EQ(of("count(gpu[gpu=all]), count(cpu[cpu=all])"), (List{12, 15}));
  EXPECT_EQ(of("gpu[gpu=highest]"), List{921.6});
  EXPECT_EQ(of("batch[network=alexnet|mobilenet_v2]"), (List{16, 8})) << "what follows from a setting";
}

TEST(Rows, of_statements_are_checked_in_turn_with_each_value) {
  Runs runs;
  Checks checks;
  check_rows("C45", runs, checks);  // two rows over the same three networks
  ASSERT_EQ(checks.list().size(), 6U);
  EXPECT_EQ(checks.list()[0].quantity, "resnet50, images/s");
  EXPECT_EQ(checks.list()[1].quantity, "resnet50, GPU memory");
  EXPECT_EQ(checks.list()[2].quantity, "yolov8n, images/s");
  EXPECT_EQ(checks.list()[1].claimed, "int8 > fp16");
  EXPECT_FALSE(has_rows("C64"));
}

TEST(Rows, of_comparisons_show_their_left_side_or_the_word_for_what_holds) {
  Runs runs;
  Checks fits, most;
  check_rows("E44", runs, fits);
  ASSERT_EQ(fits.list().size(), 2U);
  for (const Check& check : fits.list())
    EXPECT_EQ(check.predicted == check.claimed, check.verdict == Verdict::holds) << check.quantity;
  EXPECT_EQ(fits.list()[0].predicted, "fits");
  check_rows("C23", runs, most);
  EXPECT_EQ(most.list()[1].claimed, "fewer than 4 processes");
  EXPECT_EQ(most.list()[1].predicted, "3 processes");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
