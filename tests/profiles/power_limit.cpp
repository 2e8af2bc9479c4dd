// The power limit of the H100's profile against the record of a step from idle (evidence/h100-power).

#include "models/power/controllers/power_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

struct Reading {
  double seconds = 0, mhz = 0;
};

std::vector<Reading> readings_of(const std::string& run) {
  const char* const name = "evidence/h100-power/reported.csv";
  const auto csv = input::CsvTable::parse(calibration::evidence_file(name).value(), name);
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto number = [&](const char* column) { return csv.row(i).number(csv.column(column)); };
    if (csv.row(i).text(csv.column("run")) == run && number("ms") > 40)
      readings.push_back({.seconds = number("ms") / 1e3, .mhz = number("sm_mhz")});
  }
  return readings;
}

// Only how much the load draws is taken from the record: 698 W at the mean clock of its steady state.
TEST(PowerLimit, follows_the_reported_clock_of_a_step_from_idle) {
  input::Problems problems;
  const auto profile = shipped_profile("nvidia-h100", problems);
  ASSERT_TRUE(profile) << problems.text();
  const board::DeviceSpec& device = *profile->spec;
  const power::PowerLimitSpec spec = device.power.value().limit.value();
  const power::VoltageCurve& voltage = device.power->gpu.voltage;
  const std::vector<double>& opps = device.gpu.clock_table_hz;
  const double idle_w = 121;
  const auto dynamic = [&](double hz) { return std::pow(power::voltage_at(voltage, hz), 2) * hz; };
  const double settled = (698 - idle_w) / dynamic(1302e6);

  const std::vector<Reading> readings = readings_of("w020");
  ASSERT_GT(readings.size(), 50U);
  power::PowerLimit limit(spec, opps, voltage, idle_w, idle_w);
  double squares = 0, first_cut_s = 0;
  std::size_t next = 0;
  for (double seconds = 0; next < readings.size(); seconds += sim::to_seconds(spec.period)) {
    const double hz = opps[opps.size() - 1 - static_cast<std::size_t>(limit.throttle().gpu_steps)];
    if (seconds > 0.3 && first_cut_s == 0 && hz < 1.3e9) first_cut_s = seconds;
    for (; next < readings.size() && readings[next].seconds < seconds + 0.02; ++next)
      squares += std::pow(hz / 1e6 - readings[next].mhz, 2);
    limit.read(idle_w + settled * dynamic(hz), hz);
  }
  EXPECT_LE(std::sqrt(squares / static_cast<double>(readings.size())), 60);
  EXPECT_GE(first_cut_s, 0.72);
  EXPECT_LE(first_cut_s, 0.9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
