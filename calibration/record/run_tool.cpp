#include "calibration/record/run_tool.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/power_sensors.hpp"

namespace jostle::calibration::record {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t look_every_ns = 100'000'000;
constexpr int not_started = 127;

// Starts a command in a group of its own, so that what it starts ends with it.
pid_t started(const Command& command) {
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, 0);
  if (!command.output.empty()) {
    const int file = ::open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) ::_exit(not_started);
    ::dup2(file, 1);
    ::dup2(file, 2);
  }
  ::execvp(words.front(), words.data());
  ::_exit(not_started);
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The mean of the samples in the last half, without those of the last 0.3 s, while programs end.
double settled(const std::vector<std::pair<std::int64_t, double>>& samples, std::int64_t begin,
               std::int64_t end) {
  double sum = 0, count = 0;
  for (const auto& [at, watts] : samples)
    if (at > begin + (end - begin) / 2 && at < end - 300'000'000) {
      sum += watts;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

}  // namespace

Ran run_together(const std::vector<Command>& commands, double limit_s, const std::atomic<bool>& interrupted,
                 const std::function<void()>& meanwhile) {
  Ran ran;
  ran.codes.assign(commands.size(), not_started);
  const probe::PowerSensors sensors("/");
  std::vector<std::pair<std::int64_t, double>> samples;
  const std::int64_t begin = probe::now_ns();
  std::vector<pid_t> children;
  for (const Command& command : commands) children.push_back(started(command));
  std::size_t left =
      static_cast<std::size_t>(std::ranges::count_if(children, [](pid_t child) { return child > 0; }));
  std::int64_t ending = 0;  // when they were asked to end
  constexpr std::int64_t patience_ns = 5'000'000'000;
  while (left > 0) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      if (children[i] <= 0 || ::waitpid(children[i], &status, WNOHANG) != children[i]) continue;
      ran.codes[i] = code_of(status);
      children[i] = 0;
      --left;
    }
    const std::int64_t now = probe::now_ns();
    ran.interrupted |= interrupted;
    ran.too_late |= static_cast<double>(now - begin) > 1e9 * limit_s;
    if (ran.interrupted || ran.too_late) {
      for (const pid_t child : children)
        if (child > 0 && (ending == 0 || now - ending > patience_ns))
          ::kill(-child, ending == 0 ? SIGTERM : SIGKILL);
      if (ending == 0) ending = now;
    }
    if (const double watts = probe::PowerSensors::board_power(sensors.read()); watts > 0)
      samples.emplace_back(now, watts);
    meanwhile();
    if (left > 0) probe::wait_until(now + look_every_ns, interrupted);
    if (ending != 0) ::usleep(10'000);
  }
  const std::int64_t end = probe::now_ns();
  ran.seconds = 1e-9 * static_cast<double>(end - begin);
  ran.watts = settled(samples, begin, end);
  return ran;
}

std::string program_at(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  std::string places = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= places.size();) {
    const std::size_t end = std::min(places.find(':', at), places.size());
    const fs::path file = fs::path(places.substr(at, end - at)) / name;
    std::error_code error;
    if (fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0) return file.string();
    at = end + 1;
  }
  return {};
}

}  // namespace jostle::calibration::record
