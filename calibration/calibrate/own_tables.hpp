// Kernel tables and rates of one's own networks in a framework's runtime, as the files of measured kernels
// that a profile names as its evidence.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"
#include "profiles/profile/base_profile.hpp"

namespace jostle::calibration {

struct OwnTables {
  std::string kernels_csv, solo_csv;  // empty: there is neither a table nor a rate
  std::size_t tables = 0, rates = 0;  // kernel tables, and rates of a network alone
  std::vector<std::string> notes = {};

  [[nodiscard]] bool empty() const { return tables + rates == 0; }
  // True if there is a table or a rate of the run's network, precision and input, at any batch.
  [[nodiscard]] bool cover(const RunConfiguration& run) const;
  // False for a run of a network that is known by its kernels alone, in another precision or runtime.
  [[nodiscard]] bool can_run(const RunConfiguration& run) const;

  // The same without the rates of kernels that are launched one by one.
  [[nodiscard]] OwnTables without_eager_rates() const;

  std::set<std::string> networks = {};  // network, precision and input of each table or rate
};

// The tables of the runs with kernels, and the throughputs of one process alone: of networks with tables, and
// of others in a framework's runtime of which `base` ships none, unless a rate is a factor of four and more
// from what is computed. Tables and rates of one's own that `base` has already are taken over.
[[nodiscard]] OwnTables own_tables(const std::vector<RunConfiguration>& runs,
                                   const profiles::BaseProfile& base);

// The evidence of a profile with such tables in `folder`: what ships follows them.
[[nodiscard]] std::vector<std::string> with_folder(const std::string& folder,
                                                   const profiles::BaseProfile& base);

// The profile with these tables before its own evidence. Throws CalibrationError.
[[nodiscard]] profiles::BaseProfile with_tables(const profiles::BaseProfile& base, const OwnTables& tables);

}  // namespace jostle::calibration
