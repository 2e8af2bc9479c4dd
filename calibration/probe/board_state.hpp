// The state of a machine: what somebody sets on it, and what takes clocks away without anybody setting it.
// Measurements of two states are never mixed (docs/probe.md). The keys are those of scripts/record-jetson.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/log_text.hpp"

namespace jostle::calibration::probe {

// Reads the small files of /proc and /sys, of this machine or of a made-up one below another root.
class MachineFiles {
 public:
  explicit MachineFiles(std::filesystem::path root) : root_(std::move(root)) {}

  // True if the files are those of this machine.
  [[nodiscard]] bool here() const { return root_ == "/"; }
  // Where a file of the machine lies; `path` begins with a slash.
  [[nodiscard]] std::filesystem::path at(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;
  // At most 4 MiB of a file; empty if it cannot be read.
  [[nodiscard]] std::string text(std::string_view path) const;
  // The first line, without spaces at its ends and without the zero byte that ends texts of a device tree.
  [[nodiscard]] std::string line(std::string_view path) const;
  // The first line as a number; absent if it is none.
  [[nodiscard]] std::optional<double> number(std::string_view path) const;
  // Names of the entries of a folder that begin with `prefix`, in the order of the numbers in them.
  [[nodiscard]] std::vector<std::string> entries(std::string_view folder, std::string_view prefix = {}) const;

 private:
  std::filesystem::path root_;
};

using calibration::cpu_numbers;
// The inverse of cpu_numbers(): numbers in ascending order as a list of the kernel.
[[nodiscard]] std::string cpu_list(const std::vector<int>& numbers);

// The words of a text, separated by white space.
[[nodiscard]] std::vector<std::string> words_in(std::string_view text);

// Key and value of each file; one that is missing has no entry.
using BoardState = std::map<std::string, std::string>;

// Power mode, cores online, governors and limits of the clocks of CPU, GPU and memory, idle states that are
// switched off.
[[nodiscard]] BoardState read_settings(const MachineFiles& files);
// Cooling devices that throttle, and counters of over-current alarms.
[[nodiscard]] BoardState read_events(const MachineFiles& files);

// "key: old -> new; …" of all that differs; empty if nothing does.
[[nodiscard]] std::string state_difference(const BoardState& before, const BoardState& after);

// Looks whether the machine is still in the state in which something began.
class StateWatch {
 public:
  explicit StateWatch(const MachineFiles& files);
  // Compares the state now with that of the beginning: at once, or if the last look is a quarter of a second
  // ago. The first difference is kept.
  void look(bool now);
  // The change, by state_difference(); empty: nothing changed.
  [[nodiscard]] const std::string& changed() const { return changed_; }

 private:
  const MachineFiles& files_;
  BoardState settings_, events_;
  std::int64_t looked_;
  std::string changed_;
};

// Lines key=value, and the inverse, which passes over lines without "=".
[[nodiscard]] std::string state_text(const BoardState& state);
[[nodiscard]] BoardState parse_state(std::string_view text);

}  // namespace jostle::calibration::probe
