#include "output/claim.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::output {
namespace {

enum State : int { unused, being_changed, listed };

struct Slot {
  std::atomic<int> state{unused};
  std::array<char, PATH_MAX> path{};
};

// The memory is fixed, because a signal handler must neither allocate nor wait for a lock.
constexpr std::size_t slot_count = 12;
std::array<Slot, slot_count> slots;
std::atomic<int> committing{0};

// Removes a file, or a folder with all that is in it. opendir() would allocate.
void remove_from(int in, const char* name) {
  if (::unlinkat(in, name, 0) == 0 || errno != EISDIR) return;
  const int folder = ::openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 4096> entries;
  for (long size = 0; (size = ::syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      const std::string_view own = entry->d_name;
      if (own != "." && own != "..") remove_from(folder, entry->d_name);
      at += entry->d_reclen;
    }
  }
  ::close(folder);
  ::unlinkat(in, name, AT_REMOVEDIR);
}

}  // namespace

Temporary::Temporary(const std::string& path) {
  for (std::size_t i = 0; i < slots.size() && slot_ < 0 && path.size() < PATH_MAX; ++i) {
    int expected = unused;
    if (slots[i].state.compare_exchange_strong(expected, being_changed)) slot_ = static_cast<int>(i);
  }
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
  slot.state = listed;
}

Temporary::~Temporary() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = unused;
}

TemporaryFolder::TemporaryFolder(const std::string& beside)
    : path_(beside.empty() ? (std::filesystem::temp_directory_path() / "jostle-XXXXXX").string()
                           : beside + ".XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw input::Refused(path_ + ": no temporary folder can be made");
  listed_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Committing::Committing() {
  ++committing;
}

Committing::~Committing() {
  --committing;
}

bool Committing::any() {
  return committing > 0;
}

void remove_temporaries() {
  for (Slot& slot : slots) {
    if (slot.state == listed) remove_from(AT_FDCWD, slot.path.data());
  }
}
namespace {

namespace fs = std::filesystem;

std::string shown(const std::string& path) {
  return input::printable(path, 400);
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw input::Refused(fmt::format("cannot write {}: {}", shown(path), why));
}

struct Claimed {
  std::string path, target;
  std::optional<input::FileId> id;
};

// One for the process, because two outputs of one command are opened in different places.
struct Outputs {
  std::mutex guard;
  std::vector<Claimed> claimed;
};

Outputs& outputs() {
  static Outputs all;
  return all;
}

// The path without symbolic links, absolute; the file itself need not exist.
std::string followed(const std::string& path) {
  std::error_code error;
  fs::path at = path;
  // A link to a file that does not exist yet is followed as well: the link stays, and the file is created.
  constexpr int most_links = 40;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, error)); ++links) {
    if (links == most_links) refuse(path, std::strerror(ELOOP));
    const fs::path to = fs::read_symlink(at, error);
    if (error) refuse(path, error.message());
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
  if (error) refuse(path, error.message());
  return (folder / at.filename()).string();
}

}  // namespace

Claim::Claim(const std::string& path) : path_(path) {
  if (path.empty() || path.find('\0') != std::string::npos) refuse(path, "not a valid file name");
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(path, "is a directory");
    if (S_ISSOCK(status.st_mode) && !path.starts_with("/dev/")) refuse(path, "is a socket");
    regular_ = S_ISREG(status.st_mode);
    id_ = input::id_of(status);
  } else if (errno != ENOENT) {
    refuse(path, std::strerror(errno));
  }
  target_ = regular_ ? followed(path) : path;
  check_unread();
  if (!regular_ && !S_ISFIFO(status.st_mode)) return;
  const std::lock_guard lock(outputs().guard);
  const auto same = [this](const Claimed& other) {
    return other.target == target_ || (id_ && other.id == id_);
  };
  const auto other = std::ranges::find_if(outputs().claimed, same);
  if (other != outputs().claimed.end())
    refuse(path, other->path == path
                     ? "it is the file of another output"
                     : fmt::format("it is the file of another output, {}", shown(other->path)));
  outputs().claimed.push_back({path_, target_, id_});
  counted_ = true;
}

Claim::~Claim() {
  if (!counted_) return;
  const std::lock_guard lock(outputs().guard);
  std::erase_if(outputs().claimed, [this](const Claimed& one) { return one.target == target_; });
}

void Claim::check_unread() const {
  const auto as = id_ && regular_ ? input::read_as(*id_) : std::nullopt;
  if (as)
    refuse(path_, *as == path_ ? "it is an input" : fmt::format("it is an input, {}", input::file_name(*as)));
}

}  // namespace jostle::output
