// The functions and operators of the expressions over runs (values.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "calibration/claims/values.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

namespace {

double total(const List& list) {
  return std::accumulate(list.begin(), list.end(), 0.0);
}

// A function of a list, or several joined, which has a value at least.
struct OfList {
  const char* name;
  List (*value)(const List& list);
};
constexpr std::array of_lists{
    OfList{"max", [](const List& a) { return List{std::ranges::max(a)}; }},
    OfList{"min", [](const List& a) { return List{std::ranges::min(a)}; }},
    OfList{"sum", [](const List& a) { return List{total(a)}; }},
    OfList{"mean", [](const List& a) { return List{total(a) / static_cast<double>(a.size())}; }},
    OfList{"count", [](const List& a) { return List{static_cast<double>(a.size())}; }},
    OfList{"first", [](const List& a) { return List{a.front()}; }},
    OfList{"last", [](const List& a) { return List{a.back()}; }},
    OfList{"middle", [](const List& a) { return List{a[a.size() / 2]}; }},
    OfList{"rest", [](const List& a) { return List(a.begin() + 1, a.end()); }},
    OfList{"span", [](const List& a) { return List{std::ranges::max(a) - std::ranges::min(a)}; }},
    OfList{"abs",
           [](const List& a) {
             List found;
             for (const double value : a) found.push_back(std::abs(value));
             return found;
           }},
    OfList{"steps",
           [](const List& a) {
             List found;
             for (std::size_t i = 1; i < a.size(); ++i) found.push_back(a[i] / a[i - 1]);
             return found;
           }},
    OfList{"drops",
           [](const List& a) {
             List found;
             for (std::size_t i = 1; i < a.size(); ++i) found.push_back(a[i - 1] - a[i]);
             return found;
           }},
    OfList{"most_often",
           [](const List& a) {
             std::map<double, int> counts;
             for (const double value : a) ++counts[value];
             return List{std::ranges::max_element(counts, {}, &std::pair<const double, int>::second)->first};
           }},
};

// A function of two lists.
struct OfTwo {
  const char* name;
  List (*value)(const List& a, const List& b);
};
constexpr std::array of_two{
    OfTwo{"more",
          [](const List& a, const List& b) {
            return combined('*', {100}, combined('-', combined('/', a, b), {1}));
          }},
    OfTwo{"round",
          [](const List& a, const List& digits) {
            const double scale = std::pow(10, digits.at(0));
            return List{std::round(a.at(0) * scale) / scale};
          }},
    OfTwo{"pick",
          [](const List& a, const List& b) {
            return List{a.at(static_cast<std::size_t>(std::ranges::min_element(b) - b.begin()))};
          }},
};

double combined(char sign, double a, double b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '<':
      return a < b ? 1 : 0;
    default:
      return a > b ? 1 : 0;
  }
}

}  // namespace

List combined(char sign, const List& a, const List& b) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1)
    throw scenarios::RunError(
        fmt::format("a list of {} values and one of {} at '{}'", a.size(), b.size(), sign));
  List found;
  for (std::size_t i = 0; i < (a.size() == 1 ? b.size() : a.size()); ++i)
    found.push_back(combined(sign, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  return found;
}

List function_of(const std::string& name, const std::vector<List>& lists) {
  List joined;
  for (const List& list : lists) joined.insert(joined.end(), list.begin(), list.end());
  for (const OfList& one : of_lists)
    if (name == one.name && !joined.empty()) return one.value(joined);
  for (const OfTwo& one : of_two)
    if (name == one.name && lists.size() == 2 && !lists[0].empty() && !lists[1].empty())
      return one.value(lists[0], lists[1]);
  throw scenarios::RunError(fmt::format("no function {} of {} lists that have values", name, lists.size()));
}

}  // namespace jostle::calibration
