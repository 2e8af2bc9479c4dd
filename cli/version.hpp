// The output of `jostle --version`.
#pragma once

#include <string>

namespace jostle::cli {

// The lines: the version; the commit that it was built from, if known; hashes of the embedded data: profiles
// of devices, measurements, and tables of factors and errors.
[[nodiscard]] std::string version_text();

}  // namespace jostle::cli
