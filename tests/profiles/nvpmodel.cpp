// nvpmodel.conf: what is read of the file, and what a mode means on a board.

#include "profiles/readers/nvpmodel.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A conf for a board of clusters of `size` cores each: a CPU parameter per cluster, as Jetsons' have it.
std::string conf(int clusters, int size, const std::string& modes) {
  std::string text = "# a comment\n\n< PARAM TYPE=FILE NAME=CPU_ONLINE >\n";
  for (int i = 0; i < clusters * size; ++i)
    text += fmt::format("CORE_{0} /sys/devices/system/cpu/cpu{0}/online\n", i);
  for (int i = 0; i < clusters; ++i) {
    text += fmt::format(
        "< PARAM TYPE=CLOCK NAME=CPU_X_{0} >\n"
        "MAX_FREQ /sys/devices/system/cpu/cpu{1}/cpufreq/scaling_max_freq\n"
        "MIN_FREQ /sys/devices/system/cpu/cpu{1}/cpufreq/scaling_min_freq\n",
        i, i * size);
  }
  return text + "<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ /sys/kernel/nvpmodel_clk_cap/emc\n" + modes;
}

struct Parsed {
  std::optional<NvpFile> file;
  std::string problems;
};
Parsed parse(const std::string& text) {
  input::Problems problems;
  auto file = parse_nvpmodel(text, "my.conf", problems);
  return {std::move(file), problems.text()};
}

board::DeviceSpec board_of(const std::string& name) {
  input::Problems problems;
  return *shipped_profile(name, problems).value().spec;
}

struct Found {
  std::optional<ModeOnBoard> on_board;
  std::string problems;
};
// The first mode of `text` on a board.
Found on(const board::DeviceSpec& board, const std::string& text) {
  const Parsed parsed = parse(text);
  EXPECT_EQ(parsed.problems, "");
  if (!parsed.file) return {};
  input::Problems problems;
  auto mode = mode_on_board(*parsed.file, parsed.file->modes.front(), board, problems);
  return {std::move(mode), problems.text()};
}

TEST(Nvpmodel, ModesAndTheDefaultAreRead) {
  const Parsed parsed = parse(conf(2, 2, R"(
< POWER_MODEL ID=0 NAME=MAXN >
GPU MAX_FREQ -1   # no limit
<POWER_MODEL ID=3 NAME=MODE_15W_2CORE>
CPU_ONLINE CORE_2 0
< FAN_CONFIG DEFAULT=quiet >
whatever stands here
< PM_CONFIG DEFAULT=3 >
)"));
  ASSERT_EQ(parsed.problems, "");
  const NvpFile& file = *parsed.file;
  ASSERT_EQ(file.modes.size(), 2U);
  EXPECT_EQ(file.modes[1].name, "MODE_15W_2CORE");
  EXPECT_EQ(file.default_id, 3);
  EXPECT_THAT(file.passed_over, ElementsAre("FAN_CONFIG"));
  ASSERT_EQ(file.modes[0].settings.size(), 1U);
  EXPECT_EQ(file.modes[0].settings[0].value, "-1");
  EXPECT_EQ(find_mode(file, "15W_2CORE"), &file.modes[1]);
  EXPECT_EQ(find_mode(file, "3"), &file.modes[1]);
  EXPECT_EQ(find_mode(file, "MODE_15W_2CORE (night)"), &file.modes[1]);
  EXPECT_EQ(find_mode(file, "15W"), nullptr);
}

TEST(Nvpmodel, LinesMayEndAsOnWindows) {
  const Parsed parsed = parse("< POWER_MODEL ID=0 NAME=MAXN >\r\nGPU MAX_FREQ -1\r\n");
  ASSERT_EQ(parsed.problems, "");
  EXPECT_EQ(parsed.file->modes[0].settings[0].value, "-1");
}

TEST(Nvpmodel, EverythingThatIsWrongIsToldWithItsLine) {
  EXPECT_EQ(parse("GPU MAX_FREQ -1\n"
                  "< POWER_MODEL ID=0 NAME=MAXN\n"
                  "< POWER_MODEL ID=zero NAME=A >\n"
                  "< POWER_MODEL NAME=A >\n"
                  "< POWER_MODEL ID=1 NAME=A >\n"
                  "GPU MAX_FREQ\n"
                  "< POWER_MODEL ID=1 NAME=MODE_A >\n"
                  "< PARAM TYPE=CLOCK NAME=GPU >\n"
                  "MAX_FREQ\n"
                  "< PM_CONFIG DEFAULT=4 >\n")
                .problems,
            "my.conf:1: 'GPU' before any section (a section begins with < POWER_MODEL ID=0 NAME=MAXN >)\n"
            "my.conf:2: a section header is not closed on its line (< POWER_MODEL ID=0 NAME=MAXN >)\n"
            "my.conf:3: 'zero' is not an id (a whole number)\n"
            "my.conf:4: POWER_MODEL has no ID\n"
            "my.conf:6: a setting has 2 fields (expected three, as in CPU_ONLINE CORE_0 1)\n"
            "my.conf:7: duplicate id 1\n"
            "my.conf:7: duplicate mode MODE_A\n"
            "my.conf:9: 'MAX_FREQ' has no path\n"
            "my.conf:10: no mode has the id 4\n");
  EXPECT_EQ(parse("# nothing\n").problems, "my.conf: no POWER_MODEL (is it an nvpmodel.conf?)\n");
}

// The published modes of AGX Orin 64 GB, written as a file, are those of its profile.
TEST(NvpmodelOnABoard, GivesTheModesThatTheProfileHas) {
  const board::DeviceSpec board = board_of("jetson-agx-orin-64gb");
  struct ReferenceValue {
    const char* name;
    int cores;
    long cpu_khz, gpu_hz, mask, emc_hz, dla_hz;
  };
  for (const ReferenceValue& row : {ReferenceValue{"MAXN", 12, -1, -1, 0, -1, -1},
                                    {"15W", 4, 1113600, 408000000, 248, 2133000000, 614400000},
                                    {"30W", 8, 1728000, 612000000, 240, -1, 1369600000},
                                    {"50W", 12, 1497600, 816000000, 0, 0, 1369600000}}) {
    std::string text = fmt::format("< POWER_MODEL ID=0 NAME=MODE_{} >\n", row.name);
    for (int core = 0; core < 12; ++core)
      text += fmt::format("CPU_ONLINE CORE_{} {}\n", core, core < row.cores ? 1 : 0);
    for (int cluster = 0; cluster < row.cores / 4; ++cluster)
      text += fmt::format("CPU_X_{0} MIN_FREQ 729600\nCPU_X_{0} MAX_FREQ {1}\n", cluster, row.cpu_khz);
    text += fmt::format(
        "TPC_POWER_GATING TPC_PG_MASK {}\nGPU MIN_FREQ 0\nGPU MAX_FREQ {}\nEMC MAX_FREQ {}\n"
        "DLA0_CORE MAX_FREQ {}\n",
        row.mask, row.gpu_hz, row.emc_hz, row.dla_hz);
    const Found found = on(board, conf(3, 4, text));
    ASSERT_TRUE(found.on_board) << found.problems;
    EXPECT_THAT(found.on_board->notes, ElementsAre());
    const board::PowerMode& mode = found.on_board->mode;
    const board::PowerMode& profile = *board::find_power_mode(board, row.name);
    EXPECT_EQ(online_cpus(board, &mode, {}), online_cpus(board, &profile, {})) << row.name;
    EXPECT_EQ(mode.tpcs, profile.tpcs) << row.name;
    EXPECT_EQ(mode.gpu_max_clock_hz, profile.gpu_max_clock_hz) << row.name;
    EXPECT_EQ(mode.emc_max_clock_hz, profile.emc_max_clock_hz) << row.name;
    EXPECT_EQ(mode.dla_max_clock_hz, profile.dla_max_clock_hz) << row.name;
    EXPECT_FALSE(mode.gpu_min_clock_hz);
    for (int cluster = 0; cluster < row.cores / 4; ++cluster) {
      const auto i = static_cast<std::size_t>(cluster);
      EXPECT_EQ(mode.cpu_min_clock_hz.at(i), 729.6e6);
      if (row.cpu_khz > 0) {
        EXPECT_EQ(mode.cpu_max_clock_hz.at(i), profile.cpu_max_clock_hz.at(i)) << row.name;
      }
    }
  }
}

TEST(NvpmodelOnABoard, LimitsBecomeWhatTheDriversMakeOfThem) {
  const Found found = on(board_of("jetson-orin-nano"), conf(1, 6, R"(
< POWER_MODEL ID=0 NAME=BETWEEN >
CPU_X_0 MIN_FREQ 700000
CPU_X_0 MAX_FREQ 1000000
GPU MIN_FREQ 307000000
GPU MAX_FREQ 420750000
EMC MAX_FREQ 2000000000
)"));
  ASSERT_TRUE(found.on_board) << found.problems;
  const board::PowerMode& mode = found.on_board->mode;
  EXPECT_EQ(mode.cpu_min_clock_hz.at(0), 729.6e6);
  EXPECT_EQ(mode.cpu_max_clock_hz.at(0), 960e6);
  EXPECT_EQ(mode.gpu_min_clock_hz, 408e6);
  EXPECT_EQ(mode.gpu_max_clock_hz, 510e6);
  EXPECT_EQ(mode.emc_max_clock_hz, 665.6e6);
  // cpu0 is of the first cluster: the second is not limited.
  EXPECT_EQ(mode.cpu_max_clock_hz.at(1), 1510.4e6);
  EXPECT_THAT(found.on_board->notes, ElementsAre());
}

TEST(NvpmodelOnABoard, WhatIsOutsideTheRangeIsClampedAndTold) {
  const Found found = on(board_of("jetson-orin-nano"), conf(1, 6, R"(
< POWER_MODEL ID=0 NAME=WIDE >
CPU_X_0 MIN_FREQ 2000000
CPU_X_0 MAX_FREQ 1000
GPU MAX_FREQ 1300500000
CPU_ONLINE CORE_7 0
DLA0_CORE MAX_FREQ 614400000
NVENC MAX_FREQ 1
PVA0 MAX_FREQ 1
)"));
  ASSERT_TRUE(found.on_board) << found.problems;
  const board::PowerMode& mode = found.on_board->mode;
  EXPECT_EQ(mode.cpu_max_clock_hz.at(0), 115.2e6);
  EXPECT_EQ(mode.cpu_min_clock_hz.at(0), 115.2e6);  // the maximum wins
  EXPECT_EQ(mode.gpu_max_clock_hz, 624.75e6);
  EXPECT_THAT(
      found.on_board->notes,
      ElementsAre(
          "CPU_X_0 MIN_FREQ of 2 GHz is outside the range of jetson-orin-nano and was set to 1.5104 GHz",
          "CPU_X_0 MAX_FREQ of 1 MHz is outside the range of jetson-orin-nano and was set to 115.2 MHz",
          "GPU MAX_FREQ of 1.3005 GHz is outside the range of jetson-orin-nano and was set to 624.75 MHz",
          "jetson-orin-nano has no core 7", "DLA0_CORE, NVENC, PVA0 set nothing that is simulated"));
}

TEST(NvpmodelOnABoard, MasksCountTheChipsTpcsNotTheBoards) {
  const auto tpcs = [](const char* board, int mask) {
    const Found found = on(board_of(board), fmt::format("< POWER_MODEL ID=0 NAME=A >\nTPC_POWER_GATING "
                                                        "TPC_PG_MASK {}\n",
                                                        mask));
    return found.on_board ? found.on_board->mode.tpcs.value() : -1;
  };
  // Orin Nano's four are what 240 leaves of the chip's eight, Xavier NX's three what 1 leaves of four.
  EXPECT_EQ(tpcs("jetson-orin-nano", 240), 4);
  EXPECT_EQ(tpcs("jetson-orin-nano", 252), 2);
  EXPECT_EQ(tpcs("jetson-orin-nano", 0), 4);
  EXPECT_EQ(tpcs("jetson-agx-orin-32gb", 128), 7);
  EXPECT_EQ(tpcs("jetson-xavier-nx", 1), 3);
  EXPECT_EQ(tpcs("jetson-agx-xavier", 5), 2);
  EXPECT_EQ(tpcs("jetson-orin-nano", 255), -1);
}

TEST(NvpmodelOnABoard, CoresGoByTheKernelsNumbers) {
  // TX2's Denver 2 are cpu1 and cpu2; here they come last.
  const Found found = on(board_of("jetson-tx2"), R"(
< PARAM TYPE=CLOCK NAME=CPU_DENVER >
MAX_FREQ /sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq
< POWER_MODEL ID=4 NAME=MAXP_CORE_DENVER >
CPU_ONLINE CORE_1 1
CPU_ONLINE CORE_2 0
CPU_ONLINE CORE_3 0
CPU_ONLINE CORE_4 0
CPU_ONLINE CORE_5 0
CPU_DENVER MAX_FREQ 345600
GPU MAX_FREQ 1120000000
)");
  ASSERT_TRUE(found.on_board) << found.problems;
  EXPECT_THAT(found.on_board->mode.online_cores, ElementsAre(1, 1));
  EXPECT_THAT(found.on_board->mode.cpu_max_clock_hz, ElementsAre(2035.2e6, 345.6e6));
  EXPECT_EQ(found.on_board->mode.gpu_max_clock_hz, 1122e6);
}

TEST(NvpmodelOnABoard, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& settings) {
    return on(board_of("jetson-orin-nano"), conf(1, 6, "< POWER_MODEL ID=0 NAME=A >\n" + settings + "\n"))
        .problems;
  };
  EXPECT_THAT(refused("GPU MAX_FREQ fast"), HasSubstr("A GPU MAX_FREQ: 'fast' is not a value"));
  EXPECT_THAT(refused("GPU MAX_FREQ -2"), HasSubstr("'-2' is not a value"));
  EXPECT_THAT(refused("GPU MAX_FREQ 99999999999999999999"), HasSubstr("is not a value"));
  EXPECT_THAT(refused("CPU_A78_0 MAX_FREQ 1000000"), HasSubstr("no PARAM section specifies the core"));
  EXPECT_THAT(refused("CPU_ONLINE CORE 1"), HasSubstr("unknown core"));
  std::string all;
  for (int core = 0; core < 6; ++core) all += fmt::format("CPU_ONLINE CORE_{} 0\n", core);
  EXPECT_THAT(refused(all), HasSubstr("no core is online"));
}

TEST(NvpmodelOnABoard, CurrentLimitsAreForABoardThatSensesCurrents) {
  board::DeviceSpec board = board_of("jetson-xavier-nx");
  const std::string text =
      "< POWER_MODEL ID=0 NAME=A >\nVDDIN_OC_LIMIT WARN 4000\nVDDIN_OC_LIMIT CRIT 5000\n";
  board.power.emplace().over_current.emplace().input_v = 5;
  const Found found = on(board, text);
  EXPECT_EQ(found.on_board->mode.over_current.average_a, 4);
  EXPECT_EQ(found.on_board->mode.over_current.instantaneous_a, 5);
  board.power.reset();
  EXPECT_THAT(on(board, text).on_board->notes, ElementsAre("VDDIN_OC_LIMIT sets nothing that is simulated"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
