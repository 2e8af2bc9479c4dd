#include "calibration/claims/deviations.hpp"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <stdexcept>

namespace jostle {
std::string_view deviations_page();  // embedded by CMakeLists.txt
}

namespace jostle::calibration {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, separator)) parts.emplace_back(part.begin(), part.end());
  return parts;
}

bool names(std::string_view list, std::string_view name) {
  const auto all = split(list, "; ");
  return std::ranges::find(all, name) != all.end();
}

}  // namespace

std::string Deviation::why() const {
  return std::string(reason) + (evidence.empty() ? "" : " ") + std::string(evidence);
}

std::vector<Deviation> parse_deviations(std::string_view page) {
  std::vector<Deviation> rows;
  std::string heading;
  int line_of_table = 0;
  for (const std::string_view line : split(page, "\n")) {
    if (line.starts_with("##")) {
      heading = line.substr(line.find(' ') + 1);
      heading.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(heading.front())));
    }
    line_of_table = line.starts_with("| ") || line.starts_with("|-") ? line_of_table + 1 : 0;
    if (line_of_table <= 2) continue;  // the names of the columns, and the line below them
    const auto cells = split(line.substr(2, line.size() - 4), " | ");
    if (cells.size() != 5) throw std::runtime_error("deviations.md: not five cells: " + std::string(line));
    rows.push_back({heading, cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return rows;
}

const std::vector<Deviation>& deviations() {
  static const std::vector<Deviation> rows = parse_deviations(deviations_page());
  return rows;
}

const Deviation* deviation_of(std::string_view subject, std::string_view quantity) {
  const auto row = std::ranges::find_if(deviations(), [&](const Deviation& each) {
    return names(each.subjects, subject) && (quantity.empty() || names(each.measured, quantity));
  });
  return row == deviations().end() ? nullptr : &*row;
}

}  // namespace jostle::calibration
