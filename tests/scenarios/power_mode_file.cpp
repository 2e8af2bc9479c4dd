// A scenario's power mode out of an nvpmodel.conf.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/assemble.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

class PowerModeFromAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ + "/my.conf") << R"(
< PARAM TYPE=CLOCK NAME=CPU_A78_0 >
MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
< PARAM TYPE=CLOCK NAME=CPU_A78_4 >
MAX_FREQ /sys/devices/system/cpu/cpu4/cpufreq/scaling_max_freq
< POWER_MODEL ID=0 NAME=MODE_DAY >
GPU MAX_FREQ -1
NVENC MAX_FREQ 1
< POWER_MODEL ID=1 NAME=MODE_NIGHT >
CPU_ONLINE CORE_4 0
CPU_ONLINE CORE_5 0
CPU_A78_0 MAX_FREQ 960000
CPU_A78_4 MAX_FREQ 960000
TPC_POWER_GATING TPC_PG_MASK 252
GPU MAX_FREQ 408000000
EMC MAX_FREQ 2133000000
< PM_CONFIG DEFAULT=1 >
)";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  Loaded load(const std::string& mode, const std::string& device = "jetson-orin-nano") {
    input::Problems problems;
    auto scenario = parse_scenario({"device: " + device + "\npower_mode: " + mode +
                                        "\nprocesses:\n  - {model: resnet50, precision: fp16}\n",
                                    "gate.yaml", directory_},
                                   shipped_catalogue(), {}, problems);
    return {std::move(scenario), problems.text()};
  }

  // Each test its own: they may run at the same time.
  const std::string directory_ = ::testing::TempDir() + "jostle_power_mode_file_" +
                                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(PowerModeFromAFile, is_found_by_name_and_by_id_and_is_else_the_files_default) {
  for (const char* mode : {"{file: my.conf, mode: MODE_NIGHT}", "{file: my.conf, mode: NIGHT}",
                           "{file: my.conf, mode: 1}", "{file: my.conf}"}) {
    const Loaded loaded = load(mode);
    ASSERT_TRUE(loaded.scenario) << loaded.errors;
    EXPECT_EQ(loaded.scenario->power_mode_file->mode, "MODE_NIGHT");
    EXPECT_FALSE(loaded.scenario->power_mode);
  }
}

// The file's night is the board's own 7W.
TEST_F(PowerModeFromAFile, runs_as_the_boards_mode_of_the_same_limits) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile("jetson-orin-nano", problems);
  const Assembly night = assemble(*load("{file: my.conf}").scenario, *profile);
  const Assembly low = assemble(*load("7W").scenario, *profile);
  EXPECT_EQ(night.setup.cores.online, low.setup.cores.online);
  EXPECT_EQ(night.setup.clocks, low.setup.clocks);
  EXPECT_EQ(night.device.gpu.sm_count, low.device.gpu.sm_count);
  EXPECT_EQ(night.setup.memory_bytes_per_s, low.setup.memory_bytes_per_s);
}

TEST_F(PowerModeFromAFile, is_written_back_and_its_contents_are_part_of_the_hash) {
  const Scenario night = *load("{file: my.conf}").scenario;
  EXPECT_THAT(to_json(night), HasSubstr(R"("power_mode":{"file":"my.conf","mode":"MODE_NIGHT"})"));
  std::ofstream(directory_ + "/my.conf", std::ios::app) << "# another word\n";
  const Scenario other = *load("{file: my.conf}").scenario;
  EXPECT_EQ(to_json(night), to_json(other));
  EXPECT_NE(scenario_hash(night), scenario_hash(other));
}

TEST_F(PowerModeFromAFile, tells_what_it_passed_over) {
  EXPECT_THAT(warnings(*load("{file: my.conf, mode: DAY}").scenario),
              ::testing::ElementsAre("my.conf: MODE_DAY: NVENC sets nothing that is simulated"));
}

TEST_F(PowerModeFromAFile, that_cannot_be_is_refused) {
  EXPECT_EQ(load("{file: my.conf, mode: NIGTH}").errors,
            "gate.yaml:2: power_mode.mode: the file has no mode 'NIGTH' (one of MODE_DAY, MODE_NIGHT)\n");
  EXPECT_THAT(load("{file: your.conf}").errors, HasSubstr("your.conf"));
  EXPECT_THAT(load("{mode: DAY}").errors, HasSubstr("power_mode"));
  EXPECT_THAT(load("{file: my.conf, mdoe: DAY}").errors, HasSubstr("did you mean 'mode'?"));
  std::ofstream(directory_ + "/my.conf", std::ios::app) << "< POWER_MODEL ID=2 NAME=BAD >\nGPU MAX_FREQ x\n";
  EXPECT_THAT(load("{file: my.conf, mode: BAD}").errors,
              HasSubstr("my.conf:19: BAD GPU MAX_FREQ: 'x' is not a value"));
  EXPECT_EQ(load("{file: my.conf, mode: DAY}").errors, "");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
