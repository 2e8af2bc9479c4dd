#include "profiles/onnx/content_name.hpp"

#include "input/hash.hpp"

namespace jostle::profiles {
namespace {

constexpr std::string_view prefix = "onnx-";
constexpr std::size_t name_digits = 16;

}  // namespace

std::string content_name(std::uint64_t hash) {
  return std::string(prefix) + input::hex(hash);
}

bool is_content_name(std::string_view name) {
  return name.size() == prefix.size() + name_digits && name.starts_with(prefix) &&
         name.substr(prefix.size()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace jostle::profiles
