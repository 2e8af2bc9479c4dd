#include "profiles/tables/stage_costs.hpp"

#include <algorithm>
#include <array>

#include "input/csv.hpp"
#include "profiles/embedded.hpp"

namespace jostle::profiles {
namespace {

constexpr std::array<std::string_view, 6> per_names{"image", "pixel", "output", "larger", "box", "object"};

struct CoreSpeed {
  std::string core;
  double per_clock;
};

std::vector<CoreSpeed> parse_core_speeds(std::string_view csv) {
  constexpr std::array<std::string_view, 4> columns{"core", "per_clock", "grade", "source"};
  const input::CsvTable table = input::CsvTable::parse(csv, "cores.csv", columns);
  std::vector<CoreSpeed> cores;
  for (std::size_t i = 0; i < table.rows(); ++i)
    cores.push_back(
        {table.row(i).text(table.column("core")), table.row(i).number(table.column("per_clock"))});
  return cores;
}

}  // namespace

std::string_view to_string(StagePer per) {
  return per_names.at(static_cast<std::size_t>(per));
}

std::vector<StageCost> parse_stage_costs(std::string_view csv, std::string_view name) {
  constexpr std::array<std::string_view, 7> columns{"word", "way", "on", "per", "cost", "grade", "source"};
  const input::CsvTable table = input::CsvTable::parse(csv, name, columns);
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const auto text = [&](std::string_view column) { return row.text(table.column(column)); };
    const auto per = std::ranges::find(per_names, text("per"));
    if (per == per_names.end()) row.fail("unknown unit '" + text("per") + "'");
    StageCost cost{.word = text("word"),
                   .way = text("way"),
                   .on = text("on"),
                   .per = static_cast<StagePer>(per - per_names.begin()),
                   .cost = row.number(table.column("cost")),
                   .grade = text("grade"),
                   .source = text("source")};
    if (cost.cost <= 0) row.fail("the cost must be positive");
    if (cost.word.empty() || cost.source.empty()) row.fail("a word and a source are needed");
    costs.push_back(std::move(cost));
  }
  return costs;
}

const std::vector<StageCost>& stage_costs() {
  static const std::vector<StageCost> costs = [] {
    const auto csv = embedded_file("stages.csv");
    return csv ? parse_stage_costs(*csv, "stages.csv") : std::vector<StageCost>{};
  }();
  return costs;
}

double instructions_per_clock(std::string_view cluster) {
  static const std::vector<CoreSpeed> cores = [] {
    const auto csv = embedded_file("cores.csv");
    return csv ? parse_core_speeds(*csv) : std::vector<CoreSpeed>{};
  }();
  const std::string_view core = cluster.substr(0, cluster.find('-'));
  const auto found = std::ranges::find(cores, core, &CoreSpeed::core);
  return found == cores.end() ? 1 : found->per_clock;
}

}  // namespace jostle::profiles
