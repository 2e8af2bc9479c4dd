#include "input/file_id.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "input/file.hpp"

namespace jostle::input {
namespace {

// One for the process: there are many readers, at all levels and in several threads, and a file that any of
// them reads is an input.
struct Reads {
  std::mutex guard;
  std::map<FileId, std::string> names;
};

Reads& reads() {
  static Reads all;
  return all;
}

}  // namespace

FileId id_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

std::optional<FileId> id_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return id_of(status);
}

void note_read(const std::string& path) {
  struct stat status {};
  const bool found =
      is_standard_input(path) ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (found) note_read(status, path);
}

void note_read(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(reads().guard);
  reads().names.try_emplace(id_of(status), path);
}

std::optional<std::string> read_as(FileId id) {
  const std::lock_guard lock(reads().guard);
  const auto found = reads().names.find(id);
  if (found == reads().names.end()) return std::nullopt;
  // A file that was removed leaves its number to another one.
  const std::string& path = found->second;
  const bool there = is_standard_input(path) || id_of(path) == id;
  return there ? std::optional(path) : std::nullopt;
}

void forget_reads() {
  const std::lock_guard lock(reads().guard);
  reads().names.clear();
}

}  // namespace jostle::input
