// Whether a stored tensor holds as many numbers as its dimensions say, told from the bytes of its message:
// the numbers themselves are not kept.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <string_view>

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

// What is wrong with the TensorProto in these bytes; "" if nothing is, or if a large tensor has no numbers at
// all. Throws protozero::exception if it is
// malformed.
[[nodiscard]] std::string wrong_data(std::string_view tensor);

// Where a tensor's numbers are, if in another file. Throws OnnxError if that is outside of the model's
// folder, or if there are not as many as its dimensions say.
[[nodiscard]] std::optional<ExternalData> external_data(const onnx::TensorProto& tensor);

}  // namespace jostle::calibration::onnx_reader
