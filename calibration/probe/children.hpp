// Work in processes of its own, forked from this one: each opens the GPU anew, all end before the call
// returns.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

// An experiment failed: a process died, took too long, or reported an error. The text says which.
struct ProbeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The user interrupted the probe.
struct Interrupted : ProbeError {
  Interrupted() : ProbeError("interrupted") {}
};

// Where the processes of an experiment meet: memory that they share.
class Gate {
 public:
  explicit Gate(int processes) : processes_(processes) {}
  // Returns in all processes when all have come here as often. Polls. Throws ProbeError if another one
  // failed.
  void meet();
  void give_up() { failed_ = true; }

 private:
  int processes_;
  std::atomic<int> arrived_{0};
  std::atomic<bool> failed_{false};
};

// The limit of an experiment, and what the probe's own process does meanwhile.
struct Supervision {
  double limit_s = 60;
  std::function<void()> between = {};  // called every `every_s`
  double every_s = 0.05;
};

// Runs `work` in `processes` forked processes, with a rank from 0, and returns what each of them returns,
// bytes of any kind. No process survives the call: they are killed if one fails, if the limit is over or if
// the session is interrupted. Throws ProbeError, Interrupted.
[[nodiscard]] std::vector<std::string> in_processes(
    int processes, const Session& session, const Supervision& supervision,
    const std::function<std::string(int rank, Gate& gate)>& work);
[[nodiscard]] std::string in_process(const Session& session, double limit_s,
                                     const std::function<std::string()>& work);

// Values of plain types as bytes, and back.
template <class T>
void put(std::string& bytes, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t count = values.size();
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
}
// Takes a vector off the front of `bytes`. Throws ProbeError if they end early.
template <class T>
[[nodiscard]] std::vector<T> take(std::string_view& bytes) {
  std::size_t count = 0;
  if (bytes.size() < sizeof count) throw ProbeError("a process ended before it had reported");
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes.remove_prefix(sizeof count);
  if (count > bytes.size() / sizeof(T)) throw ProbeError("a process ended before it had reported");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

// The values that `work` finds in a process of its own. Throws ProbeError, Interrupted.
template <class Work>
[[nodiscard]] auto found_apart(const Session& session, double limit_s, const Work& work) {
  const std::string report = in_process(session, limit_s, [&] {
    std::string bytes;
    put(bytes, work());
    return bytes;
  });
  std::string_view bytes = report;
  return take<typename decltype(work())::value_type>(bytes);
}

}  // namespace jostle::calibration::probe
