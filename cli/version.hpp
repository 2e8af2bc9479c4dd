// What `jostle --version` prints.
#pragma once

#include <string>

namespace jostle::cli {

// Lines: the version; the commit it was built from, where there is one; hashes of the data inside: profiles
// of devices, measurements, and tables of factors and errors.
[[nodiscard]] std::string version_text();

}  // namespace jostle::cli
