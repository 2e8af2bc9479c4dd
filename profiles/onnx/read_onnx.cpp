// Reads ONNX files; their bytes are parsed by onnx.cpp, which is loaded on demand.
#include "input/file.hpp"
#include "profiles/onnx/onnx.hpp"

namespace jostle::profiles {

std::optional<OnnxNetwork> read_onnx(const std::string& path, std::optional<std::int64_t> input,
                                     input::Problems& problems) {
  const std::optional<std::string> bytes = input::read_text_file(path, max_onnx_bytes, problems);
  return bytes ? parse_onnx(*bytes, path, input, problems) : std::nullopt;
}

}  // namespace jostle::profiles
