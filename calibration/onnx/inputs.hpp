// The dimensions that an ONNX file leaves open, made definite.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

struct DeclaredDim {
  std::optional<std::int64_t> size;
  std::string name;  // of an open one; may be empty
};
struct DeclaredInput {
  std::string name;
  std::vector<DeclaredDim> dims;
  std::optional<std::int64_t> channels;  // what the convolutions that read it need
};

// An open first dimension is the batch: one image. So is one of the same name elsewhere. Open channels are
// those the weights need. Every other open dimension has the length `input`. Throws OnnxError that names the
// dimension if there is no `input`, and if there is one that nothing in the file could mean.
[[nodiscard]] std::vector<Dims> definite(const std::vector<DeclaredInput>& inputs,
                                         std::optional<std::int64_t> input);

}  // namespace jostle::calibration::onnx_reader
