// Whether a larger batch is ever slower, on every shipped board and for networks of every kind.
//
// It may be, for one reason: what a layer leaves for the next stays in L2 for a few images and has to go
// through DRAM for many, so that each image moves more bytes. That costs time where memory bounds the
// kernels, and watts where a card's limit lowers its clock. No drop is larger than the bytes of an image have
// grown.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/board/spec.hpp"
#include "scenarios/result/result.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using namespace scenarios;

// Families of networks: plain, residual, depthwise, dense, grouped, attention, detection, segmentation, text.
constexpr std::array networks{"alexnet",
                              "vgg16",
                              "resnet18",
                              "resnet50",
                              "googlenet",
                              "inception_v3",
                              "densenet121",
                              "mobilenet_v2",
                              "vit_small",
                              "efficientnet_b0",
                              "mobilenet_v3_small",
                              "shufflenet_v2_x1_0",
                              "swin_t",
                              "squeezenet1_1",
                              "yolov8n",
                              "ssd_mobilenet_v1",
                              "bert_base"};
constexpr std::array<std::int64_t, 3> batches{4, 16, 64};
constexpr double slower = 0.05;

struct Served {
  std::int64_t batch = 0;
  double images_per_s = 0, bytes_of_image = 0;
};

// In steady state; none if the batch does not fit, or takes so long that it tells nothing here.
std::optional<Served> served(const std::string& device, const std::string& network, std::int64_t batch) {
  const bool jetson = device.starts_with("jetson");
  for (const char* duration : {"1 s", "20 s"}) {
    const Result result = scenarios::testing::run_text(
        fmt::format("device: {}\nprocesses: [{{model: {}, precision: fp16, batch: {}, runtime: {}}}]\n"
                    "run: {{duration: {}, warmup: 1200 ms}}\n",
                    device, network, batch, jetson ? "tensorrt" : "cuda-graph", duration));
    const ProcessResult& process = result.processes.front();
    if (process.status != "ok") return std::nullopt;
    const double images_per_s = process.throughput.mean.value_or(0);
    if (images_per_s * result.simulated_s < 5 * static_cast<double>(batch)) continue;
    return Served{batch, images_per_s, 1e9 * result.system.memory.bandwidth_gb_s.value() / images_per_s};
  }
  return std::nullopt;
}

class LargerBatches : public ::testing::TestWithParam<std::string> {};

TEST_P(LargerBatches, are_slower_only_by_what_leaves_the_l2) {
  int compared = 0;
  for (const char* network : networks) {
    std::optional<Served> before;
    for (const std::int64_t batch : batches) {
      const std::optional<Served> now = served(GetParam(), network, batch);
      if (!now) break;
      if (before) {
        ++compared;
        const double drop = 1 - now->images_per_s / before->images_per_s;
        const double grown = now->bytes_of_image / before->bytes_of_image;
        if (drop > slower) {
          EXPECT_LE(drop, 1 - 1 / grown + 0.02)
              << network << " of batch " << before->batch << " to " << batch << ": " << before->images_per_s
              << " to " << now->images_per_s << " images/s, " << before->bytes_of_image / 1e6 << " to "
              << now->bytes_of_image / 1e6 << " MB an image";
        }
      }
      before = now;
    }
  }
  EXPECT_GE(compared, 30);
}

// A test a board: CTest runs them side by side.
INSTANTIATE_TEST_SUITE_P(OnEveryBoard, LargerBatches, ::testing::ValuesIn(scenarios::testing::gpu_devices()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
