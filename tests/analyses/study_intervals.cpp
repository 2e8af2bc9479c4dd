#include <gtest/gtest.h>

#include <cmath>

#include "analyses/study/intervals.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

Scenario scenario(const std::string& text) {
  input::Problems problems;
  const auto read = parse_scenario({text, "test.yaml", {}}, shipped_catalogue(), {}, problems);
  if (!read) throw std::runtime_error(problems.text());
  return *read;
}

std::string question(int batch, int count) {
  return "{device: jetson-orin-nano-super, run: {duration: 300 ms, warmup: 100 ms}, processes: [{model: "
         "resnet50, precision: int8, batch: " +
         std::to_string(batch) + ", count: " + std::to_string(count) + "}]}\n";
}

TEST(StudyIntervals, have_one_shape_for_points_that_are_alike) {
  const auto shape = [](int batch, int count) { return shape_of(scenario(question(batch, count))); };
  EXPECT_EQ(shape(2, 1), shape(8, 1));
  EXPECT_EQ(shape(8, 2), shape(8, 4));
  EXPECT_NE(shape(1, 1), shape(2, 1));
  EXPECT_NE(shape(2, 1), shape(2, 2));
}

TEST(StudyIntervals, are_about_those_of_each_point_and_never_narrower) {
  input::Problems problems;
  const auto study =
      parse_study("scenario: " + question(2, 1) + "sweep: {processes.0.batch: [2, 4]}\ninterval: true\n",
                  "s.yaml", {}, problems);
  ASSERT_TRUE(study.has_value()) << problems.text();
  EXPECT_TRUE(study->interval);
  Profiles profiles;
  const auto checked = check_points(*study, profiles, 1, nullptr, problems);
  ASSERT_TRUE(checked.has_value()) << problems.text();
  // Asked only for the second point, as another part of the study would be.
  const StudyIntervals intervals(*study, *checked, profiles, {1}, nullptr);
  const auto width = [](const Interval& interval) { return std::log(interval->second / interval->first); };
  for (const int batch : {2, 4}) {
    const Scenario asked = scenario(question(batch, 1));
    auto result = run(asked, {});
    intervals.add_to(*result, asked);
    const auto own = run_with_interval(asked, {});
    const auto& cached = result->processes[0].throughput.pi90;
    ASSERT_TRUE(cached && own->processes[0].throughput.pi90);
    const double exact = width(own->processes[0].throughput.pi90);
    EXPECT_NEAR(width(cached), exact, 0.25 * exact) << batch;
    // The wider of the two ends of the study, around a figure that is itself a matter of chance.
    EXPECT_GE(width(cached), exact * 0.999) << batch;
    EXPECT_TRUE(result->system.power_w.pi90.has_value());
  }
}

TEST(StudyIntervals, make_another_point_of_an_equal_question) {
  input::Problems problems;
  Profiles profiles;
  const auto key = [&](const char* interval) {
    const auto study = parse_study("scenario: " + question(1, 1) + interval, "s.yaml", {}, problems);
    return check_points(*study, profiles, 1, nullptr, problems)->points.front().key;
  };
  EXPECT_NE(key(""), key("interval: true\n"));
  EXPECT_EQ(key(""), key("interval: false\n"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
