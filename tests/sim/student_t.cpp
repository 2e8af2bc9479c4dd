// Student's t distribution, against tables and against itself.
#include "sim/student_t.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace jostle::sim {
namespace JOSTLE_FILE {

TEST(StudentT, agrees_with_the_tables) {
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.95, 8), 1.859548, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.999, 16), 3.686155, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.995, 40), 2.704459, 1e-6);
  EXPECT_NEAR(student_t_below(-1.385, 14), 0.09387, 1e-4);
}

TEST(StudentT, is_symmetric_and_goes_from_zero_to_one) {
  for (const std::size_t degrees : {2u, 8u, 33u, 200u}) {
    EXPECT_EQ(student_t_below(0, degrees), 0.5);
    EXPECT_NEAR(student_t_below(1.5, degrees) + student_t_below(-1.5, degrees), 1, 1e-15);
    EXPECT_EQ(student_t_below(INFINITY, degrees), 1);
    EXPECT_LT(student_t_below(-1e9, degrees), 1e-12);
  }
}

TEST(StudentT, with_an_odd_number_of_degrees_is_wider_than_it_might_be) {
  EXPECT_EQ(student_t_quantile(0.95, 9), student_t_quantile(0.95, 8));
  EXPECT_THROW(static_cast<void>(student_t_below(1, 1)), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
