// Reads `factors` of a profile: measured kernel times on its board relative to those of the cost model.
//
//   factors:
//     - {network: resnet50, precision: fp16, factor: 1.02}
//     - {network: swin_t, precision: fp16, factor: 2.1, kernels: framework}   # PyTorch's; else TensorRT's
//     - {family: vgg, precision: fp16, factor: 0.97}   # networks of the family without a factor of their own
//     - {network: onnx-0123456789abcdef, precision: fp16, factor: 0.98, batch: 1, gpu_clock: 1020 MHz,
//        layers: [1.31, 0.92]}   # of a file, by its content; and of each of its layers, which were timed
#include <string>
#include <utility>

#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/onnx/content_name.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/tables/factors.hpp"

namespace jostle::profiles {
namespace {

constexpr std::size_t max_factors = 4096, max_layers = 100'000;
constexpr double fastest_hz = 1e10;

bool has_family(const std::string& name) {
  for (const dnn::Model& model : dnn::models())
    if (model.family == name) return true;
  return false;
}

std::optional<dnn::Precision> read_precision(const input::Cursor& at) {
  const std::string* const name = at.scalar("a precision");
  if (name == nullptr) return std::nullopt;
  const auto precision = dnn::parse_precision(*name);
  if (!precision)
    at.problem("unknown precision '" + input::printable(*name) + "'", "fp32, tf32, fp16 or int8");
  return precision;
}

std::optional<dnn::Lowering> read_lowering(const input::Cursor& at) {
  const std::string* const name = at.scalar("a way of making kernels");
  if (name == nullptr) return std::nullopt;
  for (const dnn::Lowering lowering :
       {dnn::Lowering::framework, dnn::Lowering::optimised, dnn::Lowering::graph})
    if (*name == dnn::to_string(lowering)) return lowering;
  at.problem("unknown kernels '" + input::printable(*name) + "'", "framework, optimised or graph");
  return std::nullopt;
}

// The family of a network. A network from a file is its own family. Empty, with a problem, if unknown.
std::string family_of(const input::Cursor& at, const std::string& network) {
  if (is_content_name(network)) return network;
  const dnn::Model* const model = dnn::find_model(network);
  if (model != nullptr) return std::string(model->family);
  at.problem("unknown network '" + input::printable(network) + "'",
             input::spelling_hint(network, dnn::model_names()));
  return {};
}

// Reads the factors of single layers, which need the batch and the clock of their measurement.
void read_layers(const input::Cursor& at, input::Mapping& entry, dnn::Factor& factor) {
  const bool layers = entry.optional(
      "layers", factor.layers,
      input::List<double, input::Real>{"a list of factors", input::Real{0.001, 1000}, max_layers});
  const bool batch = entry.optional("batch", factor.batch, input::Integer{1, dnn::max_images});
  const bool clock = entry.optional("gpu_clock", factor.gpu_hz,
                                    input::Quantity{input::frequency_dimension(), 0, fastest_hz, true});
  if (layers != batch || layers != clock)
    at.problem("`layers` needs the `batch` and the `gpu_clock` at which they were timed, and these need it");
}

void read_factor(const input::Cursor& at, const dnn::Chip& chip, std::vector<dnn::Factor>& factors) {
  dnn::Factor factor;
  input::Mapping entry(at, "a factor");
  const bool network = entry.optional("network", factor.model, input::Text{100});
  factor.model = dnn::catalogue_name(factor.model);
  const bool family = entry.optional("family", factor.family, input::Text{100});
  entry.required("precision", factor.precision, read_precision);
  entry.required("factor", factor.value, input::Real{0.01, 100});
  entry.optional("kernels", factor.lowering, read_lowering);
  read_layers(at, entry, factor);
  if (!entry.good()) return;
  if (network == family) {
    at.problem("a factor needs either network or family");
    return;
  }
  if (network) {
    factor.family = family_of(at, factor.model);
    if (factor.family.empty()) return;
    factor.chip = chip;
  } else if (!has_family(factor.family)) {
    at.problem("unknown family '" + input::printable(factor.family) + "'");
    return;
  }
  factor.basis = own_factor_basis;
  factors.push_back(std::move(factor));
}

}  // namespace

void read_factors(const input::Cursor& at, const dnn::Chip& chip, std::vector<dnn::Factor>& factors) {
  for (const input::Cursor& item : at.items("a list of factors", max_factors))
    read_factor(item, chip, factors);
}

}  // namespace jostle::profiles
