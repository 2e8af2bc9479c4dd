// Checks that a stored tensor holds as many numbers as its dimensions require, from the bytes of its message:
// the numbers themselves are not kept.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <protozero/pbf_reader.hpp>

#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/messages.hpp"

namespace jostle::profiles::onnx_reader {
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

// The number of elements; absent if it exceeds the limit on any tensor.
template <class Dims>
std::optional<std::int64_t> elements_of(const Dims& dims) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && elements > max_elements / dim)) return std::nullopt;
    elements *= dim;
  }
  return elements;
}

// Counts the numbers in a field that may be packed. `bytes` is the size of one; 0: of variable length.
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
  std::int64_t typed = 0;           // count of numbers in fields of their type
  std::optional<std::int64_t> raw;  // number of bytes
  bool elsewhere = false;
};

// Takes a field whose value is a number; returns false if it is none of the known ones.
bool take_number(pbf_reader& field, Contents& to) {
  switch (static_cast<int>(field.tag())) {
    case Tensor::kDimsFieldNumber:
      to.dims.push_back(field.get_int64());
      return true;
    case Tensor::kDataTypeFieldNumber:
      to.type = field.get_int32();
      return true;
    case Tensor::kDataLocationFieldNumber:
      to.elsewhere = field.get_int32() == Tensor::EXTERNAL;
      return true;
    default:
      return false;
  }
}

// Takes a field whose value is bytes; returns false if it is none of the known ones.
bool take_bytes(pbf_reader& field, Contents& to) {
  switch (static_cast<int>(field.tag())) {
    case Tensor::kDimsFieldNumber:
      for (const std::int64_t dim : field.get_packed_int64()) to.dims.push_back(dim);
      return true;
    case Tensor::kNameFieldNumber:
      to.name = field.get_string();
      return true;
    case Tensor::kRawDataFieldNumber:
      to.raw = static_cast<std::int64_t>(field.get_view().size());
      return true;
    default:
      return false;
  }
}

// Bytes per number in the fields of numbers; 0 if that varies; absent for other fields.
std::optional<int> width_in(int tag) {
  switch (tag) {
    case Tensor::kFloatDataFieldNumber:
      return 4;
    case Tensor::kDoubleDataFieldNumber:
      return 8;
    case Tensor::kInt32DataFieldNumber:
    case Tensor::kInt64DataFieldNumber:
    case Tensor::kUint64DataFieldNumber:
      return 0;
    default:
      return std::nullopt;
  }
}

// Reads the contents. A field of another wire type than ONNX's is skipped, as protobuf does.
Contents contents_of(std::string_view bytes) {
  Contents found;
  pbf_reader field(protozero::data_view(bytes.data(), bytes.size()));
  while (field.next()) {
    if (field.has_wire_type(pbf_wire_type::varint) && take_number(field, found)) continue;
    if (field.has_wire_type(pbf_wire_type::length_delimited) && take_bytes(field, found)) continue;
    if (const auto width = width_in(static_cast<int>(field.tag())))
      found.typed += count_in(field, *width);
    else
      field.skip();
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
  if (found.elsewhere || !elements || bits == 0) return {};  // checked by external_data(), or unknown
  const bool pair = found.type == Tensor::COMPLEX64 || found.type == Tensor::COMPLEX128;
  const std::int64_t stored = found.raw ? *found.raw * 8 / bits : found.typed / (pair ? 2 : 1);
  // Weights may have been left out altogether, to pass on a network without them: only their shape is needed.
  constexpr std::int64_t smallest_left_out = 1024;
  if (!found.raw && found.typed == 0 && *elements >= smallest_left_out) return {};
  const bool exact = !found.raw || *found.raw * 8 % bits == 0;
  if (exact && stored == *elements) return {};
  return fmt::format("{}{} numbers where the dimensions need {}",
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
    fail(fmt::format("{} bytes where the dimensions need {}", length, bytes));
  data.end = offset + bytes;
  return data;
}

}  // namespace jostle::profiles::onnx_reader
