#include "input/file.hpp"

#include <fmt/format.h>

#include "input/input_file.hpp"

namespace jostle::input {

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                          Problems& problems) {
  std::string problem;
  const auto file = InputFile::open(path, problem);
  if (!file) {
    problems.add_file(path, problem);
    return std::nullopt;
  }
  std::string text;
  char block[1 << 16];
  bool too_large = file->size() > max_bytes;
  while (!too_large) {
    const std::size_t count = file->read(block, sizeof block);
    if (count == 0) break;
    text.append(block, count);
    too_large = text.size() > max_bytes;
  }
  if (too_large) {
    problems.add_file(path, fmt::format("larger than {} bytes", max_bytes));
    return std::nullopt;
  }
  if (file->failed()) {
    problems.add_file(path, "reading failed before the end of the file");
    return std::nullopt;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    problems.add_file(path, "the file is empty");
    return std::nullopt;
  }
  return text;
}

bool has_directory(std::string_view name) {
  return name.find('/') != std::string_view::npos;
}

bool has_yaml_extension(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_path(std::string_view name) {
  return has_directory(name) || has_yaml_extension(name);
}

}  // namespace jostle::input
