// Boards with one GPU differ in clocks, memory and modes only: at equal clocks they take equal times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/board/spec.hpp"
#include "models/dnn/factors.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

board::DeviceSpec spec_of(const std::string& device) {
  input::Problems problems;
  return *profiles::shipped_profile(device, problems)->spec;
}

// The shipped boards in pairs that share a GPU, but for those whose GPUs were measured one by one.
std::vector<std::pair<std::string, std::string>> pairs() {
  std::vector<std::pair<std::string, std::string>> found;
  const auto& names = testing::gpu_devices();
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      const board::DeviceSpec one = spec_of(names[i]), other = spec_of(names[j]);
      const bool measured = !one.evidence.empty() && !other.evidence.empty();
      if (!measured && dnn::Chip::of(one.gpu) == dnn::Chip::of(other.gpu))
        found.emplace_back(names[i], names[j]);
    }
  }
  return found;
}

// A mode that leaves all of the GPU powered.
std::string mode_of(const std::string& device) {
  const board::DeviceSpec spec = spec_of(device);
  for (const board::PowerMode& mode : spec.power_modes) {
    if (!mode.tpcs || *mode.tpcs * spec.gpu.sms_per_tpc >= spec.gpu.sm_count) return mode.name;
  }
  return {};
}

constexpr double usual_emc_hz = 2133e6;

double milliseconds(const std::string& device, const std::string& process, double emc_hz = usual_emc_hz) {
  const Result result = testing::run_text(
      fmt::format("{{device: {}, power_mode: {}, clocks: {{cpu: 1190.4 MHz, gpu: 408 MHz, emc: {} MHz}}, "
                  "processes: [{}], run: {{duration: 1 s}}}}",
                  device, mode_of(device), emc_hz / 1e6, process));
  return result.processes.front().latency_ms.p50.value();
}

TEST(EqualBoards, at_equal_clocks_take_equal_times) {
  ASSERT_GE(pairs().size(), 4U);
  for (const auto& [one, other] : pairs()) {
    const double emc_hz =
        std::min({usual_emc_hz, spec_of(one).memory.max_clock_hz, spec_of(other).memory.max_clock_hz});
    for (const char* const process :
         {"{model: resnet50, precision: int8}", "{model: resnet50, precision: fp16, batch: 4}",
          "{model: resnet18, precision: tf32}", "{model: yolov8n, precision: fp16}",
          "{model: yolov8n, precision: int8, batch: 2}", "{model: vgg16, precision: fp16}"}) {
      const double here = milliseconds(one, process, emc_hz), there = milliseconds(other, process, emc_hz);
      EXPECT_NEAR(here, there, 0.002 * there) << one << ", " << other << ": " << process;
    }
  }
}

// A chip with fewer of its SMs enabled cannot be the faster one.
TEST(EqualBoards, of_one_chip_the_one_with_more_sms_is_not_slower) {
  for (const char* const process :
       {"{model: resnet50, precision: int8}", "{model: resnet50, precision: fp16}",
        "{model: yolov8n, precision: fp16}"})
    EXPECT_GE(milliseconds("jetson-agx-orin-32gb", process),
              milliseconds("jetson-agx-orin-64gb", process) * 0.999)
        << process;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
