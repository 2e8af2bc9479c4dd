#include "models/dnn/framework_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "models/dnn/activity.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/framework_shapes.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/dnn/model_names.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

// The chip that the laws were fitted on.
constexpr double laws_sms = 132, laws_clock = 1.98e9, laws_bandwidth = 3.35e12;
// The most of the peak at the reported clock that long products reach, fitted on dense products of 8192 on an
// H100 (evidence/h100-power): at 1295 MHz eight in fp16 by a batch of 8192 take 13.5 ms, 93 % of the peak,
// and at 1980 MHz the SMs' own clock is 19 % lower (models/gpu/droop.hpp). In fp32, on CUDA cores, by
// 2048 43.4 ms at 1980 MHz.
constexpr double longest_efficiency = 0.755, longest_efficiency_of_cores = 0.76;
// Products of matrices take at most as long as their tiles of 128 x 128 in waves over the SMs, each at this
// share of the peak, with the time of `tile_depth` more elements of its sums to begin and end it. Fitted on
// products in fp16 and tf32 at depths 1024 to 8192 (evidence/h100-power/products.csv) and on those of
// bert_large (h100-nets/bert_graph.csv: 0.55 to 0.6 of the peak at depth 1024).
constexpr double tile_efficiency = 0.8, tile_depth = 300, tile = 128.0 * 128;
constexpr double longest_in_tables = 105;  // GFLOP of a gemm; work beyond it runs at the rate of this length
// Mean gap between two nodes of a graph that runs alone: fitted on the 35 graphs of nine networks whose
// kernels are known (evidence/h100-nets/solo.csv: 0.05 to 0.34).
constexpr double gap_us = 0.17;
// The same of steps of language models, on the six whose kernels are known (evidence/h100-users: 0.25 to
// 0.6).
constexpr double step_gap_us = 0.33;
// The start of a norm of rows of so many thousand channels, each by one block: fitted on two kernels of
// decode steps (evidence/h100-users: 2.5 us of 896 channels, 5.4 us of 3584).
constexpr double norm_start_us = 1.5, norm_per_thousand_us = 1.08;

bool is_product(LaunchKind kind) {
  return kind <= LaunchKind::thin_attention;
}

double to_ratio(double mine, double of_laws) {
  return mine > 0 ? of_laws / mine : 1;
}

class Timer {
 public:
  Timer(const Network& network, Precision precision, const gpu::Spec& gpu, const FrameworkRules& rules)
      : gpu_(gpu),
        laws_(rules.laws),
        weights_stream_(rules.weights_stream && precision == Precision::fp16),
        precision_(precision),
        word_(bytes_per_element(precision)),
        clock_(to_ratio(gpu.max_clock_hz, laws_clock)),
        memory_(to_ratio(gpu.bandwidth_bytes_per_s, laws_bandwidth)) {
    double weights = 0;
    for (Network::Node node = 0; node < network.size(); ++node)
      weights += word_ * static_cast<double>(network.layer(node).weights());
    cold_ = std::min(1.0, weights / std::max(gpu.l2_bytes, 1.0));
  }

  struct Time {
    double total_us = 0;
    double cold_bytes = 0, moved_bytes = 0;  // to and from DRAM, and L2
  };
  [[nodiscard]] Time of(const Launch& launch) const {
    const bool streamed = weights_stream_ && launch.kind == LaunchKind::gemm;
    const Law& law = streamed ? streamed_product() : law_of(laws_, launch.kind, precision_);
    const double wide = clock_ * to_ratio(gpu_.sm_count, laws_sms), mb = word_ / 1e6;
    const double tensors = beyond_l2(launch.read) + beyond_l2(launch.written);
    const bool product = is_product(launch.kind);
    const double slow = product ? launch.weights * word_ * cold_ * loads_of(launch) : tensors;
    const double cold = product ? tensors + launch.weights * word_ : tensors;
    const double memory = slow / 1e6 * law.per_cold_mb * memory_;
    const bool direct = product && launch.kind != LaunchKind::fourier_conv &&
                        launch.kind != LaunchKind::tiled_attention;  // whose operations have a peak
    const double least = direct ? at_best_us(launch.operations) : 0;
    const double beyond = at_best_us(launch.operations - short_part(launch));
    const double per_work = law.per_work * (launch.kind == LaunchKind::tiled_attention
                                                ? clock_ * std::ceil(launch.blocks / gpu_.sm_count)
                                                : wide);
    const double work = std::min(per_work * launch.operations, per_work * short_part(launch) + beyond);
    const double steps = law.per_step * launch.steps * clock_ / (streamed ? launch.splits : 1);
    const double moved = wide * law.per_mb * (launch.read + launch.written) * mb;
    const double sums = steps_hide(launch) ? std::max(steps, work) : steps + work;
    const double time = streamed ? std::sqrt(sums * sums + memory * memory) : sums + memory;
    return {start_of(launch, law) + std::max(std::min(time + moved, most_us(launch) + memory), least), cold,
            (launch.read + launch.written + launch.weights) * word_};
  }

 private:
  // True where CUDA cores compute so long that the latency of loads hides behind the work, or the work behind
  // it: with the sum in place of the larger, single precision is 2 points further off.
  [[nodiscard]] bool steps_hide(const Launch& launch) const {
    return launch.kind == LaunchKind::tiled_attention ||
           (launch.kind == LaunchKind::conv && precision_ == Precision::fp32);
  }
  // The share of the time of weights that is left where more rows of them are loaded at once than the
  // thousand of the kernels that the law of vectors was fitted on; 0.4 is then the time of streamed_product.
  [[nodiscard]] static double loads_of(const Launch& launch) {
    constexpr double rows_of_law = 1000, least = 0.4;
    if (launch.kind != LaunchKind::vector) return 1;
    return std::clamp(rows_of_law / launch.work.out.channels, least, 1.0);
  }
  [[nodiscard]] double start_of(const Launch& launch, const Law& law) const {
    if (!weights_stream_ || launch.kind != LaunchKind::layer_norm) return law.start;
    const double thousand_rows = 10 * launch.steps;
    return norm_start_us + norm_per_thousand_us * clock_ * 1e-6 * launch.written / thousand_rows;
  }
  [[nodiscard]] double beyond_l2(double elements) const {
    const double bytes = elements * word_;
    return bytes * std::min(1.0, bytes / std::max(gpu_.l2_bytes, 1.0));
  }
  // The most that a product takes beyond its start.
  [[nodiscard]] double most_us(const Launch& launch) const {
    const ArithmeticPath path = path_for(gpu_, precision_);
    if (launch.kind != LaunchKind::gemm || !path.tensor_cores) return std::numeric_limits<double>::infinity();
    const double depth = launch.operations * 1e9 / 2 / launch.written;
    const double waves = std::ceil(launch.written / tile / gpu_.sm_count);
    return waves * tile * 2e6 * (depth + tile_depth) /
           (path.ops_per_clock * gpu_.max_clock_hz * tile_efficiency);
  }
  // The operations that the law of a product knows.
  [[nodiscard]] static double short_part(const Launch& launch) {
    return launch.kind == LaunchKind::gemm ? std::min(launch.operations, longest_in_tables)
                                           : launch.operations;
  }
  // The time of this number of GFLOP at the rate of long products.
  [[nodiscard]] double at_best_us(double operations) const {
    const ArithmeticPath path = path_for(gpu_, precision_);
    const double peak = path.ops_per_clock * gpu_.sm_count * gpu_.max_clock_hz;
    return operations * 1e15 / peak / (path.tensor_cores ? longest_efficiency : longest_efficiency_of_cores);
  }

  const gpu::Spec& gpu_;
  std::span<const LawOf> laws_;
  bool weights_stream_;
  Precision precision_;
  double word_, clock_, memory_, cold_ = 1;
};

// Gives a kernel of the cost model another time and its bytes, and splits it as kernels of tables are split.
// Blocks and their work stay.
void set_time(gpu::Kernel& kernel, const Timer::Time& time, bool product, const gpu::Spec& gpu) {
  kernel.dram_bytes = static_cast<float>(time.cold_bytes);
  kernel.moved_bytes = static_cast<float>(time.moved_bytes);
  const double before = std::max(sim::to_seconds(kernel.duration), 1e-12), seconds = time.total_us * 1e-6;
  kernel.duration = sim::seconds(seconds);
  split_shares(kernel, product ? KernelClass::compute : KernelClass::memory);
  kernel.hidden_share = kernel.start_share = 0;
  gpu::fill_residency(gpu, kernel);
  const auto busier = static_cast<float>(before / seconds);
  kernel.tensor_active = std::min(kernel.sm_active, kernel.tensor_active * busier);
  kernel.issue_slot = std::min(kernel.sm_active, kernel.issue_slot * busier);
  note_warp_pipes(kernel);
}

}  // namespace

bool has_framework_laws(const gpu::Spec& gpu, Precision precision) {
  return gpu.architecture == "sm_90" && precision < Precision::int8;
}

AttentionKernels attention_of(const Model& model, bool replayed) {
  return replayed && model.family == "bert" ? AttentionKernels::masked : AttentionKernels::fused;
}

KernelsOfLayers framework_kernels(const Network& network, std::int64_t batch, Precision precision,
                                  const gpu::Spec& gpu, const FrameworkRules& rules) {
  const Timer timer(network, precision, gpu, rules);
  KernelsOfLayers found;
  gpu::KernelSequence& sequence = found.sequence;
  const std::vector<Launch> launches = launches_of(network, batch, precision, rules.attention);
  sequence.operators = operators_of(network, launches);
  std::vector<std::string> names;
  for (const Launch& launch : launches) {
    gpu::Kernel kernel = roofline_kernel(launch.work, batch, precision, gpu);
    set_blocks(kernel, launch, precision, gpu);
    set_time(kernel, timer.of(launch), is_product(launch.kind), gpu);
    kernel.code = gpu::code_of(to_string(launch.kind), kernel);
    sequence.kernels.push_back(kernel);
    names.push_back(fmt::format("{}, {}", to_string(launch.kind), launch.work.name));
    found.layer.push_back(launch.node);
    found.product.push_back(is_product(launch.kind));
  }
  sequence.names = std::make_shared<const std::vector<std::string>>(std::move(names));
  gpu::note_reuse(sequence.kernels);
  sequence.lone_gap = sim::microseconds((rules.weights_stream ? step_gap_us : gap_us) *
                                        static_cast<double>(sequence.kernels.size()));
  sequence.grade = gpu::Grade::fitted;
  sequence.provenance = "PyTorch's kernels on " + gpu.architecture + ", laws fitted on other networks";
  sequence.rebuild_finish();
  return found;
}

}  // namespace jostle::dnn
