// The files that this process reads, by device and inode, so that it never writes over one of them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

struct stat;

namespace jostle::input {

// The identity of a file. It is equal for two names of one file: hard links, symbolic links, other spellings
// of a path.
struct FileId {
  std::uint64_t device = 0, inode = 0;
  auto operator<=>(const FileId&) const = default;
};

[[nodiscard]] FileId id_of(const struct stat& status);
// The identity of the file that `path` leads to; none if there is no such file.
[[nodiscard]] std::optional<FileId> id_of(const std::string& path);

// Notes that the regular file is read, now or later. Anything but a regular file is ignored.
void note_read(const std::string& path);
void note_read(const struct stat& status, const std::string& path);

// The name under which the file was read; none if it was not.
[[nodiscard]] std::optional<std::string> read_as(FileId id);

// Forgets all files, at the start of a new command.
void forget_reads();

}  // namespace jostle::input
