// Resolves the dimensions that an ONNX file leaves open.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "input/printable.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

bool open(const DeclaredDim& dim) {
  return !dim.size || *dim.size <= 0;  // some exporters write 0 or -1
}

// Names of the open first dimensions of all inputs with more than one dimension.
std::set<std::string> batch_names(const std::vector<DeclaredInput>& inputs) {
  std::set<std::string> names;
  for (const DeclaredInput& input : inputs) {
    if (input.dims.size() > 1 && open(input.dims.front()) && !input.dims.front().name.empty()) {
      names.insert(input.dims.front().name);
    }
  }
  return names;
}

std::string shape_text(const DeclaredInput& input) {
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : input.dims) {
    dims.push_back(open(dim) ? (dim.name.empty() ? "?" : input::printable(dim.name))
                             : std::to_string(*dim.size));
  }
  return fmt::format("{}", fmt::join(dims, " x "));
}

class Resolver {
 public:
  Resolver(const std::vector<DeclaredInput>& inputs, std::optional<std::int64_t> given)
      : batch_(batch_names(inputs)), given_(given) {}

  Dims resolve(const DeclaredInput& input) {
    Dims dims;
    for (std::size_t axis = 0; axis < input.dims.size(); ++axis) dims.push_back(resolve(input, axis));
    return dims;
  }
  [[nodiscard]] bool used() const { return used_ && !otherwise_; }

 private:
  // A rectangle has two lengths, for the planes of images: their last two dimensions, or those before
  // channels.
  [[nodiscard]] std::optional<std::int64_t> given_for(const DeclaredInput& input, std::size_t axis) const {
    if (!given_) return std::nullopt;
    const auto [width, height] = dnn::sides_of(static_cast<int>(*given_));
    if (width == height) return given_;
    if (input.dims.size() != 4) return std::nullopt;
    const std::int64_t last = input.dims[3].size.value_or(0);
    const std::size_t first = last >= 1 && last <= 4 ? 1 : 2;
    return axis == first ? height : axis == first + 1 ? std::optional<std::int64_t>(width) : std::nullopt;
  }

  std::int64_t resolve(const DeclaredInput& input, std::size_t axis) {
    const DeclaredDim& dim = input.dims[axis];
    const std::optional<std::int64_t> given = given_for(input, axis);
    if (!open(dim)) {
      used_ = used_ || (axis > 0 && given == dim.size);
      otherwise_ = otherwise_ || (given && given != given_ && given != dim.size);
      return *dim.size;
    }
    const bool alone = input.dims.size() == 1;
    if ((axis == 0 && !alone) || batch_.contains(dim.name) || (alone && !given)) return 1;
    if (axis == 1 && input.dims.size() > 3 && input.channels) return *input.channels;
    if (!given) {
      throw OnnxError(fmt::format("input '{}' ({}) leaves dimension {}{} open", input::printable(input.name),
                                  shape_text(input), axis,
                                  dim.name.empty() ? "" : fmt::format(" '{}'", input::printable(dim.name))),
                      "set its length with `input`: the side of the image in pixels, or WIDTHxHEIGHT, or the "
                      "number of tokens");
    }
    used_ = true;
    return *given;
  }

  std::set<std::string> batch_;
  std::optional<std::int64_t> given_;
  bool used_ = false, otherwise_ = false;  // the file fixes a side of the rectangle otherwise
};

}  // namespace

std::vector<Dims> definite(const std::vector<DeclaredInput>& inputs, std::optional<std::int64_t> input) {
  Resolver resolver(inputs, input);
  std::vector<Dims> all;
  for (const DeclaredInput& declared : inputs) all.push_back(resolver.resolve(declared));
  if (input && !resolver.used()) {
    std::vector<std::string> fixed;
    for (const DeclaredInput& declared : inputs) {
      fixed.push_back(fmt::format("'{}' ({})", input::printable(declared.name), shape_text(declared)));
    }
    throw OnnxError(
        fmt::format(
            "`input` is {}, but all dimensions of the file are fixed: {}",
            dnn::input_text(static_cast<int>(*input)),
            fmt::join(fixed.begin(), fixed.begin() + std::min<std::ptrdiff_t>(std::ssize(fixed), 4), ", ")),
        "remove `input`, or export the network for that size");
  }
  return all;
}

}  // namespace jostle::profiles::onnx_reader
