// Loaded before the C library (LD_PRELOAD): makes the calls that write to files fail as a test asks.
//
// FAULT_FOLDER: only files in it are concerned. FAULT, one of
//   count     nothing fails; the number of calls goes to the file FAULT_COUNT at the end
//   short     every write writes half of what it was given
//   eintr     every second call was interrupted by a signal
//   full:N    from the N-th call on, the disk is full
//   kill:N    the N-th call does half of its work, and the process is killed
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int calls = 0;

struct Fault {
  std::string kind = variable("FAULT"), folder = variable("FAULT_FOLDER") + "/";
  int at = 0;
  Fault() {
    const std::size_t colon = kind.find(':');
    if (colon == std::string::npos) return;
    at = std::atoi(kind.c_str() + colon + 1);
    kind.resize(colon);
  }
  ~Fault() {
    if (kind != "count") return;
    if (std::FILE* const file = std::fopen(variable("FAULT_COUNT").c_str(), "w")) {
      std::fprintf(file, "%d", calls);
      std::fclose(file);
    }
  }
  [[nodiscard]] bool concerns(const char* path) const {
    return !kind.empty() && std::strncmp(path, folder.c_str(), folder.size()) == 0;
  }
  [[nodiscard]] bool concerns(int descriptor) const {
    if (kind.empty()) return false;
    char link[64], path[PATH_MAX + 1] = {};
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return readlink(link, path, PATH_MAX) > 0 && concerns(path);
  }
};

const Fault& fault() {
  static const Fault asked;
  return asked;
}

enum class Verdict { work, half, fail, die };

Verdict next(bool may_be_full) {
  ++calls;
  const std::string& kind = fault().kind;
  if (kind == "short") return Verdict::half;
  if (kind == "eintr" && calls % 2 == 1) return errno = EINTR, Verdict::fail;
  if (kind == "full" && calls >= fault().at && may_be_full) return errno = ENOSPC, Verdict::fail;
  if (kind == "kill" && calls == fault().at) return Verdict::die;
  return Verdict::work;
}

template <class Write>
ssize_t written(int descriptor, std::size_t size, const Write& write) {
  if (!fault().concerns(descriptor)) return write(size);
  switch (next(true)) {
    case Verdict::fail:
      return -1;
    case Verdict::half:
      return write(size > 1 ? size / 2 : size);
    case Verdict::die:
      write(size / 2);
      raise(SIGKILL);
      [[fallthrough]];
    case Verdict::work:
      break;
  }
  return write(size);
}

int synced(int descriptor, const char* name) {
  if (fault().concerns(descriptor)) {
    // SQLite takes an interrupted sync for a failure, and no file system of Linux interrupts one.
    const Verdict verdict = fault().kind == "eintr" ? Verdict::work : next(true);
    if (verdict == Verdict::fail) return -1;
    if (verdict == Verdict::die) raise(SIGKILL);
  }
  return real<int(int)>(name)(descriptor);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static auto* const next_one = real<ssize_t(int, const void*, size_t)>("write");
  return written(descriptor, size, [&](size_t most) { return next_one(descriptor, bytes, most); });
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
  static auto* const next_one = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return written(descriptor, size, [&](size_t most) { return next_one(descriptor, bytes, most, at); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  static auto* const next_one = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return written(descriptor, size, [&](size_t most) { return next_one(descriptor, bytes, most, at); });
}

int fsync(int descriptor) {
  return synced(descriptor, "fsync");
}

int fdatasync(int descriptor) {
  return synced(descriptor, "fdatasync");
}

int rename(const char* from, const char* to) {
  // A full disk does not keep a file from being renamed; killed is before or after it.
  const bool concerned = fault().concerns(to);
  if (concerned && fault().kind != "eintr" && next(false) == Verdict::die) raise(SIGKILL);
  return real<int(const char*, const char*)>("rename")(from, to);
}

int mkostemp(char* name, int flags) {
  if (fault().concerns(name) && fault().kind == "full" && next(true) == Verdict::fail) return -1;
  return real<int(char*, int)>("mkostemp")(name, flags);
}
}
