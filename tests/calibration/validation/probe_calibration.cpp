// Profiles from folders of probes.
#include "calibration/calibrate/probed/probe_calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/difference.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/profile/uncertainty.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;
namespace probe = calibration::probe;

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

probe::Identity orin_nano() {
  probe::Identity made;
  made.architecture = "aarch64";
  made.board = "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super";
  made.compatible = "nvidia,p3768-0000+p3767-0005 nvidia,tegra234";
  made.kernel = "5.15.148-tegra";
  made.policy = "cfs";
  made.tick_hz = 250;
  made.cores_online = made.cores_present = 6;
  made.memory_bytes = 7.99e9;
  made.clusters = {
      {{0, 1, 2, 3}, "Cortex-A78AE", 1024, 1728, 115.2, {115.2, 729.6, 1728}, "schedutil", 262144, 2097152},
      {{4, 5}, "Cortex-A78AE", 1024, 1728, 115.2, {115.2, 729.6, 1728}, "schedutil", 262144, 2097152}};
  made.gpu = {.present = true, .integrated = true, .max_mhz = 1020};
  made.power_modes = {"15W", "MAXN_SUPER"};
  return made;
}
probe::Identity server_with(const std::string& card, int capability, int sms) {
  probe::Identity made;
  made.architecture = "x86_64";
  made.kernel = "6.8.0-41-generic";
  made.policy = "eevdf";
  made.cores_online = made.cores_present = 8;
  made.memory_bytes = 33e9;
  made.clusters = {{{0, 1, 2, 3, 4, 5, 6, 7}, "Xeon", 0, 0, 0, {}, "", 1048576, 40370176}};
  made.gpu = {.present = true,
              .name = card,
              .sms = sms,
              .capability = capability,
              .max_mhz = 2040,
              .memory_bytes = 24e9};
  return made;
}

probe::ProbedParameter row(const std::string& path, double value, const std::string& unit, double sd = 0.01) {
  return {{path, value, unit, sd, 100, "a made-up experiment"}, "cpu"};
}
probe::ProbeFolder folder_of(const probe::Identity& identity, std::vector<probe::ProbedParameter> rows) {
  return {.path = "probe",
          .identity = identity,
          .settings = {},
          .parts = {{"cpu", false, 1, 2, {"raw/cpu.csv"}, ""}},
          .parameters = std::move(rows),
          .notes = {}};
}
ProbeCalibration calibrated(const probe::ProbeFolder& folder) {
  input::Problems problems;
  auto found = calibrate_probe(folder, {}, problems);
  EXPECT_TRUE(found) << problems.text();
  return found ? std::move(*found) : ProbeCalibration{};
}
profiles::Profile profile_in(const ProbeCalibration& found) {
  input::Problems problems;
  auto profile = profiles::parse_profile(found.text, "mine.yaml", problems);
  EXPECT_TRUE(profile) << problems.text() << found.text;
  return profile ? std::move(*profile) : profiles::Profile{};
}
const profiles::ProfileParameter* parameter(const profiles::Profile& profile, const std::string& path) {
  const auto found = std::ranges::find(profile.figures, path, &profiles::ProfileParameter::path);
  return found != profile.figures.end() ? &*found : nullptr;
}

TEST(ProbeBase, is_the_board_itself_if_it_ships) {
  const ChosenBase base = choose_base(orin_nano());
  EXPECT_EQ(base.device, "jetson-orin-nano-super");
  EXPECT_TRUE(base.exact);
  EXPECT_EQ(choose_base(server_with("NVIDIA L4", 89, 58)).device, "nvidia-l4");
  EXPECT_TRUE(choose_base(server_with("NVIDIA L4", 89, 58)).exact);
  EXPECT_EQ(choose_base(server_with("NVIDIA H100 80GB HBM3", 90, 132)).device, "nvidia-h100");
}

TEST(ProbeBase, is_the_nearest_relative_of_a_board_that_does_not_ship) {
  const ChosenBase pcie = choose_base(server_with("NVIDIA H100 PCIe", 90, 114));
  EXPECT_EQ(pcie.device, "nvidia-h100");
  EXPECT_FALSE(pcie.exact);
  EXPECT_THAT(pcie.reason, HasSubstr("114 SMs"));
  const ChosenBase l40s = choose_base(server_with("NVIDIA L40S", 89, 142));
  EXPECT_EQ(l40s.device, "nvidia-rtx-4090");
  EXPECT_THAT(l40s.reason, HasSubstr("8.9"));
  probe::Identity carrier = orin_nano();
  carrier.board = "Somebody's own carrier board";
  const ChosenBase orin = choose_base(carrier);
  EXPECT_THAT(orin.device, testing::StartsWith("jetson-"));
  EXPECT_FALSE(orin.exact);
  EXPECT_THAT(orin.reason, HasSubstr("8.7"));
}

TEST(ProbeBase, without_a_gpu_has_the_same_cores_if_there_are_any) {
  probe::Identity made = orin_nano();
  made.board = "A board with a Cortex-A72";
  made.gpu = {};
  made.clusters[0].core = made.clusters[1].core = "Cortex-A72";
  EXPECT_EQ(choose_base(made).device, "raspberry-pi-4b");
  made.clusters[0].core = made.clusters[1].core = "AMD EPYC";
  EXPECT_THAT(choose_base(made).reason, HasSubstr("no shipped profile has these cores"));
}

TEST(ProbeCalibration, puts_every_measured_parameter_in_and_leaves_the_rest) {
  const auto found = calibrated(folder_of(
      orin_nano(), {row("cpu.costs.context_switch", 1.8, "us"), row("cpu.costs.preempted", 22, "us", 0.08),
                    row("sync.wake_latency", 31, "us"), row("seen.stretch_of_2_hogs", 4, "ms")}));
  EXPECT_THAT(found.left_out, IsEmpty());
  ASSERT_THAT(found.figures, SizeIs(3));
  EXPECT_EQ(found.figures[0].before, "3 us");
  EXPECT_EQ(found.figures[0].before_grade, "assumed");
  const auto profile = profile_in(found);
  ASSERT_NE(parameter(profile, "cpu.costs.context_switch"), nullptr);
  EXPECT_EQ(parameter(profile, "cpu.costs.context_switch")->value, "1.8 us");
  EXPECT_EQ(parameter(profile, "cpu.costs.context_switch")->from.grade, profiles::ParameterGrade::measured);
  EXPECT_THAT(parameter(profile, "cpu.costs.context_switch")->from.source, HasSubstr("+- 1.0 %"));
  EXPECT_EQ(parameter(profile, "cpu.costs.preempted")->from.grade, profiles::ParameterGrade::fitted);
  input::Problems problems;
  const auto base = profiles::shipped_profile("jetson-orin-nano-super", problems);
  ASSERT_TRUE(base);
  EXPECT_THAT(profiles::profile_difference(*base, profile).parameters, SizeIs(3));
}

TEST(ProbeCalibration, has_the_standard_errors_of_the_probe_and_the_uncertainty_of_the_base) {
  const auto found = calibrated(folder_of(orin_nano(), {row("cpu.costs.preempted", 22, "us", 0.08)}));
  const auto known = profiles::parse_uncertainty(found.uncertainty_csv, "mine.uncertainty.csv", found.name);
  const auto shipped = profiles::shipped_uncertainty(found.base.device);
  ASSERT_EQ(known.figures.size(), shipped.figures.size() + 1);
  const auto at = std::ranges::find(known.figures, "cpu.costs.preempted");
  ASSERT_NE(at, known.figures.end());
  const auto i = static_cast<std::size_t>(at - known.figures.begin());
  EXPECT_NEAR(known.covariance[i * known.figures.size() + i], 0.0064, 1e-6);
}

TEST(ProbeCalibration, leaves_out_what_is_not_sure_or_has_no_place_and_says_so) {
  const auto found = calibrated(
      folder_of(server_with("NVIDIA L4", 89, 58),
                {row("cpu.costs.preempted", 80, "us", 0.7), row("memory.cores.read", 9, "GB/s"),
                 row("cpu.costs.cheese", 1, "us"), row("cpu.costs.migrated_within", -3, "us"),
                 row("cpu.idle_state.exit_latency", 50, "us"), row("cpu.costs.context_switch", 2, "us")}));
  ASSERT_THAT(found.figures, SizeIs(1));
  EXPECT_EQ(found.figures[0].path, "cpu.costs.context_switch");
  EXPECT_THAT(found.left_out, Contains(HasSubstr("cpu.costs.preempted: its standard error is 70 %")));
  EXPECT_THAT(found.left_out,
              Contains(HasSubstr("memory.cores.read: the memory of the profile is the card's own")));
  EXPECT_THAT(found.left_out, Contains(HasSubstr("cpu.costs.cheese: ")));
  EXPECT_THAT(found.left_out, Contains(HasSubstr("cpu.costs.migrated_within: it is not positive")));
  EXPECT_THAT(found.left_out, Contains("cpu.idle_state.exit_latency: cpu.idle_state.residency is not known"));
}

TEST(ProbeCalibration, of_an_emulated_processor_advises_a_real_one_first) {
  probe::Identity machine = server_with("", 0, 0);
  machine.gpu = {};
  machine.emulated = true;
  machine.architecture = "aarch64";
  const auto advice = calibrated(folder_of(machine, {row("cpu.costs.context_switch", 3, "us")})).next;
  ASSERT_FALSE(advice.empty());
  EXPECT_THAT(advice.front(), HasSubstr("of its emulation"));
}

TEST(ProbeCalibration, takes_the_host_of_a_card_from_the_identity) {
  const auto profile = profile_in(
      calibrated(folder_of(server_with("NVIDIA L4", 89, 58),
                           {row("seen.clock_cluster_0", 2800, "MHz"), row("cpu.reference_clock", 2800, "MHz"),
                            row("cpu.scheduler.base_slice", 900, "us")})));
  ASSERT_EQ(profile.spec->cpu->clusters.size(), 1u);
  EXPECT_EQ(profile.spec->cpu->clusters[0].cores, 8);
  EXPECT_EQ(profile.spec->cpu->clusters[0].max_clock_hz, 2800e6);
  EXPECT_EQ(profile.spec->cpu->clusters[0].cache_bytes, 1048576);
  EXPECT_EQ(profile.spec->cpu->scheduler.policy, &cpu::eevdf);
  EXPECT_EQ(profile.spec->cpu->scheduler.base_slice, sim::microseconds(900));
  EXPECT_STREQ(profile.spec->cpu->scheduler.rules().name, "6.8");
}

TEST(ProbeCalibration, makes_a_base_for_a_board_that_nobody_knows) {
  probe::Identity made = orin_nano();
  made.board = "Somebody's own carrier board";
  made.clusters = {
      {{0, 3, 4, 5}, "Cortex-A57", 0, 2035.2, 345.6, {345.6, 2035.2}, "schedutil", 65536, 2097152},
      {{1, 2}, "Denver-2", 0, 2035.2, 345.6, {345.6, 2035.2}, "schedutil", 65536, 2097152}};
  made.gpu.sms = 4;
  made.gpu.clocks_mhz = {306, 1020};
  const auto profile = profile_in(calibrated(
      folder_of(made, {row("seen.layer_cluster_0", 200, "us"), row("seen.layer_cluster_1", 100, "us")})));
  EXPECT_EQ(profile.spec->gpu.sm_count, 4);
  EXPECT_EQ(profile.spec->gpu.max_clock_hz, 1020e6);
  ASSERT_EQ(profile.spec->cpu->clusters.size(), 2u);
  EXPECT_EQ(profile.spec->cpu->clusters[0].capacity, 512);
  EXPECT_EQ(profile.spec->cpu->clusters[1].capacity, 1024);
  EXPECT_THAT(profile.spec->cpu->clusters[1].kernel_cpus, testing::ElementsAre(1, 2));
  EXPECT_EQ(profile.spec->default_power_mode, "as-probed");
}

TEST(ProbeCalibration, of_the_host_alone_makes_the_shipped_profile_of_a_server) {
  input::Problems problems;
  auto folder =
      probe::read_probe_folder(fs::path(JOSTLE_SOURCE_DIR) / "calibration/evidence/h100-probe", problems);
  ASSERT_TRUE(folder) << problems.text();
  const auto found = calibrated(host_alone(std::move(*folder)));
  EXPECT_EQ(found.base.device, "intel-xeon-processor");
  EXPECT_THAT(found.figures, SizeIs(testing::Ge(12)));
  const auto shipped = profiles::shipped_profile("intel-xeon-processor", problems);
  ASSERT_TRUE(shipped) << problems.text();
  EXPECT_FALSE(shipped->spec->has_gpu());
  const auto made = profile_in(found);
  for (const auto& other : profiles::profile_difference(*shipped, made).parameters)
    ADD_FAILURE() << other.path << ": " << (other.first ? other.first->value : "") << " is shipped, "
                  << (other.second ? other.second->value : "") << " made";
  for (const ProbedFigure& figure : found.figures) {
    ASSERT_NE(parameter(*shipped, figure.path), nullptr) << figure.path;
    EXPECT_EQ(profiles::to_string(parameter(*shipped, figure.path)->from.grade), figure.grade) << figure.path;
    EXPECT_THAT(parameter(*shipped, figure.path)->from.source, HasSubstr("evidence/h100-probe"));
  }
}

TEST(ProbeCalibration, fits_tables_of_traces_in_the_folder) {
  std::string name = (fs::temp_directory_path() / "jostle-probe-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  fs::copy_file(fs::path(JOSTLE_SOURCE_DIR) / "calibration/evidence/h100/timeslices.csv",
                fs::path(name) / "timeslices.csv");
  auto folder = folder_of(server_with("NVIDIA L4", 89, 58), {row("gpu.time_slicing.slice", 1, "ms")});
  folder.path = name;
  folder.parts.push_back({"turns", false, 1, 2, {"timeslices.csv"}, ""});
  const auto found = calibrated(folder);
  fs::remove_all(name);
  const auto slice = std::ranges::find(found.figures, "gpu.time_slicing.slice", &ProbedFigure::path);
  ASSERT_NE(slice, found.figures.end());
  EXPECT_THAT(slice->value, testing::StartsWith("2.09"));
  EXPECT_THAT(slice->source, HasSubstr("timeslices.csv"));
  EXPECT_THAT(found.left_out,
              Contains(HasSubstr("gpu.time_slicing.slice: the fit to the tables of traces has it")));
}

TEST(ProfileDifference, knows_equal_quantities_in_other_units) {
  input::Problems problems;
  const auto one = profiles::shipped_profile("nvidia-h100", problems);
  const auto other = profiles::parse_profile(
      "name: mine\ndescription: d\nlike: nvidia-h100\ngpu: {time_slicing: {slice: {value: 2090.6 us, grade: "
      "measured, source: s}, "
      "switch_when_idle: {value: 277.8 us, grade: measured, source: s}}}\n",
      "mine.yaml", problems);
  ASSERT_TRUE(one && other) << problems.text();
  const auto difference = profiles::profile_difference(*one, *other);
  ASSERT_THAT(difference.parameters, SizeIs(1));
  EXPECT_EQ(difference.parameters[0].path, "gpu.time_slicing.switch_when_idle");
  EXPECT_NEAR(difference.parameters[0].ratio.value_or(0), 2, 1e-9);
  EXPECT_GT(difference.equal, 100u);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
