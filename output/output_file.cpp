#include "output/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "input/interruption.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::output {
namespace {

constexpr int interrupted = -1;  // our own error number, beside those of errno

std::string folder_of(const std::string& target) {
  return std::filesystem::path(target).parent_path().string();
}

mode_t permissions_of_a_new_file() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Syncs the folder, so that the new name is on the disk as well. A folder that cannot be opened or synced is
// no failure: the file is whole in either case.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  while (::fsync(descriptor) != 0 && errno == EINTR) {
  }
  ::close(descriptor);
}

// Standard output or error if it goes to this same file; else -1.
int standard_descriptor(const std::string& path) {
  const auto id = input::id_of(path);
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat there {};
    if (id && ::fstat(standard, &there) == 0 && input::id_of(there) == *id) return standard;
  }
  return -1;
}

// The path without slashes at its end, if a folder may be made there.
std::string free_folder(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code none;
  const auto there = std::filesystem::status(path, none);
  if (std::filesystem::exists(there) && !std::filesystem::is_directory(there))
    throw input::Refused(input::printable(path, 400) + ": is a file, not a folder");
  if (std::filesystem::exists(there) && !std::filesystem::is_empty(path, none))
    throw input::Refused(input::printable(path, 400) + ": the folder is not empty; name a new one");
  return path;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : claim_(path), direct_(!claim_.regular()) {
  // "/dev/stdout" is written through the open descriptor, which may be a file and not at its beginning.
  const bool by_descriptor = path.starts_with("/dev/") || path.starts_with("/proc/");
  const int standard = by_descriptor || claim_.regular() ? standard_descriptor(path) : -1;
  if (standard >= 0 && by_descriptor) {
    direct_ = true;
    descriptor_ = ::fcntl(standard, F_DUPFD_CLOEXEC, 3);
  } else if (standard >= 0) {
    throw input::Refused(fmt::format("cannot write {}: {} goes to this file", input::printable(path, 400),
                                     standard == STDOUT_FILENO ? "standard output" : "standard error"));
  } else if (!direct_) {
    make_temporary();
  } else if (::access(path.c_str(), W_OK) != 0) {
    throw input::Refused(cannot_write(errno));
  }
  // A pipe is opened by the first write, because opening waits for a reader.
}

std::string OutputFile::cannot_write(int error) const {
  return fmt::format("cannot write {}: {}", input::printable(claim_.path(), 400), std::strerror(error));
}

void OutputFile::make_temporary() {
  struct stat there {};
  const bool replaces = claim_.exists() && ::stat(claim_.target().c_str(), &there) == 0;
  if (replaces && ::access(claim_.target().c_str(), W_OK) != 0) throw input::Refused(cannot_write(errno));
  const std::string folder = folder_of(claim_.target());
  std::string name = folder + "/.jostle-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);  // always a new file (O_EXCL), mode 0600
  if (descriptor_ < 0)
    throw input::Refused(fmt::format("{} (a temporary file in {} is needed)", cannot_write(errno),
                                     input::printable(folder, 400)));
  temporary_ = name;
  listed_.emplace(temporary_);
  // The owner of another user's file stays if that is allowed.
  if (replaces && (there.st_uid != ::geteuid() || there.st_gid != ::getegid()) &&
      ::fchown(descriptor_, there.st_uid, there.st_gid) != 0)
    errno = 0;
  ::fchmod(descriptor_, replaces ? there.st_mode & 07777U : permissions_of_a_new_file());
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open_directly() {
  while (descriptor_ < 0 && error_ == 0) {
    descriptor_ = ::open(claim_.path().c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0 && errno != EINTR) fail(errno);
    if (descriptor_ < 0 && input::interruption()) fail(interrupted);
  }
}

void OutputFile::write(std::string_view bytes) noexcept {
  if (direct_) open_directly();
  while (!bytes.empty() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    } else if (direct_ && input::interruption()) {
      fail(interrupted);  // the reader does not read, so the write would wait for it
    }
  }
}

void OutputFile::put_in_place() {
  const Committing lasting;
  while (error_ == 0 && ::fsync(descriptor_) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) break;  // the file system does not support it
    if (errno != EINTR) fail(errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(errno);
  if (error_ == 0 && std::rename(temporary_.c_str(), claim_.target().c_str()) != 0) fail(errno);
  if (error_ != 0) return;
  temporary_.clear();
  listed_.reset();
  sync_folder(folder_of(claim_.target()));
}

void OutputFile::commit() {
  if (!direct_) {
    claim_.check_unread();
    put_in_place();
  } else {
    open_directly();
    if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(errno);
  }
  if (error_ == interrupted) throw input::Interrupted();
  if (error_ != 0) throw WriteError(cannot_write(error_));
}

std::unique_ptr<OutputFile> open_if_given(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

void write_whole(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

OutputFolder::OutputFolder(const std::string& path) : path_(free_folder(path)), beside_(path_) {}

void OutputFolder::add(const std::string& file, std::string_view text) const {
  const std::filesystem::path at = std::filesystem::path(beside_.path()) / file;
  std::filesystem::create_directories(at.parent_path());
  OutputFile whole(at.string());
  write_whole(whole, text);
  if (text.starts_with("#!")) ::chmod(at.c_str(), permissions_of_a_new_file() | 0111);
}

void OutputFolder::commit() const {
  const Committing now;
  ::chmod(beside_.path().c_str(), permissions_of_a_new_file() | 0111);
  if (::rename(beside_.path().c_str(), path_.c_str()) != 0)
    throw WriteError(fmt::format("cannot write {}: {}", input::printable(path_, 400), std::strerror(errno)));
  sync_folder(folder_of(path_));
}

}  // namespace jostle::output
