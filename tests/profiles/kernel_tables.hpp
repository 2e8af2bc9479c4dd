// Where the committed kernel tables lie, for tests.
#pragma once

#include <filesystem>

namespace jostle::test {

inline std::filesystem::path kernel_tables(const char* device) {
  return std::filesystem::path(JOSTLE_SOURCE_DIR) / "profiles/kernels" / device;
}

}  // namespace jostle::test
