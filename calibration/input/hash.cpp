#include "calibration/input/hash.hpp"

#include <fmt/format.h>

namespace jostle::input {

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace jostle::input
