// The report of a stuck run as text.
#include "sim/watchdog.hpp"

#include <cstdio>

namespace jostle::sim {

std::string StuckReport::text() const {
  char at_ms[48];
  std::snprintf(at_ms, sizeof at_ms, "%.6f", static_cast<double>(at.ps()) / 1e9);
  std::string out = "stuck at " + std::string{at_ms} + " ms: " + reason + "\n";
  for (const Waiting& p : processes) {
    out += "  " + p.process;
    out += p.waits_for.empty() ? " does not wait for a named object" : " waits for " + p.waits_for;
    if (!p.held_by.empty()) out += ", held by " + p.held_by;
    out += "\n";
  }
  return out;
}

}  // namespace jostle::sim
