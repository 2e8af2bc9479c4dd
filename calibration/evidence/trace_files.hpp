// Traces of one device under contention, as calibration/evidence/h200 has them: which files there are, known
// by their headers.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "calibration/readers/csv.hpp"

namespace jostle::calibration {

enum class TraceKind {
  timeslices,
  sharing_configs,
  sharing_intervals,
  sparse_launches,
  solo,       // runs of whole networks, each of one process
  contended,  // the same columns, with more than one process in some
  eager_repeats,
  open_loop,
  kernels,
  runtime_calls
};

// "timeslices.csv": the name that the kind has in the evidence.
[[nodiscard]] std::string_view file_name(TraceKind kind);

// None for a table of another form. Throws CsvError where the number of processes is none.
[[nodiscard]] std::optional<TraceKind> trace_kind(const CsvTable& table);

// Kernels as the profiler's own table has them (`category`, `grid` and `block` as in 4x98x1), in the columns
// of kernels.csv; any other table as it is. Throws CsvError.
[[nodiscard]] CsvTable as_evidence(CsvTable table);

// One table a kind.
class TraceFiles {
 public:
  // Throws std::invalid_argument if there is one of that kind already.
  void add(TraceKind kind, CsvTable table);
  [[nodiscard]] bool has(TraceKind kind) const { return tables_.contains(kind); }
  [[nodiscard]] bool empty() const { return tables_.empty(); }
  // Throws std::out_of_range if there is none.
  [[nodiscard]] const CsvTable& table(TraceKind kind) const { return tables_.at(kind); }

 private:
  std::map<TraceKind, CsvTable> tables_;
};

// Those in the binary, of evidence/h200. Read once.
[[nodiscard]] const TraceFiles& embedded_traces();

}  // namespace jostle::calibration
