// The functions and operators of the expressions over runs (values.hpp).
#pragma once

#include <string>
#include <vector>

namespace jostle::calibration {

using List = std::vector<double>;

// Two lists by an operator (+ - * / < >), value by value, or each with the value of a list of one.
[[nodiscard]] List combined(char sign, const List& a, const List& b);

// A function of lists, by its name. Throws RunError if there is no such function, if it takes another number
// of lists, or if a list is too short.
[[nodiscard]] List function_of(const std::string& name, const std::vector<List>& lists);

}  // namespace jostle::calibration
