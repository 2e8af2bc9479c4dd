#include "python/sweep.hpp"

#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "analyses/study/store.hpp"
#include "analyses/study/sweep.hpp"
#include "python/call.hpp"
#include "python/columns.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::python {
namespace {

namespace py = pybind11;

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
