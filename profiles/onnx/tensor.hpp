// Converts small tensors and attributes of an ONNX file from and to plain numbers. Includes protobuf's
// headers.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The elements of a tensor of integers, booleans, floats or doubles. None if there are more than `most`, if
// they are not stored in the file, or if their number does not match the dimensions.
[[nodiscard]] std::optional<Numbers> numbers_of(const onnx::TensorProto& tensor, std::int64_t most);

// The tensor of these numbers, with int64, int32, bool, float or double elements; other types become float.
[[nodiscard]] onnx::TensorProto tensor_of(const Numbers& numbers, const Dims& dims, int data_type);

// The value of a Constant, from its one attribute; absent for strings.
[[nodiscard]] std::optional<onnx::TensorProto> constant_tensor(const onnx::AttributeProto& attribute);

[[nodiscard]] Attribute attribute_of(const onnx::AttributeProto& attribute);

}  // namespace jostle::profiles::onnx_reader
