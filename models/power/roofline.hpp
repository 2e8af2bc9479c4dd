// Time and energy roofline of a GPU at set clocks: what W operations on Q bytes of DRAM take at least.
//
//   T = max(W / peak, Q / bandwidth)                                    (Williams et al., CACM 2009)
//   E = operation W + byte Q + constant T                               (Choi et al., IPDPS 2013)
//
// The intensity is W / Q, in FLOP/B. Both are bounds from below: T of a GPU that does nothing but the one or
// the other at its full rate, E of one that lasts no longer than that. Here `operation` and `byte` have a
// part each that is not added: an SM that gets on with the one waits for the other meanwhile, so of the SMs'
// cycles only the larger part counts.
#pragma once

#include <optional>

#include "models/dnn/arithmetic.hpp"
#include "models/gpu/spec.hpp"
#include "models/power/energy.hpp"
#include "models/power/spec.hpp"

namespace jostle::power {

struct Roofline {
  double flop_per_s = 0;   // peak of all SMs on the path's units
  double bytes_per_s = 0;  // of DRAM, achievable
  struct Energy {
    double operation_j = 0, byte_j = 0;        // of each ...
    double sm_operation_j = 0, sm_byte_j = 0;  // ... and of the SMs' cycles for it
    double idle_w = 0;                         // of the board with its GPU idle, but powered
    double busy_w = 0;                         // more while a kernel executes, whatever it does
    [[nodiscard]] double constant_w() const { return idle_w + busy_w; }
  };
  std::optional<Energy> energy;  // absent: nothing is known of the board's power
};

// `idle`: some seconds of the board at its clocks with nothing to do, the GPU powered; its SMs and clocks are
// those of the roofs. `dram_bytes_per_s` is what the memory achieves at its clock, of which the GPU reaches
// what it can at its own. Where there is a `spec`, the energies are differences of power::energy_of(), with
// regulators' losses, at the spec's reference temperature:
//   operation  of pipes that never wait, over a GPU that only executes
//   byte       in the GPU, the memory controller and the DRAM; the SMs take as many cycles for a byte as
//              they do at the highest clocks (gpu::Kernel::working)
//   busy       of gpu_busy_s over idle
// Throws std::invalid_argument where peak or bandwidth are not positive.
[[nodiscard]] Roofline roofline(const gpu::Spec& gpu, const dnn::ArithmeticPath& path,
                                double dram_bytes_per_s, const Activity& idle,
                                const std::optional<Spec>& spec);

[[nodiscard]] double seconds_of(const Roofline& roofline, double flop, double bytes);
// None where there is no energy.
[[nodiscard]] std::optional<double> joules_of(const Roofline& roofline, double flop, double bytes);

// At an intensity.
[[nodiscard]] double attainable_flop_per_s(const Roofline& roofline, double intensity);
[[nodiscard]] std::optional<double> attainable_flop_per_j(const Roofline& roofline, double intensity);

// FLOP/B from which time is bound by arithmetic.
[[nodiscard]] double ridge(const Roofline& roofline);
// FLOP/J as the intensity grows beyond all bounds: 1 / (operation + constant / peak).
[[nodiscard]] std::optional<double> best_flop_per_j(const Roofline& roofline);
// FLOP/B at which half of that is reached: the effective energy balance. Where it is below the ridge, what is
// efficient in time is so in energy.
[[nodiscard]] std::optional<double> energy_balance(const Roofline& roofline);

}  // namespace jostle::power
