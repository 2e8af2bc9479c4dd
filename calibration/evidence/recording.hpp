// Recordings of a board: the folders and manifests that scripts/record-jetson writes (docs/recording.md).
#pragma once

#include <string>
#include <vector>

#include "calibration/evidence/run_logs.hpp"
#include "calibration/readers/formats.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

struct RecordedFile {
  std::string path;
  const Format* format = nullptr;
  SuppliedFields said;  // by the manifest
};

struct Recording {
  std::vector<RecordedFile> files;
  std::vector<std::string> folders;  // where ONNX files may be
  std::vector<std::string> notes;    // what is left out, and why
};

// Whether `path` is a folder, or a file that begins as a manifest does.
[[nodiscard]] bool is_recording(const std::string& path);

// What a manifest lists; of a folder, its manifest.csv or those in the folders inside, one for each state of
// the board, whose runs then begin with the name of that folder. Rows that contradict each other about the
// state of a run, files that are missing or were set aside, and logs of another power mode are problems.
[[nodiscard]] Recording read_recording(const std::string& path, input::Problems& problems);

}  // namespace jostle::calibration
