// Files that people try to import, but that hold no readable measurements: their kind, and
// what to do.
#pragma once

#include <string_view>

namespace jostle::calibration {

struct KnownFile {
  std::string_view what;  // "a Git LFS pointer, not the file itself"
  std::string_view to_do;
};

// Recognises a file by its first bytes and its name. Null if it is none of these.
[[nodiscard]] const KnownFile* known_file(std::string_view head, std::string_view name);

}  // namespace jostle::calibration
