// Networks that are described by text instead of code: networks.inc.
//
// A description is statements, one a line; most add a layer behind the current tensor. Its language:
//
//     network NAME FAMILY INPUT SOURCE DESCRIPTION ... end     a network, and the side of its usual input
//     def NAME PARAMETER ... end                               a macro; its tensors are its own
//     repeat N ... end, if EXPRESSION ... end                  i is the round, from 0
//     set NAME EXPRESSION; keep NAME; from NAME                a number; names the current tensor; goes back
//     to it
//
// and the operations of the table in described.cpp, which LayerBuilder's members are. `.` is the current
// tensor; numbers are integer expressions without blanks, of + - * / % < == () and min(a,b), in which c, h
// and w are the shape of the current tensor, and `input` the side of the image.
#pragma once

#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

struct DescribedNetwork {
  std::string_view name, family;
  int input;  // side of the usual image
  std::string_view source, description;
};
[[nodiscard]] std::vector<DescribedNetwork> described_networks();  // sorted by name

// Throws std::invalid_argument if the network does not take this input.
[[nodiscard]] Network described_network(std::string_view name, int input);

}  // namespace jostle::dnn
