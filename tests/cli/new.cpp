// Templates of scenarios: valid as they are, in either language, with other models, boards and limits.
#include "cli/new/new.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

scenarios::Scenario read(const std::string& text) {
  input::Problems problems;
  auto scenario =
      scenarios::parse_scenario({text, "the template", ""}, scenarios::shipped_catalogue(), {}, problems);
  if (!scenario) throw std::runtime_error(problems.text() + text);
  return *std::move(scenario);
}

TEST(Template, is_a_valid_scenario_with_a_limit_in_Python_and_in_CPP) {
  EXPECT_THAT(template_names(), ElementsAre("cameras", "chat", "cpu", "robot", "server"));
  for (const std::string& name : template_names()) {
    for (const bool cpp : {false, true}) {
      const std::string text = filled_template(template_text(name), {.cpp = cpp});
      EXPECT_EQ(read(text).constraints.size(), 1U) << text;
      EXPECT_THAT(text, Not(HasSubstr("#?")));
      EXPECT_EQ(text.find("numpy") != std::string::npos, !cpp && name != "chat") << text;
    }
  }
}

TEST(Template, takes_answers_in_place_of_its_own) {
  const auto scenario =
      read(filled_template(template_text("robot"), {.board = "jetson-agx-orin-64gb",
                                                    .comes = "25 /s",
                                                    .limit = "none",
                                                    .models = {"yolo11n", "resnet50", "resnet18"}}));
  EXPECT_EQ(scenario.device, "jetson-agx-orin-64gb");
  EXPECT_TRUE(scenario.constraints.empty());
  ASSERT_EQ(scenario.processes.size(), 3U);
  EXPECT_EQ(scenarios::model_name(scenario.processes[1]), "resnet50");
  EXPECT_EQ(scenario.processes[2].name, "segmenter_3");
  EXPECT_DOUBLE_EQ(scenario.processes[2].arrivals.rate_per_s, 25);
  const auto one = read(filled_template(template_text("robot"), {.limit = "40 ms", .models = {"yolov8s"}}));
  EXPECT_EQ(one.processes.size(), 1U);
  EXPECT_DOUBLE_EQ(one.constraints.front().max.value(), 40);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
