// The data files of this room that are part of the binary: device profiles and kernel tables.
//
// Paths are relative to profiles/, as in "devices/nvidia-h200.yaml" or "kernels/h200/kernels.csv". The
// contents live as long as the program and are followed by a zero byte that is not part of them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace jostle::profiles {

struct EmbeddedFile {
  std::string_view path;
  std::string_view contents;
};

// All embedded files, sorted by path.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

// The contents of one file, of these or of `files`, which are sorted; none if there is no such file.
[[nodiscard]] std::optional<std::string_view> embedded_file(std::string_view path);
[[nodiscard]] std::optional<std::string_view> embedded_file(std::span<const EmbeddedFile> files,
                                                            std::string_view path);

}  // namespace jostle::profiles
