// Time and energy roofline of a GPU at fixed clocks: the minimum time and energy of W operations on Q bytes
// of DRAM.
//
//   T = max(W / peak, Q / bandwidth)                                    (Williams et al., CACM 2009)
//   E = operation W + byte Q + constant T                               (Choi et al., IPDPS 2013)
//
// The intensity is W / Q, in FLOP/B. Both are lower bounds: T for a GPU that only computes or only moves data
// at its full rate, E for a kernel that takes no longer than T. In this model part of `operation` and part of
// `byte` are not added to each other: the cycles in which an SM makes progress with arithmetic and with
// memory overlap, so only the larger of the two parts counts.
#pragma once

#include <optional>

#include "models/dnn/arithmetic.hpp"
#include "models/gpu/spec.hpp"
#include "models/power/energy.hpp"
#include "models/power/spec.hpp"

namespace jostle::power {

struct Roofline {
  double flop_per_s = 0;   // peak of all SMs on the units of the arithmetic path
  double bytes_per_s = 0;  // achievable DRAM bandwidth
  struct Energy {
    double operation_j = 0, byte_j = 0;        // per operation, per byte, without SM cycles
    double sm_operation_j = 0, sm_byte_j = 0;  // SM cycles per operation, per byte; the larger counts
    double idle_w = 0;                         // board with its GPU idle, but powered
    double busy_w = 0;                         // in addition while any kernel executes
    [[nodiscard]] double constant_w() const { return idle_w + busy_w; }
  };
  std::optional<Energy> energy;  // absent: the board's power is not known
};

// `idle`: some seconds of the idle board at these clocks, with the GPU powered; its SMs and clocks are those
// of the roofline. `dram_bytes_per_s`: achievable bandwidth of the memory at its clock; the GPU reaches as
// much of it as its own clock permits. With a `spec`, the energies are differences of power::energy_of(),
// including regulator losses, at the spec's reference temperature:
//   operation  pipes that never wait, compared with a GPU that only executes
//   byte       in the GPU, the memory controller and the DRAM; the SMs take as many cycles per byte as at the
//              highest clocks (gpu::Kernel::working)
//   busy       gpu_busy_s compared with idle
// Throws std::invalid_argument if peak or bandwidth is not positive.
[[nodiscard]] Roofline roofline(const gpu::Spec& gpu, const dnn::ArithmeticPath& path,
                                double dram_bytes_per_s, const Activity& idle,
                                const std::optional<Spec>& spec);

[[nodiscard]] double seconds_of(const Roofline& roofline, double flop, double bytes);
// None if the energy is not known.
[[nodiscard]] std::optional<double> joules_of(const Roofline& roofline, double flop, double bytes);

// The maximum FLOP/s at an intensity.
[[nodiscard]] double attainable_flop_per_s(const Roofline& roofline, double intensity);
[[nodiscard]] std::optional<double> attainable_flop_per_j(const Roofline& roofline, double intensity);

// The intensity (FLOP/B) from which on time is bound by arithmetic.
[[nodiscard]] double ridge(const Roofline& roofline);
// FLOP/J in the limit of infinite intensity: 1 / (operation + constant / peak).
[[nodiscard]] std::optional<double> best_flop_per_j(const Roofline& roofline);
// The intensity (FLOP/B) at which half of best_flop_per_j() is reached: the effective energy balance. If it
// is below the ridge, code that is efficient in time is also efficient in energy.
[[nodiscard]] std::optional<double> energy_balance(const Roofline& roofline);

}  // namespace jostle::power
