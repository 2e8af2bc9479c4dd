// calibration/LEDGER.md, written by `jostle validate --ledger`.
#pragma once

#include <string>
#include <vector>

#include "analyses/ledger/ledger.hpp"

namespace jostle::cli {

[[nodiscard]] std::string ledger_markdown(const std::vector<analyses::DeviceLedger>& devices);

}  // namespace jostle::cli
