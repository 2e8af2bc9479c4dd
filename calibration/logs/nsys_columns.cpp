#include "calibration/logs/nsys_columns.hpp"

#include <algorithm>

#include "calibration/logs/log_text.hpp"

namespace jostle::calibration {
namespace {

struct SummarySpelling {
  std::string_view header;  // without its unit
  SummaryColumn column;
};
constexpr std::array<SummarySpelling, 14> summary_spellings{{
#include "calibration/logs/nsys_summary_spellings.inc"
}};

constexpr std::array<SummaryUnit, 16> summary_units{{
#include "calibration/logs/nsys_summary_units.inc"
}};

const SummaryUnit* summary_unit_named(std::string_view text) {
  const auto found = std::ranges::find(summary_units, text, &SummaryUnit::name);
  return found == summary_units.end() ? nullptr : &*found;
}

}  // namespace

const SummaryUnit* summary_unit(std::string_view text) {
  const std::size_t open = text.rfind('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return nullptr;
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  return summary_unit_named(inside.substr(inside.rfind(' ') + 1));  // npos + 1 is 0
}

std::optional<SummaryTable> table_of(const std::vector<std::string>& header, const SummaryUnit* titled) {
  SummaryTable table;
  table.width = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    const SummaryUnit* const unit = summary_unit(header[i]);
    const std::string_view word = unit == nullptr
                                      ? std::string_view(header[i])
                                      : trimmed(std::string_view(header[i]).substr(0, header[i].rfind('(')));
    const auto found = std::ranges::find(summary_spellings, word, &SummarySpelling::header);
    if (found == summary_spellings.end()) continue;
    table.at[found->column] = i;
    if (found->column == count) table.count_header = header[i];
    if (found->column == name) table.name_header = header[i];
    if (found->column == mean) table.unit = unit;
  }
  if (!table.at[count] || !table.at[mean] || !table.at[name]) return std::nullopt;
  const bool sizes = header.front() == "Total" || header.front().starts_with("Total (");
  if (table.unit == nullptr) table.unit = titled;
  if (table.unit == nullptr || table.unit->bytes != sizes)
    table.unit = summary_unit_named(sizes ? "KiB" : "ns");
  return table;
}

std::optional<double> grouped_number(std::string_view text) {
  if (const auto number = parse_number(text)) return number;
  std::string plain;
  for (std::size_t i = 0; i < text.size() && plain.size() < 32; ++i) {
    if (text[i] == ',' || text[i] == '\'') continue;
    if (text.substr(i).starts_with("\u2019")) {
      i += 2;
      continue;
    }
    plain += text[i];
  }
  return parse_number(plain);
}

bool is_nsys_heading(std::string_view line) {
  std::string_view text = trimmed(line);
  while (!text.empty() && (text.front() == '|' || text.front() == '"' || text.front() == ' '))
    text.remove_prefix(1);
  const auto has = [text](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text.starts_with("Time(%)") || text.starts_with("Time (%)")) return has("Total Time");
  return text.starts_with("Total") && (has("Count") || has("Operations")) && (has("Avg") || has("Average"));
}

}  // namespace jostle::calibration
