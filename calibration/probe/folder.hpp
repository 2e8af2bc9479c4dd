// The folder of a probe: manifest.csv, identity.csv, settings.txt, parameters.csv, tables, raw/*.csv.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/probe/board_state.hpp"
#include "calibration/probe/identity.hpp"
#include "calibration/probe/part.hpp"
#include "input/problems.hpp"
#include "output/temporaries.hpp"

namespace jostle::calibration::probe {

// A part that was finished: rows of manifest.csv, one for each of its files.
struct FinishedPart {
  std::string name;
  bool quick = false;
  double start = 0, end = 0;            // seconds since 1970
  std::vector<std::string> files = {};  // relative to the folder
  std::string note = {};                // parts that it could not measure, and why
};

struct ProbedParameter {
  Measured measured;
  std::string part;
};

struct ProbeFolder {
  std::filesystem::path path;
  Identity identity;
  BoardState settings;
  std::vector<FinishedPart> parts;          // in the order in which they were finished
  std::vector<ProbedParameter> parameters;  // each path once
  std::vector<std::string> notes;           // parts that were set aside, and why
};

// True for a folder with the manifest of a probe.
[[nodiscard]] bool is_probe_folder(const std::filesystem::path& path);

// Reads a folder, strictly: rows that are wrong, files that are missing and parameters that occur twice are
// problems.
[[nodiscard]] std::optional<ProbeFolder> read_probe_folder(const std::filesystem::path& path,
                                                           input::Problems& problems);

[[nodiscard]] std::string manifest_csv(const std::vector<FinishedPart>& parts);
[[nodiscard]] std::string parameters_csv(const std::vector<ProbedParameter>& parameters);

// Writes a file whole or not at all, beside its final place and then moved. Under sudo it belongs to the user
// who called. Throws std::runtime_error.
void write_file(const std::filesystem::path& path, std::string_view text);
// Gives a folder or file to the user who called sudo; does nothing otherwise.
void give_to_caller(const std::filesystem::path& path);

// Writes `text` to `name` in the session's folder, whole or not at all, and lists it in the outcome. A name
// may have a folder ("raw/turns.csv"), which is made. Throws std::runtime_error.
void write_file(const Session& session, Outcome& outcome, const std::string& name, std::string_view text);

class Claim {
 public:
  // Makes the folder if it is missing. Throws input::Refused if it cannot be made or written, or if another
  // probe has it. The system gives it back when the process ends, however it ends.
  explicit Claim(const std::filesystem::path& folder);
  // Removes the folder if it was made here and keep() was not called; a signal that ends the program does
  // too.
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void keep() { made_.reset(); }

 private:
  std::filesystem::path folder_;
  std::optional<output::Temporary> made_;
  int descriptor_ = -1;
};

}  // namespace jostle::calibration::probe
