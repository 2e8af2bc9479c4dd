// An ONNX file without its weights: shapes are all that is wanted, and weights are nearly all of its bytes.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <string>
#include <string_view>

namespace jostle::calibration::onnx_reader {

// The message with the contents of larger tensors left out, also within nested graphs, functions and
// attributes. Throws protozero::exception if the bytes are not a protobuf message.
[[nodiscard]] std::string without_weights(std::string_view model);

}  // namespace jostle::calibration::onnx_reader
