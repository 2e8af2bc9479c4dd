#include "python/sweep.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyses/study/store.hpp"
#include "analyses/study/sweep.hpp"
#include "python/call.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::python {
namespace {

namespace py = pybind11;
using Numbers = std::vector<double>;
using Texts = std::vector<std::optional<std::string>>;

struct Column {
  std::string name;
  std::unique_ptr<Numbers> numbers = std::make_unique<Numbers>();  // null: it holds texts
  Texts texts;
  bool whole = true;  // all are integers
};

// Appends the cell, and turns a column into one of texts at the first text.
void append(Column& column, const analyses::SqlStatement& rows, int at) {
  if (column.numbers && !rows.is_null(at) && !rows.is_number(at)) {
    column.texts.resize(column.numbers->size());
    for (std::size_t i = 0; i < column.texts.size(); ++i)
      if (const double number = (*column.numbers)[i]; number == number)
        column.texts[i] = std::to_string(number);
    column.numbers.reset();
  }
  column.whole &=
      rows.is_number(at) && rows.text(at).find_first_not_of("-0123456789") == std::string_view::npos;
  if (column.numbers)
    column.numbers->push_back(rows.is_null(at) ? std::numeric_limits<double>::quiet_NaN() : rows.real(at));
  else
    column.texts.push_back(rows.is_null(at) ? std::nullopt : std::optional(std::string(rows.text(at))));
}

std::vector<Column> columns_of(analyses::Database& database) {
  analyses::SqlStatement rows(database, "SELECT * FROM results");
  std::vector<Column> columns(static_cast<std::size_t>(rows.columns()));
  for (int i = 0; i < rows.columns(); ++i) columns[static_cast<std::size_t>(i)].name = rows.name(i);
  while (rows.step())
    for (int i = 0; i < rows.columns(); ++i) append(columns[static_cast<std::size_t>(i)], rows, i);
  for (Column& column : columns) {  // words, of which there are none
    const bool words = column.name == "status" || column.name == "limited_by" || column.name == "stop" ||
                       column.name == "problem";
    if (!words || !column.numbers) continue;
    column.texts.resize(column.numbers->size());
    column.numbers.reset();
  }
  return columns;
}

// An array that owns the vector.
template <class T>
py::object array_of(std::unique_ptr<std::vector<T>> numbers) {
  std::vector<T>* const kept = numbers.release();
  const py::capsule owner(kept, [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

py::object object_of(Column& column) {
  if (!column.numbers) return py::cast(column.texts);
  if (!column.whole) return array_of(std::move(column.numbers));
  return array_of(
      std::make_unique<std::vector<std::int64_t>>(column.numbers->begin(), column.numbers->end()));
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
  analyses::Study study = study_of(source, {calibration::DocumentKind::study});
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
  swept.columns = columns_of(store.database());
  analyses::write_points(store.database(),
                         [&swept](std::string_view line) { swept.lines.emplace_back(line); });
  return swept;
}

}  // namespace

py::dict sweep(const Source& source, const SweepOptions& options, py::object progress) {
  Call call(std::move(progress));
  Swept found = call.run([&] { return swept(source, options, call); });
  py::dict columns;
  for (Column& column : found.columns) columns[py::str(column.name)] = object_of(column);
  py::dict all;
  all["columns"] = columns;
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

}  // namespace jostle::python
