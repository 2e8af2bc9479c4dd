// The table of the runtimes.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/process/runtimes.hpp"

namespace jostle::process {
namespace JOSTLE_FILE {

TEST(Runtimes, have_names_of_their_own) {
  std::set<std::string> names;
  for (const RuntimeTraits& row : runtimes) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Runtimes, are_found_in_the_table_with_their_own_traits) {
  for (const RuntimeTraits& row : runtimes) {
    EXPECT_EQ(traits_of(row.runtime).runtime, row.runtime);
    EXPECT_STREQ(to_string(row.runtime), row.name);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
