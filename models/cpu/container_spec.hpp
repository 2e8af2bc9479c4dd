// The limits of a container: a weight against the rest of the machine, and a quota of processor time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace jostle::cpu {

inline constexpr std::int64_t min_shares = 2, max_shares = 262'144;

// Threads that name the same container share its weight and its quota.
struct ContainerSpec {
  std::string name;
  std::optional<double> cpus = {};  // processor time per time, over 100 ms; none: unlimited
  std::int64_t shares = 1024;       // weight against threads outside it, at nice 0 (a thread weighs 1024)
};

}  // namespace jostle::cpu
