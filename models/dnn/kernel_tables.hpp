// Measured kernel times of a device, read from the evidence by calibration/ and looked up by kernels_for().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::dnn {

// Every kernel (and memset) of one inference at one batch size, in launch order.
struct MeasuredBatch {
  std::int64_t batch = 1;
  std::vector<gpu::Kernel> kernels;
  std::vector<std::string> names;        // same length as `kernels`
  std::size_t nodes_to_last_memset = 0;  // the last memset included; 0: all nodes are kernels
  gpu::Operators operators = {};         // counted when they were launched one by one
  sim::Duration host = {};               // the host's time for them, estimated from a trace; 0: not known
  std::string measured_on =
      {};  // the sibling device whose times were scaled to these; empty: the device itself
  [[nodiscard]] sim::Duration total() const;
  // See KernelSequence::launched_whole. Graphs whose last memset is among the first 27 % of their nodes ran
  // two batches per turn, as graphs of kernels only do (resnet50 in fp16: batch 16 on the H200, batch 8 on
  // the H100); the graph of batch 1 in tf32, with memsets up to 96 %, did not. The threshold in between is
  // not known; half of the nodes is assumed.
  [[nodiscard]] bool launched_whole() const { return 2 * nodes_to_last_memset <= names.size(); }
};

// Time per batch of a lone process that repeats the batch without a pause. It is taken from the fastest run
// of each batch size, since a disturbance only makes a run slower.
struct SoloBatch {
  std::int64_t batch = 1;
  sim::Duration time;
};

// The factor that removes a profiler's overhead from its kernel times: a profiler lengthens short kernels.
// `profiled` is the sum of these times, `batch` the time in which a lone process runs the same batch without
// the profiler, in the same unit. The factor is batch / profiled if the sum is longer than the batch by more
// than repeated runs differ (0.5 %), else 1.
[[nodiscard]] double profiler_correction(double profiled, double batch);

// One network in one precision as its framework runs it, operator by operator.
struct MeasuredNetwork {
  std::string model;
  Precision precision = Precision::fp32;
  int input = 224;                     // side of the image
  std::vector<MeasuredBatch> batches;  // ascending; empty: only rates are known
  std::vector<SoloBatch> solo_graph;   // ascending; replayed as a CUDA graph
  std::vector<SoloBatch> solo_eager;   // ascending; launched kernel by kernel
};

struct KernelTables {
  std::string source;  // name for provenance, e.g. "h200"
  bool own = false;    // measured by the user; false: they ship
  std::vector<MeasuredNetwork> networks;
  // Null if there is no such table.
  [[nodiscard]] const MeasuredNetwork* find(std::string_view model, Precision precision, int input) const;
};

}  // namespace jostle::dnn
