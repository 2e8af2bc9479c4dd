// Reads the small files of /proc and /sys, of this machine or of a made-up one below another root.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration::probe {

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

// Core numbers of a list of the kernel: "0-3,5" is 0, 1, 2, 3 and 5. Empty if the text is no such list.
[[nodiscard]] std::vector<int> cpu_numbers(std::string_view list);
// The inverse: numbers in ascending order as a list of the kernel.
[[nodiscard]] std::string cpu_list(const std::vector<int>& numbers);

// The words of a text, separated by white space.
[[nodiscard]] std::vector<std::string> words_in(std::string_view text);

}  // namespace jostle::calibration::probe
