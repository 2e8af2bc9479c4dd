#include "calibration/probe/children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr char succeeded = 'r', failed = 'e';  // the first byte of a report
constexpr std::string_view follows = "another process of the experiment failed";

struct Child {
  pid_t id = -1;
  int pipe = -1;
  std::string report;
};

void write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(pipe, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

// The life of a forked process: it works, reports through the pipe and ends without any clean-up of the
// parent's.
[[noreturn]] void be_child(int pipe, int rank, Gate& gate,
                           const std::function<std::string(int, Gate&)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string report;
  try {
    report = succeeded + work(rank, gate);
  } catch (const std::exception& error) {
    gate.give_up();
    report = failed + std::string(error.what());
  }
  write_all(pipe, report);
  close(pipe);
  _exit(report.front() == succeeded ? 0 : 1);
}

// All children of one experiment; those that still run when it goes out of scope are killed.
class Family {
 public:
  Family() = default;
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    for (const Child& child : children)
      if (child.id > 0) kill(child.id, SIGKILL);
    for (Child& child : children) {
      if (child.pipe >= 0) close(child.pipe);
      if (child.id > 0) waitpid(child.id, nullptr, 0);
    }
  }

  void fork_one(int rank, Gate& gate, const std::function<std::string(int, Gate&)>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw ProbeError("no pipe to a process");
    const pid_t id = fork();
    if (id < 0) {
      close(ends[0]);
      close(ends[1]);
      throw ProbeError("no further process can be made");
    }
    if (id == 0) {
      close(ends[0]);
      be_child(ends[1], rank, gate, work);
    }
    close(ends[1]);
    children.push_back({id, ends[0], {}});
  }

  // Reads what has come; false when all have ended.
  bool read_reports(int wait_ms) {
    std::vector<pollfd> waiting;
    for (const Child& child : children)
      if (child.pipe >= 0) waiting.push_back({child.pipe, POLLIN, 0});
    if (waiting.empty() && !follow_up_.empty()) throw ProbeError(follow_up_);
    if (waiting.empty()) return false;
    poll(waiting.data(), waiting.size(), wait_ms);
    for (const pollfd& ready : waiting)
      if (ready.revents != 0)
        for (Child& child : children)
          if (child.pipe == ready.fd) read_some(child);
    return true;
  }

  std::vector<Child> children;

 private:
  void read_some(Child& child) {
    char buffer[1 << 16];
    const ssize_t got = read(child.pipe, buffer, sizeof buffer);
    if (got > 0) {
      child.report.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      close(child.pipe);
      child.pipe = -1;
      int status = 0;
      waitpid(child.id, &status, 0);
      child.id = -1;
      if (!child.report.empty() && child.report.front() == succeeded) return;
      // The process that failed first says why; what the others say follows from it.
      const std::string reason = why(child, status);
      if (reason != follows) throw ProbeError(reason);
      follow_up_ = reason;
    }
  }
  static std::string why(const Child& child, int status) {
    if (child.report.size() > 1) return child.report.substr(1);
    if (WIFSIGNALED(status)) return "a process was ended by signal " + std::to_string(WTERMSIG(status));
    return "a process ended without a report";
  }
  std::string follow_up_;
};

}  // namespace

void Gate::meet() {
  const int before = arrived_.fetch_add(1);
  const int all = (before / processes_ + 1) * processes_;
  while (arrived_.load() < all) {
    if (failed_) throw ProbeError(std::string(follows));
    usleep(0);
  }
}

std::vector<std::string> in_processes(int processes, const Session& session, const Supervision& supervision,
                                      const std::function<std::string(int, Gate&)>& work) {
  const Shared<Gate> gate(processes);
  Family family;
  for (int rank = 0; rank < processes; ++rank) family.fork_one(rank, *gate, work);
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(1e9 * supervision.limit_s);
  while (family.read_reports(static_cast<int>(1e3 * supervision.every_s))) {
    if (supervision.between) supervision.between();
    if (session.interrupted) throw Interrupted();
    if (now_ns() > until)
      throw ProbeError("an experiment took longer than " +
                       std::to_string(static_cast<int>(supervision.limit_s)) + " s");
  }
  std::vector<std::string> reports;
  for (Child& child : family.children) reports.push_back(child.report.substr(1));
  return reports;
}

std::string in_process(const Session& session, double limit_s, const std::function<std::string()>& work) {
  return in_processes(1, session, {limit_s}, [&work](int, Gate&) { return work(); }).front();
}

}  // namespace jostle::calibration::probe
