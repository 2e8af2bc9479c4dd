// Which files this process reads, by device and inode, so that it never writes over one of them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

struct stat;

namespace jostle::input {

// Equal for two names of one file: hard links, symbolic links, other spellings of a path.
struct FileId {
  std::uint64_t device = 0, inode = 0;
  auto operator<=>(const FileId&) const = default;
};

[[nodiscard]] FileId id_of(const struct stat& status);
// Of the file that `path` leads to; none if there is none.
[[nodiscard]] std::optional<FileId> id_of(const std::string& path);

// Remembers the regular file as one that is read, now or later. Whatever else it is, or nothing, is ignored.
void note_read(const std::string& path);
void note_read(const struct stat& status, const std::string& path);

// The name under which the file was read; none if it was not.
[[nodiscard]] std::optional<std::string> read_as(FileId id);

// Forgets all: a new command begins.
void forget_reads();

}  // namespace jostle::input
