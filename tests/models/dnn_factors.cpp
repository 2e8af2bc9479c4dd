// Fitted factors of the cost model: which one applies, and what it does to kernels.
#include <gtest/gtest.h>

#include <array>

#include "models/dnn/factors.hpp"
#include "models/dnn/kernels_for.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

const std::array<Factor, 5> factors{{
    {.chip = {}, .model = {}, .family = "resnet", .precision = Precision::fp16, .value = 1.1, .basis = "a"},
    {.chip = {}, .model = {}, .family = "resnet", .precision = Precision::int8, .value = 1.2, .basis = "b"},
    {.chip = {"sm_87", 8},
     .model = "resnet50",
     .family = "resnet",
     .precision = Precision::fp16,
     .value = 1.3,
     .basis = "c"},
    {.chip = {}, .model = {}, .family = "vgg", .precision = Precision::fp16, .value = 1.4, .basis = "d"},
    {.chip = {"sm_87", 16},
     .model = "resnet50",
     .family = "resnet",
     .precision = Precision::fp16,
     .value = 1.5,
     .basis = "e"},
}};

const Chip board{"sm_87", 8};

double value(const Chip& chip, const char* model, Precision precision,
             Lowering lowering = Lowering::optimised) {
  const Factor* const found = find_factor(factors, {chip, model, "resnet", precision, lowering});
  return found == nullptr ? 0 : found->value;
}

TEST(Factors, of_the_gpu_and_network_come_before_those_of_the_family) {
  EXPECT_EQ(value(board, "resnet50", Precision::fp16), 1.3);
  EXPECT_EQ(value(board, "resnet18", Precision::fp16), 1.1);
  EXPECT_EQ(value({"sm_72", 8}, "resnet50", Precision::fp16), 1.1);
}

TEST(Factors, of_the_gpu_with_the_nearest_number_of_sms_stand_in_within_an_architecture) {
  EXPECT_EQ(value({"sm_87", 16}, "resnet50", Precision::fp16), 1.5);
  EXPECT_EQ(value({"sm_87", 14}, "resnet50", Precision::fp16), 1.5);
  EXPECT_EQ(value({"sm_87", 4}, "resnet50", Precision::fp16), 1.3);
}

TEST(Factors, of_a_profile_for_a_family_stand_for_all_its_networks_that_the_profile_does_not_name) {
  const std::array<Factor, 2> own{{
      {.chip = {}, .model = {}, .family = "resnet", .precision = Precision::fp16, .value = 2, .basis = "own"},
      {.chip = board,
       .model = "resnet18",
       .family = "resnet",
       .precision = Precision::fp16,
       .value = 3,
       .basis = "own"},
  }};
  const std::vector<Factor> all = with_own(own, factors);
  const auto of = [&](const char* model, Precision precision) {
    return find_factor(all, {board, model, "resnet", precision, Lowering::optimised})->value;
  };
  EXPECT_EQ(of("resnet50", Precision::fp16), 2);
  EXPECT_EQ(of("resnet18", Precision::fp16), 3);
  EXPECT_EQ(of("resnet50", Precision::int8), 1.2);
}

TEST(Factors, of_the_nearest_precision_stand_in_for_one_that_is_missing) {
  EXPECT_EQ(value(board, "resnet50", Precision::int8), 1.2);
  EXPECT_EQ(value(board, "resnet50", Precision::tf32), 1.1);
  EXPECT_EQ(value(board, "resnet50", Precision::fp32), 1.1);
}

// alexnet is also the name of its family; that of a file is no name of a built-in network.
TEST(Factors, of_tf32_say_nothing_of_fp32_which_runs_on_other_units) {
  const std::array<Factor, 2> two{{{.chip = {},
                                    .model = {},
                                    .family = "resnet",
                                    .precision = Precision::tf32,
                                    .value = 1.17,
                                    .basis = "tensor cores"},
                                   {.chip = {},
                                    .model = {},
                                    .family = "resnet",
                                    .precision = Precision::int8,
                                    .value = 0.9,
                                    .basis = "farther off"}}};
  const auto stands_in = [&two](Precision precision) {
    return find_factor(two, {board, "resnet50", "resnet", precision})->value;
  };
  EXPECT_EQ(stands_in(Precision::tf32), 1.17);
  EXPECT_EQ(stands_in(Precision::fp32), 0.9);
}

TEST(Factors, of_a_network_from_a_file_hold_in_other_precisions_but_not_those_of_a_built_in_one) {
  const auto find = [](const char* name, Precision precision, std::int64_t batch = 1) {
    static std::array<Factor, 2> timed;
    for (std::size_t i = 0; i < timed.size(); ++i)
      timed[i] = {.chip = board,
                  .model = name,
                  .family = name,
                  .precision = Precision::fp16,
                  .value = i == 0 ? 1.1 : 1.8,
                  .basis = "f",
                  .batch = i == 0 ? 1 : 8};
    return find_factor(timed, {board, name, name, precision, Lowering::optimised, batch});
  };
  ASSERT_NE(find("onnx-0123456789abcdef", Precision::int8), nullptr);
  EXPECT_NEAR(find("onnx-0123456789abcdef", Precision::fp16, 2)->value, 1.1, 1e-9);
  EXPECT_NEAR(find("onnx-0123456789abcdef", Precision::fp16, 6)->value, 1.8, 1e-9);
  EXPECT_NE(find("alexnet", Precision::fp16), nullptr);
  EXPECT_EQ(find("alexnet", Precision::int8), nullptr);
}

TEST(Factors, of_another_family_or_lowering_do_not_apply) {
  EXPECT_EQ(find_factor(factors, {board, "bert_tiny", "bert", Precision::fp16, Lowering::optimised}),
            nullptr);
  EXPECT_EQ(value(board, "resnet50", Precision::fp16, Lowering::framework), 0);
}

gpu::Spec orin() {
  gpu::Spec gpu;
  gpu.architecture = "sm_87";
  gpu.sm_count = 8;
  gpu.max_clock_hz = 1e9;
  gpu.max_threads_per_sm = 1536;
  gpu.max_blocks_per_sm = 16;
  gpu.shared_bytes_per_sm = 164 * 1024;
  gpu.cuda_cores.fp32 = 256;
  gpu.tensor_cores.fp16 = 2048;
  gpu.bandwidth_bytes_per_s = 68e9;
  return gpu;
}

TEST(Factors, stretch_every_kernel_and_raise_the_grade) {
  const Request request{.model = "resnet50", .precision = Precision::fp16, .lowering = Lowering::optimised};
  const gpu::KernelSequence plain = kernels_for(request, {}, orin());
  const gpu::KernelSequence stretched = kernels_for(request, {}, orin(), factors);
  ASSERT_EQ(plain.kernels.size(), stretched.kernels.size());
  for (std::size_t i = 0; i < plain.kernels.size(); ++i)
    EXPECT_EQ(stretched.kernels[i].duration, sim::work_in(plain.kernels[i].duration, 1.1));
  EXPECT_EQ(plain.grade, gpu::Grade::datasheet);
  EXPECT_EQ(stretched.grade, gpu::Grade::fitted);
  EXPECT_NE(stretched.provenance.find("fitted on a"), std::string::npos);
}

TEST(Factors, of_one_batch_add_the_time_that_they_add_there_to_larger_ones_and_hold_at_smaller_ones) {
  const auto total_ms = [](std::int64_t batch, std::span<const Factor> with) {
    const Request request{
        .model = "resnet50", .precision = Precision::fp16, .batch = batch, .lowering = Lowering::optimised};
    return sim::to_us(kernels_for(request, {}, orin(), with).total()) / 1e3;
  };
  for (const double value : {1.2, 0.9}) {
    std::array<Factor, 1> of_four{factors[0]};
    of_four[0].value = value;
    of_four[0].batch = 4;
    const double added = (value - 1) * total_ms(4, {});
    for (const std::int64_t batch : {4, 8, 64})
      EXPECT_NEAR(total_ms(batch, of_four), total_ms(batch, {}) + added, 1e-3)
          << value << ", batch " << batch;
    EXPECT_NEAR(total_ms(1, of_four), value * total_ms(1, {}), 1e-3) << value;
    of_four[0].batch = 0;
    EXPECT_NEAR(total_ms(64, of_four), value * total_ms(64, {}), 1e-3) << value;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
