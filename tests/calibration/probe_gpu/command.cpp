// `jostle probe` as its users start it, on made-up boards whose GPU fails: exit codes, messages, what is
// left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/calibration/probe_gpu/made_up_gpu.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;

using made_up::GpuBoard;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

class ProbeGpuCommand : public testing::TestWithParam<const char*> {
 protected:
  // Starts the command in a process group of its own, so that what it leaves behind can be found.
  void start(const std::string& only) {
    const fs::path errors = board.out.root() / "said";
    process = fork();
    if (process != 0) return;
    setpgid(0, 0);
    setenv("LD_LIBRARY_PATH", JOSTLE_FAKE_LIBRARIES, 1);
    if (std::freopen(errors.c_str(), "w", stderr) == nullptr ||
        std::freopen("/dev/null", "w", stdout) == nullptr)
      _exit(120);
    execl(JOSTLE_COMMAND, JOSTLE_COMMAND, "probe", "--busy", "--quick", "--root", board.tree.root().c_str(),
          "--only", only.c_str(), "-o", folder().c_str(), nullptr);
    _exit(121);
  }
  // Its exit code, when it and all that it started have ended.
  int end() {
    int status = 0;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(kill(-process, 0), -1) << "a process of the probe is left";
    said = text_of(board.out.root() / "said");
    EXPECT_TRUE(WIFEXITED(status)) << said;
    return WEXITSTATUS(status);
  }
  int run(const std::string& only) {
    start(only);
    return end();
  }
  [[nodiscard]] fs::path folder() const { return board.out.root() / "probe"; }
  [[nodiscard]] std::set<std::string> entries(const std::string& below = ".") const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder() / below))
      names.insert(entry.path().filename().string());
    return names;
  }

  GpuBoard board{GetParam()};
  pid_t process = -1;
  std::string said;
};

TEST_P(ProbeGpuCommand, sets_parts_aside_that_fail_and_leaves_what_is_finished) {
  EXPECT_EQ(run("kernels"), 0) << said;
  const std::set<std::string> finished{"identity.csv", "kernels_by_size.csv", "manifest.csv",
                                       "parameters.csv", "settings.txt"};
  EXPECT_EQ(entries(), finished);
  setenv("FAKE_CUDA_FAIL", "cuLaunchKernel:37", 1);
  EXPECT_EQ(run("gpu"), 3) << said;
  std::set<std::string> left = finished;
  for (const std::string part : {"turns", "launches", "space"}) {
    const std::string aside = part + ".failed";
    left.insert(aside);
    EXPECT_EQ(text_of(folder() / aside / "why.txt"), "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED\n");
    EXPECT_THAT(entries(aside), ElementsAre("why.txt"));
    EXPECT_THAT(said, HasSubstr(part + " is set aside as " + aside + ": cuLaunchKernel"));
  }
  EXPECT_EQ(entries(), left);
}

TEST_P(ProbeGpuCommand, sets_everything_aside_when_the_gpu_is_lost) {
  setenv("FAKE_CUDA_LOST", "700", 1);
  EXPECT_EQ(run("gpu"), 3) << said;
  for (const std::string part : {"turns", "launches", "space", "kernels"})
    EXPECT_THAT(text_of(folder() / (part + ".failed") / "why.txt"), HasSubstr("CUDA_ERROR_UNKNOWN"));
  EXPECT_EQ(entries().size(), 8u);
}

TEST_P(ProbeGpuCommand, refuses_a_gpu_whose_driver_cannot_be_used) {
  setenv("FAKE_CUDA_FAIL", "cuInit:1", 1);
  EXPECT_EQ(run("gpu"), 1);
  EXPECT_THAT(said, HasSubstr("cuInit: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_P(ProbeGpuCommand, ends_within_a_second_when_it_is_interrupted) {
  using std::chrono::steady_clock;
  start("turns");
  // It is under way when its part has a folder; then it has processes soon.
  for (int i = 0; i < 500 && !fs::exists(folder() / "turns.part"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const auto from = steady_clock::now();
  EXPECT_EQ(kill(process, SIGINT), 0);
  EXPECT_EQ(end(), 130) << said;
  EXPECT_LT(steady_clock::now() - from, std::chrono::seconds(1));
  EXPECT_THAT(said, HasSubstr("interrupted"));
  EXPECT_FALSE(fs::exists(folder()));
}

class ProbeGpuOnOrin : public ProbeGpuCommand {};

TEST_P(ProbeGpuOnOrin, sets_a_part_aside_in_which_the_clocks_changed) {
  start("kernels");
  for (int i = 0; i < 500 && !fs::exists(folder() / "kernels.part"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  board.tree.write("/sys/class/devfreq/17000000.gpu/max_freq", "612000000");
  EXPECT_EQ(end(), 3) << said;
  EXPECT_THAT(text_of(folder() / "kernels.mixed/why.txt"),
              HasSubstr("devfreq.17000000.gpu.max_freq: 1020000000 -> 612000000"));
  EXPECT_FALSE(fs::exists(folder() / "kernels_by_size.csv"));
}
INSTANTIATE_TEST_SUITE_P(Boards, ProbeGpuOnOrin, testing::Values("orin_nano"),
                         [](const auto& tested) { return std::string(tested.param); });

INSTANTIATE_TEST_SUITE_P(Boards, ProbeGpuCommand, testing::Values("orin_nano", "l4", "tx2"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
