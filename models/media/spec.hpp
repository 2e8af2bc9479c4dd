// Fixed-function engines for pictures beside the GPU: NVIDIA's decoders of video and of JPEG, its compositor,
// which scales and converts, and its encoder of video. A Jetson has one of each that counts (several units of
// a kind are one server of their joint rate).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jostle::media {

enum class Kind : std::uint8_t { nvdec, nvjpeg, vic, nvenc };
inline constexpr std::array<std::string_view, 4> kind_names{"nvdec", "nvjpeg", "vic", "nvenc"};
inline constexpr std::size_t kind_count = kind_names.size();
[[nodiscard]] constexpr std::size_t index_of(Kind kind) {
  return static_cast<std::size_t>(kind);
}
[[nodiscard]] constexpr std::string_view to_string(Kind kind) {
  return kind_names.at(index_of(kind));
}

// Pixels/s of each engine, by Kind; 0: the board has none, or its rate is not known. `nvdec` and `nvenc` are
// for H.265.
struct Spec {
  std::array<double, kind_count> pixels_per_s{};
};

}  // namespace jostle::media
