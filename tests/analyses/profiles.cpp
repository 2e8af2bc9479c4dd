// The cache of profiles of a study.
#include "analyses/study/profiles.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "input/problems.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/shared_work.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

scenarios::Scenario on_nano(const std::string& slice) {
  scenarios::Scenario scenario;
  scenario.device = "jetson-orin-nano";
  if (!slice.empty()) scenario.figures = {{"gpu.time_slicing.slice", slice}};
  return scenario;
}

TEST(Profiles, of_the_same_overrides_are_one) {
  Profiles profiles;
  input::Problems problems;
  const auto plain = profiles.of(on_nano(""), problems);
  const auto two = profiles.of(on_nano("2 ms"), problems);
  ASSERT_TRUE(plain && two) << problems.text();
  EXPECT_EQ(plain, profiles.of(on_nano(""), problems));
  EXPECT_EQ(two, profiles.of(on_nano("2 ms"), problems));
  EXPECT_NE(two, plain);
  EXPECT_NE(two, profiles.of(on_nano("3 ms"), problems));
}

TEST(Profiles, have_work_to_share_while_they_are_kept) {
  Profiles profiles;
  input::Problems problems;
  const auto plain = profiles.of(on_nano(""), problems);
  const auto first = profiles.of(on_nano("1 ms"), problems);
  EXPECT_NE(profiles.work(*plain), nullptr);
  EXPECT_NE(profiles.work(*first), profiles.work(*plain));
  EXPECT_EQ(profiles.work(*first), profiles.work(*first));
  for (int ms = 2; ms < 20; ++ms) EXPECT_TRUE(profiles.of(on_nano(std::to_string(ms) + " ms"), problems));
  EXPECT_EQ(profiles.work(*first), nullptr);
  EXPECT_NE(profiles.work(*plain), nullptr);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
