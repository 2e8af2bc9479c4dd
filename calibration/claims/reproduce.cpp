#include "calibration/claims/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "calibration/claims/checks_of_rows.hpp"
#include "calibration/claims/deviations.hpp"
#include "calibration/evidence/embedded.hpp"
#include "input/csv.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

std::string_view to_string(Basis::Kind kind) {
  switch (kind) {
    case Basis::Kind::given:
      return "given";
    case Basis::Kind::fitted:
      return "fitted";
    case Basis::Kind::predicted:
      return "predicted";
    case Basis::Kind::not_judged:
      break;
  }
  return "not judged";
}

namespace {

Basis::Kind basis_named(std::string_view name, const input::CsvTable::Row& row) {
  using enum Basis::Kind;
  for (const Basis::Kind kind : {given, fitted, predicted, not_judged})
    if (to_string(kind) == name) return kind;
  row.fail(fmt::format("no basis '{}'", name));
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

std::string_view source_of(std::string_view id) {
  switch (id.front()) {
    case 'C':
      return "concurrent-vision";
    case 'D':
      return "multi-accelerator";
    case 'E':
      return "energy-knobs";
    case 'G':
      return "energy-roofline";
    default:
      return "pipeline";
  }
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

}  // namespace jostle::calibration
