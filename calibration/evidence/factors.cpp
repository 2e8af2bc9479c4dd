#include "calibration/evidence/factors.hpp"

#include <array>

#include "calibration/embedded.hpp"
#include "calibration/readers/csv.hpp"

namespace jostle::calibration {

std::vector<dnn::Factor> parse_factors(std::string_view csv, std::string_view name) {
  constexpr std::array<std::string_view, 6> columns{"device",    "model",  "family",
                                                    "precision", "factor", "basis"};
  const CsvTable table = CsvTable::parse(csv, name, columns);
  std::vector<dnn::Factor> factors;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const auto precision = dnn::parse_precision(row.text(table.column("precision")));
    if (!precision) row.fail("unknown precision '" + row.text(table.column("precision")) + "'");
    dnn::Factor factor{.device = row.text(table.column("device")),
                       .model = row.text(table.column("model")),
                       .family = row.text(table.column("family")),
                       .precision = *precision,
                       .value = row.number(table.column("factor")),
                       .basis = row.text(table.column("basis"))};
    if (factor.value <= 0) row.fail("the factor must be positive");
    if (factor.device.empty() != factor.model.empty())
      row.fail("device and model must both be given or both be empty");
    factors.push_back(std::move(factor));
  }
  return factors;
}

const std::vector<dnn::Factor>& shipped_factors() {
  static const std::vector<dnn::Factor> factors = [] {
    const auto csv = embedded_file("factors.csv");
    return csv ? parse_factors(*csv, "factors.csv") : std::vector<dnn::Factor>{};
  }();
  return factors;
}

}  // namespace jostle::calibration
