#include "analyses/study/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "input/file_id.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::analyses {
namespace {

// An offset beyond every file, which SQLite does not lock (its own bytes are just above 2^30).
constexpr off_t locked_byte = off_t{1} << 46U;

// Tries to lock the file; returns whether another process holds the lock. The lock belongs to the open file,
// not to the process: closing another descriptor of the file does not release it. The system releases it when
// the process ends, however it ends.
bool held_elsewhere(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = locked_byte;
  lock.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
}

}  // namespace

FileLock::FileLock(const std::string& path) : path_(path) {
  const auto refuse = [&path](std::string_view why) {
    throw input::Refused(fmt::format("{}: {}", input::printable(path, 400), why));
  };
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) refuse("is not a regular file");
  constexpr int flags = O_RDWR | O_CLOEXEC;
  constexpr mode_t mode = 0666;
  descriptor_ = ::open(path.c_str(), flags | O_CREAT | O_EXCL, mode);
  created_ = descriptor_ >= 0;
  if (!created_)
    descriptor_ = ::open(path.c_str(), flags | O_CREAT, mode);  // the file exists, or it is a dangling link
  if (descriptor_ < 0) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  const bool held = held_elsewhere(descriptor_);
  // Between open and lock, the file may have been removed and created again by other processes.
  const bool same = ::fstat(descriptor_, &there) == 0 && input::id_of(path) == input::id_of(there);
  if (!held && same) return;
  ::close(descriptor_);
  refuse("another sweep, plan or merge is writing to this file; wait for its end, or write to another");
}

FileLock::~FileLock() {
  if (created_) {
    for (const char* const ending : {"", "-wal", "-shm"}) ::unlink((path_ + ending).c_str());
  }
  ::close(descriptor_);
}

}  // namespace jostle::analyses
