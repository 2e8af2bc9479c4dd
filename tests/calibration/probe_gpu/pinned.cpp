// Clocks that the probe pins, on made-up boards: all are given back, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "calibration/probe/pinned_clocks.hpp"
#include "calibration/probe/run.hpp"
#include "tests/calibration/probe_gpu/made_up_gpu.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using made_up::GpuBoard;
using probe::Outcome;
using probe::Part;
using probe::Session;
using testing::Contains;
using testing::HasSubstr;

const std::string policy = "sys/devices/system/cpu/cpufreq/policy0/";
const std::string devfreq = "sys/class/devfreq/17000000.gpu/";

std::string line_of(const std::filesystem::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}
std::string all_of(const std::filesystem::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

TEST(ProbePin, refuses_users_other_than_root_and_says_why) {
  EXPECT_EQ(probe::pin_refusal(0), "");
  EXPECT_THAT(probe::pin_refusal(1000), HasSubstr("only root may"));
}

TEST(ProbePin, lifts_the_lower_limits_of_sysfs_and_restores_their_text) {
  GpuBoard board("orin_nano");
  std::vector<std::string> said;
  {
    const probe::PinnedClocks pins(board.tree.root(), false,
                                   [&](const std::string& line) { said.push_back(line); });
    EXPECT_EQ(line_of(board.tree.root() / (policy + "scaling_min_freq")), "1728000");
    EXPECT_EQ(line_of(board.tree.root() / (devfreq + "min_freq")), "1020000000");
  }
  EXPECT_EQ(line_of(board.tree.root() / (policy + "scaling_min_freq")), "729600");
  EXPECT_EQ(line_of(board.tree.root() / (devfreq + "min_freq")), "306000000");
  EXPECT_THAT(said, Contains("policy0 is pinned: scaling_min_freq is 1728000 instead of 729600"));
}

TEST(ProbePin, locks_the_clock_of_a_card_and_lets_it_go) {
  GpuBoard board("l4");
  const auto locks = board.out.root() / "locks";
  setenv("FAKE_NVML_LOCKS", locks.c_str(), 1);
  {
    const probe::PinnedClocks pins(board.tree.root(), true, [](const std::string&) {});
  }
  unsetenv("FAKE_NVML_LOCKS");
  EXPECT_THAT(all_of(locks), testing::MatchesRegex(
                                 "nvmlDeviceSetGpuLockedClocks [0-9]+\nnvmlDeviceResetGpuLockedClocks 0\n"));
}

TEST(ProbePin, says_so_where_the_driver_refuses) {
  GpuBoard board("l4");
  setenv("FAKE_NVML_FAIL", "SetGpuLockedClocks", 1);
  std::vector<std::string> said;
  {
    const probe::PinnedClocks pins(board.tree.root(), true,
                                   [&](const std::string& line) { said.push_back(line); });
  }
  EXPECT_THAT(said, Contains(HasSubstr("not locked: nvmlDeviceSetGpuLockedClocks fails: error 999")));
}

// What a part sees of the clock, and how it ends.
std::string seen_minimum;
std::atomic<bool> stop{false};
Outcome looks(const Session& session) {
  seen_minimum = line_of(session.root / (policy + "scaling_min_freq"));
  return {{{"cpu.costs.context_switch", 1, "us", 0.01, 10, "a made-up part"}}, {}, {}};
}
Outcome fails(const Session& session) {
  static_cast<void>(looks(session));
  throw std::runtime_error("a made-up failure");
}
Outcome is_interrupted(const Session& session) {
  stop = true;
  return looks(session);
}

TEST(ProbePin, gives_everything_back_when_a_part_fails_and_on_an_interruption) {
  if (geteuid() != 0) GTEST_SKIP() << "only root pins clocks";
  for (auto* const part : {looks, fails, is_interrupted}) {
    GpuBoard board("orin_nano");
    stop = false;
    seen_minimum.clear();
    const Part parts[] = {{"made-up", "cpu", "nothing", 1, 1, false, part}};
    const auto report = probe::run_probe(
        parts, {.folder = board.out.root() / "probe", .root = board.tree.root(), .busy = true, .pin = true},
        stop, {.say = [](const std::string&) {}, .progress = [](std::string_view, double) {}});
    EXPECT_EQ(report.ended, part == looks   ? probe::Probed::done
                            : part == fails ? probe::Probed::set_aside
                                            : probe::Probed::interrupted);
    EXPECT_EQ(seen_minimum, "1728000");
    EXPECT_EQ(line_of(board.tree.root() / (policy + "scaling_min_freq")), "729600");
    EXPECT_EQ(line_of(board.tree.root() / (devfreq + "min_freq")), "306000000");
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
