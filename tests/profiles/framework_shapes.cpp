// The blocks of PyTorch's kernels on Hopper: those of the evidence, and those that tables of kernels have.
#include "models/dnn/framework_shapes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/dnn/model_names.hpp"
#include "models/gpu/occupancy.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using dnn::LaunchKind;

TEST(FrameworkShapes, are_those_that_were_read_off_the_tables) {
  std::size_t rows = 0;
  for (const char* const file : {"evidence/h100-nets/shapes.csv", "evidence/h200-random/shapes.csv"}) {
    const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const input::CsvTable::Row row = table.row(i);
      const auto number = [&](const char* column) {
        return static_cast<std::uint32_t>(row.integer(table.column(column)));
      };
      const dnn::ShapeOf& ours = dnn::framework_shapes()[rows++];
      EXPECT_EQ(to_string(ours.kind), row.text(table.column("kind")));
      EXPECT_EQ(ours.channels, row.integer(table.column("channels")));
      EXPECT_DOUBLE_EQ(ours.operations, row.number(table.column("operations")));
      EXPECT_DOUBLE_EQ(ours.written, row.number(table.column("written")));
      EXPECT_EQ(ours.shape, (dnn::BlockShape{.threads = number("threads"),
                                             .registers = number("registers"),
                                             .shared_bytes = number("shared_bytes"),
                                             .results = number("results"),
                                             .persistent = number("persistent") == 1}))
          << row.text(table.column("kind"));
    }
  }
  EXPECT_EQ(rows, dnn::framework_shapes().size());
}

gpu::Spec hopper() {
  return shipped_base_profile("nvidia-h200").profile.spec->gpu;
}

gpu::Kernel kernel_of(const dnn::Launch& launch, dnn::Precision precision, const gpu::Spec& gpu) {
  gpu::Kernel kernel;
  set_blocks(kernel, launch, precision, gpu);
  return kernel;
}

dnn::Launch launch_of(LaunchKind kind, double written) {
  dnn::Launch launch;
  launch.kind = kind;
  launch.written = written;
  return launch;
}

TEST(FrameworkShapes, of_products_on_tensor_cores_leave_no_room_for_another_block) {
  const gpu::Spec gpu = hopper();
  for (const dnn::Precision precision : {dnn::Precision::fp16, dnn::Precision::tf32}) {
    for (const LaunchKind kind : {LaunchKind::gemm, LaunchKind::conv, LaunchKind::attention}) {
      dnn::Launch launch = launch_of(kind, 1e7);
      launch.operations = 5;
      launch.steps = 2;
      launch.work.out.channels = 256;
      const gpu::Kernel kernel = kernel_of(launch, precision, gpu);
      EXPECT_EQ(blocks_per_sm(gpu, kernel), 1);
      EXPECT_TRUE(kernel.persistent);
      const bool clusters = precision == dnn::Precision::tf32 && kind != LaunchKind::attention;
      EXPECT_EQ(kernel.blocks, clusters ? 122U : 132U);
      EXPECT_LT(gpu.registers_per_sm - 384 * 168, 128 * 18) << "an elementwise block of PyTorch";
    }
  }
}

TEST(FrameworkShapes, of_small_products_and_of_copies_follow_their_results) {
  const gpu::Spec gpu = hopper();
  EXPECT_EQ(kernel_of(launch_of(LaunchKind::gemm, 1000), dnn::Precision::fp16, gpu).blocks, 4U);
  EXPECT_EQ(kernel_of(launch_of(LaunchKind::copy, 1e6), dnn::Precision::fp16, gpu).blocks, 1954U);
  EXPECT_EQ(kernel_of(launch_of(LaunchKind::fill, 0), dnn::Precision::fp16, gpu).blocks, 1U);
}

TEST(FrameworkShapes, of_narrow_convolutions_are_small_in_half_precision) {
  dnn::Launch launch = launch_of(LaunchKind::conv, 401408);
  launch.work.out.channels = 216;
  launch.work.groups = 9;
  EXPECT_EQ(blocks_per_sm(hopper(), kernel_of(launch, dnn::Precision::fp16, hopper())), 3);
  EXPECT_EQ(blocks_per_sm(hopper(), kernel_of(launch, dnn::Precision::tf32, hopper())), 1);
  launch.work.groups = 1;
  EXPECT_EQ(blocks_per_sm(hopper(), kernel_of(launch, dnn::Precision::fp16, hopper())), 1);
}

// A product of `rows` by `channels` results, each a sum of `depth`.
dnn::Launch product(LaunchKind kind, int rows, int channels, int depth) {
  dnn::Launch launch = launch_of(kind, static_cast<double>(rows) * channels);
  launch.steps = depth / 1e3;
  launch.work.out.channels = channels;
  return launch;
}

TEST(FrameworkShapes, of_products_in_tf32_are_larger_tiles_as_soon_as_small_ones_take_two_rounds) {
  const gpu::Spec gpu = hopper();
  const auto blocks = [&](int rows, int channels, int depth) {
    return kernel_of(product(LaunchKind::gemm, rows, channels, depth), dnn::Precision::tf32, gpu);
  };
  // Of vit_small at batches 2 and 8, 56 and 96 on the card.
  EXPECT_NEAR(blocks(394, 384, 384).blocks, 56, 8);
  EXPECT_FALSE(blocks(394, 384, 384).persistent) << "shallow sums: two blocks on an SM";
  EXPECT_TRUE(blocks(394, 384, 1536).persistent);
  EXPECT_NEAR(blocks(1576, 384, 1536).blocks, 96, 12);
  EXPECT_NEAR(blocks(1576, 1536, 384).blocks, 120, 3);
}

TEST(FrameworkShapes, of_a_sweep_of_products_in_tf32_hold_as_many_sms_as_on_the_card) {
  const gpu::Spec gpu = hopper();
  const char* const file = "evidence/h200-random/products.csv";
  double error = 0, bias = 0, same = 0, products = 0;
  const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  for (const input::CsvTable::Row row : table) {
    const auto number = [&](const char* column) { return static_cast<int>(row.integer(column)); };
    const int window = number("window"), plane = (number("size") + number("stride") - 1) / number("stride");
    if (row.text("precision") != "tf32" || number("groups") > 1) continue;
    const LaunchKind kind = row.text("layer") == "linear"              ? LaunchKind::gemm
                            : window > 1 || number("stride") > 1       ? LaunchKind::conv
                            : number("size") * number("size") % 4 == 0 ? LaunchKind::planar
                                                                       : LaunchKind::planar_odd;
    const gpu::Kernel kernel =
        kernel_of(product(kind, number("images") * plane * plane, number("out_channels"),
                          number("channels") * window * window),
                  dnn::Precision::tf32, gpu);
    const auto sms = [&](double blocks) { return std::min(1.0, blocks / gpu.sm_count); };
    const double difference = sms(kernel.blocks) - sms(number("blocks"));
    error += std::abs(difference);
    bias += difference;
    same += static_cast<int>(kernel.threads_per_block) == number("threads_per_block") ? 1 : 0;
    ++products;
  }
  EXPECT_EQ(products, 564);
  EXPECT_LE(error / products, 0.13) << "0.16 with a kind's blocks of most of its time";
  EXPECT_NEAR(bias / products, 0, 0.05);
  EXPECT_GE(same / products, 0.8) << "0.66 with these";
}

// The share of the time in which an SM holds a single block, and the mean share of SMs with a block.
struct Held {
  double alone = 0, sms = 0, seconds = 0;
  void add(const gpu::Spec& gpu, gpu::Kernel kernel) {
    const double time = sim::to_seconds(kernel.duration);
    fill_residency(gpu, kernel);
    seconds += time;
    sms += time * static_cast<double>(kernel.sm_active);
    if (blocks_per_sm(gpu, kernel) == 1) alone += time;
  }
};

// The kernels that an H200 ran: another machine and session than that of the evidence.
TEST(FrameworkShapes, hold_sms_as_the_kernels_of_an_h200_do) {
  const gpu::Spec gpu = hopper();
  int compared = 0;
  for (const dnn::MeasuredNetwork& network : embedded_kernel_tables("h200").networks) {
    if (network.precision == dnn::Precision::fp32) continue;
    for (const dnn::MeasuredBatch& batch : network.batches) {
      Held theirs, ours;
      for (const gpu::Kernel& kernel : batch.kernels) theirs.add(gpu, kernel);
      const auto computed = framework_kernels(*built_network(*dnn::find_model(network.model), network.input),
                                              batch.batch, network.precision, gpu);
      for (const gpu::Kernel& kernel : computed.sequence.kernels) ours.add(gpu, kernel);
      const std::string what =
          fmt::format("{} {} b{}", network.model, to_string(network.precision), batch.batch);
      EXPECT_NEAR(ours.alone / ours.seconds, theirs.alone / theirs.seconds, 0.2) << what;
      EXPECT_NEAR(ours.sms / ours.seconds, theirs.sms / theirs.seconds, 0.2) << what;
      ++compared;
    }
  }
  EXPECT_GE(compared, 18);
}

TEST(FrameworkShapes, know_persistent_kernels_by_name) {
  EXPECT_TRUE(dnn::is_persistent("nvjet_sm90_hsh_128x192_64x5_2x1_v_bz_coopB_TNN"));
  EXPECT_TRUE(dnn::is_persistent("sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc"));
  EXPECT_FALSE(dnn::is_persistent("sm90_xmma_fprop_image_first_layer_f16f16_f32"));
  EXPECT_FALSE(dnn::is_persistent("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc"));
  EXPECT_FALSE(dnn::is_persistent("void at::native::vectorized_elementwise_kernel"));
}

TEST(FrameworkShapes, of_persistent_kernels_in_tables_never_have_more_blocks_than_the_sms_hold) {
  const gpu::Spec gpu = hopper();
  int persistent = 0;
  for (const char* tables : {"h100", "h200", "h200-llm"}) {
    for (const dnn::MeasuredNetwork& network : embedded_kernel_tables(tables).networks) {
      for (const dnn::MeasuredBatch& batch : network.batches) {
        for (const gpu::Kernel& kernel : batch.kernels) {
          EXPECT_EQ(grid_on(gpu, kernel, gpu.sm_count), kernel.blocks) << tables << " " << network.model;
          persistent += kernel.persistent ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(persistent, 1000);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
