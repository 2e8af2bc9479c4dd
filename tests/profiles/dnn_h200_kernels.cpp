// kernels_for() on the measured tables of the H200: what it returns where it was measured, and how far off it
// is where it was not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernels_for.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "tests/profiles/kernel_tables.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

gpu::KernelSequence at_batch(const MeasuredNetwork& network, std::int64_t batch) {
  input::Problems problems;
  static const profiles::Profile profile = profiles::shipped_profile("nvidia-h200", problems).value();
  return sequence_at(network, batch, BatchLaw(profile.spec->gpu));
}

const KernelTables& tables() {
  static const KernelTables read = profiles::read_kernel_tables(test::kernel_tables("h200"));
  return read;
}

gpu::KernelSequence sequence(const std::string& model, Precision precision, std::int64_t batch) {
  static const gpu::Spec gpu = [] {
    input::Problems problems;
    return profiles::shipped_profile("nvidia-h200", problems).value().spec->gpu;
  }();
  return kernels_for({.model = model, .precision = precision, .batch = batch}, tables(), gpu);
}

TEST(H200Kernels, there_are_thirty_measured_sequences) {
  std::size_t sequences = 0;
  for (const MeasuredNetwork& network : tables().networks) sequences += network.batches.size();
  EXPECT_EQ(sequences, 30U);
}

// Gaps between kernels follow from both: without the rate, a network alone would have none.
TEST(H200Kernels, of_each_graph_are_read_with_its_rate_alone) {
  for (const char* const folder : {"h100", "h200", "h200-llm"}) {
    const KernelTables read = profiles::read_kernel_tables(test::kernel_tables(folder));
    for (const MeasuredNetwork& network : read.networks)
      EXPECT_EQ(network.batches.empty(), network.solo_graph.empty() && network.solo_eager.empty())
          << folder << ", " << network.model << " " << to_string(network.precision) << ", input "
          << network.input;
  }
}

TEST(H200Kernels, are_in_the_binary_and_a_device_without_evidence_has_none) {
  const KernelTables embedded = profiles::embedded_kernel_tables("h200");
  ASSERT_EQ(embedded.networks.size(), tables().networks.size());
  for (std::size_t i = 0; i < embedded.networks.size(); ++i) {
    EXPECT_EQ(at_batch(embedded.networks[i], 3).total(), at_batch(tables().networks[i], 3).total());
  }
  EXPECT_TRUE(profiles::embedded_kernel_tables("toaster").networks.empty());
}

TEST(H200Kernels, of_one_network_are_read_alone_as_they_are_among_all) {
  for (const MeasuredNetwork& network : tables().networks) {
    const KernelTables& alone =
        profiles::embedded_kernel_tables("h200", network.model + "," + to_string(network.precision) + ",");
    ASSERT_EQ(alone.networks.size(), 1U);
    const MeasuredNetwork& read = alone.networks.front();
    ASSERT_EQ(read.batches.size(), network.batches.size());
    for (std::size_t i = 0; i < read.batches.size(); ++i) {
      EXPECT_EQ(read.batches[i].batch, network.batches[i].batch);
      EXPECT_EQ(read.batches[i].names, network.batches[i].names);
      EXPECT_EQ(read.batches[i].total(), network.batches[i].total());
    }
    EXPECT_EQ(read.solo_graph.size(), network.solo_graph.size());
    EXPECT_EQ(read.solo_eager.size(), network.solo_eager.size());
  }
}

TEST(H200Kernels, a_measured_sequence_sums_to_its_rows) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::pair<double, std::size_t>> sums;
  const auto csv = input::CsvTable::read(test::kernel_tables("h200") / "kernels.csv");
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto row = csv.row(i);
    auto& [us, count] = sums[{row.text(0), row.text(1), row.integer(2)}];
    us += row.number(csv.column("duration_us"));
    ++count;
  }
  for (const auto& [key, sum] : sums) {
    const auto& [model, precision, batch] = key;
    const gpu::KernelSequence found = sequence(model, *parse_precision(precision), batch);
    EXPECT_EQ(found.grade, gpu::Grade::measured);
    EXPECT_NEAR(sim::to_us(found.total()), sum.first, 1e-6) << found.provenance;
    EXPECT_EQ(found.kernels.size(), sum.second);
    EXPECT_EQ(found.finish.size(), sum.second);
  }
}

TEST(H200Kernels, known_figures_of_resnet50_fp16) {
  const gpu::KernelSequence one = sequence("resnet50", Precision::fp16, 1);
  EXPECT_EQ(one.kernels.size(), 280U);
  EXPECT_NEAR(sim::to_us(one.total()), 753.7, 0.1);
  EXPECT_NEAR(sim::to_us(one.lone_gap), 1e6 / 1167.37 - 753.7, 0.1);  // the fastest of three solo runs
  EXPECT_TRUE(one.launched_whole);
  EXPECT_TRUE(sequence("resnet50", Precision::fp16, 16).launched_whole);  // memsets at 0, 2, 76 of 285 nodes
  EXPECT_FALSE(sequence("resnet50", Precision::tf32, 1).launched_whole);  // at 97 to 217 of 227
}

TEST(H200Kernels, the_gaps_of_a_lone_process_are_never_negative) {
  for (const MeasuredNetwork& network : tables().networks) {
    for (std::int64_t batch = 1; batch <= 128; ++batch) {
      EXPECT_GE(at_batch(network, batch).lone_gap, sim::Duration::zero());
    }
  }
}

TEST(H200Kernels, where_only_a_solo_time_is_known_kernels_and_gap_make_it_up) {
  for (const MeasuredNetwork& network : tables().networks) {
    for (const std::int64_t batch : {2, 8}) {
      const gpu::KernelSequence found = at_batch(network, batch);
      EXPECT_EQ(found.grade, gpu::Grade::interpolated);
      const auto solo = std::ranges::find(network.solo_graph, batch, &SoloBatch::batch);
      ASSERT_NE(solo, network.solo_graph.end());
      EXPECT_NEAR(sim::to_us(found.total() + found.lone_gap), sim::to_us(solo->time), 1e-3)
          << found.provenance;
    }
  }
}

TEST(H200Kernels, a_larger_batch_never_takes_less_time) {
  for (const MeasuredNetwork& network : tables().networks) {
    sim::Duration before;
    for (std::int64_t batch = 1; batch <= 128; ++batch) {
      const sim::Duration total = at_batch(network, batch).total();
      EXPECT_GE(total, before) << network.model << ' ' << to_string(network.precision) << ' ' << batch;
      before = total;
    }
  }
}

TEST(H200Kernels, shares_sum_to_one_and_no_kernel_is_empty) {
  for (const MeasuredNetwork& network : tables().networks) {
    for (const std::int64_t batch : {1, 3, 16, 100}) {
      for (const gpu::Kernel& kernel : at_batch(network, batch).kernels) {
        EXPECT_NEAR(kernel.compute_share + kernel.memory_share + kernel.fixed_share, 1, 1e-6);
        EXPECT_GT(kernel.duration, sim::Duration::zero());
      }
    }
  }
}

// The law of interpolate.hpp, judged on what it did not see: solo times of batches 2 and 8 are taken away and
// predicted from the tables of 1, 4 and 16.
TEST(H200Kernels, left_out_batches_are_predicted_within_three_percent_on_average) {
  double sum = 0, worst = 0;
  int cases = 0;
  for (const MeasuredNetwork& network : tables().networks) {
    MeasuredNetwork blind = network;
    std::erase_if(blind.solo_graph, [](const SoloBatch& solo) { return solo.batch == 2 || solo.batch == 8; });
    for (const std::int64_t batch : {2, 8}) {
      const auto solo = std::ranges::find(network.solo_graph, batch, &SoloBatch::batch);
      ASSERT_NE(solo, network.solo_graph.end());
      const gpu::KernelSequence found = at_batch(blind, batch);
      const double error = std::abs(sim::to_us(found.total() + found.lone_gap) / sim::to_us(solo->time) - 1);
      sum += error;
      worst = std::max(worst, error);
      ++cases;
    }
  }
  RecordProperty("mean_error_percent", std::to_string(100 * sum / cases));
  EXPECT_EQ(cases, 18);
  EXPECT_LT(sum / cases, 0.030);  // 2.7 % when written
  EXPECT_LT(worst, 0.075);        // 7.1 %
}

TEST(H200Kernels, batch_sixty_four_is_extrapolated_from_sixteen_within_thirteen_percent) {
  for (const MeasuredNetwork& network : tables().networks) {
    if (network.batches.back().batch != 64) continue;
    MeasuredNetwork blind = network;
    blind.batches.pop_back();
    std::erase_if(blind.solo_graph, [](const SoloBatch& solo) { return solo.batch == 64; });
    const double ratio = sim::to_us(at_batch(blind, 64).total()) / sim::to_us(network.batches.back().total());
    EXPECT_NEAR(ratio, 1, 0.13) << to_string(network.precision);  // 0.88, 0.97, 1.09 when written
  }
}

TEST(MeasuredKernels, take_no_longer_than_the_batch_that_a_graph_replays) {
  const std::string kernels =
      "model,precision,batch,index,kind,name,duration_us,blocks,threads_per_block,registers,shared_bytes\n"
      "resnet50,fp16,1,0,kernel,conv,60,1,128,32,0\nresnet50,fp16,1,1,kernel,conv,40,1,128,32,0\n";
  const auto total_us = [&](const std::string& images_per_s) {
    const KernelTables read = profiles::parse_kernel_tables(
        kernels,
        "processes,model,precision,batch,mode,images_per_s\n1,resnet50,fp16,1,graph," + images_per_s + "\n",
        "x");
    const MeasuredBatch& batch = read.networks.front().batches.front();
    EXPECT_NEAR(sim::to_us(batch.kernels[0].duration) / sim::to_us(batch.kernels[1].duration), 1.5, 1e-6);
    return sim::to_us(batch.total());
  };
  EXPECT_NEAR(total_us("10526.316"), 95, 1e-3);  // the profiler added 5 %
  EXPECT_NEAR(total_us("10030"), 100, 1e-9);     // repeats differ as much
  EXPECT_NEAR(total_us("9000"), 100, 1e-9);      // the rest is gaps
}

TEST(H200Kernels, a_table_with_a_missing_kernel_is_refused) {
  const std::string header =
      "model,precision,batch,index,kind,name,duration_us,blocks,threads_per_block,registers,shared_bytes\n";
  const std::string solo = "processes,model,precision,batch,mode,images_per_s\n";
  const std::string first = "resnet50,fp16,1,0,kernel,conv,1.5,1,128,32,0\n";
  EXPECT_NO_THROW((void)profiles::parse_kernel_tables(header + first, solo, "x"));
  EXPECT_THROW((void)profiles::parse_kernel_tables(
                   header + first + "resnet50,fp16,1,2,kernel,conv,1.5,1,128,32,0\n", solo, "x"),
               input::CsvError);
  EXPECT_THROW((void)profiles::parse_kernel_tables(header + "resnet50,bf8,1,0,kernel,conv,1.5,1,128,32,0\n",
                                                   solo, "x"),
               input::CsvError);
  EXPECT_THROW(
      (void)profiles::parse_kernel_tables(header + "resnet50,fp16,1,0,kernel,conv,0,1,128,32,0\n", solo, "x"),
      input::CsvError);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
