#include "calibration/claims/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "scenarios/run/run.hpp"

namespace jostle {
std::string_view deviations_page();  // embedded by CMakeLists.txt
}

namespace jostle::calibration {
namespace {

constexpr std::array<std::string_view, 4> basis_names{"given", "fitted", "predicted", "not judged"};

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, separator)) parts.emplace_back(part.begin(), part.end());
  return parts;
}

bool names(std::string_view list, std::string_view name) {
  const auto all = split(list, "; ");
  return std::ranges::find(all, name) != all.end();
}

Basis::Kind basis_named(std::string_view name, const input::CsvTable::Row& row) {
  const auto found = std::ranges::find(basis_names, name);
  if (found == basis_names.end()) row.fail(fmt::format("no basis '{}'", name));
  return static_cast<Basis::Kind>(found - basis_names.begin());
}

// The rows of calibration/statements.csv, each with its check.
std::vector<Statement> read_statements() {
  std::map<std::string_view, void (*)(Runs&, Checks&)> checks;
  for (const std::span<const StatementCheck> part : {network_statements(), roofline_statements()})
    for (const StatementCheck& each : part) checks.emplace(each.id, each.check);
  constexpr const char* file = "statements.csv";
  static const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
  std::vector<Statement> found;
  for (const input::CsvTable::Row row : table) {
    const std::string_view id = row.view("id");
    const auto check = checks.extract(id);
    if (check.empty() != has_rows(id)) row.fail("this statement is checked by nothing, or in two ways");
    Statement& statement = found.emplace_back(id, row.view("kind"),
                                              Basis{basis_named(row.view("basis"), row), row.view("chosen")},
                                              row.view("statement"));
    if (check.empty())
      statement.check = [id](Runs& runs, Checks& to) { check_rows(id, runs, to); };
    else
      statement.check = check.mapped();
  }
  if (!checks.empty()) throw std::runtime_error(fmt::format("{}: no {}", file, checks.begin()->first));
  return found;
}

}  // namespace

std::string_view to_string(Basis::Kind kind) {
  return basis_names[static_cast<std::size_t>(kind)];
}

std::string_view source_of(std::string_view id) {
  static constexpr std::array<std::pair<char, std::string_view>, 4> sources{{{'C', "concurrent-vision"},
                                                                             {'D', "multi-accelerator"},
                                                                             {'E', "energy-knobs"},
                                                                             {'G', "energy-roofline"}}};
  const auto* const found = std::ranges::find(sources, id.front(), &std::pair<char, std::string_view>::first);
  return found == sources.end() ? "pipeline" : found->second;
}

std::size_t Reproduction::failed() const {
  return static_cast<std::size_t>(std::ranges::count(checks, Verdict::fails, &Check::verdict));
}

std::size_t Reproduction::judged() const {
  return checks.size() -
         static_cast<std::size_t>(std::ranges::count(checks, Verdict::shown, &Check::verdict));
}

bool Reproduction::expected() const {
  return reproduced() || deviation_of(statement->id) != nullptr;
}

const Check* Reproduction::worst() const {
  const Check* worst = nullptr;
  const auto distance = [](const Check& check) { return check.off ? std::abs(*check.off) : HUGE_VAL; };
  for (const Check& check : checks)
    if (check.verdict == Verdict::fails && (worst == nullptr || distance(check) > distance(*worst)))
      worst = &check;
  return worst;
}

const std::vector<const Statement*>& statements() {
  static const std::vector<Statement> rows = read_statements();
  static const std::vector<const Statement*> all = [] {
    std::vector<const Statement*> list;
    for (const Statement& row : rows) list.push_back(&row);
    std::ranges::sort(list, {}, &Statement::id);
    return list;
  }();
  return all;
}

const Statement* find_statement(const std::string& id) {
  std::string upper = id;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto found = std::ranges::find(statements(), upper, &Statement::id);
  return found == statements().end() ? nullptr : *found;
}

Reproduction reproduce(const Statement& statement, Runs& runs) {
  Reproduction outcome{.statement = &statement, .checks = {}, .grade = {}, .problem = {}};
  Checks checks;
  (void)runs.take_grade();
  try {
    statement.check(runs, checks);
  } catch (const scenarios::RunError& error) {
    outcome.problem = error.what();
  }
  outcome.checks = checks.list();
  if (statement.basis.kind == Basis::Kind::not_judged)
    for (Check& check : outcome.checks) {
      check.verdict = Verdict::shown;
      check.off.reset();
    }
  outcome.grade = runs.take_grade();
  return outcome;
}

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
