// Recognises groups of nodes that exporters write for a single layer: SiLU, GELU, layer norm, the bias of a
// linear layer.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

// Replaces each such group by one node, which has the name of the last node of the group.
void recognise_patterns(Graph& graph);

}  // namespace jostle::calibration::onnx_reader
