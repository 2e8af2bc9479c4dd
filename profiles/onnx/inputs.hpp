// Resolves the dimensions that an ONNX file leaves open.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

struct DeclaredDim {
  std::optional<std::int64_t> size;
  std::string name;  // name of an open dimension; may be empty
};
struct DeclaredInput {
  std::string name;
  std::vector<DeclaredDim> dims;
  std::optional<std::int64_t> channels;  // number that the convolutions reading it need
};

// The dimensions of all inputs. An open first dimension is the batch and becomes one image; so does a
// dimension of the same name elsewhere. Open channels become the number that the weights need. Every other
// open dimension has the length `input`. Throws OnnxError, which names the dimension, if there is no `input`,
// and if `input` is given but no dimension is open.
[[nodiscard]] std::vector<Dims> definite(const std::vector<DeclaredInput>& inputs,
                                         std::optional<std::int64_t> input);

}  // namespace jostle::profiles::onnx_reader
