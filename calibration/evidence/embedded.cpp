#include "calibration/evidence/embedded.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "input/csv.hpp"

namespace jostle::calibration {

using profiles::TraceFiles;
using profiles::TraceKind;

std::optional<std::string_view> evidence_file(std::string_view path) {
  const auto own = profiles::embedded_file(embedded_files(), path);
  return own ? own : profiles::embedded_file(path);
}

const TraceFiles& embedded_traces(std::string_view folder) {
  static std::mutex mutex;
  static std::map<std::string, TraceFiles, std::less<>> read;
  const std::scoped_lock lock(mutex);
  if (const auto known = read.find(folder); known != read.end()) return known->second;
  TraceFiles& files = read[std::string(folder)];
  for (int i = 0; i <= static_cast<int>(TraceKind::clients_synthetic); ++i) {
    const auto kind = static_cast<TraceKind>(i);
    for (std::string path : {"evidence/", "kernels/"}) {
      path.append(folder).append("/").append(file_name(kind));
      if (const auto text = evidence_file(path)) files.add(kind, input::CsvTable::parse(*text, path));
    }
  }
  return files;
}

}  // namespace jostle::calibration
