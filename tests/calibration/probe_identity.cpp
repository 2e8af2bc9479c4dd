// Identities that a probe reads: of made-up machines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/probe/board_state.hpp"
#include "calibration/probe/busy.hpp"
#include "calibration/probe/identity.hpp"
#include "tests/calibration/made_up_boards.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using probe::CpuCluster;
using probe::Identity;
using probe::MachineFiles;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Identity identity_of(void (*board)(const made_up::Tree&)) {
  const made_up::Tree tree;
  board(tree);
  return read_identity(MachineFiles(tree.root()));
}

TEST(ProbeIdentity, of_an_orin_nano_has_its_clusters_rails_and_modes) {
  const Identity found = identity_of(made_up::orin_nano);
  EXPECT_EQ(found.architecture, "aarch64");
  EXPECT_THAT(found.board, HasSubstr("Orin Nano"));
  EXPECT_EQ(found.policy, "cfs");
  EXPECT_EQ(found.tick_hz, 250);
  EXPECT_EQ(found.cores_online, 6);
  ASSERT_EQ(found.clusters.size(), 2u);
  EXPECT_THAT(found.clusters[0].cpus, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(found.clusters[1].cpus, ElementsAre(4, 5));
  EXPECT_EQ(found.clusters[0].core, "Cortex-A78AE");
  EXPECT_EQ(found.clusters[0].capacity, 1024);
  EXPECT_THAT(found.clusters[0].clocks_mhz, ElementsAre(115.2, 729.6, 1728));
  EXPECT_EQ(found.clusters[0].cache_bytes, 256 * 1024);
  EXPECT_EQ(found.clusters[0].shared_cache_bytes, 2048 * 1024);
  EXPECT_TRUE(found.gpu.present);
  EXPECT_TRUE(found.gpu.integrated);
  EXPECT_EQ(found.gpu.max_mhz, 1020);
  ASSERT_EQ(found.rails.size(), 3u);
  EXPECT_EQ(found.rails[1].name, "VDD_CPU_GPU_CV");
  EXPECT_EQ(found.power_mode, "MAXN_SUPER");
  EXPECT_THAT(found.power_modes, ElementsAre("15W", "MAXN_SUPER"));
}

TEST(ProbeIdentity, of_a_tx2_tells_denver_cores_from_the_others) {
  const Identity found = identity_of(made_up::tx2);
  ASSERT_EQ(found.clusters.size(), 2u);
  EXPECT_THAT(found.clusters[0].cpus, ElementsAre(0, 3, 4, 5));
  EXPECT_EQ(found.clusters[0].core, "Cortex-A57");
  EXPECT_THAT(found.clusters[1].cpus, ElementsAre(1, 2));
  EXPECT_EQ(found.clusters[1].core, "Denver-2");
  EXPECT_EQ(found.clusters[0].cache_bytes, 64 * 1024);
  EXPECT_EQ(found.clusters[0].shared_cache_bytes, 2048 * 1024);
  EXPECT_EQ(found.clusters[0].capacity, 0);
  EXPECT_EQ(found.tick_hz, 0);
  ASSERT_EQ(found.rails.size(), 2u);
  EXPECT_EQ(found.rails[1].name, "VDD_SYS_CPU");
  EXPECT_EQ(found.rails[1].sensor, "ina3221x");
  EXPECT_THAT(found.power_modes, IsEmpty());
}

TEST(ProbeIdentity, of_a_pc_has_one_cluster_of_all_threads_and_the_card) {
  const Identity found = identity_of(made_up::pc_with_l4);
  EXPECT_EQ(found.architecture, "x86_64");
  EXPECT_EQ(found.policy, "eevdf");
  EXPECT_EQ(found.tick_hz, 1000);
  EXPECT_TRUE(found.smt);
  ASSERT_EQ(found.clusters.size(), 1u);
  EXPECT_EQ(found.clusters[0].cpus.size(), 8u);
  EXPECT_EQ(found.clusters[0].cache_bytes, 1024 * 1024);
  EXPECT_EQ(found.clusters[0].shared_cache_bytes, 39424 * 1024.0);
  EXPECT_EQ(found.clusters[0].max_mhz, 0);
  EXPECT_EQ(found.gpu.name, "NVIDIA L4");
  EXPECT_EQ(found.gpu.driver, "550.90.07");
  EXPECT_FALSE(found.gpu.integrated);
}

TEST(ProbeIdentity, without_a_gpu_says_why) {
  const made_up::Tree tree;
  tree.write("/sys/devices/system/cpu/online", "0");
  EXPECT_THAT(read_identity(MachineFiles(tree.root())).gpu.absent_because, HasSubstr("no driver"));
  tree.write("/dev/nvidiactl", "");
  EXPECT_THAT(read_identity(MachineFiles(tree.root())).gpu.absent_because, HasSubstr("device nodes"));
}

TEST(ProbeIdentity, without_sensors_has_no_rails) {
  const made_up::Tree tree;
  made_up::orin_nano(tree);
  tree.remove("/sys/class/hwmon");
  EXPECT_THAT(read_identity(MachineFiles(tree.root())).rails, IsEmpty());
}

TEST(ProbeIdentity, is_read_as_it_was_written) {
  for (const auto board : {made_up::orin_nano, made_up::tx2, made_up::pc_with_l4}) {
    const Identity found = identity_of(board);
    EXPECT_EQ(probe::parse_identity(input::CsvTable::parse(identity_csv(found), "identity.csv")), found);
  }
}

TEST(ProbeIdentity, tells_an_emulated_processor_from_one_of_the_programs_architecture) {
  const char* const x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\n";
  const char* const arm = "processor\t: 0\nBogoMIPS\t: 62.50\nCPU implementer\t: 0x41\n";
  EXPECT_TRUE(probe::is_emulated("aarch64", x86));
  EXPECT_TRUE(probe::is_emulated("x86_64", arm));
  EXPECT_FALSE(probe::is_emulated("aarch64", arm));
  EXPECT_FALSE(probe::is_emulated("x86_64", x86));
  EXPECT_FALSE(probe::is_emulated("aarch64", ""));
  for (const auto board : {made_up::orin_nano, made_up::pc_with_l4})
    EXPECT_FALSE(identity_of(board).emulated);
}

TEST(ProbeIdentity, names_neither_the_machine_nor_its_owner) {
  const std::string orin = identity_csv(identity_of(made_up::orin_nano));
  EXPECT_THAT(orin, Not(HasSubstr("gate-of-the-owner")));
  EXPECT_THAT(orin, Not(HasSubstr("1423423043210")));
  EXPECT_THAT(identity_csv(identity_of(made_up::pc_with_l4)), Not(HasSubstr("GPU-12345678")));
}

TEST(ProbeIdentity, with_a_wrong_row_is_refused_with_its_line) {
  const auto refused = [](const std::string& rows) {
    try {
      (void)probe::parse_identity(input::CsvTable::parse("key,value\n" + rows, "identity.csv"));
    } catch (const input::CsvError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("kernel,6.8\ncolour,red\n"), HasSubstr("identity.csv:3"));
  EXPECT_THAT(refused("smt,yes\n"), HasSubstr("0 or 1"));
  EXPECT_THAT(refused("cpu.0.cpus,all\n"), HasSubstr("core numbers"));
  EXPECT_THAT(refused("tick_hz,-1\n"), HasSubstr("negative"));
  EXPECT_THAT(refused("kernel,1\nkernel,2\n"), HasSubstr("second time"));
}

TEST(ProbeBoardKey, is_the_same_in_another_state_and_another_for_another_board) {
  const made_up::Tree tree;
  made_up::orin_nano(tree);
  const auto before = board_key(read_identity(MachineFiles(tree.root())));
  tree.write("/sys/devices/system/cpu/online", "0-3");
  tree.write("/var/lib/nvpmodel/status", "pmode:0000");
  EXPECT_EQ(board_key(read_identity(MachineFiles(tree.root()))), before);
  EXPECT_NE(board_key(identity_of(made_up::tx2)), before);
}

TEST(ProbeCpuLists, are_read_as_the_kernel_writes_them) {
  EXPECT_THAT(probe::cpu_numbers("0-3,5\n"), ElementsAre(0, 1, 2, 3, 5));
  EXPECT_THAT(probe::cpu_numbers("7"), ElementsAre(7));
  for (const char* const wrong : {"", "x", "1-", "3-1", "1,,2", "0-99999"})
    EXPECT_THAT(probe::cpu_numbers(wrong), IsEmpty()) << wrong;
  EXPECT_EQ(probe::cpu_list({0, 1, 2, 5}), "0-2,5");
}

TEST(ProbeState, differs_by_what_somebody_set) {
  const made_up::Tree tree;
  made_up::orin_nano(tree);
  const MachineFiles files(tree.root());
  const auto before = read_settings(files), events = read_events(files);
  EXPECT_EQ(probe::state_difference(before, read_settings(files)), "");
  tree.write("/sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "performance");
  tree.remove("/sys/class/devfreq/17000000.gpu/min_freq");
  EXPECT_EQ(probe::state_difference(before, read_settings(files)),
            "cpu.policy4.scaling_governor: schedutil -> performance; devfreq.17000000.gpu.min_freq: "
            "306000000 -> none");
  tree.write("/sys/class/hwmon/hwmon2/oc1_event_cnt", "1");
  EXPECT_EQ(probe::state_difference(events, read_events(files)), "oc1_event_cnt: 0 -> 1");
  EXPECT_EQ(probe::parse_state(probe::state_text(before)), before);
}

TEST(ProbeBusy, counts_cores_between_two_readings) {
  const std::string before = "cpu  100 0 0 900 0 0 0 0 0 0\ncpu0 0\ncpu1 0\n";
  const std::string after = "cpu  150 0 0 1000 50 0 0 0 0 0\ncpu0 0\ncpu1 0\n";
  EXPECT_DOUBLE_EQ(probe::busy_cores(before, after), 0.5);  // a quarter of two cores
  EXPECT_EQ(probe::busy_cores(before, before), 0);
}

TEST(ProbeHeat, is_that_of_sensors_that_tell_it_and_of_throttling) {
  const made_up::Tree tree;
  const MachineFiles files(tree.root());
  EXPECT_EQ(heat_reason(files), "");
  const std::string thermal = "/sys/class/thermal/";
  tree.write(thermal + "thermal_zone0/type", "PMIC-Die");
  tree.write(thermal + "thermal_zone0/temp", "100000");
  tree.write(thermal + "thermal_zone1/type", "CPU-therm");
  tree.write(thermal + "thermal_zone1/temp", "64500");
  EXPECT_EQ(heat_reason(files), "");
  EXPECT_EQ(hottest_c(files), 64.5);
  tree.write(thermal + "cooling_device2/type", "cpu-throttle-alert");
  tree.write(thermal + "cooling_device2/cur_state", "1");
  EXPECT_THAT(heat_reason(files), HasSubstr("cooling_device2.cpu-throttle-alert throttles"));
  tree.write(thermal + "thermal_zone1/temp", "71000");
  EXPECT_THAT(heat_reason(files), HasSubstr("71 degC"));
}

TEST(ProbeBusy, finds_who_has_the_gpu_open_but_for_the_desktop) {
  const made_up::Tree tree;
  tree.write("/proc/12/comm", "python3");
  tree.link("/proc/12/fd/3", "/dev/nvidia0");
  tree.write("/proc/13/comm", "Xorg");
  tree.link("/proc/13/fd/9", "/dev/nvidia0");
  tree.write("/proc/14/comm", "trtexec");
  tree.link("/proc/14/fd/5", "/dev/nvhost-as-gpu");
  tree.write("/proc/15/comm", "smi");
  tree.link("/proc/15/fd/5", "/dev/nvidiactl");
  EXPECT_EQ(gpu_users(MachineFiles(tree.root())), "12 python3, 14 trtexec");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
