#include "output/temporaries.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

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

}  // namespace jostle::output
