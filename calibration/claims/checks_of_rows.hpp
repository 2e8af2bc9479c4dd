// Checks of published statements that are rows of calibration/checks.csv.
//
// A row names a statement and checks an expression over runs (values.hpp) against what is claimed:
//
//   over       settings, separated by semicolons; of several values of one, the row is checked with each.
//              Rows one after the other that begin with the same settings are checked in turn with each
//              value.
//   check      near, near_points, near_range, between, at_most, at_least, equal: `predicted` against the
//              numbers of `claimed`; rises, falls, ordered (greatest first): the values of `predicted`, one
//              after the other; is: `predicted` is a comparison that must hold, and its left side is shown,
//              unless `unit` is two words, the first if it holds ("fits|does not"), or a text with
//              #(expression); shows: not judged; never: `predicted` is a text
//   quantity, claimed, predicted   may contain $name of a setting and $(expression)
//   why        why the check is the one it is, where the statement leaves that open
#pragma once

#include <string_view>

#include "calibration/claims/check.hpp"
#include "calibration/claims/runs.hpp"

namespace jostle::calibration {

// Returns whether the table has a row for the statement.
[[nodiscard]] bool has_rows(std::string_view statement);

// Checks all rows of a statement, under the settings of its source.
void check_rows(std::string_view statement, Runs& runs, Checks& checks);

}  // namespace jostle::calibration
