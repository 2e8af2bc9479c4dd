// calibration/LEDGER.md, written by `jostle validate --ledger`.
#pragma once

#include <string>
#include <vector>

#include "scenarios/ledger/ledger.hpp"

namespace jostle::cli {

[[nodiscard]] std::string ledger_markdown(const std::vector<scenarios::DeviceLedger>& devices);

}  // namespace jostle::cli
