// The networks that jostle knows by name; the texts builders/*.inc describe them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::dnn {

class Network;

// These limits are far beyond any memory; they keep times and counts within 64 bits.
inline constexpr std::int64_t max_images = 1'000'000;  // per batch
inline constexpr int largest_input = 32'768;

struct Model {
  std::string_view name;
  std::string_view family;       // networks of one design share their fitted factors
  int default_input;             // side of the image in pixels, or tokens
  std::string_view description;  // text for the user
  std::string_view source;       // the definition that it follows

  [[nodiscard]] Network build(int input) const;  // input_sides.hpp
  // The family as its maker calls it: yolo26, whose factors are those of yolo11.
  [[nodiscard]] std::string_view series() const;
};

[[nodiscard]] std::span<const Model> models();  // sorted by name
[[nodiscard]] const std::vector<std::string>& model_names();
[[nodiscard]] const std::vector<std::string>& known_names();  // model_names() and other names for them
// A name in small letters without what separates its words: "yolo11npose" of "YOLO11n-pose".
[[nodiscard]] std::string folded(std::string_view name);
// By one of known_names(), however its words are separated, such as torchvision's vit_b_16 for vit_base; also
// with a tag of timm or the ending of a file behind a dot; null if there is none.
[[nodiscard]] const Model* find_model(std::string_view name);
// The name in the table of a network that is known by several; other names unchanged.
[[nodiscard]] std::string catalogue_name(std::string_view name);

}  // namespace jostle::dnn
