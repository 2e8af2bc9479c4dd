#include "analyses/study/columns.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include "analyses/study/outcome.hpp"
#include "input/units.hpp"

namespace jostle::analyses {
namespace {

// `text` as an SQL name that needs no quotes.
std::string plain(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == '%') {
      name += "percent";
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == '*') {
      name += "all";
    } else if (!name.ends_with('_')) {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

// The unit after a number and a space; none if the value is not a number with a unit (the power mode "15W" is
// a name).
std::optional<std::string> unit_of(const input::Value& value) {
  if (value.kind != input::Kind::scalar || value.quoted) return std::nullopt;
  const auto found = input::leading_number(value.text);
  if (!found || !found->rest.starts_with(' ')) return std::nullopt;
  const std::size_t unit = found->rest.find_first_not_of(' ');
  return unit == std::string_view::npos ? std::nullopt : std::optional(std::string(found->rest.substr(unit)));
}

// The unit that all values of the axis have; none if they differ.
std::optional<std::string> common_unit(const Axis& axis) {
  const auto first = unit_of(*axis.values.front());
  const bool same =
      std::ranges::all_of(axis.values, [&](const input::Node& value) { return unit_of(*value) == first; });
  return same ? first : std::nullopt;
}

}  // namespace

AxisColumn axis_column(std::string key, std::string name) {
  // If the name is longer than the key, it ends with the unit of the values.
  const std::string last = plain(std::string_view(key).substr(key.rfind('.') + 1)), whole = plain(key);
  const std::string base = name.substr(0, name.find_last_not_of('_') + 1);
  const bool is_number = base != last && base != whole && base != "set_" + whole;
  return {std::move(key), std::move(name), is_number};
}

std::vector<AxisColumn> axis_columns(const Study& study) {
  std::multiset<std::string> taken{"point", "status", "limited_by", "stop",    "problem",
                                   "key",   "result", "stable",     "offered", "power_grade"};
  for (const MainMetric& metric : main_metrics()) taken.insert(metric.column);
  const auto ending = [](const Axis& axis) {
    const auto unit = common_unit(axis);
    return unit ? "_" + plain(*unit) : std::string();
  };
  const auto shortest = [&](const Axis& axis) {
    return plain(std::string_view(axis.key).substr(axis.key.rfind('.') + 1)) + ending(axis);
  };
  for (const Axis& axis : study.axes) taken.insert(shortest(axis));
  std::vector<AxisColumn> columns;
  std::set<std::string> given;
  for (const Axis& axis : study.axes) {
    std::string name = shortest(axis);
    if (taken.count(name) > 1 || (name[0] >= '0' && name[0] <= '9'))
      name = "set_" + plain(axis.key) + ending(axis);
    if (axis.key.find('.') != std::string::npos && name.starts_with("set_") &&
        !taken.contains(name.substr(4)))
      name.erase(0, 4);
    while (!given.insert(name).second) name += "_";
    columns.push_back({axis.key, name, common_unit(axis).has_value()});
  }
  return columns;
}

}  // namespace jostle::analyses
