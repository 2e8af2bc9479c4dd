// Bytes that tiles read again from DRAM: laws that hold whatever the sizes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/dnn/tile_traffic.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

constexpr double kib = 1024;

Tiling of(std::uint8_t rows, std::uint8_t columns, std::uint8_t resident) {
  Tiling tiling;
  tiling.rows = 1 + rows;
  tiling.columns = 1 + columns;
  tiling.resident = 1 + resident;
  return tiling;
}

RC_GTEST_PROP(TileTraffic, is_never_negative_and_never_more_with_a_larger_l2,
              (std::uint8_t rows, std::uint8_t columns, std::uint8_t resident, std::uint16_t first,
               std::uint16_t second)) {
  const Tiling tiling = of(rows, columns, resident);
  const Operands operands{kib * first, kib * second};
  const double small = read_again(tiling, operands, 1, 256 * kib);
  const double large = read_again(tiling, operands, 1, 4096 * kib);
  RC_ASSERT(large >= 0);
  RC_ASSERT(large <= small);
}

RC_GTEST_PROP(TileTraffic, is_none_where_all_tiles_are_resident_together,
              (std::uint8_t rows, std::uint8_t columns, std::uint16_t first, std::uint16_t second)) {
  Tiling tiling = of(rows, columns, 0);
  tiling.resident = tiling.rows * tiling.columns;
  RC_ASSERT(read_again(tiling, {kib * first, kib * second}, 1, kib) == 0);
}

// 4 rows and 2 columns of tiles, four blocks at a time: the second column reads all rows again, of which an
// L2 of their size would hold nothing and one of twice the size half.
TEST(TileTraffic, of_a_small_product_is_what_one_counts_by_hand) {
  Tiling tiling = of(3, 1, 3);
  const Operands operands{1024 * kib, 64 * kib};
  EXPECT_DOUBLE_EQ(read_again(tiling, operands, 1, 512 * kib), 1024 * kib);
  EXPECT_DOUBLE_EQ(read_again(tiling, operands, 1, 2048 * kib), 512 * kib);
  // Two blocks at a time: two waves for each column, whose half of the weights a small L2 evicts in part.
  tiling.resident = 2;
  EXPECT_DOUBLE_EQ(read_again(tiling, operands, 1, 512 * kib), 1024 * kib + 64 * kib / 16);
}

TEST(TileTraffic, of_winograd_is_two_tensors_of_four_times_the_size_written_and_read) {
  Tiling tiling = of(3, 0, 15);
  const double input = 8192 * kib, weights = 90 * kib, output = 4096 * kib;
  EXPECT_DOUBLE_EQ(winograd_traffic(tiling, input, weights, output, kib),
                   2 * 4 * (input + output) + weights * 7 / 9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
