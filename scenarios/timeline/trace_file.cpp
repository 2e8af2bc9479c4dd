#include "scenarios/timeline/trace_file.hpp"

#include "scenarios/timeline/chrome_trace.hpp"
#include "scenarios/timeline/perfetto_trace.hpp"

namespace jostle::scenarios {

std::unique_ptr<TraceFile> open_trace(const std::string& path) {
  if (path.ends_with(".json")) return std::make_unique<ChromeTrace>(path);
  return std::make_unique<PerfettoTrace>(path);
}

}  // namespace jostle::scenarios
