// Small tensors and attributes of an ONNX file, to and from plain numbers. Includes protobuf's headers.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

// The elements of a tensor of integers, booleans, floats or doubles; nothing if there are more than `most`,
// or if they are not in the file, or not as many as its dimensions say.
[[nodiscard]] std::optional<Numbers> numbers_of(const onnx::TensorProto& tensor, std::int64_t most);

// Of int64, int32, bool, float or double elements; others become float.
[[nodiscard]] onnx::TensorProto tensor_of(const Numbers& numbers, const Dims& dims, int data_type);

// The one attribute of a Constant; nothing for strings.
[[nodiscard]] std::optional<onnx::TensorProto> constant_tensor(const onnx::AttributeProto& attribute);

[[nodiscard]] Attribute attribute_of(const onnx::AttributeProto& attribute);

}  // namespace jostle::calibration::onnx_reader
