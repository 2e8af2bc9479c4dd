// The order in which contexts of several levels have their turns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/gpu/runlist.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum Interleave;

std::vector<std::size_t> of(std::vector<Interleave> levels) {
  return runlist(levels);
}

TEST(Runlist, of_one_level_is_plain_round_robin) {
  EXPECT_THAT(of({}), IsEmpty());
  EXPECT_THAT(of({low, low}), IsEmpty());
  EXPECT_THAT(of({high, high}), IsEmpty());
}

TEST(Runlist, repeats_what_is_above_before_each_context_below) {
  EXPECT_THAT(of({low, high, low}), ElementsAre(1, 0, 1, 2));
  EXPECT_THAT(of({low, medium, high, medium}), ElementsAre(2, 1, 2, 3, 0));
  EXPECT_THAT(of({medium, high, high}), ElementsAre(1, 2, 0));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
