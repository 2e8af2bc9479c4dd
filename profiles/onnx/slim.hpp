// Strips the weights from an ONNX file: only shapes are needed, and weights are nearly all of its bytes.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <string>
#include <string_view>

namespace jostle::profiles::onnx_reader {

// The message without the contents of larger tensors, including those in nested graphs, functions and
// attributes. Throws protozero::exception if the bytes are not a protobuf message.
[[nodiscard]] std::string without_weights(std::string_view model);

}  // namespace jostle::profiles::onnx_reader
