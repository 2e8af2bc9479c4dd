#include "cli/compare/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/printable.hpp"
#include "scenarios/result/metric_json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using analyses::Compared;
using analyses::Difference;
using scenarios::Metric;

std::string with_unit(const Difference& difference) {
  return difference.unit.empty() ? difference.metric : difference.metric + " " + difference.unit;
}

// A row of one metric; all its numbers have the same decimals, enough for five digits of the larger value.
std::vector<std::string> cells_of(const Difference& difference) {
  const double largest = std::max(std::abs(difference.a.value_or(0)), std::abs(difference.b.value_or(0)));
  const std::string shown = significant(largest, 5);
  const std::size_t point = shown.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(shown.size() - point) - 1;
  const auto cell = [decimals](const Metric& value, const char* sign) {
    if (!value) return none;
    const double shown_value = *value == 0 ? 0.0 : *value;  // avoids -0
    return *sign == '+' ? fmt::format("{:+.{}f}", shown_value, decimals)
                        : fmt::format("{:.{}f}", shown_value, decimals);
  };
  const Metric relative = difference.relative();
  return {with_unit(difference),
          cell(difference.a, ""),
          cell(difference.b, ""),
          cell(difference.difference, "+"),
          cell(difference.half_width, ""),
          relative ? fmt::format("{:+.1f}", 100 * *relative + 0.0) : none,
          difference.significant() ? "95 %" : "< 95 %"};
}

std::string table_of(const std::vector<Difference>& differences, int width, bool colour) {
  Table table({{"", Align::left, 0, true},
               {"A", Align::right},
               {"B", Align::right},
               {"B - A", Align::right, 60},
               {"±95 %", Align::right, 50},
               {"%", Align::right},
               {"confidence", Align::left}});
  for (const Difference& difference : differences)
    table.add(cells_of(difference), difference.significant() ? Style::strong : Style::plain);
  return table.text(width, colour);
}

Json differences_json(const std::vector<Difference>& differences) {
  Json json = Json::array();
  for (const Difference& each : differences) {
    Json row{{"figure", each.metric},
             {"unit", each.unit},
             {"a", metric_json(each.a)},
             {"b", metric_json(each.b)},
             {"difference", metric_json(each.difference)},
             {"relative", metric_json(each.relative())},
             {"ci95", nullptr},
             {"significant", each.significant()}};
    if (each.difference && each.half_width)
      row["ci95"] = {*each.difference - *each.half_width, *each.difference + *each.half_width};
    json.push_back(std::move(row));
  }
  return json;
}

Json side(const std::vector<scenarios::Result>& results, const std::string& name) {
  const scenarios::Result& first = results.front();
  return {{"name", name},
          {"scenario", first.scenario},
          {"device", first.device},
          {"profile_hash", first.profile_hash},
          {"resolved", Json::parse(first.resolved)}};
}

}  // namespace

std::string comparison_text(const Compared& compared, const ComparedNames& names, int width, bool colour) {
  const std::size_t count = compared.a.size();
  const std::uint64_t seed = compared.a.front().seed;
  std::string text = paragraph("A: " + names.a, width, 0) + paragraph("B: " + names.b, width, 0);
  text += paragraph(
      count > 1 ? fmt::format("{} pairs of runs, seeds {} to {} in both", count, seed, seed + count - 1)
                : fmt::format("1 pair of runs, seed {}: no confidence intervals", seed),
      width, 0);
  for (const analyses::ComparedProcess& process : compared.processes) {
    const std::string where = process.a == process.b ? fmt::format("#{}", process.a)
                                                     : fmt::format("#{} -> #{}", process.a, process.b);
    text += "\n" + styled(where + " " + input::printable(process.label, 200), Style::strong, colour) + "\n" +
            table_of(process.metrics, width, colour);
  }
  text += "\n" + styled("board", Style::strong, colour) + "\n" + table_of(compared.system, width, colour);
  const auto unmatched = [&](const std::vector<analyses::Unmatched>& processes, const char* which) {
    if (processes.empty()) return;
    std::string line = fmt::format("Only in {}:", which);
    for (const auto& process : processes)
      line +=
          fmt::format(" #{} {}{}", process.index, process.label, &process == &processes.back() ? "" : ",");
    text += "\n" + paragraph(line, width, 0);
  };
  unmatched(compared.only_a, "A");
  unmatched(compared.only_b, "B");
  return text;
}

std::string comparison_json(const Compared& compared, const ComparedNames& names) {
  Json json{{"schema", "jostle.compare/1"},
            {"replications", compared.a.size()},
            {"seed", compared.a.front().seed},
            {"a", side(compared.a, names.a)},
            {"b", side(compared.b, names.b)}};
  json["processes"] = Json::array();
  for (const analyses::ComparedProcess& process : compared.processes) {
    json["processes"].push_back({{"a", process.a},
                                 {"b", process.b},
                                 {"label", process.label},
                                 {"figures", differences_json(process.metrics)}});
  }
  const auto unmatched = [](const std::vector<analyses::Unmatched>& processes) {
    Json list = Json::array();
    for (const auto& process : processes)
      list.push_back({{"index", process.index}, {"label", process.label}});
    return list;
  };
  json["only_in_a"] = unmatched(compared.only_a);
  json["only_in_b"] = unmatched(compared.only_b);
  json["system"] = differences_json(compared.system);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace jostle::cli
