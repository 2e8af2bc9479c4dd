#include "calibration/probe/machine_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <system_error>

#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t max_machine_file = std::size_t{4} << 20U;
constexpr int max_cpu_number = 4095;

std::string_view without_ends(std::string_view text) {
  const auto blank = [](char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// The number at the end of a name, for "cpu10" after "cpu9"; -1 if there is none.
long number_at_end(const std::string& name) {
  std::size_t begin = name.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  long number = -1;
  std::from_chars(name.data() + begin, name.data() + name.size(), number);
  return number;
}

}  // namespace

std::filesystem::path MachineFiles::at(std::string_view path) const {
  while (path.starts_with('/')) path.remove_prefix(1);
  return root_ / path;
}

bool MachineFiles::exists(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::exists(at(path), ignored);
}

std::string MachineFiles::text(std::string_view path) const {
  std::ifstream file(at(path), std::ios::binary);
  std::string text;
  char bytes[4096];
  while (file && text.size() < max_machine_file) {
    file.read(bytes, sizeof bytes);
    text.append(bytes, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string MachineFiles::line(std::string_view path) const {
  const std::string all = text(path);
  return std::string(without_ends(std::string_view(all).substr(0, all.find('\n'))));
}

std::optional<double> MachineFiles::number(std::string_view path) const {
  return input::parse_real(line(path));
}

std::vector<std::string> MachineFiles::entries(std::string_view folder, std::string_view prefix) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(this->at(folder), error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    const long x = number_at_end(a), y = number_at_end(b);
    return x != y ? x < y : a < b;
  });
  return names;
}

std::vector<int> cpu_numbers(std::string_view list) {
  std::vector<int> numbers;
  list = without_ends(list);
  while (!list.empty()) {
    int first = 0;
    auto read = std::from_chars(list.data(), list.data() + list.size(), first);
    if (read.ec != std::errc{} || first < 0) return {};
    list.remove_prefix(static_cast<std::size_t>(read.ptr - list.data()));
    int last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      read = std::from_chars(list.data(), list.data() + list.size(), last);
      if (read.ec != std::errc{}) return {};
      list.remove_prefix(static_cast<std::size_t>(read.ptr - list.data()));
    }
    if (last < first || last > max_cpu_number) return {};
    for (int i = first; i <= last; ++i) numbers.push_back(i);
    if (list.empty()) break;
    if (!list.starts_with(',')) return {};
    list.remove_prefix(1);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string cpu_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == i + 1 ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\0') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace jostle::calibration::probe
