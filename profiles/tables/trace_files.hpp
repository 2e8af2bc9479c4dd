// Traces of one device under contention, with the same tables as calibration/evidence/h200. The header of a
// file identifies its kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "input/csv.hpp"

namespace jostle::profiles {

enum class TraceKind {
  timeslices,
  sharing_configs,
  sharing_intervals,
  sparse_launches,
  solo,       // runs of whole networks, one process each
  contended,  // columns of `solo`, with several processes in some runs
  eager_repeats,
  open_loop,
  kernels,
  runtime_calls,
  streams_networks,  // networks on the streams of one process
  mps,               // networks in processes, with MPS and without
  // Closed loops of equal kernels on the streams of one process, or as clients of MPS, all with the same
  // columns: the column `streams_in` tells them apart.
  streams_synthetic,
  streams_of_readers,      // each stream with a buffer of its own
  streams_by_connections,  // with 32 connections
  clients_synthetic        // of MPS
};

// The file name that this kind has in the evidence, such as "timeslices.csv".
[[nodiscard]] std::string_view file_name(TraceKind kind);

// The kind of a table; absent if unknown. Throws input::CsvError if the number of processes is not a number.
[[nodiscard]] std::optional<TraceKind> trace_kind(const input::CsvTable& table);

// Converts a table of kernels as the profiler writes it (columns `category`, `grid` and `block`, such as
// 4x98x1) to the columns of kernels.csv. Other tables are returned unchanged. Throws input::CsvError.
[[nodiscard]] input::CsvTable as_evidence(input::CsvTable table);

// The product of the numbers in a text such as "4x98x1" (392), at most 4e9; 0 for a text that is not a grid.
[[nodiscard]] std::int64_t product_of(std::string_view sides);

// A set of traces, at most one table of each kind.
class TraceFiles {
 public:
  // Throws std::invalid_argument if there is a table of that kind already.
  void add(TraceKind kind, input::CsvTable table);
  [[nodiscard]] bool has(TraceKind kind) const { return tables_.contains(kind); }
  [[nodiscard]] bool empty() const { return tables_.empty(); }
  // Throws std::out_of_range if the set has no table of this kind.
  [[nodiscard]] const input::CsvTable& table(TraceKind kind) const { return tables_.at(kind); }

 private:
  std::map<TraceKind, input::CsvTable> tables_;
};

}  // namespace jostle::profiles
