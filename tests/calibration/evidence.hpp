// Where the committed evidence lies, for tests.
#pragma once

#include <filesystem>

namespace jostle::test {

inline std::filesystem::path evidence(const char* device) {
  return std::filesystem::path(JOSTLE_SOURCE_DIR) / "calibration/evidence" / device;
}

}  // namespace jostle::test
