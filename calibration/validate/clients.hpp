// Validation of MPS clients: of equal ones on an H200, and of clients with shares of the threads on an H100.
#pragma once

#include <functional>
#include <vector>

#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

// The groups, in this order; `progress` gets the share done, by one thread at a time, and may throw:
//  - equal clients on an H200 (evidence/h200-space/mps.csv), by the images/s of each;
//  - clients on an H100 that are alone with a share (evidence/h100-shares/shares.csv);
//  - two clients with shares, of ResNet-50 by their images/s, which tables of measured kernels give;
//  - the same of other networks, by how many times slower than alone with its share each is: their rates
//    alone are those of computed kernels.
[[nodiscard]] std::vector<ComparisonGroup> validate_clients(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
