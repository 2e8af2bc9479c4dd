// Groups of nodes that exporters write for what is one layer: SiLU, GELU, layer norm, a linear layer's bias.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

// Puts one node in the place of each such group, with the name of its last.
void recognise_patterns(Graph& graph);

}  // namespace jostle::calibration::onnx_reader
