// The exception for an ONNX file that cannot be read. The reader throws it inside, and reports it to its
// caller as a problem.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace jostle::profiles::onnx_reader {

class OnnxError : public std::runtime_error {
 public:
  explicit OnnxError(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace jostle::profiles::onnx_reader
