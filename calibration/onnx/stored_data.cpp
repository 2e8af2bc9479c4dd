#include "calibration/onnx/stored_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <protozero/pbf_reader.hpp>

#include "calibration/onnx/check_node.hpp"
#include "calibration/onnx/error.hpp"
#include "input/printable.hpp"

namespace jostle::calibration::onnx_reader {
namespace {

using Tensor = onnx::TensorProto;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Bits of an element in raw data; 0 for types without raw data, and unknown ones.
int bits_of(int type) {
  switch (type) {
    case Tensor::INT8:
    case Tensor::UINT8:
    case Tensor::BOOL:
      return 8;
    case Tensor::INT16:
    case Tensor::UINT16:
    case Tensor::FLOAT16:
    case Tensor::BFLOAT16:
      return 16;
    case Tensor::FLOAT:
    case Tensor::INT32:
    case Tensor::UINT32:
      return 32;
    case Tensor::DOUBLE:
    case Tensor::INT64:
    case Tensor::UINT64:
    case Tensor::COMPLEX64:
      return 64;
    case Tensor::COMPLEX128:
      return 128;
    default:
      return 0;
  }
}

// None if there are more than any tensor may have.
template <class Dims>
std::optional<std::int64_t> elements_of(const Dims& dims) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && elements > max_elements / dim)) return std::nullopt;
    elements *= dim;
  }
  return elements;
}

// The numbers in a field that may be packed; `bytes` of one, 0 for numbers of variable length.
std::int64_t count_in(pbf_reader& field, int bytes) {
  if (field.wire_type() != pbf_wire_type::length_delimited) {
    field.skip();
    return 1;
  }
  const auto view = field.get_view();
  if (bytes > 0) return static_cast<std::int64_t>(view.size()) / bytes;
  return std::count_if(view.data(), view.data() + view.size(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0x80U) == 0; });
}

struct Contents {
  std::vector<std::int64_t> dims;
  int type = 0;
  std::string name;
  std::int64_t typed = 0;           // numbers in fields of their type
  std::optional<std::int64_t> raw;  // bytes
  bool elsewhere = false;
};

void take_dims(pbf_reader& field, Contents& to) {
  if (field.wire_type() == pbf_wire_type::varint) {
    to.dims.push_back(field.get_int64());
    return;
  }
  for (const std::int64_t dim : field.get_packed_int64()) to.dims.push_back(dim);
}

Contents contents_of(std::string_view bytes) {
  constexpr int location = Tensor::kDataLocationFieldNumber;
  Contents found;
  pbf_reader field(protozero::data_view(bytes.data(), bytes.size()));
  while (field.next()) {
    switch (static_cast<int>(field.tag())) {
      case Tensor::kDimsFieldNumber:
        take_dims(field, found);
        break;
      case Tensor::kDataTypeFieldNumber:
        found.type = field.get_int32();
        break;
      case Tensor::kNameFieldNumber:
        found.name = field.get_string();
        break;
      case Tensor::kRawDataFieldNumber:
        found.raw = static_cast<std::int64_t>(field.get_view().size());
        break;
      case location:
        found.elsewhere = field.get_int32() == Tensor::EXTERNAL;
        break;
      case Tensor::kFloatDataFieldNumber:
        found.typed += count_in(field, 4);
        break;
      case Tensor::kDoubleDataFieldNumber:
        found.typed += count_in(field, 8);
        break;
      case Tensor::kInt32DataFieldNumber:
      case Tensor::kInt64DataFieldNumber:
      case Tensor::kUint64DataFieldNumber:
        found.typed += count_in(field, 0);
        break;
      default:
        field.skip();
    }
  }
  return found;
}

std::int64_t whole(const std::string& text) {
  std::int64_t number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? number : -1;
}

}  // namespace

std::string wrong_data(std::string_view tensor) {
  const Contents found = contents_of(tensor);
  const auto elements = elements_of(found.dims);
  const int bits = bits_of(found.type);
  if (found.elsewhere || !elements || bits == 0) return {};  // checked elsewhere, or not known
  const bool pair = found.type == Tensor::COMPLEX64 || found.type == Tensor::COMPLEX128;
  const std::int64_t stored = found.raw ? *found.raw * 8 / bits : found.typed / (pair ? 2 : 1);
  const bool exact = !found.raw || *found.raw * 8 % bits == 0;
  if (exact && stored == *elements) return {};
  return fmt::format("{}{} numbers where the dimensions ask for {}",
                     found.name.empty() ? "" : fmt::format("tensor '{}': ", input::printable(found.name)),
                     stored, *elements);
}

std::optional<ExternalData> external_data(const onnx::TensorProto& tensor) {
  if (tensor.data_location() != Tensor::EXTERNAL) return std::nullopt;
  const auto fail = [&](const std::string& what) {
    throw OnnxError(fmt::format("tensor '{}': {}", input::printable(tensor.name()), what));
  };
  ExternalData data{.tensor = tensor.name(), .file = {}, .end = 0};
  std::int64_t offset = 0, length = 0;
  bool has_length = false;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") data.file = entry.value();
    if (entry.key() == "offset") offset = whole(entry.value());
    if (entry.key() != "length") continue;
    length = whole(entry.value());
    has_length = true;
  }
  const std::filesystem::path path(data.file);
  const bool leaves = std::ranges::any_of(path, [](const auto& step) { return step == ".."; });
  if (data.file.empty() || path.is_absolute() || leaves || data.file.find('\0') != std::string::npos)
    fail(fmt::format("its numbers are in '{}', outside of the folder of the model",
                     input::printable(data.file)));
  const auto elements = elements_of(tensor.dims());
  const std::int64_t bytes = elements ? *elements * bits_of(tensor.data_type()) / 8 : 0;
  constexpr std::int64_t most = std::int64_t{1} << 60U;
  if (offset < 0 || length < 0 || offset > most || length > most) fail("an impossible place of its numbers");
  if (has_length && bytes > 0 && length != bytes)
    fail(fmt::format("{} bytes where the dimensions ask for {}", length, bytes));
  data.end = offset + bytes;
  return data;
}

}  // namespace jostle::calibration::onnx_reader
