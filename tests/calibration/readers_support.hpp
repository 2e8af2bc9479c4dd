// Logs in the text of a test, and what became of them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/run_logs.hpp"

namespace jostle::calibration {

struct Imported {
  std::vector<Import> runs;
  std::string problems;

  // The row of a metric and part; fails the lookup with a count of 0.
  [[nodiscard]] Measurement row(const std::string& metric, const std::string& of = "",
                                std::size_t run = 0) const {
    if (run < runs.size()) {
      for (const Measurement& found : runs[run].rows) {
        if (found.metric == metric && found.of == of) return found;
      }
    }
    Measurement none;
    none.value = -1;
    none.count = 0;
    return none;
  }
  [[nodiscard]] double value(const std::string& metric, const std::string& of = "") const {
    return row(metric, of).value;
  }
  [[nodiscard]] bool has(const std::string& metric, const std::string& of = "") const {
    return row(metric, of).count > 0;
  }
  // All notes, a line each.
  [[nodiscard]] std::string notes() const {
    std::string text;
    for (const Import& run : runs) {
      for (const std::string& note : run.notes) text += note + "\n";
    }
    return text;
  }
};

inline Imported import_text(const std::string& text, const std::string& format = "") {
  input::Problems problems;
  const auto source = Source::of_text(text, "my.log");
  auto runs = import_log(*source, format.empty() ? nullptr : find_format(format), problems);
  return {std::move(runs), problems.text()};
}

// The rows of evidence of a file.
inline std::string rows_of(std::vector<Import> imports, const SuppliedFields& said,
                           input::Problems& problems) {
  profiles::NetworkFiles networks;
  std::vector<LogFile> files;
  files.push_back({std::move(imports), said});
  return evidence_rows(run_logs(std::move(files), networks, problems));
}

}  // namespace jostle::calibration
