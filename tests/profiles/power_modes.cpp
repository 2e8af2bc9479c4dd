// The boards against the published facts about them: power modes mode by mode, peaks, clocks, cores. The
// tables here are transcribed from the sources, not read from the profiles.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

board::DeviceSpec spec_of(const std::string& name) {
  input::Problems problems;
  auto profile = shipped_profile(name, problems);
  EXPECT_EQ(problems.text(), "");
  return *profile.value().spec;
}

// Clocks in MHz; `top`: not limited, so the board's own maximum.
constexpr double top = 0;
struct Mode {
  const char* name;
  int cores;
  double cpu, gpu;
  int tpcs;
  double emc, dla = top;
};
struct Board {
  const char* device;
  int sms_per_tpc;
  const char* default_mode;
  std::vector<Mode> modes;
};

// LineageOS/android_device_nvidia_concord and _galen: nvpmodel_*.conf, default modes included; for the Super
// modes zainmk/jetson-nano-benchmarks-lab: lab.md C.3; for the Nano NVIDIA's developer guide; for the TX2
// its nvpmodel.conf of 2017; on the TX2 and the AGX Xavier clocks are the steps they become.
const std::vector<Board>& boards() {
  static const std::vector<Board> table{
      {"jetson-agx-orin-64gb",
       2,
       "30W",
       {{"MAXN", 12, top, top, 8, top},
        {"15W", 4, 1113.6, 408, 3, 2133, 614.4},
        {"30W", 8, 1728, 612, 4, top, 1369.6},
        {"50W", 12, 1497.6, 816, 8, top, 1369.6}}},
      {"jetson-agx-orin-32gb",
       2,
       "30W",
       {{"MAXN", 8, top, top, 7, top},
        {"15W", 4, 1113.6, 408, 3, 2133, 614.4},
        {"30W", 8, 1728, 612, 4, top, 1369.6},
        {"40W", 8, 1497.6, 816, 7, top, 1228.8}}},
      {"jetson-orin-nx-16gb",
       2,
       "15W",
       {{"MAXN", 8, top, 918, 4, top, 614.4},
        {"10W", 4, 1190.4, 612, 2, 2133, 153.6},
        {"15W", 4, 1420.8, 612, 2, top, 614.4},
        {"25W", 8, 1497.6, 408, 4, top, 614.4},
        {"40W", 8, 1497.6, 1173, 4, top, 908.8},
        {"MAXN_SUPER", 8, top, top, 4, top}}},
      {"jetson-orin-nx-8gb",
       2,
       "15W",
       {{"MAXN", 6, top, 765, 4, top, 614.4},
        {"10W", 4, 1190.4, 612, 2, 2133, 153.6},
        {"15W", 4, 1420.8, 612, 2, top, 614.4},
        {"20W", 6, 1497.6, 408, 4, top, 614.4},
        {"40W", 6, 1984, 1173, 4, top, 1203.2},
        {"MAXN_SUPER", 6, top, top, 4, top}}},
      {"jetson-orin-nano-4gb",
       2,
       "10W",
       {{"10W", 6, top, top, 2, top}, {"7W_AI", 4, 806.4, 408, 2, 2133}, {"7W_CPU", 4, 960, 306, 2, 2133}}},
      {"jetson-orin-nano-4gb-super",
       2,
       "25W",
       {{"10W", 6, 1497.6, 612, 2, 2133},
        {"25W", 6, 1728, 1020, 2, 3199},
        {"MAXN_SUPER", 6, top, top, 2, top}}},
      {"jetson-orin-nano", 2, "15W", {{"15W", 6, top, top, 4, top}, {"7W", 4, 960, 408, 2, 2133}}},
      {"jetson-orin-nano-super",
       2,
       "25W",
       {{"15W", 6, 1498, 612, 4, 2133},
        {"25W", 6, 1344, 918, 4, 3199},
        {"MAXN_SUPER", 6, top, top, 4, top},
        {"7W", 4, 960, 408, 2, 2133}}},
      {"jetson-agx-xavier",
       2,
       "15W_DESKTOP",
       {{"MAXN", 8, top, top, 4, top},
        {"10W", 2, 1190.4, 522.75, 2, 1065.6, 550},
        {"15W", 4, 1190.4, 675.75, 4, 1331.2, 750},
        {"30W_ALL", 8, 1190.4, 905.25, 4, 1600, 1050},
        {"30W_6CORE", 6, 1420.8, 905.25, 4, 1600, 1050},
        {"30W_4CORE", 4, 1804.8, 905.25, 4, 1600, 1050},
        {"30W_2CORE", 2, 2112, 905.25, 4, 1600, 1050},
        {"15W_DESKTOP", 4, 2188.8, 675.75, 4, 1331.2, 115.2}}},
      {"jetson-xavier-nx",
       2,
       "10W_DESKTOP",
       {{"15W_2CORE", 2, 1907.2, 1109.25, 3, 1600, 1100.8},
        {"15W_4CORE", 4, 1420.8, 1109.25, 3, 1600, 1100.8},
        {"15W_6CORE", 6, 1420.8, 1109.25, 3, 1600, 1100.8},
        {"10W_2CORE", 2, 1497.6, 803.25, 3, 1600, 896},
        {"10W_4CORE", 4, 1190.4, 803.25, 3, 1600, 896},
        {"10W_DESKTOP", 4, 1907.2, 510, 3, 1600, 896},
        {"20W_2CORE", 2, 1907.2, 1109.25, 3, 1866, 1100.8},
        {"20W_4CORE", 4, 1420.8, 1109.25, 3, 1866, 1100.8},
        {"20W_6CORE", 6, 1420.8, 1109.25, 3, 1866, 1100.8}}},
      {"jetson-nano", 1, "MAXN", {{"MAXN", 4, 1479, 921.6, 1, 1600}, {"5W", 2, 918, 640, 1, 1600}}},
      {"jetson-tx2",
       1,
       "MAXN",
       {{"MAXN", 6, top, 1300.5, 2, top},
        {"MAXQ", 4, 1200, 854.25, 2, 1331.2},
        {"MAXP_CORE_ALL", 6, 1400, 1122, 2, 1600},
        {"MAXP_CORE_ARM", 4, 2000, 1122, 2, 1600},
        {"MAXP_CORE_DENVER", 2, 2035.2, 1122, 2, 1600}}},
  };
  return table;
}

// Half a MHz: one source rounds.
void expect_clock(double hz, double mhz, double board_hz, const std::string& what) {
  EXPECT_NEAR(hz / 1e6, mhz == top ? board_hz / 1e6 : mhz, 0.5) << what;
}

TEST(PowerModes, limit_what_nvpmodel_limits) {
  for (const Board& row : boards()) {
    const board::DeviceSpec device = spec_of(row.device);
    EXPECT_EQ(device.default_power_mode, row.default_mode) << row.device;
    EXPECT_EQ(device.gpu.sms_per_tpc, row.sms_per_tpc) << row.device;
    ASSERT_EQ(device.power_modes.size(), row.modes.size()) << row.device;
    const double fastest = device.cpu->clusters.back().max_clock_hz;
    for (const Mode& fact : row.modes) {
      const std::string what = std::string(row.device) + " " + fact.name;
      const board::PowerMode* mode = board::find_power_mode(device, fact.name);
      ASSERT_NE(mode, nullptr) << what;
      const double cpu = mode->cpu_max_clock_hz.empty() ? fastest : mode->cpu_max_clock_hz.back();
      expect_clock(cpu, fact.cpu, fastest, what + " cpu");
      expect_clock(mode->gpu_max_clock_hz.value_or(device.gpu.max_clock_hz), fact.gpu,
                   device.gpu.max_clock_hz, what + " gpu");
      expect_clock(mode->emc_max_clock_hz.value_or(device.memory.max_clock_hz), fact.emc,
                   device.memory.max_clock_hz, what + " emc");
      EXPECT_NEAR(mode->dla_max_clock_hz.value_or(0) / 1e6, fact.dla, 0.05) << what;
      EXPECT_EQ(mode->tpcs.value_or(device.gpu.sm_count / device.gpu.sms_per_tpc), fact.tpcs) << what;
      EXPECT_EQ(static_cast<int>(board::online_cpus(device, mode, std::nullopt).size()), fact.cores) << what;
    }
  }
}

TEST(PowerModes, keep_the_lowest_numbered_cores) {
  for (const Board& row : boards()) {
    if (row.device == std::string("jetson-tx2")) continue;  // its modes choose between kinds of cores
    const board::DeviceSpec device = spec_of(row.device);
    for (const Mode& fact : row.modes) {
      std::vector<int> lowest(static_cast<std::size_t>(fact.cores));
      std::iota(lowest.begin(), lowest.end(), 0);
      EXPECT_EQ(board::online_cpus(device, board::find_power_mode(device, fact.name), std::nullopt), lowest)
          << row.device << " " << fact.name;
    }
  }
}

// nvpmodel_p3767_0000.conf and _super.conf, of 0001 too: the files of two configurations of JetPack.
TEST(PowerModes, of_two_JetPacks_are_told_apart) {
  for (const char* name : {"jetson-orin-nx-16gb", "jetson-orin-nx-8gb"}) {
    const board::DeviceSpec device = spec_of(name);
    const auto mode = [&](const char* which) { return *board::find_power_mode(device, which); };
    EXPECT_FALSE(board::together(mode("MAXN"), mode("40W"))) << name;
    EXPECT_FALSE(board::together(mode("MAXN_SUPER"), mode("MAXN"))) << name;
    EXPECT_TRUE(board::together(mode("MAXN_SUPER"), mode("40W"))) << name;
    EXPECT_TRUE(board::together(mode("15W"), mode("40W")) && board::together(mode("15W"), mode("MAXN")))
        << name;
    EXPECT_EQ(board::in_words(mode("40W")), "40W (JetPack 6.2 Super)");
    EXPECT_EQ(board::in_words(mode("15W")), "15W");
  }
}

// Peaks ---------------------------------------------------------------------------------------------

struct Peaks {
  const char* device;
  int sms;
  double mhz;                     // of the GPU
  double fp32, tf32, fp16, int8;  // TFLOP/s, TOP/s; 0: no path of its own; -1: not stated at this clock
  double bandwidth;               // GB/s
};
// NVIDIA's data sheets; without sparsity and DLAs.
const std::vector<Peaks>& peaks() {
  static const std::vector<Peaks> table{
      {"jetson-nano", 1, 921.6, 0.236, 0, 0.472, 0, 25.6},
      {"jetson-tx2", 2, 1300.5, 0.666, 0, 1.33, 0, 59.7},
      {"jetson-tx2-nx", 2, 1300.5, 0.666, 0, 1.33, 0, 51.2},
      {"jetson-xavier-nx", 6, 1109.25, 0.852, 0, 6.8, 13.6, 59.7},
      {"jetson-agx-xavier", 8, 1377, 1.41, 0, 11.3, 22.6, 136.5},
      {"jetson-orin-nano", 8, 624.75, 1.28, 5.12, 10.2, 20.5, 68.3},
      {"jetson-orin-nano-4gb", 4, 624.75, 0.64, 2.56, 5.12, 10.2, 34.1},
      {"jetson-orin-nano-4gb-super", 4, 1020, 1.04, 4.18, 8.36, 16.7, 51.2},  // 34 TOPS of sparse int8
      {"jetson-orin-nano-super", 8, 1020, 2.09, 8.36, 16.7, 33.4, 102.4},
      {"jetson-orin-nx-16gb", 8, 918, 1.88, 7.52, 15.0, 30.1, 102.4},
      {"jetson-orin-nx-16gb", 8, 1173, 2.40, 9.61, 19.2, 38.4, 102.4},
      {"jetson-orin-nx-8gb", 8, 765, 1.57, 6.27, 12.5, 25.1, 102.4},
      {"jetson-orin-nx-8gb", 8, 1173, 2.40, 9.61, 19.2, 38.4, 102.4},
      {"jetson-agx-orin-32gb", 14, 930.75, 3.33, 13.3, 26.7, 53.3, 204.8},
      {"jetson-agx-orin-64gb", 16, 1300.5, 5.33, 21.3, 42.6, 85.2, 204.8},
      {"jetson-agx-thor", 20, 1575, 8.06, -1, 258.8, 517.5, 273},
      {"jetson-t4000", 12, 1530, 4.7, -1, 150, 300, 273},  // 1200 TOPS of sparse FP4, an eighth in fp16
      {"nvidia-dgx-spark", 48, 2540, 31, -1, 125, 250, 273},
      {"nvidia-rtx-2000-ada", 22, 2130, 12, 24, 48, 96, 224},
      {"nvidia-rtx-5060-ti", 36, 2572, 23.7, 23.7, 94.9, 189.8, 448},  // 759 AI TOPS
      {"nvidia-rtx-pro-4000", 70, 2617, 46.9, 93.8, 187.6, 375.2, 672},
      {"nvidia-rtx-pro-6000", 188, 2600, 125, 250, 500, 1000, 1792},  // 4000 AI TOPS
      {"nvidia-a10", 72, 1695, 31.2, 62.5, 125, 250, 600},
      {"nvidia-t4", 40, 1590, 8.1, 0, 65, 130, 320},
      {"nvidia-l4", 58, 2040, 30.3, 60.5, 121, 242, 300},
      {"nvidia-rtx-4090", 128, 2520, 82.6, 82.6, 330.3, 660.6, 1008},
      {"nvidia-a100-80gb", 108, 1410, 19.5, 156, 312, 624, 2039},
      {"nvidia-a30", 56, 1440, 10.3, 82, 165, 330, 933},
      {"nvidia-v100", 80, 1530, 15.7, 0, 125, 62.8, 900},
      {"nvidia-a40", 84, 1740, 37.4, 74.8, 149.7, 299, 696},
      {"nvidia-h100", 132, 1980, 67, -1, -1, -1, 3350},
      {"nvidia-h200", 132, 1980, 67, -1, -1, -1, 4800},
      {"nvidia-h200", 132, 1830, -1, 494, 989, 1979, 4800},  // its tensor cores are rated at another clock
  };
  return table;
}

TEST(Boards, have_the_peaks_of_their_data_sheets_within_one_percent) {
  for (const Peaks& row : peaks()) {
    const board::DeviceSpec device = spec_of(row.device);
    EXPECT_EQ(device.gpu.sm_count, row.sms) << row.device;
    EXPECT_GE(device.gpu.max_clock_hz, row.mhz * 1e6 * 0.999) << row.device;
    const auto expect_peak = [&](double cuda, double tensor, double stated, const char* what) {
      const double peak = std::max(cuda, tensor) * row.sms * row.mhz * 1e6 / 1e12;
      if (stated < 0) return;
      EXPECT_NEAR(peak, stated, 0.0101 * stated) << row.device << " " << what;
    };
    const gpu::OpsPerClock& cuda = device.gpu.cuda_cores;
    const gpu::OpsPerClock& tensor = device.gpu.tensor_cores;
    expect_peak(cuda.fp32, 0, row.fp32, "fp32");
    expect_peak(cuda.tf32, tensor.tf32, row.tf32, "tf32");
    expect_peak(cuda.fp16, tensor.fp16, row.fp16, "fp16");
    expect_peak(cuda.int8, tensor.int8, row.int8, "int8");
    EXPECT_NEAR(device.gpu.bandwidth_bytes_per_s / 1e9, row.bandwidth, 0.01 * row.bandwidth) << row.device;
  }
}

// NVIDIA/Deep-Learning-Accelerator-SW, README: sparse int8 TOPS of the GPU, twice the dense. In 15W it states
// 14, which is that of 4 SMs; nvpmodel leaves 6 on.
TEST(Boards, have_the_published_gpu_tops_in_each_power_mode_of_the_agx_orin) {
  const board::DeviceSpec device = spec_of("jetson-agx-orin-64gb");
  for (const auto& [name, tops] :
       std::vector<std::pair<std::string, double>>{{"MAXN", 171}, {"50W", 109}, {"30W", 41}}) {
    const board::PowerMode* mode = board::find_power_mode(device, name);
    ASSERT_NE(mode, nullptr);
    const double sms = mode->tpcs.value_or(8) * device.gpu.sms_per_tpc;
    const double hz = mode->gpu_max_clock_hz.value_or(device.gpu.max_clock_hz);
    // They were stated for JetPack 5, whose steps lie 12.75 MHz higher.
    EXPECT_NEAR(2 * device.gpu.tensor_cores.int8 * sms * hz / 1e12, tops, 0.04 * tops) << name;
  }
}

// Claims C65, D09, E40, E41 ---------------------------------------------------------------------------

struct Constants {
  const char* device;
  int cores, cuda_cores, tensor_cores;
  double memory_gb;
};

TEST(Boards, have_the_cores_and_memory_that_the_studies_name) {
  // Xavier NX and Orin NX by the data sheets: the report's text and tables disagree. D09's board is the
  // 32 GB kit, all else equal.
  const std::vector<Constants> table{{"jetson-orin-nano", 6, 1024, 32, 8},
                                     {"jetson-orin-nano-super", 6, 1024, 32, 8},
                                     {"jetson-nano", 4, 128, 0, 4},
                                     {"jetson-xavier-nx", 6, 384, 48, 8},
                                     {"jetson-orin-nx-16gb", 8, 1024, 32, 16},
                                     {"jetson-agx-orin-64gb", 12, 2048, 64, 64},
                                     {"jetson-agx-xavier", 8, 512, 64, 32}};
  for (const Constants& row : table) {
    const board::DeviceSpec device = spec_of(row.device);
    EXPECT_EQ(device.core_count(), row.cores) << row.device;
    // A lane does one multiply-add a clock; Volta has 8 tensor cores an SM, Ampere 4.
    EXPECT_EQ(device.gpu.cuda_cores.fp32 / 2 * device.gpu.sm_count, row.cuda_cores) << row.device;
    const double per_tensor_core = device.gpu.architecture == "sm_72" ? 128 : 512;
    EXPECT_EQ(device.gpu.tensor_cores.fp16 / per_tensor_core * device.gpu.sm_count, row.tensor_cores)
        << row.device;
    EXPECT_LT(device.memory.capacity_bytes, row.memory_gb * 1.074e9) << row.device;
    EXPECT_GT(device.memory.capacity_bytes, row.memory_gb * 0.92e9) << row.device;
  }
}

TEST(Boards, have_the_clock_steps_that_the_studies_counted) {
  const auto up_to = [](const std::vector<double>& table, double most) {
    return std::ranges::count_if(table, [most](double hz) { return hz <= most * 1.0001; });
  };
  const auto expect = [&](const char* name, const char* mode_name, int cpu, int gpu) {
    const board::DeviceSpec device = spec_of(name);
    const board::PowerMode* mode = board::find_power_mode(device, mode_name);
    const std::vector<double>& cpu_table = device.cpu->clusters.front().clock_table_hz;
    EXPECT_EQ(static_cast<int>(cpu_table.size()), cpu) << name;
    EXPECT_EQ(up_to(device.gpu.clock_table_hz, mode->gpu_max_clock_hz.value_or(device.gpu.max_clock_hz)), gpu)
        << name;
  };
  expect("jetson-nano", "MAXN", 15, 12);
  expect("jetson-xavier-nx", "20W_6CORE", 25, 15);
  expect("jetson-orin-nx-16gb", "MAXN", 26, 7);
}

TEST(Boards, end_every_clock_table_at_the_maximum) {
  const auto expect_end = [](const std::vector<double>& table, double most, const std::string& what) {
    EXPECT_EQ(table.empty() ? most : table.back(), most) << what;
  };
  for (const std::string& name : device_names()) {
    const board::DeviceSpec device = spec_of(name);
    for (const cpu::ClusterSpec& cluster : device.cpu->clusters)
      expect_end(cluster.clock_table_hz, cluster.max_clock_hz, name + " cpu");
    expect_end(device.gpu.clock_table_hz, device.gpu.max_clock_hz, name + " gpu");
    expect_end(device.memory.clock_table_hz, device.memory.max_clock_hz, name + " emc");
  }
}

TEST(Boards, step_the_cores_of_t194_and_t234_by_the_same_clock) {
  for (const char* name :
       {"jetson-xavier-nx", "jetson-agx-xavier", "jetson-orin-nano", "jetson-orin-nano-super",
        "jetson-orin-nx-16gb", "jetson-agx-orin-32gb", "jetson-agx-orin-64gb"}) {
    const board::DeviceSpec device = spec_of(name);
    for (const cpu::ClusterSpec& cluster : device.cpu->clusters) {
      const std::vector<double>& table = cluster.clock_table_hz;
      // The last may be clipped.
      for (std::size_t i = 0; i + 1 < table.size(); ++i)
        EXPECT_NEAR(table[i], (115.2 + 76.8 * static_cast<double>(i)) * 1e6, 1) << name;
      EXPECT_LE(table.back() - table[table.size() - 2], 76.9e6) << name;
    }
  }
}

TEST(ARaspberryPi, has_four_cores_and_no_gpu) {
  for (const auto& [name, hz] :
       {std::pair{"raspberry-pi-3b", 1.2e9}, {"raspberry-pi-4b", 1.8e9}, {"raspberry-pi-5", 2.4e9}}) {
    const board::DeviceSpec device = spec_of(name);
    EXPECT_FALSE(device.has_gpu()) << name;
    EXPECT_EQ(device.core_count(), 4) << name;
    EXPECT_EQ(device.cpu->clusters.front().max_clock_hz, hz) << name;
    EXPECT_TRUE(device.power_modes.empty()) << name;
  }
}

// Sparse int8 TOPS that NVIDIA states for GPU and DLA together.
TEST(Boards, have_the_published_tops_with_their_dlas) {
  struct Stated {
    const char* device;
    double gpu_mhz, dla_mhz, tops;
  };
  for (const Stated& row :
       {Stated{"jetson-orin-nx-8gb", 765, 614.4, 70}, Stated{"jetson-orin-nx-8gb", 1173, 1203.2, 117},
        Stated{"jetson-orin-nx-16gb", 918, 614.4, 100}, Stated{"jetson-orin-nano-4gb", 624.75, 0, 20},
        Stated{"jetson-agx-orin-64gb", 1300.5, 1600, 275}}) {
    const board::DeviceSpec device = spec_of(row.device);
    const double gpu = device.gpu.tensor_cores.int8 * device.gpu.sm_count * row.gpu_mhz,
                 dla = device.dla.ops_per_clock.int8 * device.dla.count * row.dla_mhz;
    EXPECT_NEAR(2 * (gpu + dla) / 1e6, row.tops, 0.03 * row.tops) << row.device;
  }
}

// The lower modes have fewer TPCs at a higher clock.
TEST(PowerModes, of_thor_compute_more_with_more_watts) {
  const board::DeviceSpec thor = spec_of("jetson-agx-thor");
  ASSERT_EQ(thor.power_modes.size(), 4U);
  for (std::size_t i = 1; i < thor.power_modes.size(); ++i) {
    const board::PowerMode &more = thor.power_modes[i - 1], &less = thor.power_modes[i];
    EXPECT_GE(*more.gpu_max_clock_hz * *more.tpcs, *less.gpu_max_clock_hz * *less.tpcs) << less.name;
    EXPECT_GE(more.tpcs, less.tpcs) << less.name;
    EXPECT_GE(board::online_cpus(thor, &more, std::nullopt).size(),
              board::online_cpus(thor, &less, std::nullopt).size())
        << less.name;
  }
}

// Profiles like others ------------------------------------------------------------------------------

class LikeAnother : public ::testing::Test {
 protected:
  static std::optional<Profile> read(const std::string& text, std::string& said) {
    input::Problems problems;
    auto profile = parse_profile(text, "mine.yaml", problems);
    said = problems.text();
    return profile;
  }
  std::string said;
};

TEST_F(LikeAnother, differs_in_what_it_says_and_in_nothing_else) {
  const auto mine = read(
      "name: mine\ndescription: a board of my own\nlike: jetson-nano\n"
      "gpu: {l2: {value: 1 MiB, grade: assumed, source: guessed by me}}\n",
      said);
  ASSERT_TRUE(mine) << said;
  input::Problems problems;
  const auto nano =
      parse_profile(*device_text("jetson-nano"), "nano.yaml", problems, {"gpu.l2.value=1 MiB", "name=mine"});
  ASSERT_TRUE(nano);
  EXPECT_EQ(mine->hash, nano->hash);
  EXPECT_EQ(mine->spec->gpu.l2_bytes, 1 << 20);
  EXPECT_EQ(mine->figures.size(), nano->figures.size());
}

TEST_F(LikeAnother, a_mapping_with_a_source_of_its_own_stands_for_itself) {
  EXPECT_FALSE(
      read("name: mine\ndescription: a board of my own\nlike: jetson-nano\n"
           "sync: {from: {grade: assumed, source: guessed by me}, poll: 1 us}\n",
           said));
  EXPECT_THAT(said, ::testing::HasSubstr("sync.wake_latency"));
}

TEST_F(LikeAnother, may_be_like_a_third_and_must_be_known) {
  EXPECT_TRUE(read("name: mine\ndescription: a board\nlike: jetson-agx-xavier\n", said)) << said;
  EXPECT_FALSE(read("name: mine\ndescription: a board\nlike: jetson-nanno\n", said));
  EXPECT_EQ(said, "mine.yaml:3: like: unknown device 'jetson-nanno' (did you mean 'jetson-nano'?)\n");
  EXPECT_FALSE(read("name: mine\ndescription: a board\nlike: [jetson-nano]\n", said));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
