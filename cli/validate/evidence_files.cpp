#include "cli/validate/evidence_files.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

struct Named {
  std::string path;
  bool found;  // in a folder, not named by itself
};

std::vector<Named> files_of(const std::vector<std::string>& paths) {
  std::vector<Named> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, false});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".csv") inside.push_back(at->path().string());
    if (error) throw calibration::CsvError(path, 0, error.message());
    if (inside.empty()) throw calibration::CsvError(path, 0, "a folder without .csv files");
    std::ranges::sort(inside);
    for (std::string& file : inside) files.push_back({std::move(file), true});
  }
  return files;
}

}  // namespace

EvidenceFiles read_evidence_files(const std::vector<std::string>& paths) {
  EvidenceFiles all;
  for (const Named& file : files_of(paths)) {
    calibration::CsvTable table = calibration::as_evidence(calibration::CsvTable::read(file.path));
    if (const auto kind = calibration::trace_kind(table)) {
      try {
        all.traces.add(*kind, std::move(table));
      } catch (const std::invalid_argument& error) {
        throw calibration::CsvError(file.path, 0, error.what());
      }
    } else if (file.found && std::ranges::find(table.header(), "metric") == table.header().end()) {
      all.passed_over.push_back(file.path);
    } else {
      for (analyses::RunConfiguration& setting : analyses::run_configurations_of(table))
        all.settings.push_back(std::move(setting));
    }
    if (!all.traces.empty() && !all.settings.empty())
      throw calibration::CsvError(file.path, 0,
                                  "traces and evidence of the general form: fit one after the other");
  }
  return all;
}

}  // namespace jostle::cli
