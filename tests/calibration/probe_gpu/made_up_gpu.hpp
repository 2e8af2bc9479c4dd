// A made-up board with a made-up GPU: a tree of /proc and /sys, and the environment of the libraries in
// tests/fakes/cuda.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "calibration/probe/part.hpp"
#include "tests/calibration/made_up_boards.hpp"
#include "tests/fakes/cuda/board.hpp"

namespace jostle::calibration::made_up {

inline constexpr const char* faults_of_gpu[] = {"FAKE_CUDA_FAIL", "FAKE_CUDA_LOST", "FAKE_CUDA_FAULT",
                                                "FAKE_CUDA_KILL", "FAKE_NVML_FAIL"};

class GpuBoard {
 public:
  explicit GpuBoard(const std::string& word) : board_(fakes::board(word)) {
    if (word == "orin_nano") {
      orin_nano(tree);
      tree.write("/sys/class/hwmon/hwmon1/in1_input", "5000");
      tree.write("/sys/class/hwmon/hwmon1/curr1_input", "1200");
    } else if (word == "tx2") {
      tx2(tree);
      const std::string monitor = "/sys/bus/iio/devices/iio:device1/";
      tree.write(monitor + "rail_name_0", "VDD_IN");
      tree.write(monitor + "in_voltage0_input", "19000");
      tree.write(monitor + "in_current0_input", "400");
    } else {
      pc_with_l4(tree);
    }
    for (const char* const fault : faults_of_gpu) unsetenv(fault);
    setenv("FAKE_CUDA_BOARD", word.c_str(), 1);
    setenv("FAKE_CUDA_SHARED", (scratch_.root() / "gpu").c_str(), 1);
  }
  ~GpuBoard() {
    for (const char* const fault : faults_of_gpu) unsetenv(fault);
    // Every part has waited for the processes that it made.
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
  GpuBoard(const GpuBoard&) = delete;
  GpuBoard& operator=(const GpuBoard&) = delete;

  [[nodiscard]] const fakes::Board& gpu() const { return board_; }
  // Experiments as short as they can be and still show what the board plays.
  [[nodiscard]] probe::Session session(double pace = 0.2) {
    return {out.root(), tree.root(), true, interrupted, [](double, std::string_view) {}, pace};
  }

  Tree tree, out;
  std::atomic<bool> interrupted{false};

 private:
  const fakes::Board& board_;
  Tree scratch_;
};

// NaN if there is no such parameter.
inline double value_of(const probe::Outcome& outcome, const std::string& parameter) {
  const auto found = std::ranges::find(outcome.parameters, parameter, &probe::Measured::parameter);
  return found != outcome.parameters.end() ? found->value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace jostle::calibration::made_up
