// Reads `factors` of a profile: measured kernel times on its board relative to those of the cost model.
//
//   factors:
//     - {network: resnet50, precision: fp16, factor: 1.02}
//     - {family: vgg, precision: fp16, factor: 0.97}   # networks of the family without a factor of their own
#include <string>
#include <utility>

#include "calibration/profile/read_parts.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_factors = 4096;

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

void read_factor(const input::Cursor& at, const dnn::Chip& chip, std::vector<dnn::Factor>& factors) {
  dnn::Factor factor;
  input::Mapping entry(at, "a factor");
  const bool network = entry.optional("network", factor.model, input::Text{100});
  const bool family = entry.optional("family", factor.family, input::Text{100});
  entry.required("precision", factor.precision, read_precision);
  entry.required("factor", factor.value, input::Real{0.01, 100});
  if (!entry.good()) return;
  if (network == family) {
    at.problem("a factor needs either network or family");
    return;
  }
  if (network) {
    const dnn::Model* const model = dnn::find_model(factor.model);
    if (model == nullptr) {
      at.problem("unknown network '" + input::printable(factor.model) + "'",
                 input::spelling_hint(factor.model, dnn::model_names()));
      return;
    }
    factor.family = model->family;
    factor.chip = chip;
  } else if (!has_family(factor.family)) {
    at.problem("unknown family '" + input::printable(factor.family) + "'");
    return;
  }
  factor.basis = "the profile's own";
  factors.push_back(std::move(factor));
}

}  // namespace

void read_factors(const input::Cursor& at, const dnn::Chip& chip, std::vector<dnn::Factor>& factors) {
  for (const input::Cursor& item : at.items("a list of factors", max_factors))
    read_factor(item, chip, factors);
}

}  // namespace jostle::calibration
