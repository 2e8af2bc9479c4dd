#include "models/dnn/tile_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace jostle::dnn {
namespace {

// An operand and the number of tiles that it is cut into.
struct Side {
  double tiles = 1, bytes = 0;
};

double part_beyond_l2(double bytes, double l2_bytes) {
  return std::min(1.0, bytes / std::max(l2_bytes, 1.0));
}

}  // namespace

double beyond_l2(double bytes, double l2_bytes) {
  return bytes <= 0 ? 0 : bytes * part_beyond_l2(bytes, l2_bytes);
}

double read_again(const Tiling& tiling, Operands operands, double products, double l2_bytes) {
  const Side rows{static_cast<double>(tiling.rows), operands.rows / products};
  const Side columns{static_cast<double>(tiling.columns), operands.columns / products};
  const auto resident = static_cast<double>(std::max<std::int64_t>(tiling.resident, 1));
  // Where resident blocks span several columns, these share the rows that they load. Where they span less
  // than all rows of one, the blocks of a later wave load the column again.
  const double together = std::max(1.0, std::floor(resident / rows.tiles));
  const double passes = std::ceil(columns.tiles / together);
  const double waves = std::ceil(rows.tiles / resident);
  return products * (rows.bytes * (passes - 1) * part_beyond_l2(rows.bytes, l2_bytes) +
                     columns.bytes * (waves - 1) * part_beyond_l2(columns.bytes / passes, l2_bytes));
}

double winograd_traffic(Tiling tiling, double input, double weights, double output, double l2_bytes) {
  constexpr std::int64_t outputs = 4;  // results of one tile
  constexpr double products = 16, growth = 16.0 / outputs, of_weights = 16.0 / 9;
  tiling.rows = (tiling.rows + outputs - 1) / outputs;
  const double between = beyond_l2(growth * input, l2_bytes) + beyond_l2(growth * output, l2_bytes);
  return 2 * between + (of_weights - 1) * weights +
         read_again(tiling, {growth * input, of_weights * weights}, products, l2_bytes);
}

}  // namespace jostle::dnn
