#include "cli/validate/ledger_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibration/embedded.hpp"
#include "calibration/readers/csv.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "models/board/spec.hpp"

namespace jostle::cli {
namespace {

std::string percentage_points(const std::optional<double>& error, double now) {
  return error ? percent(*error - now, "{:+.2f}") : "";
}

// What was tried and did not help: calibration/tries.csv.
std::string tries() {
  const auto csv = calibration::embedded_file("tries.csv");
  if (!csv) return {};
  const auto rows = calibration::CsvTable::parse(*csv, "tries.csv");
  Table table({{"mechanism", Align::left}, {"tried", Align::left}, {"what came of it", Align::left}});
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    table.add({row.text(rows.column("mechanism")), row.text(rows.column("tried")),
               row.text(rows.column("outcome"))});
  }
  return "\n## Tries that did not help\n\n" + table.markdown();
}

}  // namespace

std::string ledger_markdown(const std::vector<analyses::DeviceLedger>& devices) {
  std::string text =
      "# Calibration ledger\n\nWritten by `jostle validate --ledger`. Figures that measurements or judgement "
      "gave "
      "(not data sheets), of each\ndevice with measured runs; what the mean error over these runs would "
      "change by, "
      "in points, with the figure a fifth\nsmaller and a fifth greater. Negative: the runs would like that "
      "better, and something else speaks against it\n(its source). Kernel-time factors are in factors.csv, "
      "how "
      "well each figure is known in uncertainty.csv.\n";
  for (const analyses::DeviceLedger& device : devices) {
    text += fmt::format("\n## {}\n\nMean error {} % over {} figures.\n\n", device.device,
                        percent(device.error), device.runs);
    Table table({{"parameter", Align::left},
                 {"value", Align::right},
                 {"grade", Align::left},
                 {"÷ 1.2", Align::right},
                 {"× 1.2", Align::right},
                 {"source", Align::left}});
    for (const analyses::LedgerRow& row : device.rows)
      table.add({row.path, row.value, row.grade, percentage_points(row.less, device.error),
                 percentage_points(row.more, device.error), row.source});
    text += table.markdown();
    if (!device.still.empty())
      text += fmt::format("\nNone of these runs depends on: {}.\n", fmt::join(device.still, ", "));
  }
  return text + tries();
}

}  // namespace jostle::cli
