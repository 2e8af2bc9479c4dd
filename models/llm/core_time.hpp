// The time of a language model's operators on cores, as llama.cpp computes them (ggml/src/ggml-cpu).
//
// The rows of a product are divided over the threads, and each result is a dot product of two rows in blocks,
// whose rate depends on the format of the weights and on the instructions of the cores: a row of weights is
// unpacked for every token anew, but for formats that are laid out again when they are loaded. All threads
// meet at a barrier behind each operator. A core computes and moves in turn, and one memory serves all:
//
//   max((operations / rate + bytes / core bandwidth) / threads, bytes / bandwidth(threads)) + operator
//
// DRAM gives less to several streams than to two, since each opens pages of its own:
// bandwidth(threads) = bandwidth / (1 + crowding · max(0, threads − 2)).
#pragma once

#include <array>
#include <cstdint>

#include "models/dnn/fusion.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/llm/weights.hpp"
#include "sim/time.hpp"

namespace jostle::llm {

struct CoreRates {
  // Operations per clock of a core of capacity 1024, by the format of the weights; a multiply-add counts as
  // two. That of fp16 is also attention's. 0: as q4_k_m.
  std::array<double, weight_format_count> ops_per_clock{};
  double core_bandwidth_bytes_per_s = 0;  // one core's, beside arithmetic that hides most of its loads
  double bandwidth_bytes_per_s = 0;       // maximum of two cores
  double crowding = 0;
  sim::Duration per_operator;  // to begin an operator and to meet behind it
  sim::Duration per_thread;    // the same, for each thread but the first
};

// Maximum of the memory for so many threads, in bytes/s.
[[nodiscard]] double bandwidth_of(const CoreRates& rates, int threads);

// The work of each of the threads in an operator of a step of `batch` sequences, as time at the reference
// clock. Throws std::invalid_argument if there is no rate, bandwidth or clock.
[[nodiscard]] sim::Duration core_time(const dnn::FusedLayer& layer, std::int64_t batch, WeightFormat weights,
                                      const CoreRates& rates, const dnn::HostTeam& team);

}  // namespace jostle::llm
