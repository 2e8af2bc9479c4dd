#include "profiles/tables/factors.hpp"

#include <array>

#include "input/csv.hpp"
#include "profiles/embedded.hpp"

namespace jostle::profiles {

std::vector<dnn::Factor> parse_factors(std::string_view csv, std::string_view name) {
  constexpr std::array<std::string_view, 8> columns{"architecture", "sms",   "model",  "family",
                                                    "precision",    "batch", "factor", "basis"};
  const input::CsvTable table = input::CsvTable::parse(csv, name, columns);
  std::vector<dnn::Factor> factors;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const auto precision = dnn::parse_precision(row.text(table.column("precision")));
    if (!precision) row.fail("unknown precision '" + row.text(table.column("precision")) + "'");
    dnn::Factor factor{
        .chip = {row.text(table.column("architecture")), static_cast<int>(row.integer(table.column("sms")))},
        .model = row.text(table.column("model")),
        .family = row.text(table.column("family")),
        .precision = *precision,
        .value = row.number(table.column("factor")),
        .basis = row.text(table.column("basis")),
        .batch = row.integer(table.column("batch"))};
    if (factor.value <= 0) row.fail("the factor must be positive");
    if (factor.batch < 0) row.fail("the batch must not be negative");
    if (factor.chip.architecture.empty() != factor.model.empty() ||
        (factor.chip.sms == 0) != factor.model.empty())
      row.fail("architecture, sms and model must be given, or be empty, 0 and empty");
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

}  // namespace jostle::profiles
