#include "scenarios/trace_file.hpp"

#include "scenarios/chrome_trace.hpp"
#include "scenarios/perfetto_trace.hpp"

namespace jostle::scenarios {

std::unique_ptr<TraceFile> open_trace(const std::string& path) {
  if (path.ends_with(".json")) return std::make_unique<ChromeTrace>(path);
  return std::make_unique<PerfettoTrace>(path);
}

}  // namespace jostle::scenarios
