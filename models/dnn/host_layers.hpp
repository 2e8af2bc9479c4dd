// The cost of a network on the CPU cores, layer by layer.
//
// A layer takes
//     max((clocks / clock + bytes / core bandwidth) / threads, far bytes / bandwidth)
//       + alone / clock + join · (threads − 1):
// a core computes and moves in turn, the threads share the work of a layer evenly, one memory serves them all
// with what their caches lost, and some work is that of one thread alone. Clocks of a product are its
// operations over the peak of a core's vector unit, times the share of it that the library's products reach;
// those of other layers go by their elements. host_library.hpp describes the libraries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/host_library.hpp"
#include "models/dnn/precision.hpp"
#include "sim/time.hpp"

namespace jostle::dnn {

struct HostRoofs {
  // Operations per clock of a core of capacity 1024; a multiply-add counts as two. 0: no instructions for the
  // precision.
  double fp32_ops_per_clock = 0, fp16_ops_per_clock = 0, int8_ops_per_clock = 0;
  double efficiency = 0;                  // share of the peak that a product reaches
  double int8_efficiency = 0;             // the same for int8; 0: `efficiency`
  double core_bandwidth_bytes_per_s = 0;  // maximum of one core
  double bandwidth_bytes_per_s = 0;       // maximum of all cores together
  double cache_bytes = 0;                 // a tensor that the caches hold from one layer to the next; 0: none
  double own_cache_bytes = 0;             // the same without the cache that cores share
  // Time that each thread but the first adds to a layer of multiply-adds: it is woken and waited for.
  sim::Duration join;
};

// The threads that run the network, and their clock.
struct HostTeam {
  int threads = 1;
  double reference_clock_hz = 0;  // the clock at which work is counted
  double clock_hz = 0;            // the clock of the cores; the memory does not depend on it
};

// The precision in which a network in `precision` is computed: fp16 and int8 become fp32 if there are no
// instructions for them. There is no tf32.
[[nodiscard]] Precision host_precision(const HostRoofs& roofs, Precision precision);

// The work of each of the threads in each layer, as time at the reference clock. Throws std::invalid_argument
// if the batch is below 1, if there is no rate or bandwidth, or if a layer takes longer than can be
// simulated.
[[nodiscard]] std::vector<sim::Duration> host_layers(std::span<const FusedLayer> layers, std::int64_t batch,
                                                     Precision precision, const HostLibrary& library,
                                                     const HostRoofs& roofs, const HostTeam& team);

// A batch on the cores as a whole, at the clock of the cores.
struct HostDemand {
  double seconds = 0, far_bytes = 0;  // bytes to and from memory
  double held_bytes = 0;              // tensors and weights of a layer, in the mean over that time
  // The same with a cache of `own_cache_bytes` in place of `cache_bytes`. Products then read their weights
  // anew for every few rows of results, where the larger cache keeps them.
  double lost_seconds = 0, lost_bytes = 0;
};
[[nodiscard]] HostDemand host_demand(std::span<const FusedLayer> layers, std::int64_t batch,
                                     Precision precision, const HostLibrary& library, const HostRoofs& roofs,
                                     const HostTeam& team);

}  // namespace jostle::dnn
