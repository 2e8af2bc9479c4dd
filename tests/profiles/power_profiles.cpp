// What the shipped boards draw: physical figures, the published rails, and no more than the module may take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/clocks.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/power/energy.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using power::Activity;

const board::DeviceSpec& device(const std::string& name) {
  static std::map<std::string, board::DeviceSpec> known;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  input::Problems problems;
  auto profile = shipped_profile(name, problems);
  EXPECT_TRUE(profile) << problems.text();
  return known.emplace(name, std::move(*profile->spec)).first->second;
}

// A second at these clocks, `online` cores, the lowest-numbered.
Activity second_of(const board::DeviceSpec& spec, double cpu_hz, int online, double busy_cores) {
  Activity activity{.seconds = 1, .clusters = {}};
  int left = online;
  for (const cpu::ClusterSpec& cluster : spec.cpu->clusters) {
    const int cores = std::min(left, cluster.cores);
    left -= cores;
    activity.clusters.push_back({.hz = std::min(cpu_hz, cluster.max_clock_hz),
                                 .online = cores,
                                 .busy_core_s = busy_cores * cores / online});
  }
  activity.sms = spec.gpu.sm_count;
  activity.dlas = spec.dla.count;
  activity.gpu_hz = spec.gpu.max_clock_hz;
  activity.emc_hz = spec.memory.max_clock_hz;
  return activity;
}

void expect_voltages(const power::VoltageCurve& curve, const std::string& what) {
  ASSERT_FALSE(curve.empty()) << what;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_GE(curve[i].volts, 0.5) << what;
    EXPECT_LE(curve[i].volts, 1.3) << what;
    if (i == 0) continue;
    EXPECT_GT(curve[i].hz, curve[i - 1].hz) << what;
    EXPECT_GE(curve[i].volts, curve[i - 1].volts) << what;
  }
}

TEST(PowerProfiles, every_board_has_physical_figures) {
  for (const std::string& name : device_names()) {
    const board::DeviceSpec& spec = device(name);
    if (name == "intel-xeon-processor") {  // its evidence has no watts
      EXPECT_FALSE(spec.power);
      continue;
    }
    ASSERT_TRUE(spec.power) << name;
    const power::Spec& power = *spec.power;
    expect_voltages(power.cpu.voltage, name + " cpu");
    expect_voltages(power.soc.voltage, name + " soc");
    EXPECT_GE(power.cpu.core_f, power.cpu.idle_core_f) << name;
    EXPECT_GT(power.base_w + power.soc.base_w + power.dram.base_w, 0) << name;
    EXPECT_GE(power.dram.byte_j, 20e-12) << name;  // HBM3e 30, LPDDR2 120 pJ/B
    EXPECT_LE(power.dram.byte_j, 150e-12) << name;
    EXPECT_GT(power.efficiency, 0.8) << name;
    EXPECT_LE(power.efficiency, 1) << name;
    if (spec.has_gpu()) {
      expect_voltages(power.gpu.voltage, name + " gpu");
      // 64 or 128 lanes, 4 to 20 nm; less where the instructions are counted apart.
      EXPECT_GE(power.gpu.sm_f + power.gpu.issue_f, 0.5e-9) << name;
      EXPECT_LE(power.gpu.sm_f, 4e-9) << name;
      const bool tensor_cores = spec.gpu.tensor_cores.fp16 > 0;
      EXPECT_EQ(power.gpu.tensor_f > 0, tensor_cores) << name;
      EXPECT_GT(power.gpu.leakage_w, 0) << name;
    }
    if (spec.dla.count > 0) expect_voltages(power.dla.voltage, name + " dla");
  }
}

TEST(PowerProfiles, chips_of_a_family_switch_the_same_capacitance_an_sm_and_a_core) {
  for (const char* name : {"jetson-orin-nano-super", "jetson-orin-nano-4gb", "jetson-orin-nx-8gb",
                           "jetson-orin-nx-16gb", "jetson-agx-orin-32gb", "jetson-agx-orin-64gb"}) {
    EXPECT_EQ(device(name).power->gpu.sm_f, device("jetson-orin-nano").power->gpu.sm_f) << name;
    EXPECT_EQ(device(name).power->gpu.leakage_w, device("jetson-orin-nano").power->gpu.leakage_w) << name;
    EXPECT_EQ(device(name).power->gpu.tensor_f, device("jetson-orin-nano").power->gpu.tensor_f) << name;
    EXPECT_EQ(device(name).power->cpu.core_f, device("jetson-orin-nano").power->cpu.core_f) << name;
  }
  EXPECT_EQ(device("jetson-agx-xavier").power->gpu.sm_f, device("jetson-xavier-nx").power->gpu.sm_f);
  EXPECT_EQ(device("jetson-agx-xavier").power->cpu.core_f, device("jetson-xavier-nx").power->cpu.core_f);
}

// A sensor, or where none is named the sum of the parts.
double on_rail(const power::Spec& power, const std::string& name, const power::PerPart& parts) {
  if (name.empty() || name == power.input) return power::sum_of(parts);
  const auto rail = std::ranges::find(power.rails, name, &power::Rail::name);
  EXPECT_NE(rail, power.rails.end()) << name;
  return rail == power.rails.end() ? 0 : power::on_rail(*rail, parts);
}

// No networks in these: boards that idle, cores under stress, a GPU that waits for the memory. Labs that
// measured the same board differ by 0.9 W.
TEST(PowerProfiles, rails_are_within_a_fifth_and_a_quarter_of_a_watt_of_the_published) {
  const std::string file = "evidence/boards/rails.csv";
  const input::CsvTable table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  ASSERT_GE(table.rows(), 60U);
  std::map<std::string, double> errors, rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto text = [&](const char* column) { return row.text(table.column(column)); };
    const auto number = [&](const char* column) { return row.number(table.column(column)); };
    const board::DeviceSpec& spec = device(text("device"));
    Activity activity =
        second_of(spec, number("cpu_mhz") * 1e6, static_cast<int>(number("cores")), number("busy_cores"));
    activity.emc_hz = number("emc_mhz") * 1e6;
    activity.dram_bytes = number("memory_gb_s") * 1e9;
    const std::string gpu = text("gpu");
    if (spec.has_gpu()) activity.gpu_hz = number("gpu_mhz") * 1e6;
    if (gpu == "off") activity.gpu_gated_s = 1;
    if (gpu == "waiting" || gpu == "working") {
      activity.gpu_busy_s = 1;
      activity.gpu_dram_bytes = activity.dram_bytes;
    }
    if (gpu == "working") activity.working_s = 0.95;
    for (const board::PowerMode& mode : spec.power_modes) {
      if (mode.name == text("power_mode") && mode.tpcs) activity.sms = *mode.tpcs * spec.gpu.sms_per_tpc;
    }
    const double watts =
        on_rail(*spec.power, text("rail"), power::energy_of(*spec.power, activity, spec.power->reference_c));
    EXPECT_NEAR(watts, number("value"), 0.2 * number("value") + 0.25)
        << text("run") << " " << text("device") << " " << text("rail");
    errors[text("device")] += std::abs(watts / number("value") - 1);
    ++rows[text("device")];
  }
  EXPECT_LE(errors["jetson-agx-xavier"] / rows["jetson-agx-xavier"], 0.08);
}

// All that the GPU's clock leaves of what the memory's delivers, and the launches beside it.
TEST(PowerProfiles, streams_of_weights_take_as_long_as_published_at_every_pair_of_clocks) {
  const std::string file = "evidence/boards/streams.csv";
  const input::CsvTable table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  ASSERT_GE(table.rows(), 20U);
  constexpr double launches_ms = 0.23;  // as simulated for libtorch at 1728 MHz
  double sum = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto number = [&](const char* column) { return row.number(table.column(column)); };
    const board::DeviceSpec& spec = device(row.text(table.column("device")));
    const double rate = gpu::reachable_bandwidth(spec.gpu, number("gpu_mhz") * 1e6,
                                                 board::memory_capacity(spec, number("emc_mhz") * 1e6));
    const double error = (number("megabytes") * 1e9 / rate + launches_ms) / number("value") - 1;
    EXPECT_LE(std::abs(error), 0.06) << row.text(table.column("run"));
    sum += std::abs(error);
  }
  EXPECT_LE(sum / static_cast<double>(table.rows()), 0.02);
}

TEST(PowerProfiles, no_board_gets_less_of_its_memory_at_a_higher_clock) {
  for (const std::string& name : device_names()) {
    const board::DeviceSpec& spec = device(name);
    double before = 0;
    for (const double hz : spec.memory.clock_table_hz) {
      EXPECT_GT(board::memory_capacity(spec, hz), before) << name;
      before = board::memory_capacity(spec, hz);
    }
  }
}

// The GPU at work on large batches, a core that launches, two thirds of the memory's bandwidth.
double full_load_w(const board::DeviceSpec& spec, double gpu_hz) {
  double fastest = 0;
  int cores = 0;
  for (const cpu::ClusterSpec& cluster : spec.cpu->clusters) {
    fastest = std::max(fastest, cluster.max_clock_hz);
    cores += cluster.cores;
  }
  Activity activity = second_of(spec, fastest, cores, 1);
  if (spec.has_gpu()) {
    activity.gpu_hz = gpu_hz;
    activity.gpu_busy_s = 1;
    activity.working_s = 0.95;
    activity.tensor_s = spec.gpu.tensor_cores.fp16 > 0 ? 0.5 : 0;
    activity.gpu_dram_bytes = 0.66 * spec.gpu.bandwidth_bytes_per_s * spec.gpu.bandwidth_efficiency;
  }
  activity.dram_bytes = spec.has_gpu() ? activity.gpu_dram_bytes : 1e9;
  return power::sum_of(power::energy_of(*spec.power, activity, 60));
}

// A card takes more than its limit, or not much less, at its highest clock, and less at its lowest.
TEST(PowerProfiles, a_card_can_keep_its_limit) {
  int limited = 0;
  for (const std::string& name : device_names()) {
    const board::DeviceSpec& spec = device(name);
    if (!spec.power || !spec.power->limit) continue;
    ++limited;
    ASSERT_FALSE(spec.gpu.clock_table_hz.empty()) << name << ": the limit lowers the clock step by step";
    EXPECT_LT(full_load_w(spec, spec.gpu.clock_table_hz.front()), spec.power->limit->budget_w) << name;
    EXPECT_GT(full_load_w(spec, spec.gpu.max_clock_hz), 0.8 * spec.power->limit->budget_w) << name;
    EXPECT_LT(full_load_w(spec, spec.gpu.max_clock_hz), 2.5 * spec.power->limit->budget_w) << name;
  }
  EXPECT_GE(limited, 8);
}

TEST(PowerProfiles, full_load_is_within_what_the_module_may_take) {
  struct Limit {
    const char* name;
    double least, most;  // W
  };
  for (const Limit& limit :
       {Limit{"jetson-orin-nano", 8, 15},
        Limit{"jetson-orin-nano-super", 15, 25},
        Limit{"jetson-orin-nx-16gb", 18, 40},
        Limit{"jetson-agx-orin-32gb", 25, 40},
        Limit{"jetson-agx-orin-64gb", 40, 60},
        Limit{"jetson-xavier-nx", 12, 22},  // its alarms hold it at 20
        Limit{"jetson-agx-xavier", 20, 50},
        Limit{"jetson-nano", 5, 10},
        Limit{"jetson-tx2", 8, 20},  // 18 W were measured under vgg19 (thynics/jetson_dvfs)
        Limit{"jetson-orin-nx-8gb", 18, 40},
        Limit{"jetson-orin-nano-4gb", 5, 11},
        Limit{"jetson-tx2-nx", 8, 20},
        Limit{"jetson-agx-thor", 80, 130},
        Limit{"raspberry-pi-3b", 1.5, 4},
        Limit{"raspberry-pi-3b-plus", 2, 5.5},
        Limit{"raspberry-pi-4b", 2.5, 7},
        Limit{"raspberry-pi-5", 3, 12},
        Limit{"nvidia-a40", 200, 300},
        Limit{"nvidia-a100-80gb", 250, 400},
        Limit{"nvidia-a30", 120, 230},   // without its limit of 165 W
        Limit{"nvidia-h100", 400, 970},  // without its limit, products draw so much
        Limit{"nvidia-h200", 400, 970}}) {
    const board::DeviceSpec& spec = device(limit.name);
    const double watts = full_load_w(spec, spec.gpu.max_clock_hz);
    EXPECT_GE(watts, limit.least) << limit.name;
    EXPECT_LE(watts, limit.most) << limit.name;
  }
}

TEST(PowerProfiles, each_module_knows_its_sensors) {
  const std::map<std::string, std::vector<std::string>> sensors{
      {"jetson-orin-nano-super", {"VDD_CPU_GPU_CV", "VDD_SOC"}},
      {"jetson-xavier-nx", {"VDD_CPU_GPU_CV", "VDD_SOC"}},
      {"jetson-agx-orin-64gb", {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0", "VDDQ_VDD2_1V8AO"}},
      {"jetson-nano", {"POM_5V_GPU", "POM_5V_CPU"}}};
  for (const auto& [name, rails] : sensors) {
    std::vector<std::string> found;
    for (const power::Rail& rail : device(name).power->rails) found.push_back(rail.name);
    EXPECT_EQ(found, rails) << name;
  }
  EXPECT_EQ(device("jetson-orin-nano-super").power->input, "VDD_IN");
  EXPECT_EQ(device("jetson-agx-orin-64gb").power->input, "");  // three sensors add up to it
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
