#include "profiles/profile/priors.hpp"

#include <array>

namespace jostle::profiles {
namespace {

constexpr std::string_view launches = "3 to 20 us a kernel in published logs of TensorRT on Jetson";
constexpr std::string_view capacitance =
    "2.6 nF an SM in a power virus, activity 0.3 to 0.55 in networks: order of magnitude only";
constexpr std::string_view governors =
    "the profile's; kernels and device trees differ by board support package";
constexpr std::string_view idle = "the profile's, within the spread of boards and labs";

// The time slice is not included: throughput depends only on the ratio of switch to slice.
constexpr std::array prior_table{
    Prior{"gpu.bandwidth_efficiency", "", 0.08, 1.25, "the spread of published copy benchmarks"},
    Prior{"gpu.kernel_fixed", "4 us", 0.25, 3, "3 to 6 us on Tegra"},
    Prior{"gpu.time_slicing.switch_when_idle", "", 0.5, 6, "100 to 370 us in published traces"},
    Prior{"gpu.time_slicing.switch_at_expiry", "", 0.5, 6, "100 to 370 us in published traces"},
    Prior{"memory.system", "", 0.3, 3, "0.9 to 1.7 GB on an idle Orin Nano", 100, false},
    Prior{"memory.contexts.tensorrt.process", "", 0.4, 2.5, "200 to 500 MB in published logs", 100, false},
    Prior{"memory.contexts.eager.process", "", 0.3, 2, "0.9 to 1.4 GB on a Jetson", 100, false},
    Prior{"memory.interference", "", 0.7, 5, "assumed", 50},
    Prior{"runtimes.tensorrt.per_launch", "8 us", 0.7, 10, launches},
    Prior{"runtimes.tensorrt.per_batch", "40 us", 0.7, 10,
          "a batch's share of a call, of the order of a few launches"},
    Prior{"runtimes.cuda-graph.per_node", "", 0.5, 10, "the profile's"},
    Prior{"runtimes.cuda-graph.per_batch", "", 0.7, 10, "the profile's"},
    Prior{"runtimes.eager.per_launch", "", 0.7, 10, "the profile's"},
    Prior{"runtimes.eager.per_batch", "", 0.7, 10, "the profile's"},
    // Residuals of eager runs of all boards have the spread of hosts, so intervals do not draw it a second
    // time.
    Prior{"runtimes.eager.host_time", "", 0.2, 3,
          "sessions of one host differ by 12 % and more, cores of servers by 1.5 times", 10'000, false},
    Prior{"runtimes.eager.rate_weight", "", 0.5, 10, "the scatter of eager rates", 100, false},
    Prior{"sync.wake_latency", "", 0.4, 5, "17 to 60 us in published traces"},
    Prior{"power.governors.cpu.interval", "", 0.3, 3, governors},
    Prior{"power.governors.gpu.interval", "", 0.3, 3, governors},
    Prior{"power.governors.emc.up_threshold", "", 0.15, 1.4, governors, 95},
    Prior{"power.cpu.core", "0.4 nF", 0.5, 6, "0.3 nF a core effective, 0.55 W at 1344 MHz on an Orin Nano"},
    Prior{"power.gpu.clock_tree", "0.1 nF", 0.7, 20, capacitance},
    Prior{"power.gpu.sm", "1.5 nF", 0.5, 6, capacitance},
    Prior{"power.gpu.tensor", "", 0.5, 10, capacitance},
    Prior{"power.gpu.per_byte", "20 pJ/B", 0.7, 10, "of the order of a third of a DRAM access"},
    Prior{"power.soc.base", "1 W", 0.4, 4, "idle rails of public logs"},
    Prior{"power.soc.clock", "0.35 nF", 0.5, 10, idle},
    Prior{"power.soc.per_byte", "30 pJ/B", 0.5, 10, "of the order of half of a DRAM access"},
    Prior{"power.dram.base", "", 0.5, 10, idle},
    Prior{"power.dram.per_byte", "60 pJ/B", 0.3, 5, "40 to 110 pJ/B, LPDDR4X and LPDDR5"},
    Prior{"power.module.base", "1.8 W", 0.4, 5, "0.9 to 2.7 W between labs"},
};

}  // namespace

std::span<const Prior> priors() {
  return prior_table;
}

}  // namespace jostle::profiles
