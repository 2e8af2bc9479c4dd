#include "cli/svg/label_placement.hpp"

#include <algorithm>

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

double text_width(const std::string& text, double size) {
  constexpr double wide = 0.62;  // share of the size: the mean of a broad font (DejaVu Sans)
  return wide * size * static_cast<double>(display_width(text));
}

std::optional<std::vector<PlacedLabel>> place_labels(std::vector<Label> labels, const Box& frame,
                                                     std::vector<Box> taken, double font_size) {
  constexpr double beside = 7, step = 2;
  const double height = 1.2 * font_size;
  std::ranges::sort(labels, [](const Label& a, const Label& b) {
    return a.point.x != b.point.x ? a.point.x > b.point.x : a.point.y < b.point.y;
  });
  std::vector<PlacedLabel> placed;
  for (const Label& label : labels) {
    Box box{label.point.x + beside, label.point.y - height / 2, 0, 0};
    box.right = box.left + text_width(label.text, font_size);
    box.bottom = box.top + height;
    const double first = box.top;
    const auto hits = [&box](const Box& other) { return box.overlaps(other); };
    while (std::ranges::any_of(taken, hits) && box.bottom <= frame.bottom) {
      box.top += step;
      box.bottom += step;
    }
    if (!frame.contains(box)) return std::nullopt;
    placed.push_back({.label = label, .box = box, .apart = box.top > first});
    taken.push_back(box);
    taken.push_back({label.point.x - 1, label.point.y, box.left, box.bottom});  // the line from its point
  }
  return placed;
}

}  // namespace jostle::cli
