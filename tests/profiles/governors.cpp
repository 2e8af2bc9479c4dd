// The governors of a profile's power section.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/board/spec.hpp"
#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/gpu_governors.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

// As an Orin Nano's are written.
const std::string orin_nano_governors = R"(
  cpu:
    from: {grade: measured, source: "arXiv 2606.16106: actuation delays of an Orin Nano's clocks"}
    governor: schedutil
    delay: 1 ms
    floor: {value: 729.6 MHz, grade: datasheet, source: "nvpmodel_p3767_0000.conf: CPU_A78_0 MIN_FREQ"}
    interval: {value: 10 ms, grade: datasheet, source: "Linux 5.15: cpufreq_policy_transition_delay_us"}
  gpu:
    from: {grade: measured, source: "arXiv 2606.16106: actuation delays of an Orin Nano's clocks"}
    governor: nvhost_podgov
    podgov: r36
    delay: 5 ms
    interval: {value: 25 ms, grade: datasheet, source: "nvgpu of L4T 36: devfreq polling_ms"}
  emc:
    from: {grade: assumed, source: "the activity monitor of the Tegra X1, 60 % up and 40 % down"}
    delay: {value: 8 ms, grade: measured, source: "arXiv 2606.16106: actuation delays"}
    gpu_ratio: {value: 2, grade: datasheet, source: "nvgpu: EMC_BW_RATIO 4 x emc3d_ratio 500 / 1000"}
    up_threshold: 60 %
    down_threshold: 40 %
)";

std::string power_with(const std::string& governors) {
  std::string indented = governors;
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += 3)
    indented.replace(at, 1, "\n  ");
  return R"(power=
  from: {grade: assumed, source: "made for a test"}
  cpu: {voltage: [[1 GHz, 0.7 V]], core: 0.3 nF, idle_core: 0 nF, leakage: 0 W}
  gpu: {voltage: [[1 GHz, 0.7 V]], clock_tree: 1 nF, busy: 0 nF, sm: 1 nF, tensor: 0 nF,
        per_byte: 0 pJ/B, leakage: 0 W}
  soc: {voltage: [[1 GHz, 0.7 V]], base: 1 W, clock: 0 nF, per_byte: 0 pJ/B}
  dram: {base: 0 W, clock: 0 mW/MHz, per_byte: 60 pJ/B}
  module: {base: 1 W, efficiency: 90 %}
  governors: )" +
         indented;
}

struct Read {
  std::optional<Profile> profile;
  std::string problems;
};
Read read(const std::string& governors) {
  input::Problems problems;
  auto profile = parse_profile(*device_text("jetson-orin-nano"), "p.yaml", problems, {power_with(governors)});
  return {std::move(profile), problems.text()};
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = orin_nano_governors;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ProfileGovernors, AreReadWithTheirFigures) {
  const auto [profile, problems] = read(orin_nano_governors);
  ASSERT_TRUE(profile) << problems;
  const power::ScalingSpec& scaling = profile->spec->power->scaling;
  EXPECT_EQ(scaling.cpu->name, "schedutil");
  EXPECT_EQ(scaling.gpu->name, "nvhost_podgov");
  EXPECT_EQ(scaling.gpu_settings.podgov.build, power::Podgov::r36);
  EXPECT_EQ(scaling.cpu_floor_hz, 729.6e6);
  EXPECT_EQ(scaling.gpu_floor_hz, 0);
  EXPECT_EQ(scaling.cpu_delay, sim::milliseconds(1));
  EXPECT_EQ(scaling.gpu_delay, sim::milliseconds(5));
  EXPECT_EQ(scaling.emc_delay, sim::milliseconds(8));
  EXPECT_TRUE(scaling.emc.scales);
  EXPECT_EQ(scaling.emc.gpu_ratio, 2);
  EXPECT_EQ(scaling.emc.up_threshold, 0.6);
  const auto grade_of = [&](const std::string& path) {
    const auto it = std::find_if(profile->figures.begin(), profile->figures.end(),
                                 [&](const ProfileParameter& figure) { return figure.path == path; });
    return it == profile->figures.end() ? "no figure" : to_string(it->from.grade);
  };
  EXPECT_STREQ(grade_of("power.governors.gpu.delay"), "measured");
  EXPECT_STREQ(grade_of("power.governors.cpu.floor"), "datasheet");
  EXPECT_STREQ(grade_of("power.governors.emc.up_threshold"), "assumed");
}

TEST(ProfileGovernors, MayBeAnyThatTheKernelHas) {
  for (const power::CpuGovernor& governor : power::cpu_governors()) {
    const auto [profile, problems] = read(changed("schedutil", std::string(governor.name)));
    ASSERT_TRUE(profile) << problems;
    EXPECT_EQ(profile->spec->power->scaling.cpu, &governor);
  }
  for (const power::GpuGovernor& governor : power::gpu_governors()) {
    const auto [profile, problems] = read(changed("nvhost_podgov", std::string(governor.name)));
    ASSERT_TRUE(profile) << problems;
    EXPECT_EQ(profile->spec->power->scaling.gpu, &governor);
  }
}

TEST(ProfileGovernors, LeaveClocksAtTheirLimitsWhereTheyAreNotTold) {
  const std::string text = power_with("");
  input::Problems problems;
  const auto profile = parse_profile(*device_text("jetson-orin-nano"), "p.yaml", problems,
                                     {text.substr(0, text.find("  governors"))});
  ASSERT_TRUE(profile) << problems.text();
  EXPECT_EQ(profile->spec->power->scaling.cpu->name, "performance");
  EXPECT_EQ(profile->spec->power->scaling.gpu->name, "performance");
  EXPECT_FALSE(profile->spec->power->scaling.emc.scales);
}

TEST(ProfileGovernors, ThatCannotBeAreProblems) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {changed("schedutil", "scedutil"), "schedutil"},       // the nearest spelling
      {changed("podgov: r36", "podgov: r37"), "r37"},        // no such build
      {changed("729.6 MHz", "9 GHz"), "floor"},              // above the fastest core
      {changed("delay: 5 ms", "delay: 5 MHz"), "delay"},     // a wrong unit
      {changed("delay: 5 ms", "latency: 5 ms"), "latency"},  // an unknown key
      {changed("up_threshold: 60 %", "up_threshold: 30 %"), "down_threshold is above"},
  };
  for (const auto& [text, message] : wrong) {
    const auto [profile, problems] = read(text);
    EXPECT_FALSE(profile) << message;
    EXPECT_THAT(problems, HasSubstr(message));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
