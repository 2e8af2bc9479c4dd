// A set of core numbers, like an affinity mask.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace jostle::cpu {

inline constexpr int max_cores = 256;

class CpuSet {
 public:
  constexpr CpuSet() = default;
  [[nodiscard]] static constexpr CpuSet first(int n) {
    CpuSet set;
    for (int core = 0; core < n; ++core) set.add(core);
    return set;
  }

  // `core` must be in [0, max_cores).
  constexpr void add(int core) { word(core) |= bit(core); }
  [[nodiscard]] constexpr bool contains(int core) const {
    return (words_[static_cast<std::size_t>(core) / 64] & bit(core)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return *this == CpuSet{}; }
  [[nodiscard]] constexpr int count() const {
    int n = 0;
    for (const std::uint64_t w : words_) n += std::popcount(w);
    return n;
  }

  friend constexpr CpuSet operator&(CpuSet a, const CpuSet& b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  constexpr CpuSet& operator|=(const CpuSet& b) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= b.words_[i];
    return *this;
  }
  constexpr bool operator==(const CpuSet&) const = default;

 private:
  [[nodiscard]] static constexpr std::uint64_t bit(int core) { return std::uint64_t{1} << (core % 64); }
  constexpr std::uint64_t& word(int core) { return words_[static_cast<std::size_t>(core) / 64]; }

  std::array<std::uint64_t, max_cores / 64> words_{};
};

}  // namespace jostle::cpu
