// How the clocks of a board scale: which governor rules each domain, its tunables, the floors of its power
// modes, and how long a new clock takes to act. As it stands here every clock is pinned at its limit.
//
// Tunables are named as in sysfs; defaults are those of Linux 4.9 to 5.15 and of NVIDIA's drivers.
#pragma once

#include "models/power/governors/names.hpp"
#include "sim/time.hpp"

namespace jostle::power {

// kernel/sched/cpufreq_schedutil.c, kernel/sched/pelt.c.
struct SchedutilSettings {
  // rate_limit_us: a thousand times Tegra's transition latency of 300 us, but at most 10 ms.
  sim::Duration rate_limit = sim::milliseconds(10);
  double margin = 1.25;
  sim::Duration half_life = sim::milliseconds(32);
  // Since Linux 5.1 a slower core's utilisation grows slower in time, up to the same height; before it
  // stopped at the core's speed.
  bool scaled_time = true;
};

// drivers/cpufreq/cpufreq_ondemand.c; the sampling rate is that of cpufreq_governor.c: the transition delay,
// at least two ticks. Shares in per cent, whole.
struct OndemandSettings {
  sim::Duration sampling_rate = sim::milliseconds(10);
  int up_threshold = 95;  // with idle times in microseconds (NO_HZ); otherwise 80
};

// drivers/cpufreq/cpufreq_conservative.c.
struct ConservativeSettings {
  sim::Duration sampling_rate = sim::milliseconds(10);
  int up_threshold = 80, down_threshold = 20;
  int freq_step = 5;  // per cent of the upper limit
};

struct CpuSettings {
  SchedutilSettings schedutil;
  OndemandSettings ondemand;
  ConservativeSettings conservative;
  double userspace_hz = 0;  // scaling_setspeed; 0: stays at the upper limit
};

// nvidia-oot: drivers/devfreq/governor_pod_scaling.c. Loads in thousandths.
struct PodgovSettings {
  Podgov build = Podgov::r36;
  int load_max = 900, load_target = 700;
  int bias = 80, smooth = 10, damp = 7;
  sim::Duration block_window = sim::milliseconds(50);
  // Of r38 only.
  int load_margin = 100, up_freq_margin = 4, down_freq_margin = 1, k = 3;
};

// drivers/devfreq/governor_wmark_active.c of L4T.
struct WmarkActiveSettings {
  int load_max = 900, load_target = 700, smooth = 10;
  sim::Duration block_window = sim::milliseconds(50);
  bool freq_boost = true;
};

// drivers/devfreq/governor_simpleondemand.c. Per cent.
struct SimpleOndemandSettings {
  int upthreshold = 90, downdifferential = 5;
};

struct GpuSettings {
  // polling_ms of nvgpu's devfreq profile (JetPack 5 and 6); jtop shows 10 ms on JetPack 7. For wmark_active:
  // how often the activity monitor's average is compared with the watermarks, assumed.
  sim::Duration interval = sim::milliseconds(25);
  PodgovSettings podgov;
  WmarkActiveSettings wmark_active;
  SimpleOndemandSettings simple_ondemand;
  double userspace_hz = 0;  // devfreq's userspace/set_freq; 0: stays at the upper limit
};

// The activity monitor of memory (actmon, mc_all): the watermarks and windows of the Tegra X1's device tree.
// That Xavier's and Orin's firmware works like it, with these values, is assumed.
struct EmcSettings {
  bool scales = false;  // otherwise it stands at its limit
  sim::Duration interval = sim::milliseconds(20);
  // Lower bound by the GPU's clock while it is above its lowest: nvgpu's EMC_BW_RATIO 4 x emc3d_ratio
  // 500/1000.
  double gpu_ratio = 2;
  double up_threshold = 0.60, down_threshold = 0.40;  // of the activity at the current clock
  int up_window = 1, down_window = 3;                 // consecutive samples past a threshold
  double boost_step_hz = 16e6;
  double boost_up = 2, boost_down = 0.5;
  int average_samples = 128;
};

struct ScalingSpec {
  CpuGovernor cpu = CpuGovernor::performance;
  GpuGovernor gpu = GpuGovernor::performance;
  CpuSettings cpu_settings;
  GpuSettings gpu_settings;
  EmcSettings emc;
  // Lower limits in power modes that name none (board::PowerMode); 0: the table's lowest.
  double cpu_floor_hz = 0, gpu_floor_hz = 0, emc_floor_hz = 0;
  // From the write to the clock in effect.
  sim::Duration cpu_delay, gpu_delay, emc_delay;
};

}  // namespace jostle::power
