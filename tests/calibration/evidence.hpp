// Where the committed evidence lies, for tests.
#pragma once

#include <filesystem>

namespace jostle::test {

inline std::filesystem::path evidence(const char* device) {
  return std::filesystem::path(__FILE__).parent_path() / "../../calibration/evidence" / device;
}

}  // namespace jostle::test
