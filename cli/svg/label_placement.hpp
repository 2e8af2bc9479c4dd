// Placement of point labels in a picture without overlaps with labels, points or the frame.
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
  Point point;  // the labelled point
};
struct PlacedLabel {
  Label label;
  Box box;
  bool apart = false;  // below its point rather than beside it, so a line connects the two
};

// Upper bound for the width of a text in a common sans-serif font, in pixels.
[[nodiscard]] double text_width(const std::string& text, double size);

// Places each label to the right of its point, or else below it as close as it fits. The rightmost point
// comes first, so that no line to a label crosses another label. `taken` is kept free. None if a label does
// not fit into the frame.
[[nodiscard]] std::optional<std::vector<PlacedLabel>> place_labels(std::vector<Label> labels,
                                                                   const Box& frame, std::vector<Box> taken,
                                                                   double font_size);

}  // namespace jostle::cli
