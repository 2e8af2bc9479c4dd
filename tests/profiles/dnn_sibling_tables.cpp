// Batches that only a sibling of a device has: held out on the H200, from the H100's.
#include <gtest/gtest.h>

#include <cmath>

#include "models/board/spec.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/sibling_tables.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

gpu::KernelSequence at_batch(const MeasuredNetwork& network, std::int64_t batch) {
  input::Problems problems;
  static const profiles::Profile profile = profiles::shipped_profile("nvidia-h200", problems).value();
  return sequence_at(network, batch, BatchLaw(profile.spec->gpu));
}

KernelTables without_batch(KernelTables tables, std::int64_t batch) {
  for (MeasuredNetwork& network : tables.networks) {
    std::erase_if(network.batches, [&](const MeasuredBatch& table) { return table.batch == batch; });
    std::erase_if(network.solo_graph, [&](const SoloBatch& solo) { return solo.batch == batch; });
  }
  return tables;
}

// Over what was measured, minus 1.
double error_of(const KernelTables& tables, Precision precision, std::int64_t batch) {
  const MeasuredNetwork& known = *profiles::embedded_kernel_tables("h200").find("resnet50", precision, 224);
  const MeasuredNetwork& network = *tables.find("resnet50", precision, 224);
  return sim::to_us(at_batch(network, batch).total()) / sim::to_us(at_batch(known, batch).total()) - 1;
}

TEST(SiblingTables, tell_a_batch_that_was_held_out_better_than_a_line_through_smaller_ones) {
  const KernelTables own = without_batch(profiles::embedded_kernel_tables("h200"), 64);
  const KernelTables all = with_batches_of(own, profiles::embedded_kernel_tables("h100"));
  double with = 0, without = 0;
  for (const Precision precision : {Precision::fp16, Precision::tf32, Precision::fp32}) {
    const double error = std::abs(error_of(all, precision, 64));
    EXPECT_LT(error, 0.08) << to_string(precision);
    with += error / 3;
    without += std::abs(error_of(own, precision, 64)) / 3;
  }
  EXPECT_LT(with, 0.04);
  EXPECT_LT(with, without);
}

TEST(SiblingTables, leave_what_the_device_has_as_it_is_and_say_where_the_rest_is_from) {
  const KernelTables& own = profiles::embedded_kernel_tables("h200");
  const KernelTables all = with_batches_of(own, profiles::embedded_kernel_tables("h100"));
  const MeasuredNetwork& network = *all.find("mobilenet_v2", Precision::fp16, 224);
  EXPECT_EQ(at_batch(network, 16).total(),
            at_batch(*own.find("mobilenet_v2", Precision::fp16, 224), 16).total());
  EXPECT_EQ(at_batch(network, 16).grade, gpu::Grade::measured);
  const gpu::KernelSequence larger = at_batch(network, 64);
  EXPECT_EQ(larger.grade, gpu::Grade::interpolated);
  EXPECT_NE(larger.provenance.find("from h100"), std::string::npos) << larger.provenance;
  EXPECT_GT(sim::to_seconds(larger.total()), 2 * sim::to_seconds(at_batch(network, 16).total()));
}

TEST(SiblingTables, are_the_own_ones_without_kernels_in_common) {
  const KernelTables& own = profiles::embedded_kernel_tables("h200");
  const KernelTables all = with_batches_of(own, KernelTables{});
  ASSERT_EQ(all.networks.size(), own.networks.size());
  for (std::size_t i = 0; i < own.networks.size(); ++i)
    EXPECT_EQ(all.networks[i].batches.size(), own.networks[i].batches.size());
}

TEST(SiblingTables, are_asked_only_for_batches_beyond_the_devices_own) {
  const auto tables = [](std::int64_t batch) -> const KernelTables& {
    return profiles::kernel_tables_for("h200", "h100", {"mobilenet_v2", Precision::fp16, batch});
  };
  EXPECT_EQ(tables(16).find("mobilenet_v2", Precision::fp16, 224)->batches.back().batch, 16);
  EXPECT_EQ(tables(17).find("mobilenet_v2", Precision::fp16, 224)->batches.back().batch, 64);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
