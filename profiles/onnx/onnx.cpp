#include "profiles/onnx/onnx.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "input/hash.hpp"
#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles {
namespace {

constexpr std::int64_t oldest_opset = 11, newest_opset = 24;

std::string slim(std::string_view bytes) {
  try {
    return onnx_reader::without_weights(bytes);
  } catch (const onnx_reader::OnnxError&) {
    throw;
  } catch (const std::exception&) {
    throw onnx_reader::OnnxError("not an ONNX file, or a truncated one");
  }
}

// Checks files of external weights. A missing file is accepted, because weights are not read; a file that is
// too short indicates a truncated copy.
void check_external(const std::vector<onnx_reader::ExternalData>& all, const std::filesystem::path& folder) {
  for (const onnx_reader::ExternalData& data : all) {
    std::error_code error;
    const std::filesystem::path file = folder / data.file;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    const auto size = std::filesystem::file_size(file, error);
    if (!error && size < static_cast<std::uintmax_t>(data.end))
      throw onnx_reader::OnnxError(
          fmt::format("tensor '{}': its numbers end at byte {} of '{}', which has {}",
                      input::printable(data.tensor), data.end, input::printable(data.file), size));
  }
}

}  // namespace

std::optional<OnnxNetwork> parse_onnx(std::string_view bytes, const std::string& origin,
                                      std::optional<std::int64_t> input, input::Problems& problems) {
  try {
    onnx_reader::Graph graph = onnx_reader::read_graph(slim(bytes), input);
    check_external(graph.external, std::filesystem::path(origin).parent_path());
    onnx_reader::recognise_patterns(graph);
    onnx_reader::note_copies(graph);
    onnx_reader::Layers layers = onnx_reader::layers_of(graph);
    OnnxNetwork result{.network = std::move(layers.network),
                       .batch = layers.batch,
                       .opset = graph.opset,
                       .hash = input::fnv1a_of_words(bytes),
                       .warnings = std::move(layers.warnings),
                       .missing = layers.missing};
    if (graph.opset < oldest_opset || graph.opset > newest_opset) {
      result.warnings.push_back("written for opset " + std::to_string(graph.opset) + ", read as opset " +
                                std::to_string(oldest_opset) + " to " + std::to_string(newest_opset));
    }
    return result;
  } catch (const onnx_reader::OnnxError& error) {
    problems.add_file(origin, error.what(), error.hint());
  }
  return std::nullopt;
}

}  // namespace jostle::profiles
