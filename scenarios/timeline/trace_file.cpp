#include "scenarios/timeline/trace_file.hpp"

#include <cerrno>
#include <cstring>

#include "scenarios/timeline/chrome_trace.hpp"
#include "scenarios/timeline/perfetto_trace.hpp"

namespace jostle::scenarios {
namespace {

TraceFileError cannot_write(const std::string& path, int error) {
  return TraceFileError("cannot write " + path + ": " + std::strerror(error));
}

}  // namespace

TraceOutput::TraceOutput(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw cannot_write(path, errno);
}

void TraceOutput::write(std::string_view bytes) {
  if (!file_ || error_ != 0) return;
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
                       std::fflush(file_.get()) == 0;
  if (!written) error_ = errno != 0 ? errno : EIO;
}

void TraceOutput::close() {
  if (std::FILE* file = file_.release(); file != nullptr && std::fclose(file) != 0 && error_ == 0)
    error_ = errno;
  if (error_ != 0) throw cannot_write(path_, error_);
}

std::unique_ptr<TraceFile> open_trace(const std::string& path) {
  if (path.ends_with(".json")) return std::make_unique<ChromeTrace>(path);
  return std::make_unique<PerfettoTrace>(path);
}

}  // namespace jostle::scenarios
