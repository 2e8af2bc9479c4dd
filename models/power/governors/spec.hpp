// Parameters of frequency scaling: the governor of each domain, its tunables, the minimum clocks of the
// board's power modes, and the delay until a new clock takes effect. With the defaults here every clock is
// pinned at its limit.
//
// Tunables are named as in sysfs. Defaults are those of Linux 4.9 to 5.15 and of NVIDIA's drivers.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/time.hpp"

namespace jostle::power {

// Sources: kernel/sched/cpufreq_schedutil.c, kernel/sched/pelt.c.
struct SchedutilSettings {
  double margin = 1.25;
  sim::Duration half_life = sim::milliseconds(32);
  // Since Linux 5.1 the utilisation of a slower core grows more slowly, but up to the same value; before, it
  // was limited to the core's speed.
  bool scaled_time = true;
};

// Source: drivers/cpufreq/cpufreq_ondemand.c. Shares are in whole percent.
struct OndemandSettings {
  int up_threshold = 95;  // with idle times in microseconds (NO_HZ); otherwise 80
};

// Source: drivers/cpufreq/cpufreq_conservative.c.
struct ConservativeSettings {
  int up_threshold = 80, down_threshold = 20;
  int freq_step = 5;  // percent of the upper limit
};

struct CpuSettings {
  // schedutil's rate_limit_us: a thousand times Tegra's transition latency of 300 us, but at most 10 ms. The
  // others' sampling_rate: the transition delay, at least two ticks (cpufreq_governor.c).
  sim::Duration interval = sim::milliseconds(10);
  SchedutilSettings schedutil;
  OndemandSettings ondemand;
  ConservativeSettings conservative;
  double userspace_hz = 0;  // scaling_setspeed; 0: stays at the upper limit
};

// NVIDIA has three governors called nvhost_podgov.
enum class Podgov : std::uint8_t {
  r35,  // JetPack 4 and 5, in the kernel: uses the busiest of the last 100 polls
  r36,  // JetPack 6, out of tree and built without that history: uses an average
  r38   // JetPack 7: rewritten, moves by entries of the table
};

// Source: nvidia-oot, drivers/devfreq/governor_pod_scaling.c. Loads in thousandths.
struct PodgovSettings {
  Podgov build = Podgov::r36;
  int load_max = 900, load_target = 700;
  int bias = 80, smooth = 10, damp = 7;
  sim::Duration block_window = sim::milliseconds(50);
  // Used by r38 only.
  int load_margin = 100, up_freq_margin = 4, down_freq_margin = 1, k = 3;
};

// Source: drivers/devfreq/governor_wmark_active.c of L4T.
struct WmarkActiveSettings {
  int load_max = 900, load_target = 700, smooth = 10;
  sim::Duration block_window = sim::milliseconds(50);
  bool freq_boost = true;
};

// Source: drivers/devfreq/governor_simpleondemand.c. Shares are in percent.
struct SimpleOndemandSettings {
  int upthreshold = 90, downdifferential = 5;
};

struct GpuSettings {
  // polling_ms of nvgpu's devfreq profile (JetPack 5 and 6); jtop shows 10 ms on JetPack 7. For wmark_active:
  // the interval at which the activity monitor's average is compared with the watermarks; this use is an
  // assumption.
  sim::Duration interval = sim::milliseconds(25);
  PodgovSettings podgov;
  WmarkActiveSettings wmark_active;
  SimpleOndemandSettings simple_ondemand;
  double userspace_hz = 0;  // devfreq's userspace/set_freq; 0: stays at the upper limit
};

// The activity monitor of the memory (actmon, mc_all), with the watermarks and windows of the Tegra X1's
// device tree. Assumed: the firmware of Xavier and Orin works in the same way, with the same values.
struct EmcSettings {
  bool scales = false;  // false: the clock is always at its limit
  sim::Duration interval = sim::milliseconds(20);
  // Minimum EMC clock relative to the GPU's clock while that is above its lowest: nvgpu's EMC_BW_RATIO 4 x
  // emc3d_ratio 500/1000.
  double gpu_ratio = 2;
  double up_threshold = 0.60, down_threshold = 0.40;  // activity at the current clock
  int up_window = 1, down_window = 3;                 // consecutive samples past a threshold
  double boost_step_hz = 16e6;
  double boost_up = 2, boost_down = 0.5;
  int average_samples = 128;
  // A DLA keeps its power, and its request for the EMC's highest clock, for this long after its last work:
  // autosuspend_delay of NVIDIA's nvdla driver (T194, T234).
  sim::Duration dla_powered_for = sim::milliseconds(500);
};

template <class Settings, class Reading>
struct Governor;
using CpuGovernor = Governor<CpuSettings, struct CpuReading>;
using GpuGovernor = Governor<GpuSettings, struct GpuReading>;

// The governor that the kernel gives this name (scaling_available_governors, devfreq's available_governors);
// null if there is none. The tables are in cpu_governors.cpp and gpu_governors.cpp.
[[nodiscard]] const CpuGovernor* cpu_governor(std::string_view name);
[[nodiscard]] const GpuGovernor* gpu_governor(std::string_view name);

struct ScalingSpec {
  const CpuGovernor* cpu = cpu_governor("performance");
  const GpuGovernor* gpu = gpu_governor("performance");
  CpuSettings cpu_settings;
  GpuSettings gpu_settings;
  EmcSettings emc;
  // Minimum clocks for power modes that set none (board::PowerMode); 0: the lowest of the table.
  double cpu_floor_hz = 0, gpu_floor_hz = 0, emc_floor_hz = 0;
  // The delay from writing a new clock until it takes effect.
  sim::Duration cpu_delay, gpu_delay, emc_delay;
};

}  // namespace jostle::power
