#include "cli/validate/sensitivity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibration/evidence/embedded.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "input/counted.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"

namespace jostle::cli {
namespace {

std::string percentage_points(const std::optional<double>& error, double now) {
  return error ? percent(*error - now, "{:+.2f}") : "";
}

// Model changes that were tried and rejected: calibration/tries.csv.
std::string rejected_changes() {
  const auto csv = calibration::evidence_file("tries.csv");
  if (!csv) return {};
  const auto rows = input::CsvTable::parse(*csv, "tries.csv");
  Table table({left("mechanism"), left("tried"), left("result")});
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    table.add({row.text(rows.column("mechanism")), row.text(rows.column("tried")),
               row.text(rows.column("outcome"))});
  }
  return "\n## Changes that did not help\n\n" + table.markdown();
}

}  // namespace

std::string sensitivity_markdown(const std::vector<calibration::DeviceSensitivity>& devices) {
  std::string text =
      "# Sensitivity of the error to each parameter\n\nWritten by `jostle validate --sensitivity`. It lists, "
      "for each device with "
      "measured "
      "runs, the parameters that come from\nmeasurements or estimates (not from data sheets). The columns "
      "÷ 1.2 and × 1.2 show by how many percentage points the\nmean error over these runs changes if the "
      "parameter is divided or multiplied by 1.2. A negative value means that\nthe runs favour that change, "
      "but the source of the parameter does not. Kernel-time factors are in factors.csv, the\nuncertainty of "
      "each parameter in uncertainty.csv.\n";
  for (const calibration::DeviceSensitivity& device : devices) {
    text += fmt::format("\n## {}\n\nMean error {} % over {}.\n\n", device.device, percent(device.error),
                        input::counted(device.values, "measured value"));
    Table table(
        {left("parameter"), right("value"), left("grade"), right("÷ 1.2"), right("× 1.2"), left("source")});
    for (const calibration::SensitivityRow& row : device.rows)
      table.add({row.path, row.value, row.grade, percentage_points(row.smaller, device.error),
                 percentage_points(row.larger, device.error), row.source});
    text += table.markdown();
    if (!device.without_effect.empty())
      text += fmt::format("\nThese runs do not depend on: {}.\n", fmt::join(device.without_effect, ", "));
  }
  return text + rejected_changes();
}

}  // namespace jostle::cli
