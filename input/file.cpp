#include "input/file.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "input/input_file.hpp"
#include "input/printable.hpp"

namespace jostle::input {
namespace {

std::optional<std::string> read_once(const std::string& path, std::size_t max_bytes, std::string& problem) {
  const auto file = InputFile::open(path, problem);
  if (!file) return std::nullopt;
  std::string text;
  char block[1 << 16];
  bool too_large = file->size() > max_bytes;
  while (!too_large) {
    const std::size_t count = file->read(block, sizeof block);
    if (count == 0) break;
    text.append(block, count);
    too_large = text.size() > max_bytes;
  }
  if (too_large)
    problem = fmt::format("larger than {} bytes", max_bytes);
  else if (file->failed())
    problem = "reading failed before the end of the file";
  if (!problem.empty()) return std::nullopt;
  return text;
}

struct Reading {
  std::optional<std::string> text;
  std::string problem;
};

}  // namespace

bool is_standard_input(std::string_view path) {
  return path == "-";
}

std::string file_name(const std::string& path) {
  if (is_standard_input(path)) return "<standard input>";
  return path.empty() ? "''" : printable(path, 400);
}

std::optional<std::string> read_bytes(const std::string& path, std::size_t max_bytes, std::string& problem) {
  if (!is_standard_input(path)) return read_once(path, max_bytes, problem);
  static std::mutex guard;
  static std::optional<Reading> kept;
  const std::lock_guard lock(guard);
  if (!kept) {
    Reading reading;
    reading.text = read_once(path, max_bytes, reading.problem);
    kept = std::move(reading);
  }
  problem = kept->problem;
  return kept->text;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                          Problems& problems) {
  std::string problem;
  auto text = read_bytes(path, max_bytes, problem);
  if (text) text->erase(0, text->size() - without_mark(*text).size());
  if (text && text->find_first_not_of(" \t\r\n") == std::string::npos) problem = "the file is empty";
  if (problem.empty()) return text;
  problems.add_file(path, std::move(problem));
  return std::nullopt;
}

bool has_directory(std::string_view name) {
  return name.find('/') != std::string_view::npos;
}

bool has_yaml_extension(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_path(std::string_view name) {
  return has_directory(name) || has_yaml_extension(name) || is_standard_input(name);
}

}  // namespace jostle::input
