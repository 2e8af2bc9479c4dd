// What runs on streams and under MPS tell of the law of sharing in space.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "calibration/fit/space_sharing.hpp"
#include "models/board/spec.hpp"
#include "profiles/embedded.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using sim::microseconds;

// Ten kernels of 10 us and a gap of 1 us each, whatever the network; none of `unknown`.
std::optional<gpu::KernelSequence> ten_kernels(const NetworkOfRow& network) {
  if (network.model == "unknown") return {};
  gpu::KernelSequence sequence;
  sequence.kernels.assign(10, {.duration = microseconds(10), .blocks = 132, .threads_per_block = 256});
  sequence.lone_gap = microseconds(10);
  sequence.rebuild_finish();
  return sequence;
}

input::CsvTable streams_table(const std::string& rows) {
  return input::CsvTable::parse(
      "run,stream,streams,model,precision,batch,priority,images_per_s,solo_images_per_s\n" + rows, "s.csv");
}

gpu::Spec h200() {
  input::Problems problems;
  return profiles::shipped_profile("nvidia-h200", problems).value().spec->gpu;
}

TEST(StreamsRuns, are_the_equal_ones_of_known_networks_with_their_repeats_together) {
  const auto runs = streams_runs(streams_table("a,0,1,resnet50,fp16,1,0,100,100\n"
                                               "b,0,2,resnet50,fp16,1,0,80,100\n"
                                               "b,1,2,resnet50,fp16,1,0,82,100\n"
                                               "c,0,2,resnet50,fp16,1,0,90,100\n"
                                               "c,1,2,resnet50,fp16,1,0,90,100\n"
                                               "d,0,2,resnet50,fp16,1,0,50,100\n"
                                               "d,1,2,resnet50,fp16,1,-1,90,100\n"
                                               "e,0,2,resnet50,fp16,1,0,70,100\n"
                                               "e,1,2,vgg16,fp16,1,0,70,100\n"
                                               "f,0,4,unknown,fp16,1,0,70,100\n"),
                                 ten_kernels);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].streams, 2);
  EXPECT_DOUBLE_EQ(runs[0].relative, 0.86);  // median of 0.8, 0.82, 0.9, 0.9
}

TEST(StreamsRuns, refuse_rates_and_precisions_that_are_none) {
  EXPECT_THROW((void)streams_runs(streams_table("a,0,2,resnet50,fp16,1,0,0,100\n"), ten_kernels),
               input::CsvError);
  EXPECT_THROW((void)streams_runs(streams_table("a,0,2,resnet50,fp17,1,0,9,100\n"), ten_kernels),
               input::CsvError);
  EXPECT_THROW((void)streams_runs(streams_table("a,0,2,resnet50,fp16,0,0,9,100\n"), ten_kernels),
               input::CsvError);
  EXPECT_THROW((void)streams_runs(streams_table("a,0,2000000000,resnet50,fp16,1,0,9,100\n"), ten_kernels),
               input::CsvError);
}

TEST(StreamsRuns, are_predicted_slower_the_more_kernels_beside_them_cost) {
  const StreamsRun run{.kernels = *ten_kernels({}), .streams = 2, .relative = 1};
  gpu::Spec gpu = h200();
  gpu.space_sharing.kernel_start = gpu.space_sharing.fetch = {};
  EXPECT_NEAR(predicted_relative(gpu, run), 1, 1e-3);
  // Both fit, so each kernel takes just that longer.
  gpu.space_sharing.fetch = microseconds(1);
  EXPECT_NEAR(predicted_relative(gpu, run), 11.0 / 12, 0.02);
}

TEST(MpsKernel, is_what_a_lone_client_takes_longer_for_each_kernel) {
  const std::string header = "run,sharing,process,processes,model,precision,batch,mode,images_per_s\n";
  const auto found =
      mps_kernel(input::CsvTable::parse(header + "a,mps,0,1,x,fp16,1,graph,8928.571\n"  // 112 us, not 110
                                                 "b,timeslice,0,1,x,fp16,1,graph,5000\n"
                                                 "c,mps,0,2,x,fp16,1,graph,4000\n"
                                                 "d,mps,0,1,unknown,fp16,1,graph,4000\n",
                                        "m.csv"),
                 ten_kernels);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->value, 0.2, 1e-4);
  EXPECT_EQ(found->samples, 1U);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
