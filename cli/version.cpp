#include <fmt/format.h>

#include <string_view>

#include "cli/command_line.hpp"
#include "cli/commit.hpp"
#include "input/hash.hpp"
#include "profiles/embedded.hpp"

namespace jostle::cli {
namespace {

// The hash of the names and contents of the embedded files in a folder; "": the files in no folder.
std::string hash_of(std::string_view folder) {
  std::uint64_t hash = input::fnv1a({});
  for (const profiles::EmbeddedFile& file : profiles::embedded_files()) {
    if (folder.empty() ? file.path.find('/') != std::string_view::npos : !file.path.starts_with(folder))
      continue;
    hash = input::fnv1a(input::hex(input::fnv1a_of_words(file.contents)), input::fnv1a(file.path, hash));
  }
  return input::hex(hash);
}

}  // namespace

std::string version_text() {
  std::string text = "jostle " JOSTLE_VERSION "\n";
  if (!built_from.empty()) text += fmt::format("commit {}\n", built_from);
  return text + fmt::format("data   devices {}, kernels {}, tables {}", hash_of("devices/"),
                            hash_of("kernels/"), hash_of(""));
}

}  // namespace jostle::cli
