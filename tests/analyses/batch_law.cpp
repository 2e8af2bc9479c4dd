// The law of batches on the tables of the H100: from the table of one batch alone, with layers.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "calibration/evidence/kernel_tables.hpp"
#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernels_for.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

// The logarithm of predicted over measured sums of kernels, and the octaves between the two batches.
struct HeldOut {
  double error = 0, octaves = 0;
};

std::vector<HeldOut> held_out(std::int64_t from) {
  input::Problems problems;
  const calibration::Profile profile = calibration::shipped_profile("nvidia-h100", problems).value();
  std::vector<HeldOut> found;
  for (const dnn::MeasuredNetwork& network : calibration::embedded_kernel_tables("h100").networks) {
    if (network.precision == dnn::Precision::fp32)
      continue;  // cuDNN has algorithms that the cost model lacks
    dnn::KernelTables one{.source = "h100", .networks = {network}};
    dnn::MeasuredNetwork& alone = one.networks.front();
    std::erase_if(alone.batches, [&](const dnn::MeasuredBatch& table) { return table.batch != from; });
    alone.solo_graph.clear();
    for (const dnn::MeasuredBatch& table : network.batches) {
      if (table.batch == from || alone.batches.empty()) continue;
      const auto sum = dnn::kernels_for({.model = network.model,
                                         .precision = network.precision,
                                         .batch = table.batch,
                                         .input = network.input},
                                        one, profile.spec->gpu)
                           .total();
      found.push_back({std::log(sim::to_us(sum) / sim::to_us(table.total())),
                       std::abs(std::log2(static_cast<double>(table.batch) / static_cast<double>(from)))});
    }
  }
  return found;
}

TEST(BatchLaw, tells_batches_one_to_sixteen_from_batch_four_within_nine_percent) {
  double sum = 0;
  int count = 0;
  for (const HeldOut& held : held_out(4)) {
    if (held.octaves > 2) continue;
    sum += std::abs(held.error);
    ++count;
  }
  EXPECT_EQ(count, 14);
  EXPECT_LT(sum / count, 0.09);
}

TEST(BatchLaw, is_within_its_half_width_for_nine_batches_in_ten) {
  int all = 0, inside = 0;
  for (const std::int64_t from : {1, 4, 16}) {
    for (const HeldOut& held : held_out(from)) {
      ++all;
      inside += std::abs(held.error) <= batch_error(held.octaves) ? 1 : 0;
    }
  }
  EXPECT_GE(inside, all * 85 / 100) << inside << " of " << all;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
