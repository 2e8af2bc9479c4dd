// Kernel tables and rates of one's own networks in a framework's runtime, as the files of measured kernels
// that a profile names as its evidence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibration/profile/base_profile.hpp"
#include "validation/evidence/run_configuration.hpp"

namespace jostle::validation {

struct OwnTables {
  std::string kernels_csv, solo_csv;  // empty: there is no kernel table
  std::size_t tables = 0, rates = 0;  // rates of networks with a table, at their batches and others
  std::vector<std::string> notes = {};

  [[nodiscard]] bool empty() const { return tables == 0; }
  // True if there is a table of the run's network, precision and input, at any batch.
  [[nodiscard]] bool cover(const RunConfiguration& run) const;

  // False for a run of a network that is known by its kernels alone, where it cannot run: in another
  // precision or runtime, or beyond the measured batches.
  [[nodiscard]] bool can_run(const RunConfiguration& run) const;

  // Measured batches of each network, precision and input that has a table.
  std::map<std::string, std::set<std::int64_t>> batches = {};
};

// The tables of the runs with kernels. Rates are the throughputs of these networks alone.
[[nodiscard]] OwnTables own_tables(const std::vector<RunConfiguration>& runs);

// The profile with these tables before its own evidence. Throws CalibrationError.
[[nodiscard]] calibration::BaseProfile with_tables(const calibration::BaseProfile& base,
                                                   const OwnTables& tables);

}  // namespace jostle::validation
