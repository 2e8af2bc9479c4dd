// Where labels of points go in a picture, so that none covers another, a point or the edge.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace jostle::cli {

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  [[nodiscard]] bool contains(const Box& other) const {
    return left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom;
  }
};

struct Label {
  std::string text;
  Point point;  // what it names
};
struct PlacedLabel {
  Label label;
  Box box;
  bool apart = false;  // below its point rather than beside it: a line should lead down to it
};

// Pixels that a text takes at most in a common sans-serif font.
[[nodiscard]] double text_width(const std::string& text, double size);

// Right of its point, or else below it as near as there is room, the rightmost point first: so no line down
// to a label meets another label. `taken` is kept free. None if one finds no room in the frame.
[[nodiscard]] std::optional<std::vector<PlacedLabel>> place_labels(std::vector<Label> labels,
                                                                   const Box& frame, std::vector<Box> taken,
                                                                   double font_size);

}  // namespace jostle::cli
