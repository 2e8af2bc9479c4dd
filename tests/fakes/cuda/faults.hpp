// The failures that the environment asks of a made-up driver, and the state that its processes share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string_view>

namespace jostle::fakes {

inline constexpr int invalid_value = 1, out_of_memory = 2, no_binary_for_gpu = 209, not_found = 500,
                     launch_failed = 719, unknown_error = 999;

// Memory that the processes of one made-up GPU share: the file of FAKE_CUDA_SHARED, or memory of this
// process.
struct Shared {
  std::atomic<int> calls;
  std::atomic<pid_t> owners[32];  // the processes with a context; 0: a free place
};
[[nodiscard]] Shared& shared();

// Counts a call of the driver. Returns the error that it shall give, or 0:
//   FAKE_CUDA_FAIL=cuLaunchKernel:37   that call gives error 719 the 37th time in a process
//   FAKE_CUDA_KILL=cuLaunchKernel:37   that call ends the process, as the kernel does when memory runs out
//   FAKE_CUDA_LOST=500                 every call gives error 999 after the first 500 of all processes
//   FAKE_CUDA_FAULT=flag:3             a process's third launch of that kernel writes nothing, and every call
//                                      after it gives error 719
[[nodiscard]] int fault_of_call(std::string_view name);
// Counts a launch of a kernel; true if it is the one that FAKE_CUDA_FAULT names.
[[nodiscard]] bool faults(std::string_view kernel);

// The place of this process among those with a context, which take turns. A client of MPS has none.
void take_place();
void leave_place();
struct Place {
  int rank = 0, processes = 1;
};
[[nodiscard]] Place place();

}  // namespace jostle::fakes
