#include "input/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "input/file.hpp"
#include "input/file_id.hpp"
#include "input/interruption.hpp"

namespace jostle::input {
namespace {

// The reason why the file may not be read; empty if it may.
std::string why_not(const std::string& path, struct stat& status) {
  // A zero byte would end the name for the operating system, but not for std::string.
  if (path.empty() || path.find('\0') != std::string::npos) return "not a valid file name";
  if (::stat(path.c_str(), &status) != 0)
    return errno == ENOENT ? "no such file" : fmt::format("cannot be read: {}", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return "is a directory, not a file";
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return {};  // pipes: "run <(generate)"
  // A device may never end; a socket is not an input file.
  return S_ISCHR(status.st_mode) ? "is not a regular file (`-` reads standard input)"
                                 : "is not a regular file";
}

// A descriptor of `path`; -1 with the reason in `problem`.
int descriptor_of(const std::string& path, std::string& problem) {
  const bool standard = is_standard_input(path);
  struct stat status {};
  problem = standard ? std::string() : why_not(path, status);
  if (!problem.empty()) return -1;
  for (;;) {
    const int descriptor = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor >= 0) return descriptor;
    if (errno != EINTR) {
      problem = fmt::format("cannot be opened: {}", std::strerror(errno));
      return -1;
    }
    throw_if_interrupted();
  }
}

}  // namespace

std::unique_ptr<InputFile> InputFile::open(const std::string& path, std::string& problem) {
  const int descriptor = descriptor_of(path, problem);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<InputFile> file(new InputFile(descriptor, 0));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) status = {};
  note_read(status, path);
  if (S_ISREG(status.st_mode)) file->size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t most) {
  std::size_t count = 0;
  while (count < most && !failed_) {
    const ssize_t got = ::read(descriptor_, to + count, most - count);
    if (got == 0) break;
    if (got > 0) {
      count += static_cast<std::size_t>(got);
    } else if (errno == EINTR) {
      throw_if_interrupted();
    } else {
      failed_ = true;
    }
  }
  return count;
}

}  // namespace jostle::input
