// The misses that are known, from docs/deviations.md: each with its reason, the evidence and its status.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration {

// A row of the page.
struct Deviation {
  std::string cause;  // heading above the row, the cause in common: "the model has one efficiency ..."
  std::string_view subjects;  // the id of a statement; or groups of runs, separated by semicolons
  std::string_view measured;  // what is stated; or quantities of the groups, separated by semicolons
  std::string_view reason, evidence, status;

  [[nodiscard]] std::string why() const;  // the reason, and after it the evidence
};

// The heading of statements without a cause in common.
inline constexpr std::string_view own_reason = "each has a reason of its own";

// The rows in the tables of a page, which must outlive them. Throws std::runtime_error if a row does not have
// five cells.
[[nodiscard]] std::vector<Deviation> parse_deviations(std::string_view page);
// The rows of docs/deviations.md.
[[nodiscard]] const std::vector<Deviation>& deviations();

// The row of a statement, or of a quantity of a group; null if there is none.
[[nodiscard]] const Deviation* deviation_of(std::string_view subject, std::string_view quantity = {});

}  // namespace jostle::calibration
