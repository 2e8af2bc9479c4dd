#include "input/hash.hpp"

#include <fmt/format.h>

namespace jostle::input {

std::uint64_t fnv1a_of_words(std::string_view text) {
  std::uint64_t hash = fnv1a({});
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    for (unsigned byte = 0; byte < 8; ++byte) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[byte])) << (8 * byte);
    }
    // A product only carries upwards, so the high bits are mixed down.
    hash = (hash ^ word) * 0x100000001b3ULL;
    hash ^= hash >> 32U;
  }
  return fnv1a(text, hash);
}

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace jostle::input
