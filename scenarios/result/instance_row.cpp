// A stream as a row of the table of processes.
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {

ProcessResult row_of(const ProcessResult& process, const InstanceResult& instance) {
  ProcessResult row;
  row.index = process.index;
  row.entry = process.entry;
  row.name = instance.name;
  row.model = instance.model;
  row.precision = instance.precision;
  row.batch = instance.batch;
  row.runtime = process.runtime;
  row.status = process.status;
  row.grades = process.grades;
  row.images = instance.images;
  row.throughput = instance.throughput;
  row.offered = instance.offered;
  row.stable = instance.stable;
  row.latency_ms = instance.latency_ms;
  row.mean_batch = instance.mean_batch;
  row.drops = instance.drops;
  return row;
}

}  // namespace jostle::scenarios
