#include "calibration/probe/workers.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "calibration/probe/clock.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::int64_t look_after_workers_ns = 5'000'000;

// The probe handles signals for its workers, and kills them; they end with it in any case.
void become_worker(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE}) std::signal(signal, SIG_IGN);
}

}  // namespace

Pipe::Pipe() {
  if (pipe(ends_) != 0) throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
}
Pipe::~Pipe() {
  close(ends_[0]);
  close(ends_[1]);
}
bool Pipe::send() const {
  const char byte = 0;
  while (true) {
    const ssize_t count = write(ends_[1], &byte, 1);
    if (count != -1 || errno != EINTR) return count == 1;
  }
}
bool Pipe::receive() const {
  char byte = 0;
  while (true) {
    const ssize_t count = read(ends_[0], &byte, 1);
    if (count != -1 || errno != EINTR) return count == 1;
  }
}

Workers::~Workers() {
  for (const pid_t worker : running_) kill(worker, SIGKILL);
  for (const pid_t worker : running_)
    while (waitpid(worker, nullptr, 0) == -1 && errno == EINTR) continue;
}

void Workers::start(int cpu, const std::function<void()>& work) {
  const pid_t parent = getpid();
  const pid_t worker = fork();
  if (worker == -1) throw std::runtime_error(fmt::format("cannot make a process: {}", std::strerror(errno)));
  if (worker != 0) {
    running_.push_back(worker);
    return;
  }
  become_worker(parent);
  if (cpu >= 0 && !run_on(cpu)) _exit(1);
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

bool Workers::ended() {
  std::erase_if(running_, [](pid_t worker) { return waitpid(worker, nullptr, WNOHANG) == worker; });
  return running_.empty();
}

bool Workers::wait(double seconds, const std::atomic<bool>& interrupted) {
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  while (!ended()) {
    if (interrupted || now_ns() >= end) return false;
    sleep_ns(look_after_workers_ns);
  }
  return true;
}

void Workers::wait_for_one(double seconds, const std::atomic<bool>& interrupted) {
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  const std::size_t before = running_.size();
  while (!ended() && running_.size() == before && !interrupted && now_ns() < end)
    sleep_ns(look_after_workers_ns);
}

bool run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

std::vector<double> collect(const Session& session, const Repetition& repetition, Workers& workers,
                            WorkerSignals& signals, const SampleBuffer& samples) {
  constexpr std::int64_t step = 50'000'000;
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * repetition.seconds);
  while (!session.interrupted && now_ns() < end && !workers.ended()) {
    wait_until(std::min(end, now_ns() + step), session.interrupted);
    const std::uint32_t count = samples.count.load(std::memory_order_acquire);
    if (count >= repetition.most) break;
    if (count >= repetition.least && median_of(samples.all()).relative_sd <= narrow) break;
  }
  signals.stop = true;
  workers.wait_for_one(0.5, session.interrupted);
  return samples.all();
}

}  // namespace jostle::calibration::probe
