// What a network costs on the cores of the host, layer by layer.
//
// A layer takes max(operations / (threads · rate), bytes / bandwidth): the threads share the work of a layer
// evenly and read their parts of the tensors at the same time. `rate` is what a core's vector unit does per
// clock, times the share of it that the library's convolutions reach.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "sim/time.hpp"

namespace jostle::dnn {

struct HostRoofs {
  // Per clock of a core of capacity 1024, a multiply-add is two; 0: no instructions for the precision.
  double fp32_ops_per_clock = 0, fp16_ops_per_clock = 0, int8_ops_per_clock = 0;
  double efficiency = 0;                  // share of them that a layer reaches
  double core_bandwidth_bytes_per_s = 0;  // most that one core moves
  double bandwidth_bytes_per_s = 0;       // most that all cores move together
};

// Where the work is done.
struct HostTeam {
  int threads = 1;
  double reference_clock_hz = 0;  // the clock that work is counted at
  double clock_hz = 0;            // the clock of the cores, which the memory does not follow
};

// What `precision` is computed in: without instructions of its own, fp16 and int8 are fp32. There is no tf32.
[[nodiscard]] Precision host_precision(const HostRoofs& roofs, Precision precision);

// The work of each of the threads in each layer, in time at the reference clock. Throws
// std::invalid_argument for a batch below 1, roofs without a rate or bandwidth, and what takes longer than
// can be simulated.
[[nodiscard]] std::vector<sim::Duration> host_layers(std::span<const FusedLayer> layers, std::int64_t batch,
                                                     Precision precision, const HostRoofs& roofs,
                                                     const HostTeam& team);

}  // namespace jostle::dnn
