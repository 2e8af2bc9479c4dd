#include "calibration/probe/files.hpp"

#include <fstream>
#include <system_error>

#include "calibration/probe/children.hpp"

namespace jostle::calibration::probe {

void write_file(const Session& session, Outcome& outcome, const std::string& name, std::string_view text) {
  const std::filesystem::path path = session.folder / name, unfinished = path.string() + ".unfinished";
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    std::filesystem::remove(unfinished, error);
    throw ProbeError("cannot write " + path.string());
  }
  std::filesystem::rename(unfinished, path, error);
  if (error) throw ProbeError("cannot write " + path.string() + ": " + error.message());
  outcome.files.push_back(name);
}

}  // namespace jostle::calibration::probe
