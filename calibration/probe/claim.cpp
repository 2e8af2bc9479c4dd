#include "calibration/probe/claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "calibration/probe/folder.hpp"
#include "input/printable.hpp"
#include "input/refused.hpp"

namespace jostle::calibration::probe {

namespace fs = std::filesystem;

Claim::Claim(const fs::path& folder) : folder_(folder) {
  const auto refuse = [&](std::string_view why) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw input::Refused(fmt::format("{}: {}", input::printable(folder.string(), 400), why));
  };
  std::error_code error;
  if (fs::create_directories(folder, error)) {
    made_.emplace(folder.string());
    give_to_caller(folder);
  }
  if (error) refuse("cannot be made: " + error.message());
  // The lock is the open folder's, which forks share and no file keeps.
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 || ::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  const bool held = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat now {};
  const bool there = ::fstat(descriptor_, &now) == 0 && now.st_nlink > 0;
  if (held || !there) {
    made_.reset();
    refuse("another probe is writing to this folder; wait for its end, or choose another --output");
  }
}

Claim::~Claim() {
  std::error_code ignored;
  if (made_) fs::remove_all(folder_, ignored);
  ::close(descriptor_);
}

}  // namespace jostle::calibration::probe
