// The size of a network's input as one number: the side of a square image, tokens, or frames of a
// spectrogram. Of a rectangle it is the width, and above 16 bits the height, so that caches, tables and
// requests compare it.
#pragma once

#include <string>

namespace jostle::dnn {

struct Sides {
  int width, height;
};

[[nodiscard]] constexpr int rectangle(int width, int height) {
  return width == height ? width : (height << 16) + width;
}
[[nodiscard]] constexpr Sides sides_of(int input) {
  return input < 1 << 16 ? Sides{input, input} : Sides{input & 0xFFFF, input >> 16};
}
// "640", or "640x384": width x height.
[[nodiscard]] inline std::string input_text(int input) {
  const auto [width, height] = sides_of(input);
  return std::to_string(width) + (width == height ? "" : "x" + std::to_string(height));
}

}  // namespace jostle::dnn
