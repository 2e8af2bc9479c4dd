#include "tests/fakes/cuda/faults.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace jostle::fakes {
namespace {

// A name and the number of its use, as "cuLaunchKernel:37".
struct Nth {
  explicit Nth(const char* variable) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) return;
    const std::string_view text = value;
    const std::size_t colon = text.find(':');
    name = text.substr(0, colon);
    if (colon != std::string_view::npos) number = std::atoi(value + colon + 1);
  }
  bool is_now(std::string_view used) { return used == name && ++uses == number; }

  std::string name;
  int number = 1;
  std::atomic<int> uses{0};
};

std::atomic<bool> faulted{false};

bool alive(pid_t process) {
  return kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace

Shared& shared() {
  static Shared& all = []() -> Shared& {
    const char* const path = std::getenv("FAKE_CUDA_SHARED");
    const int file = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(Shared)) != 0) std::abort();
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    if (memory == MAP_FAILED) std::abort();
    if (file >= 0) close(file);
    return *static_cast<Shared*>(memory);
  }();
  return all;
}

int fault_of_call(std::string_view name) {
  static Nth failing("FAKE_CUDA_FAIL");
  static Nth killing("FAKE_CUDA_KILL");
  static const char* const lost = std::getenv("FAKE_CUDA_LOST");
  if (lost != nullptr && shared().calls.fetch_add(1) >= std::atoi(lost)) return unknown_error;
  if (killing.is_now(name)) kill(getpid(), SIGKILL);
  return faulted || failing.is_now(name) ? launch_failed : 0;
}

bool faults(std::string_view kernel) {
  static Nth faulting("FAKE_CUDA_FAULT");
  if (!faulting.is_now(kernel)) return false;
  faulted = true;
  return true;
}

void take_place() {
  const char* const pipe = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  if (pipe != nullptr && access(pipe, F_OK) == 0) return;
  for (std::atomic<pid_t>& owner : shared().owners) {
    pid_t seen = owner;
    if ((seen == 0 || !alive(seen)) && owner.compare_exchange_strong(seen, getpid())) return;
  }
}

void leave_place() {
  for (std::atomic<pid_t>& owner : shared().owners)
    if (owner == getpid()) owner = 0;
}

Place place() {
  Place found{0, 0};
  const pid_t here = getpid();
  for (const std::atomic<pid_t>& owner : shared().owners) {
    const pid_t process = owner;
    if (process == here) found.rank = found.processes;
    if (process == here || (process != 0 && alive(process))) ++found.processes;
  }
  return found;
}

}  // namespace jostle::fakes
