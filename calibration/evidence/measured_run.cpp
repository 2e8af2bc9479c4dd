#include "calibration/evidence/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

std::vector<EvidenceRow> evidence_rows(const char* file) {
  return rows_of(input::CsvTable::parse(evidence_file(file).value_or(""), file));
}

std::vector<EvidenceRow> rows_of(const input::CsvTable& table) {
  std::vector<EvidenceRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!text_in(table, table.row(i), "mark").empty()) continue;
    EvidenceRow& row = rows.emplace_back();
    for (const std::string& name : table.header()) row[name] = table.row(i).text(table.column(name));
  }
  return rows;
}

std::vector<ComparisonGroup> groups_of(std::string_view validation) {
  std::vector<ComparisonGroup> groups;
  for (const EvidenceRow& row : evidence_rows("groups.csv")) {
    if (row.at("validation") != validation) continue;
    ComparisonGroup& group =
        groups.emplace_back(ComparisonGroup{row.at("name"), row.at("evidence"), row.at("note"), {}, {}});
    std::istringstream limits(row.at("limits"));  // "decode 0.08 median; prefill 0.15 median"
    for (std::string limit; std::getline(limits >> std::ws, limit, ';');) {
      const std::size_t word = limit.rfind(' '), number = limit.rfind(' ', word - 1);
      const std::string statistic = limit.substr(word + 1);
      group.bounds.push_back({limit.substr(0, number), std::stod(limit.substr(number)),
                              statistic == "mean"     ? Statistic::mean
                              : statistic == "median" ? Statistic::median
                                                      : Statistic::each});
    }
  }
  return groups;
}

std::vector<std::vector<EvidenceRow>> by_run(std::vector<EvidenceRow> rows) {
  std::vector<std::vector<EvidenceRow>> runs;
  for (EvidenceRow& row : rows) {
    if (runs.empty() || runs.back().front().at("run") != row.at("run")) runs.emplace_back();
    runs.back().push_back(std::move(row));
  }
  return runs;
}

double watts(const EvidenceRow& row) {
  const double reading = number(row, "board_power_w");
  const auto share = row.find("meter_share");
  if (share == row.end() || share->second.empty()) return reading;
  return settled_watts(reading, number(row, "meter_share"), number(row, "watts_before"));
}

double number(const EvidenceRow& row, const char* column) {
  return std::stod(row.at(column));
}

std::string filled(const std::string& text, const EvidenceRow& row) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t open = 0; (open = text.find('<', done)) != std::string::npos;) {
    const std::size_t close = text.find('>', open);
    out += text.substr(done, open - done) + row.at(text.substr(open + 1, close - open - 1));
    done = close + 1;
  }
  return out + text.substr(done);
}

BoardAndWork board_and_work(const std::string& text) {
  input::Problems problems;
  auto scenario =
      scenarios::parse_scenario({text, "evidence", ""}, scenarios::shipped_catalogue(), {}, problems);
  if (!scenario) throw std::runtime_error(problems.text());
  auto profile = profiles::shipped_profile(scenario->device, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return {*std::move(scenario), *std::move(profile)};
}

std::vector<std::vector<Comparison>> compared(const std::vector<MeasuredRun>& runs,
                                              const std::function<void(double)>& progress) {
  std::vector<std::vector<Comparison>> found(runs.size());
  const auto compare = [&](std::size_t i) {
    auto [scenario, profile] = board_and_work(runs[i].scenario);
    if (!runs[i].arrivals.empty()) {
      scenario.processes[0].arrivals.kind = process::ArrivalKind::trace;
      scenario.processes[0].arrivals.times = runs[i].arrivals;
    }
    std::ranges::copy(runs[i].factors, std::back_inserter(profile.factors));
    scenarios::RunControl control;
    control.every_percentile = true;  // measured percentiles are those of a second, or few
    const scenarios::Result result = simulated(scenario, profile, control);
    const analyses::ResultMetrics metrics(result);
    for (const MeasuredValue& value : runs[i].values) {
      const auto predicted = value.of ? value.of(result) : metrics.find(value.metric, analyses::Worst::least);
      if (!predicted && value.if_predicted) continue;
      if (!predicted) throw std::runtime_error(fmt::format("{}: no prediction", value.run));
      found[i].push_back({value.run, value.quantity, value.measured, *predicted * value.scale});
    }
  };
  simulated_at_once(runs.size(), compare, progress);
  return found;
}

void compare_in(std::vector<ComparisonGroup>& groups, const std::vector<MeasuredRun>& runs,
                const std::function<void(double)>& progress) {
  auto found = compared(runs, progress);
  for (std::size_t i = 0; i < runs.size(); ++i)
    std::ranges::move(found[i], std::back_inserter(groups[runs[i].group].comparisons));
}

}  // namespace jostle::calibration
