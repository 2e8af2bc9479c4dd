// The modules that YOLO detectors of Ultralytics are made of. Layers are named as by Ultralytics: the index
// of a module, then its parts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/dnn/builders/layers.hpp"

namespace jostle::dnn {

inline constexpr int yolo_classes = 80;  // classes of COCO
inline constexpr int yolo_stride = 32;   // stride of the coarsest level

struct YoloScale {
  const char* name;
  double depth, width;  // factors on the repeats of modules, and on channels
  int max_channels;
};

class YoloBuilder {
 public:
  using Node = Network::Node;
  using Levels = std::array<Node, 3>;  // ordered from fine to coarse

  YoloBuilder(const YoloScale& scale, int input);

 protected:
  [[nodiscard]] int channels(int full) const;  // number at this scale, a multiple of eight
  [[nodiscard]] int repeats(int full) const;

  Node conv(const std::string& name, Node from, int to, Sliding slide);
  Node down(const std::string& name, Node from, int full);
  Node up(const std::string& name, Node from);

  // Two convolutions: the second is 3 x 3, the first as `first_window` says. The input may be added.
  struct Bottleneck {
    int inside, first_window;
    bool shortcut;
  };
  Node bottleneck(const std::string& name, Node from, const Bottleneck& of);

  // Cross-stage partial modules of `out` channels. `c2f` splits in two, one half passes through parts, and
  // all intermediate results are concatenated; `c3` narrows twice and passes one of both through bottlenecks.
  struct Csp {
    int out, count;
    bool shortcut;
  };
  Node c2f(const std::string& name, Node from, const Csp& of);
  Node c3(const std::string& name, Node from, const Csp& of);
  // Spatial pyramid pooling by three successive pools.
  Node sppf(const std::string& name, Node from, int out);

  // Predicts boxes, as distributions over distances to their sides, and scores: two branches per level.
  Node detect(const std::string& name, const Levels& levels, int classes);
  // Adds a further branch per level; the positions of all levels follow one another.
  Node branches(const std::string& name, const Levels& levels, int inside, int outputs);
  Node branch(const std::string& name, Node from, int inside, int outputs);
  Node flat(const std::string& name, Node from);  // positions in a row

  LayerBuilder layers_{Activation::silu};
  Node image_;

 private:
  Node decode(const std::string& name, Node from);

  YoloScale scale_;
};

}  // namespace jostle::dnn
