// Looks up a file among those that jostle_embed_data() (embed.cmake) has put into the binary.
#include "profiles/embedded.hpp"

#include <algorithm>

namespace jostle::profiles {

std::optional<std::string_view> embedded_file(std::span<const EmbeddedFile> files, std::string_view path) {
  const auto found = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  if (found == files.end() || found->path != path) return std::nullopt;
  return found->contents;
}

std::optional<std::string_view> embedded_file(std::string_view path) {
  return embedded_file(embedded_files(), path);
}

}  // namespace jostle::profiles
