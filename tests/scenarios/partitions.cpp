// Partitions of the SMs (green contexts): how they are read, that they isolate, and against runs on an H100
// (evidence/h100-green).
#include "models/gpu/partitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/gpu/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* compute = "{kernels: 40, duration: 78.6 us, blocks: 1056, threads: 256, pipes: 100 %}";
constexpr const char* reader = "{kernels: 40, duration: 89.3 us, blocks: 1056, threads: 256, bytes: 268 MB}";

struct Part {
  std::string model, partition;  // an empty partition: none
};

// Kernels per second of each part.
std::vector<double> kernels_per_s(const std::vector<Part>& parts, const std::string& device = "nvidia-h100") {
  std::string text = fmt::format(
      "device: {}\nrun: {{duration: 500 ms, warmup: 100 ms}}\nprocesses:\n  - runtime: cuda-graph\n    sync: "
      "spin\n    instances:\n",
      device);
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("      - {{name: part{}, model: {}{}}}\n", i, parts[i].model,
                        parts[i].partition.empty() ? "" : ", sm_partition: " + parts[i].partition);
  // These runs kept their clock; that loops of multiplications with all warps reach the limit is the model's.
  const Result result = run_text(text + "figures: {gpu.power_limit.budget: 1000 W}\n");
  std::vector<double> rates;
  for (const InstanceResult& instance : result.processes.at(0).instances)
    rates.push_back(40 * instance.throughput.mean.value());
  return rates;
}

std::string refusal(const std::string& process, const std::string& top = "device: nvidia-h100\n") {
  try {
    (void)scenario_of(top + "processes:\n  - " + process + "\n");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(Partitions, have_the_sizes_of_their_architecture) {
  gpu::Spec gpu;
  gpu.architecture = "sm_90";
  EXPECT_EQ(gpu::partition_for(gpu::partition_sizes(gpu).value(), 9), 16);
  EXPECT_EQ(gpu::partition_for(gpu::partition_sizes(gpu).value(), 1), 8);
  gpu.architecture = "sm_87";
  EXPECT_EQ(gpu::partition_for(gpu::partition_sizes(gpu).value(), 1), 4);
  EXPECT_EQ(gpu::partition_for(gpu::partition_sizes(gpu).value(), 5), 6);
  gpu.architecture = "sm_75";
  EXPECT_EQ(gpu::partition_for(gpu::partition_sizes(gpu).value(), 3), 4);
  for (const char* const without : {"sm_53", "sm_62", "sm_72", ""}) {
    gpu.architecture = without;
    EXPECT_FALSE(gpu::partition_sizes(gpu)) << without;
  }
}

TEST(Partitions, that_cannot_be_are_refused_with_the_reason) {
  EXPECT_THAT(
      refusal("{model: resnet50, precision: fp16, sm_partition: 8, streams: 2}", "device: jetson-tx2\n"),
      HasSubstr("has no green contexts"));
  EXPECT_THAT(refusal("{model: resnet50, precision: fp16, sm_partition: 140}"), HasSubstr("the GPU has 132"));
  EXPECT_THAT(
      refusal("{model: resnet50, precision: fp16, sm_partition: 8}", "device: nvidia-h100\nmps: true\n"),
      HasSubstr("mps_threads"));
  EXPECT_THAT(refusal("{runtime: cuda-graph, sm_partition: 8, instances: [{model: resnet50, precision: fp16, "
                      "sm_partition: 8}]}"),
              HasSubstr("none of their own"));
  EXPECT_THAT(refusal("{runtime: cuda-graph, instances: [{model: resnet50, precision: fp16, sm_partition: "
                      "132}, {model: resnet18, precision: fp16, sm_partition: rest}]}"),
              HasSubstr("leave none for `rest`"));
  EXPECT_EQ(refusal("{model: resnet50, precision: fp16, sm_partition: rest}"), "");
}

TEST(Partitions, are_refused_where_nothing_runs_on_the_gpu) {
  const char* const board = "device: jetson-agx-orin-64gb\n";
  EXPECT_THAT(refusal("{model: resnet50, precision: int8, placement: dla0, sm_partition: 4}", board),
              HasSubstr("placement: dla0 has no SMs to partition"));
  EXPECT_THAT(refusal("{model: resnet50, precision: fp32, placement: cpu, sm_partition: 4}", board),
              HasSubstr("placement: cpu has no SMs to partition"));
  EXPECT_THAT(
      refusal("{sm_partition: 4, placement: dla0, instances: [{model: resnet50, precision: int8}]}", board),
      HasSubstr("placement: dla0 has no SMs to partition"));
  EXPECT_THAT(refusal("{instances: [{model: resnet50, precision: int8, placement: dla0, sm_partition: rest}, "
                      "{model: resnet50, precision: int8}]}",
                      board),
              HasSubstr("placement: dla0 has no SMs to partition"));
}

TEST(Partitions, that_are_rounded_up_say_so) {
  const Result result = run_text(
      "device: nvidia-h100\nrun: {duration: 20 ms, warmup: 0 s}\nprocesses:\n  - {model: resnet50, "
      "precision: "
      "fp16, runtime: cuda-graph, sm_partition: 9}\n");
  EXPECT_THAT(result.warnings, Contains(HasSubstr("9 SMs become 16")));
}

// All that a result tells of how sure sharing is.
std::string told_of_sharing(const std::string& board, const std::string& processes) {
  const Result result =
      run_text("device: " + board + "\nrun: {duration: 20 ms, warmup: 0 s}\nprocesses:\n" + processes);
  return fmt::format("{}; {}", fmt::join(result.warnings, "; "), sharing_note(result));
}

TEST(Sharing, is_called_assumed_on_other_cards_than_those_it_was_measured_on) {
  const std::string graph = "model: resnet50, precision: fp16, runtime: cuda-graph";
  const std::string two = "  - {" + graph + ", count: 2}\n";
  EXPECT_THAT(told_of_sharing("nvidia-h200\nsharing: mps", two), Not(HasSubstr("assumed")));
  EXPECT_THAT(told_of_sharing("nvidia-h100\nsharing: mps", two),
              HasSubstr("of MPS is measured on an H200 with CUDA graphs; on nvidia-h100 it is assumed"));
  EXPECT_THAT(told_of_sharing("nvidia-h100\nsharing: mps", "  - {" + graph + "}\n"),
              Not(HasSubstr("assumed")));
  const std::string parts =
      "  - {runtime: cuda-graph, instances: [{model: resnet50, precision: fp16, sm_partition: 16}, "
      "{model: resnet18, precision: fp16, sm_partition: rest}]}\n";
  EXPECT_THAT(told_of_sharing("nvidia-h100", parts), Not(HasSubstr("assumed")));
  EXPECT_THAT(told_of_sharing("nvidia-h200", parts),
              HasSubstr("measured on an H100 with two kernels; on nvidia-h200 it is assumed"));
}

TEST(Sharing, by_streams_of_one_process_is_settled_by_a_log_of_streams) {
  EXPECT_THAT(told_of_sharing("nvidia-a100-80gb", "  - {model: resnet50, precision: fp16, streams: 3}\n"),
              AllOf(HasSubstr("in 1 and in 3 streams at once"), Not(HasSubstr("processes"))));
  EXPECT_THAT(told_of_sharing("nvidia-a100-80gb", "  - {model: resnet50, precision: fp16, count: 3}\n"),
              HasSubstr("in 1 and in 3 processes at once"));
}

TEST(Partitions, isolate_kernels_that_compute) {
  const double alone = kernels_per_s({{compute, "16"}}).front();
  EXPECT_NEAR(kernels_per_s({{compute, "16"}, {compute, "rest"}}).front() / alone, 1, 0.005);
  EXPECT_NEAR(kernels_per_s({{compute, "16"}, {reader, "rest"}}).front() / alone, 1, 0.005);
}

TEST(Partitions, have_no_more_active_sms_and_warps_than_they_hold) {
  const std::string text =
      "device: nvidia-h100\nrun: {duration: 100 ms, warmup: 10 ms}\nprocesses:\n  - runtime: cuda-graph\n"
      "    sync: spin\n    instances: [{model: " +
      std::string(compute) + ", sm_partition: ";
  for (const int sms : {16, 64}) {
    const Result result = run_text(fmt::format("{}{}}}]\n", text, sms));
    EXPECT_NEAR(result.system.gpu.array.sm_active.value(), sms / 132.0, 0.01) << sms;
    EXPECT_NEAR(result.system.gpu.array.occupancy.value(), sms / 132.0, 0.01) << sms;
  }
}

// Predicted over measured, of each row of green.csv; pairs that both have all SMs are left out.
std::map<std::string, std::vector<double>> ratios() {
  const char* const name = "evidence/h100-green/green.csv";
  const auto csv = input::CsvTable::parse(calibration::evidence_file(name).value(), name);
  std::map<std::string, std::vector<Part>> runs;
  std::map<std::string, std::vector<double>> measured, found;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto text = [&](const char* column) { return csv.row(i).text(csv.column(column)); };
    const double asked = csv.row(i).number(csv.column("sms_asked")),
                 sms = csv.row(i).number(csv.column("sms"));
    const bool whole = sms == 132;
    runs[text("run")].push_back({text("kind") == "fma" ? compute : reader, whole ? ""
                                                                           : asked > 0
                                                                               ? fmt::format("{}", sms)
                                                                               : "rest"});
    measured[text("run")].push_back(csv.row(i).number(csv.column("kernels_per_s")));
  }
  for (const auto& [run, parts] : runs) {
    if (parts.size() > 1 && parts.front().partition.empty()) continue;
    const std::vector<double> predicted = kernels_per_s(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) found[run].push_back(predicted[i] / measured[run][i]);
  }
  return found;
}

// Both over all SMs are streams, not partitions: their law is another.
TEST(Partitions, have_the_measured_rates) {
  double sum = 0;
  int count = 0;
  for (const auto& [run, parts] : ratios()) {
    for (const double ratio : parts) {
      EXPECT_NEAR(ratio, 1, parts.size() == 1 ? 0.08 : 0.15) << run;
      sum += std::abs(ratio - 1);
      ++count;
    }
  }
  EXPECT_EQ(count, 28);
  EXPECT_LE(sum / count, 0.045);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
