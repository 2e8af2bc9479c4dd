// Checks that a stored tensor holds as many numbers as its dimensions require, from the bytes of its message:
// the numbers themselves are not kept.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <string_view>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The error in the TensorProto in these bytes; "" if there is none, or if a large tensor has no numbers at
// all. Throws protozero::exception if the bytes are malformed.
[[nodiscard]] std::string wrong_data(std::string_view tensor);

// The location of a tensor's numbers, if they are in another file. Throws OnnxError if that file is outside
// of the model's folder, or if there are not as many numbers as the dimensions require.
[[nodiscard]] std::optional<ExternalData> external_data(const onnx::TensorProto& tensor);

}  // namespace jostle::profiles::onnx_reader
