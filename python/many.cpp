#include "python/many.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "analyses/interval/interval.hpp"
#include "analyses/study/store.hpp"
#include "analyses/study/sweep.hpp"
#include "analyses/verdict/verdict.hpp"
#include "output/json.hpp"
#include "python/call.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::python {
namespace {

namespace py = pybind11;
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;  // none: no value

struct Column {
  std::string name;
  std::vector<Cell> cells;
};

Cell cell_of(const analyses::SqlStatement& rows, int at) {
  if (rows.is_null(at)) return {};
  if (rows.is_integer(at)) return rows.integer(at);
  if (rows.is_number(at)) return rows.real(at);
  return std::string(rows.text(at));
}

// The rows of a query, column by column.
std::vector<Column> columns_of(analyses::SqlStatement& rows) {
  std::vector<Column> columns(static_cast<std::size_t>(rows.columns()));
  for (int i = 0; i < rows.columns(); ++i) columns[static_cast<std::size_t>(i)].name = rows.name(i);
  while (rows.step())
    for (int i = 0; i < rows.columns(); ++i)
      columns[static_cast<std::size_t>(i)].cells.push_back(cell_of(rows, i));
  return columns;
}

template <class T>
bool every(const Column& column) {
  return std::ranges::all_of(column.cells, [](const Cell& cell) { return std::holds_alternative<T>(cell); });
}

// True if every cell is a number or none, and doubles lose nothing of them: no column of integers beside
// empty cells.
bool fit_doubles(const Column& column) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  bool doubles = false, integers = false;
  for (const Cell& cell : column.cells) {
    if (std::holds_alternative<std::string>(cell) || std::holds_alternative<bool>(cell)) return false;
    doubles |= std::holds_alternative<double>(cell);
    const auto* const integer = std::get_if<std::int64_t>(&cell);
    integers |= integer != nullptr;
    if (integer != nullptr && (*integer < -most || *integer > most)) return false;
  }
  return doubles || !integers;
}

double number_of(const Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* const real = std::get_if<double>(&cell)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

// The cell as text, numbers with the fewest digits that reproduce them.
std::optional<std::string> text_of(const Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  return std::nullopt;
}

// An array that owns the results of `number` for each cell.
template <class T, class Number>
py::object array_of(const std::vector<Cell>& cells, const Number& number) {
  auto numbers = std::make_unique<T[]>(cells.size());
  std::ranges::transform(cells, numbers.get(), number);
  T* const kept = numbers.release();
  const py::capsule owner(kept, [](void* array) { delete[] static_cast<T*>(array); });
  return py::array_t<T>(static_cast<py::ssize_t>(cells.size()), kept, owner);
}

py::object object_of(const Column& column) {
  const bool words = column.name == "status" || column.name == "limited_by" || column.name == "stop" ||
                     column.name == "problem";  // texts even if all cells are empty
  if (!words && every<std::int64_t>(column))
    return array_of<std::int64_t>(column.cells,
                                  [](const Cell& cell) { return std::get<std::int64_t>(cell); });
  if (!words && !column.cells.empty() && every<bool>(column))
    return array_of<bool>(column.cells, [](const Cell& cell) { return std::get<bool>(cell); });
  if (!words && fit_doubles(column)) return array_of<double>(column.cells, number_of);
  const bool texts = words || std::ranges::any_of(column.cells, [](const Cell& cell) {
                       return std::holds_alternative<std::string>(cell);
                     });
  if (!texts) return py::cast(column.cells);
  std::vector<std::optional<std::string>> list;
  for (const Cell& cell : column.cells) list.push_back(text_of(cell));
  return py::cast(list);
}

// {name: array or list}. A column of numbers is an array of bool, of integers or of doubles (NaN: no value)
// that owns its memory. One of truths or integers beside empty cells is a list of them and None, as doubles
// would not keep them exact, and so is one of integers and doubles if a double cannot hold one of the
// integers. A column with texts is a list of str or None.
py::dict dict_of(const std::vector<Column>& columns) {
  py::dict dict;
  for (const Column& column : columns) dict[py::str(column.name)] = object_of(column);
  return dict;
}

using RowJson = nlohmann::ordered_json;

Cell json_cell(const RowJson& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  // A seed above the range of int64 keeps its digits as a text.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return output::json_text(value);
  if (value.is_number()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  return {};
}

struct OneRun {
  std::string json;
  std::vector<std::vector<Cell>> rows;
};

OneRun done_run(const scenarios::Scenario& scenario, analyses::Profiles& profiles, bool interval,
                const std::atomic<bool>* interrupt) {
  scenarios::RunControl control;
  control.interrupt = interrupt;
  std::optional<scenarios::Result> result;
  if (interval) {
    result = analyses::run_with_interval(scenario, control);
  } else {
    const auto profile = profiles.required(scenario);
    const auto work = profiles.work(*profile);
    control.shared = work.get();
    result = analyses::run_and_judge(scenario, control, profile.get());
  }
  if (!result) throw scenarios::Interrupted();
  OneRun one;
  const RowJson json = scenarios::json_of(*result);
  one.json = scenarios::to_json(*result);
  for (const std::vector<RowJson>& row : scenarios::rows_of(*result, json)) {
    std::vector<Cell>& cells = one.rows.emplace_back();
    std::ranges::transform(row, std::back_inserter(cells), json_cell);
  }
  return one;
}

// All scenarios. Throws Invalid with the problems of all.
std::vector<scenarios::Scenario> loaded(const ManyRuns& runs, unsigned threads, Warnings& warnings) {
  std::vector<std::optional<scenarios::Scenario>> read(runs.scenarios.size());
  std::vector<Warnings> said(read.size());
  std::vector<input::Problems> wrong(read.size());
  scenarios::parallel_for(
      read.size(),
      [&](std::size_t i) {
        const auto& [source, changes] = runs.scenarios[i];
        try {
          read[i] = scenario_of(source, changes.options(), said[i]);
        } catch (const Invalid& invalid) {
          wrong[i] = invalid.problems;
        }
      },
      threads);
  input::Problems problems;
  for (const input::Problems& some : wrong) problems.append(some);
  if (!problems.empty()) throw Invalid{problems};
  std::vector<scenarios::Scenario> all;
  for (auto& scenario : read) all.push_back(std::move(*scenario));
  for (Warnings& some : said)
    for (std::string& warning : some)
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
  return all;
}

struct Many {
  std::vector<Column> columns;
  std::vector<std::string> lines;
  Warnings warnings;
};

Many tabulated(std::vector<OneRun> runs) {
  Many many;
  many.columns.push_back({"run", {}});
  for (std::string& name : scenarios::row_columns()) many.columns.push_back({std::move(name), {}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::vector<Cell>& row : runs[i].rows) {
      many.columns.front().cells.emplace_back(static_cast<std::int64_t>(i));
      for (std::size_t column = 0; column < row.size(); ++column)
        many.columns[column + 1].cells.push_back(std::move(row[column]));
    }
    many.lines.push_back(std::move(runs[i].json));
  }
  return many;
}

Many many_of(const ManyRuns& runs, const ManyOptions& options, Call& call) {
  Warnings warnings;
  const std::vector<scenarios::Scenario> scenarios = loaded(runs, options.threads, warnings);
  const std::size_t seeds = std::max<std::size_t>(runs.seeds.size(), 1);
  std::vector<OneRun> done(scenarios.size() * seeds);
  analyses::Profiles of_files;  // read anew in every call, and so are those with changed parameters
  std::atomic<std::size_t> count{0};
  scenarios::parallel_for(
      done.size(),
      [&](std::size_t i) {
        scenarios::Scenario scenario = scenarios[i / seeds];
        if (!runs.seeds.empty()) scenario.run.seed = runs.seeds[i % seeds];
        const bool shipped = scenario.device_path.empty() && scenario.figures.empty();
        done[i] =
            done_run(scenario, shipped ? shipped_profiles() : of_files, options.interval, call.interrupt());
        call.tell(++count, done.size());
      },
      options.threads);
  Many many = tabulated(std::move(done));
  many.warnings = std::move(warnings);
  return many;
}

struct Swept {
  analyses::SweepSummary summary;
  std::vector<Column> columns;
  std::vector<std::string> lines;
  Warnings warnings;
};

Swept swept(const Source& source, const SweepOptions& options, Call& call) {
  Swept swept;
  analyses::Profiles profiles;
  analyses::Study study = study_of(source, {profiles::DocumentKind::study});
  study.interval |= options.interval;
  const ReadyStudy ready =
      checked(std::move(study), profiles, options.threads, call.interrupt(), swept.warnings);
  analyses::Store store(options.output);
  store.begin(ready.study, ready.checked, options.replace ? analyses::Replace::yes : analyses::Replace::no);
  analyses::SweepControl control;
  control.threads = options.threads;
  control.interrupt = call.interrupt();
  control.progress = [&call](std::size_t done, std::size_t of) { call.tell(done, of); };
  swept.summary = analyses::sweep({ready.study, ready.checked, profiles, store}, control);
  if (swept.summary.interrupted) throw scenarios::Interrupted();
  analyses::SqlStatement rows(store.database(), "SELECT * FROM results");
  swept.columns = columns_of(rows);
  analyses::write_points(store.database(),
                         [&swept](std::string_view line) { swept.lines.emplace_back(line); });
  return swept;
}

}  // namespace

py::dict run_many(const ManyRuns& runs, const ManyOptions& options, py::object progress) {
  Call call(std::move(progress));
  const Many many = call.run([&] { return many_of(runs, options, call); });
  py::dict all;
  all["columns"] = dict_of(many.columns);
  all["lines"] = many.lines;
  all["warnings"] = many.warnings;
  return all;
}

py::dict sweep(const Source& source, const SweepOptions& options, py::object progress) {
  Call call(std::move(progress));
  Swept found = call.run([&] { return swept(source, options, call); });
  py::dict all;
  all["columns"] = dict_of(found.columns);
  all["lines"] = found.lines;
  all["warnings"] = found.warnings;
  const analyses::SweepSummary& summary = found.summary;
  const std::pair<const char*, std::size_t> counts[] = {{"computed", summary.computed},
                                                        {"reused", summary.reused},
                                                        {"infeasible", summary.infeasible},
                                                        {"not_supported", summary.not_supported},
                                                        {"failed", summary.failed}};
  for (const auto& [name, count] : counts) all[name] = count;
  return all;
}

py::dict query(const std::string& file, const std::string& sql) {
  Call call{py::none()};
  return dict_of(call.run([&] {
    analyses::Database database = analyses::read_study(file);
    analyses::SqlStatement rows(database, sql);
    if (!rows.only_reads()) throw analyses::DatabaseError("only read-only SQL statements are allowed");
    return columns_of(rows);
  }));
}

}  // namespace jostle::python
