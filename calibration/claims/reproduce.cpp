#include "calibration/claims/reproduce.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/claims/deviations.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

std::string_view to_string(StatementKind kind) {
  switch (kind) {
    case StatementKind::value:
      return "value";
    case StatementKind::trend:
      return "trend";
    case StatementKind::bound:
      return "bound";
    case StatementKind::model:
      return "model";
    case StatementKind::device:
      break;
  }
  return "device";
}

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

std::string_view source_of(const Statement& statement) {
  switch (statement.id.front()) {
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
  static const std::vector<const Statement*> all = [] {
    std::vector<const Statement*> list;
    for (const std::span<const Statement> part :
         {throughput_statements(), memory_statements(), gpu_metrics_statements(), sharing_statements(),
          enqueue_statements(), multi_accelerator_statements(), device_statements(), network_statements(),
          power_statements(), energy_statements(), energy_runtime_statements(), pipeline_statements(),
          roofline_statements()})
      for (const Statement& statement : part) list.push_back(&statement);
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
