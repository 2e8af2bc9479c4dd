// Any bytes as an ONNX file: either there is a network whose counts make sense, or a problem to show.

#include "profiles/onnx/onnx.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/memory/footprint.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  using fuzz::require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::optional<std::int64_t> input :
       {std::optional<std::int64_t>{}, std::optional<std::int64_t>{32}}) {
    input::Problems problems;
    const auto file = profiles::parse_onnx(bytes, "fuzz.onnx", input, problems);
    require(file.has_value() == problems.empty(), "there is a network exactly when there is no problem");
    fuzz::require_printable(problems.text());
    if (!file) continue;
    require(file->network.size() > 0 && file->batch > 0, "a network has layers");
    require(file->network.macs() >= 0 && file->network.parameters() >= 0, "counts do not overflow");
    const memory::Bindings bound = memory::bindings(file->network);
    require(bound.inputs >= 0 && bound.outputs >= 0, "nor do elements");
    for (const std::string& warning : file->warnings) fuzz::require_printable(warning);
  }
  return 0;
}
