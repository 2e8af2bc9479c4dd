#include "analyses/evidence/evidence_files.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace jostle::analyses {
namespace {

namespace fs = std::filesystem;

struct EvidencePath {
  std::string path;
  bool from_folder;  // found in a folder, not named by the user
};

std::vector<EvidencePath> files_of(const std::vector<std::string>& paths) {
  std::vector<EvidencePath> files;
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
    if (inside.empty()) throw calibration::CsvError(path, 0, "this folder has no .csv files");
    std::ranges::sort(inside);
    for (std::string& file : inside) files.push_back({std::move(file), true});
  }
  return files;
}

}  // namespace

EvidenceFiles read_evidence_files(const std::vector<std::string>& paths,
                                  const std::vector<std::string>& onnx) {
  EvidenceFiles all;
  std::vector<calibration::CsvTable> tables;
  std::vector<std::string> names;
  calibration::NetworkFiles networks(onnx);
  for (const EvidencePath& file : files_of(paths)) {
    calibration::CsvTable table = calibration::as_evidence(calibration::CsvTable::read(file.path));
    if (const auto kind = calibration::trace_kind(table)) {
      try {
        all.traces.add(*kind, std::move(table));
      } catch (const std::invalid_argument& error) {
        throw calibration::CsvError(file.path, 0, error.what());
      }
    } else if (file.from_folder && std::ranges::find(table.header(), "metric") == table.header().end()) {
      all.skipped.push_back(file.path);
    } else {
      networks.also_in(fs::path(file.path).parent_path().string());
      names.push_back(file.path);
      tables.push_back(std::move(table));
    }
    if (!all.traces.empty() && !tables.empty())
      throw calibration::CsvError(
          file.path, 0, "traces and general evidence cannot be combined: fit them one after the other");
  }
  networks.also_in("");
  Evidence evidence = evidence_of(tables, networks);
  all.configurations = std::move(evidence.configurations);
  all.notes = std::move(evidence.notes);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.files.push_back({names[i], evidence.used[i], evidence.unused[i]});
  return all;
}

}  // namespace jostle::analyses
