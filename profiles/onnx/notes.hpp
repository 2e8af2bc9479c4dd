// Notes on what the reader approximates, and how much of a network it does not understand.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// Notes on approximations, one for each operator.
class Notes {
 public:
  void add(const Node& node, std::string what);
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  struct Note {
    std::string type, what, first;
    int count;
  };
  std::vector<Note> all_;
};

// Counts nodes and the elements that their layers move.
class Understanding {
 public:
  void begin(bool understood);  // a node, whose layers follow
  void count(const dnn::Layer& layer);

  // The share of the network that is not understood: of nodes or of moved elements, whichever share is
  // larger.
  [[nodiscard]] double missing() const;
  // This share in words; empty if everything is understood.
  [[nodiscard]] std::string sentence() const;

 private:
  std::size_t nodes_ = 0, unknown_nodes_ = 0;
  double moved_ = 0, unknown_moved_ = 0;
  bool understood_ = true;
};

}  // namespace jostle::profiles::onnx_reader
