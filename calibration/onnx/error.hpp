// Why an ONNX file cannot be read: thrown inside the reader, and a problem to whoever called it.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace jostle::calibration::onnx_reader {

class OnnxError : public std::runtime_error {
 public:
  explicit OnnxError(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace jostle::calibration::onnx_reader
