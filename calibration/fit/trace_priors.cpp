#include "calibration/fit/trace_priors.hpp"

#include <array>

namespace jostle::calibration {
namespace {

constexpr std::string_view switches = "100 to 370 us in published traces of Tegra";
constexpr std::string_view bare_launch = "4 to 6 us a bare launch in published traces";
constexpr std::string_view assumed = "assumed: of this order";

constexpr std::array trace_table{
    TracePrior{"gpu.kernel_fixed", "us", 4, 0.7, 10, "3 to 6 us on Tegra"},
    TracePrior{"gpu.time_slicing.slice", "us", 1024, 0.7, 10, "nvgpu's default, 0.5 to 50 ms settable"},
    TracePrior{"gpu.time_slicing.slice_jitter", "us", 1, 1, 100, assumed},
    TracePrior{"gpu.time_slicing.switch_when_idle", "us", 200, 0.5, 6, switches},
    TracePrior{"gpu.time_slicing.switch_at_expiry", "us", 200, 0.5, 6, switches},
    TracePrior{"gpu.time_slicing.state_bandwidth", "GB/s", 1000, 1, 30,
               "registers and shared memory pass through the memory: of the order of its bandwidth"},
    TracePrior{"gpu.time_slicing.restart_after_expiry", "us", 35, 1, 10, "2 MB of cache refilled at 60 GB/s"},
    TracePrior{"gpu.idle_wake.after", "us", 5000, 1, 100, assumed},
    TracePrior{"gpu.idle_wake.cost", "us", 50, 1, 100, assumed},
    TracePrior{"runtimes.cuda-graph.per_launch", "us", 10, 0.7, 10, "of the order of two bare launches"},
    TracePrior{"runtimes.cuda-graph.per_batch", "us", 5, 1, 100, assumed},
    TracePrior{"runtimes.eager.per_launch", "us", 10, 0.7, 10,
               "some 5 us a launch, up to 19 us under a profiler, and the framework's own work"},
    TracePrior{"runtimes.eager.per_batch", "us", 1000, 1, 30, "of the order of a hundred launches"},
    TracePrior{"runtimes.eager.gpu_per_launch", "us", 2, 1, 10, assumed},
    TracePrior{"runtimes.paced.per_launch", "us", 5, 0.7, 10, bare_launch},
    TracePrior{"runtimes.paced.gpu_per_launch", "us", 2, 1, 10, assumed},
};

}  // namespace

std::span<const TracePrior> trace_priors() {
  return trace_table;
}

}  // namespace jostle::calibration
