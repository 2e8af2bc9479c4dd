#include "sim/contract.hpp"

#include <string>
#include <string_view>

namespace jostle::sim {
namespace {

// The path of a source file from the root of the repository. Compilers name it by an absolute path, or by one
// from the build directory.
std::string_view from_root(std::string_view file) {
  constexpr std::string_view here = __FILE__, name = "sim/contract.cpp";
  constexpr std::string_view root = here.substr(0, here.size() - name.size());
  if (file.starts_with(root)) file.remove_prefix(root.size());
  while (file.starts_with("../")) file.remove_prefix(3);
  return file;
}

}  // namespace

void throw_broken(const char* sentence, const std::source_location& where) {
  std::string text(from_root(where.file_name()));
  text.append(":").append(std::to_string(where.line())).append(": this does not hold: ").append(sentence);
  throw BrokenContract(text + "; it is a fault of jostle, not of its input: please report it");
}

}  // namespace jostle::sim
