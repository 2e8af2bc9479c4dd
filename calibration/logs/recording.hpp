// Reads recordings of a board: the folders and manifests that scripts/record-jetson writes
// (docs/recording.md).
#pragma once

#include <string>
#include <vector>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/run_logs.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

struct RecordedFile {
  std::string path;
  const Format* format = nullptr;
  SuppliedFields said;  // fields from the manifest
};

struct Recording {
  std::vector<RecordedFile> files;
  std::vector<std::string> folders;  // folders that may contain ONNX files
  std::vector<std::string> notes;    // files that are left out, and the reasons
};

// True if `path` is a folder, or a file that begins like a manifest.
[[nodiscard]] bool is_recording(const std::string& path);

// Reads the files that a manifest lists. `path` is a manifest, a folder with a manifest.csv, or a folder of
// such folders, one for each state of the board, whose runs then begin with the folder's name. Rows that
// contradict each other about the state of a run, files that are missing or were set aside, and logs of
// another power mode are problems.
[[nodiscard]] Recording read_recording(const std::string& path, input::Problems& problems);

}  // namespace jostle::calibration
