#include "input/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace jostle::input {

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                          Problems& problems) {
  namespace fs = std::filesystem;
  // A zero byte would end the name for the operating system, but not for std::string.
  if (path.empty() || path.find('\0') != std::string::npos) {
    problems.add_file(path, "not a valid file name");
    return std::nullopt;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    problems.add_file(path, "no such file");
    return std::nullopt;
  }
  if (status.type() == fs::file_type::directory) {
    problems.add_file(path, "is a directory, not a file");
    return std::nullopt;
  }
  // Pipes are allowed ("run /dev/stdin"); a block device or a socket is not an input file.
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::fifo &&
      status.type() != fs::file_type::character) {
    problems.add_file(path,
                      error ? fmt::format("cannot be read: {}", error.message()) : "is not a regular file");
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.add_file(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    return std::nullopt;
  }
  std::string text;
  char block[1 << 14];
  while (stream.read(block, sizeof block), stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > max_bytes) {
      problems.add_file(path, fmt::format("larger than {} bytes", max_bytes));
      return std::nullopt;
    }
  }
  if (stream.bad()) {
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
