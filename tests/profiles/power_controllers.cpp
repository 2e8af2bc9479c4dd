// A profile's over-current alarms and thermal management: what is read, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

const std::string power = R"(
power:
  from: {grade: assumed, source: a test}
  cpu: {voltage: [[100 MHz, 0.6 V], [2 GHz, 0.9 V]], core: 0.3 nF, idle_core: 10 pF, leakage: 20 mW}
  gpu: {voltage: [[100 MHz, 0.6 V]], clock_tree: 1 nF, busy: 1 nF, sm: 1 nF, tensor: 1 nF,
        per_byte: 20 pJ/B, leakage: 0.3 W}
  soc: {voltage: [[204 MHz, 0.6 V]], base: 1 W, clock: 0.1 nF, per_byte: 20 pJ/B}
  dram: {base: 0.3 W, clock: 0.2 mW/MHz, per_byte: 40 pJ/B}
  module: {base: 1 W, efficiency: 90 %, input: VDD_IN}
)";
const std::string alarms = R"(
  over_current:
    voltage: 5 V
    average: {current: 3 A, averaging: 500 ms, pulses: 50 %, release: 400 ms}
    instantaneous: {power: 26 W, pulses: 25 %, release: 1 ms}
)";
const std::string thermal = R"(
  thermal:
    passive: 99 degC
    critical: 104.5 degC
    stages:
      - {resistance: 0.4 K/W, time_constant: 3 s}
      - {resistance: 1.6 K/W, resistance_without_fan: 5 K/W, time_constant: 80 s}
    fan_curve: [[40 degC, 0 %], [80 degC, 100 %]]
)";

struct Read {
  std::optional<board::DeviceSpec> spec;
  std::string problems;
};
Read read(const std::string& rest, const std::vector<std::string>& set = {}) {
  input::Problems problems;
  auto profile = parse_profile("name: mine\ndescription: a test\nlike: jetson-orin-nano\n" + rest,
                               "mine.yaml", problems, set);
  return {profile ? std::optional(*profile->spec) : std::nullopt, problems.text()};
}

TEST(ReadControllers, AlarmsAreInWattsAtTheModulesInput) {
  const Read mine = read(power + alarms);
  ASSERT_EQ(mine.problems, "");
  const power::OverCurrentSpec& spec = mine.spec->power->over_current.value();
  EXPECT_EQ(spec.average->threshold_w, 15);
  EXPECT_EQ(spec.average->averaging, sim::milliseconds(500));
  EXPECT_EQ(spec.average->release, sim::milliseconds(400));
  EXPECT_EQ(spec.average->ratio, 0.5);
  EXPECT_EQ(spec.instantaneous->threshold_w, 26);
  EXPECT_EQ(spec.instantaneous->averaging, sim::Duration::zero());
}

TEST(ReadControllers, AStageHasItsCapacityFromItsTimeConstantWithTheFan) {
  const Read mine = read(power + thermal);
  ASSERT_EQ(mine.problems, "");
  const power::ThermalSpec& spec = mine.spec->power->thermal.value();
  EXPECT_EQ(spec.passive_c, 99);
  EXPECT_EQ(spec.critical_c, 104.5);
  EXPECT_EQ(spec.polling, sim::seconds(1));
  ASSERT_EQ(spec.stages.size(), 2U);
  EXPECT_EQ(spec.stages[0].resistance_without_k_per_w, 0.4);
  EXPECT_DOUBLE_EQ(spec.stages[1].capacity_j_per_k, 50);
  EXPECT_EQ(spec.fan_curve.back().share, 1);
}

TEST(ReadControllers, ABoardMayHaveNoAlarmsThoughTheOneItIsLikeHas) {
  const Read none = read(power + "  over_current: none\n");
  ASSERT_EQ(none.problems, "");
  EXPECT_FALSE(none.spec->power->over_current);
  EXPECT_THAT(read(power + "  over_current: nothing\n").problems, testing::HasSubstr("over-current alarms"));
}

TEST(ReadControllers, ABoardNeedNotHaveThem) {
  const Read mine = read(power);
  ASSERT_EQ(mine.problems, "");
  EXPECT_FALSE(mine.spec->power->over_current || mine.spec->power->thermal);
}

TEST(ReadControllers, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& set) { return read(power + alarms + thermal, {set}).problems; };
  using testing::HasSubstr;
  EXPECT_THAT(refused("power.thermal.critical=99 degC"), HasSubstr("must be above the passive one"));
  EXPECT_THAT(refused("power.thermal.stages=[]"), HasSubstr("no stage"));
  EXPECT_THAT(refused("power.thermal.stages.1.resistance_without_fan=1 K/W"),
              HasSubstr("resistance_without_fan must not be below resistance"));
  EXPECT_THAT(refused("power.thermal.fan_curve=[[40 degC, 50 %], [30 degC, 60 %]]"),
              HasSubstr("temperatures must rise"));
  EXPECT_THAT(refused("power.over_current.average.pulses=0 %"),
              HasSubstr("power.over_current.average.pulses"));
  EXPECT_THAT(refused("power.over_current.average.power=3 W"), HasSubstr("current and power are both given"));
  EXPECT_THAT(read(power + "  over_current: {average: {current: 3 A, pulses: 50 %, release: 1 s}}").problems,
              HasSubstr("a current needs over_current.voltage"));
  EXPECT_THAT(read(power + "  over_current: {voltage: 5 V}").problems,
              HasSubstr("at least one alarm is required"));
}

const std::string modes = R"(
power_modes:
  from: {grade: assumed, source: a test}
  default: low
  modes:
    - {name: low, cpu: 1 GHz, cpu_min: 729.6 MHz, gpu: 408 MHz, gpu_min: 306 MHz, over_current_average: 4 A}
)";

TEST(ReadControllers, APowerModeMaySetMinimumClocksAndItsOwnThresholds) {
  const Read mine = read(modes + power + alarms);
  ASSERT_EQ(mine.problems, "");
  const board::PowerMode& mode = mine.spec->power_modes.at(0);
  EXPECT_THAT(mode.cpu_min_clock_hz, testing::ElementsAre(729.6e6, 729.6e6));
  EXPECT_EQ(mode.gpu_min_clock_hz, 306e6);
  EXPECT_EQ(mode.over_current.average_a, 4);
  EXPECT_FALSE(mode.over_current.instantaneous_a);
}

TEST(ReadControllers, AMinimumAboveTheMaximumAndAThresholdWithoutAVoltageAreRefused) {
  EXPECT_THAT(read(modes + power + alarms, {"power_modes.modes.0.cpu_min=1.1 GHz"}).problems,
              testing::HasSubstr("a minimum clock is above the maximum"));
  EXPECT_THAT(read(modes + power).problems, testing::HasSubstr("over_current.voltage is missing"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
