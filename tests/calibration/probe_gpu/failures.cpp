// What a part on the GPU does when the driver fails, when the GPU is lost, and when it is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "calibration/probe/children.hpp"
#include "calibration/probe/gpu/cuda.hpp"
#include "calibration/probe/part.hpp"
#include "tests/calibration/probe_gpu/made_up_gpu.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using made_up::GpuBoard;
using probe::Outcome;
using probe::Session;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using RunPart = Outcome (*)(const Session&);

// Why the part fails; empty if it does not.
std::string failure(GpuBoard& board, RunPart part, double pace = 0.2) {
  try {
    Session session = board.session(pace);
    session.quick = false;
    (void)part(session);
  } catch (const probe::ProbeError& error) {
    return error.what();
  }
  return {};
}

struct Case {
  const char* name;
  RunPart run;
  const char *fails, *says;
};
void PrintTo(const Case& one, std::ostream* to) {
  *to << one.name << ' ' << one.fails;
}

class ProbeGpuFailures : public testing::TestWithParam<Case> {};

TEST_P(ProbeGpuFailures, of_a_call_in_the_middle_are_named) {
  GpuBoard board("l4");
  setenv("FAKE_CUDA_FAIL", GetParam().fails, 1);
  EXPECT_EQ(failure(board, GetParam().run), std::string(GetParam().says) + ": CUDA_ERROR_LAUNCH_FAILED");
}

INSTANTIATE_TEST_SUITE_P(
    Calls, ProbeGpuFailures,
    testing::Values(Case{"turns", probe::turns, "cuLaunchKernel:60", "cuLaunchKernel"},
                    Case{"turns_graph", probe::turns, "cuGraphLaunch:9", "cuGraphLaunch"},
                    Case{"launches_event", probe::launches, "cuEventRecord:100",
                         "a launching thread: cuEventRecord"},
                    Case{"space", probe::space, "cuStreamCreateWithPriority:99", "cuStreamCreate"},
                    Case{"space_query", probe::space, "cuEventQuery:20", "cuEventQuery"},
                    Case{"kernels", probe::kernels, "cuStreamSynchronize:20", "cuStreamSynchronize"},
                    Case{"gpu_memory", probe::gpu_memory, "cuMemAlloc_v2:12", "cuMemAlloc"},
                    Case{"gpu_memory_copy", probe::gpu_memory, "cuMemcpyHtoDAsync_v2:7", "cuMemcpyHtoDAsync"},
                    Case{"power", probe::power, "cuGraphLaunch:3", "cuGraphLaunch"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ProbeGpu, names_every_call_of_the_driver_that_fails_at_first) {
  GpuBoard board("l4");
  const char* const names[] = {
#define ROW(member, name, parameters) name,
#include "calibration/probe/gpu/cuda_functions.inc"
#undef ROW
      "cuGraphInstantiateWithFlags"};
  int failed = 0;
  for (const std::string name : names) {
    // An attribute that a driver does not know counts as 0, and what cannot be freed goes with the process.
    if (name == "cuDeviceGetAttribute" || name.find("Destroy") != std::string::npos ||
        name.find("Free") != std::string::npos)
      continue;
    setenv("FAKE_CUDA_FAIL", (name + ":1").c_str(), 1);
    const std::string why = failure(board, probe::kernels, 0.01);
    if (why.empty()) continue;  // a call that this part does not make
    ++failed;
    const std::string bare = name.substr(0, name.find("_v2"));
    EXPECT_THAT(why, AnyOf(StartsWith(bare + ": CUDA_ERROR_"),
                           StartsWith(bare.substr(0, bare.find("With")) + ": CUDA_ERROR_")));
  }
  EXPECT_GE(failed, 14);
}

class ProbeGpuPart : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static RunPart run() {
    return std::ranges::find(probe::parts(), GetParam(), &probe::Part::name)->run;
  }
};

TEST_P(ProbeGpuPart, says_that_the_gpu_is_lost) {
  GpuBoard board("orin_nano");
  setenv("FAKE_CUDA_LOST", "900", 1);
  EXPECT_THAT(failure(board, run()), AllOf(StartsWith("cu"), HasSubstr(": CUDA_ERROR_UNKNOWN")));
}

TEST_P(ProbeGpuPart, ends_all_its_processes_soon_after_an_interruption) {
  using std::chrono::steady_clock;
  GpuBoard board("tx2");
  auto interrupt = std::async(std::launch::async, [&board] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    board.interrupted = true;
    return steady_clock::now();
  });
  EXPECT_EQ(failure(board, run(), 1), "interrupted");
  const auto took = steady_clock::now() - interrupt.get();
  EXPECT_LT(took, std::chrono::seconds(1));
}

INSTANTIATE_TEST_SUITE_P(Parts, ProbeGpuPart,
                         testing::Values("turns", "launches", "space", "kernels", "gpu_memory", "power"),
                         [](const auto& tested) { return tested.param; });

TEST(ProbeGpu, does_not_wait_for_a_kernel_that_faulted) {
  GpuBoard board("l4");
  setenv("FAKE_CUDA_FAULT", "read:30", 1);
  EXPECT_THAT(failure(board, probe::launches), HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
}

TEST(ProbeGpu, says_that_a_process_was_ended) {
  GpuBoard board("orin_nano");
  setenv("FAKE_CUDA_KILL", "cuEventQuery:10", 1);
  EXPECT_EQ(failure(board, probe::turns), "a process was ended by signal 9");
}

TEST(ProbeGpu, says_which_sensor_is_missing) {
  GpuBoard card("l4");
  setenv("FAKE_NVML_FAIL", "Power,Field", 1);
  const Outcome silent = probe::power(card.session());
  EXPECT_THAT(silent.parameters, IsEmpty());
  EXPECT_THAT(silent.files, IsEmpty());
  ASSERT_EQ(silent.problems.size(), 1u);
  EXPECT_THAT(silent.problems[0], HasSubstr("the sensors told no watts"));
  setenv("FAKE_NVML_FAIL", "nvmlInit", 1);
  EXPECT_THAT(probe::power(card.session()).problems,
              testing::ElementsAre(HasSubstr("nvmlInit fails: error 999")));
  // One of two sensors of power suffices.
  setenv("FAKE_NVML_FAIL", "nvmlDeviceGetFieldValues", 1);
  EXPECT_THAT(probe::power(card.session()).problems, IsEmpty());
}

TEST(ProbeGpu, says_that_a_jetson_has_no_monitor_of_power) {
  GpuBoard board("tx2");
  board.tree.remove("/sys/bus/iio");
  EXPECT_THAT(probe::power(board.session()).problems,
              testing::ElementsAre(HasSubstr("no sensor of power: no INA3221")));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
