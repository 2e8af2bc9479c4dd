#include "models/llm/core_time.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::llm {
namespace {

constexpr double activation_bytes = 4;  // ggml's activations are fp32

double rate_of(const CoreRates& rates, WeightFormat format) {
  const double own = rates.ops_per_clock[static_cast<std::size_t>(format)];
  return own > 0 ? own : rates.ops_per_clock[static_cast<std::size_t>(WeightFormat::q4_k_m)];
}

// The format in which the dot products of a layer are computed: the last layer of q4_0 has more bits, and
// attention is in fp16.
WeightFormat format_of(const dnn::FusedLayer& layer, WeightFormat weights) {
  if (layer.op != dnn::Op::linear || layer.weight_bits >= 16) return WeightFormat::fp16;
  if (layer.weight_bits > traits_of(weights).bits && weights == WeightFormat::q4_0)
    return WeightFormat::q4_k_m;
  // Rows that blocks of 256 do not fit are in Q5_0 and Q8_0, whose dot products are of eight bits.
  return row_cost(weights, true, layer.in.channels / layer.groups).unpacked_as;
}

}  // namespace

double bandwidth_of(const CoreRates& rates, int threads) {
  return rates.bandwidth_bytes_per_s / (1 + rates.crowding * std::max(0, threads - 2));
}

sim::Duration core_time(const dnn::FusedLayer& layer, std::int64_t batch, WeightFormat weights,
                        const CoreRates& rates, const dnn::HostTeam& team) {
  const double sequences = static_cast<double>(batch), rate = rate_of(rates, format_of(layer, weights));
  if (!(rate > 0 && rates.core_bandwidth_bytes_per_s > 0 && rates.bandwidth_bytes_per_s > 0) ||
      !(team.threads > 0 && team.clock_hz > 0 && team.reference_clock_hz > 0))
    throw std::invalid_argument("a language model on the cores needs a rate, a bandwidth and a clock");
  const double elements = static_cast<double>(layer.in.elements() + layer.out.elements());
  const double bytes = layer.weight_bytes(0) + sequences * layer.cache_bytes() +
                       (layer.macs > 0 ? 0 : activation_bytes * sequences * elements);
  const double core_s = 2 * sequences * static_cast<double>(layer.macs) / (rate * team.clock_hz) +
                        bytes / rates.core_bandwidth_bytes_per_s;
  const double real_s = std::max(core_s / team.threads, bytes / bandwidth_of(rates, team.threads));
  return sim::seconds(real_s * (team.clock_hz / team.reference_clock_hz)) + rates.per_operator +
         rates.per_thread * (team.threads - 1);
}

}  // namespace jostle::llm
