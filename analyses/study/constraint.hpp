// A limit on a figure of a result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"

namespace jostle::analyses {

struct Constraint {
  std::string figure;
  std::optional<double> min, max;  // in the unit the figure's name says
  input::Location location;
};

// The constraints in a mapping of figures and their limits.
[[nodiscard]] std::vector<Constraint> read_constraint_list(const input::Cursor& at);

}  // namespace jostle::analyses
