// The power of a TX2 at seven clocks of its GPU against tegrastats (thynics/jetson_dvfs, vgg19 in fp32, the
// memory at 1866 MHz; medians of some 180 samples each). The GPU's capacitances, voltages and leakage are
// fitted on VDD_SYS_GPU of these runs. The module draws 9 % less than measured, for the traffic of VGG's
// convolutions is counted at two thirds (docs/deviations.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scenarios/result/result.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::run_text;

struct Reading {
  double gpu_mhz, module_w, gpu_w;
};
constexpr std::array readings{Reading{114.75, 5.676, 0.685}, Reading{318.75, 7.616, 1.674},
                              Reading{522.75, 9.40, 2.59},   Reading{726.75, 10.76, 3.42},
                              Reading{930.75, 12.73, 4.86},  Reading{1122, 15.22, 6.90},
                              Reading{1300.5, 18.01, 9.47}};

TEST(TX2Power, of_the_module_and_its_gpu_follow_the_gpus_clock) {
  double sum = 0;
  for (const Reading& reading : readings) {
    const Result result =
        run_text(fmt::format("device: jetson-tx2\nclocks: {{gpu: {} MHz, cpu: 2035 MHz, emc: 1866 MHz}}\n"
                             "processes: [{{model: vgg19, precision: fp32, batch: 1, runtime: tensorrt}}]\n"
                             "run: {{duration: 4 s, warmup: 1 s}}\n",
                             reading.gpu_mhz));
    const double module = result.system.power_w.mean.value() / reading.module_w - 1;
    EXPECT_LT(std::abs(module), 0.14) << reading.gpu_mhz;
    const auto& rails = result.system.power_w.rails;
    const auto gpu =
        std::ranges::find_if(rails, [](const auto& rail) { return rail.first == "VDD_SYS_GPU"; });
    ASSERT_NE(gpu, rails.end());
    EXPECT_NEAR(gpu->second / reading.gpu_w, 1, 0.08) << reading.gpu_mhz;
    sum += std::abs(module);
  }
  EXPECT_LT(sum / static_cast<double>(readings.size()), 0.10);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
