#include "input/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>

#include "input/printable.hpp"

namespace jostle::input {

namespace {

// Everything from `stream`; none, with a problem, if there is more than `max_bytes` or reading fails.
std::optional<std::string> read_all(std::FILE* stream, const std::string& path, std::size_t max_bytes,
                                    Problems& problems) {
  std::string text;
  char block[1 << 14];
  while (const std::size_t count = std::fread(block, 1, sizeof block, stream)) {
    text.append(block, count);
    if (text.size() > max_bytes) {
      problems.add_file(path, fmt::format("larger than {} bytes", max_bytes));
      return std::nullopt;
    }
  }
  if (std::ferror(stream) != 0) {
    problems.add_file(path, "reading failed before the end of the file");
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> standard_input(std::size_t max_bytes, Problems& problems) {
  static std::mutex guard;
  static std::optional<std::string> text;
  const std::lock_guard lock(guard);
  if (!text) text = read_all(stdin, "-", max_bytes, problems);
  return text;
}

// Whether `path` is something that ends: a file, or a pipe ("run <(generate)").
bool is_readable_kind(const std::string& path, std::size_t max_bytes, Problems& problems) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    problems.add_file(path, "no such file");
  } else if (status.type() == fs::file_type::directory) {
    problems.add_file(path, "is a directory, not a file");
  } else if (status.type() == fs::file_type::regular) {
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size <= max_bytes) return true;
    problems.add_file(path, fmt::format("larger than {} bytes", max_bytes));
  } else if (status.type() == fs::file_type::fifo) {
    return true;
  } else {
    problems.add_file(path,
                      error ? fmt::format("cannot be read: {}", error.message()) : "is not a regular file",
                      status.type() == fs::file_type::character ? "`-` reads standard input" : "");
  }
  return false;
}

}  // namespace

bool is_standard_input(std::string_view path) {
  return path == "-";
}

std::string file_name(const std::string& path) {
  if (is_standard_input(path)) return "<standard input>";
  return path.empty() ? "''" : printable(path, 400);
}

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_bytes,
                                          Problems& problems) {
  std::optional<std::string> text;
  if (is_standard_input(path)) {
    text = standard_input(max_bytes, problems);
  } else if (path.empty() || path.find('\0') != std::string::npos) {
    // A zero byte would end the name for the operating system, but not for std::string.
    problems.add_file(path, "not a valid file name");
  } else if (is_readable_kind(path, max_bytes, problems)) {
    errno = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rbe"),
                                                                 std::fclose);
    if (stream)
      text = read_all(stream.get(), path, max_bytes, problems);
    else
      problems.add_file(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  if (text && text->find_first_not_of(" \t\r\n") == std::string::npos) {
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
  return has_directory(name) || has_yaml_extension(name) || is_standard_input(name);
}

}  // namespace jostle::input
