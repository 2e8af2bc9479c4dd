#include "models/dnn/kernels_for.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "models/dnn/activity.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/batch_law.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/framework_launches.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/roofline.hpp"
#include "models/dnn/training.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

const Model& known_model(const Request& request) {
  const Model* const model = find_model(request.model);
  if (model != nullptr) return *model;
  throw std::invalid_argument("unknown model '" + request.model + "'");
}

void check_range(const Request& request) {
  if (request.batch < 1 || request.batch > max_images) {
    throw std::invalid_argument("the batch is " + std::to_string(request.batch) + "; it must be 1 to " +
                                std::to_string(max_images));
  }
  const auto [width, height] = sides_of(request.input);
  if (std::min(width, height) < 0 || std::max(width, height) > largest_input) {
    throw std::invalid_argument("the input is " + input_text(request.input) + "; it must be 1 to " +
                                std::to_string(largest_input));
  }
}

bool as_measured(const Factor& factor, const Request& request, Precision precision) {
  return !factor.layers.empty() && factor.precision == precision && factor.batch == request.batch &&
         std::abs(request.gpu_hz / factor.gpu_hz - 1) < 0.01;
}

// Scales a kernel and its activity: SMs are busy for the same number of cycles in another time.
void scale_duration(gpu::Kernel& kernel, double factor) {
  kernel.duration = sim::work_in(kernel.duration, factor);
  const auto busier = static_cast<float>(1 / factor);
  kernel.tensor_active = std::min(kernel.sm_active, kernel.tensor_active * busier);
  kernel.issue_slot = std::min(kernel.sm_active, kernel.issue_slot * busier);
}

void apply(const Factor& factor, const Request& request, Precision precision, double value,
           KernelsOfLayers& kernels) {
  gpu::KernelSequence& sequence = kernels.sequence;
  sequence.grade = as_measured(factor, request, precision) ? gpu::Grade::measured : gpu::Grade::fitted;
  if (factor.layers.empty()) {
    scale_durations(sequence, value);
    sequence.provenance += fmt::format(", x {:.3f} fitted on {}", value, factor.basis);
    return;
  }
  if (kernels.layer.empty() || factor.layers.size() != kernels.layer.back() + 1)
    throw std::invalid_argument(fmt::format(
        "{}: the profile has times of {} layers, the network has {}: calibrate it again", request.model,
        factor.layers.size(), kernels.layer.empty() ? 0 : kernels.layer.back() + 1));
  for (std::size_t i = 0; i < kernels.layer.size(); ++i)
    scale_duration(sequence.kernels[i], value * factor.layers[kernels.layer[i]]);
  sequence.rebuild_finish();
  sequence.provenance += fmt::format(", layers as timed at batch {} in {} (x {:.3f}), {}", factor.batch,
                                     to_string(factor.precision), value, factor.basis);
}

// A rate of the network itself sets the level of its table.
void apply_to_table(const Factor& factor, gpu::KernelSequence& sequence) {
  const double value = factor.value * factor.drawn;
  scale_durations(sequence, value);
  sequence.lone_gap = sim::work_in(sequence.lone_gap, value);
  sequence.grade = std::max(sequence.grade, gpu::Grade::fitted);
  sequence.provenance += fmt::format(", x {:.3f} fitted on {}", value, factor.basis);
}

bool has_own_precision(const FusedLayer& layer) {
  return layer.precision.has_value();
}

// Kernels computed from the layers, without measurements.
KernelsOfLayers computed(const Request& request, const Network& network, const gpu::Spec& gpu) {
  auto layers = fuse(network, request.training ? Lowering::framework : request.lowering);
  // A network that is quantised itself says which layers are computed in 8 bits.
  if (request.precision == Precision::int8 && std::ranges::any_of(layers, &has_own_precision))
    for (FusedLayer& layer : layers)
      if (!layer.precision) layer.precision = Precision::fp16;
  if (!request.training) {
    KernelsOfLayers found =
        roofline_by_layer(layers, request.batch, request.precision, request.lowering, gpu);
    if (request.lowering == Lowering::framework && !request.replayed)
      found.sequence.operators =
          operators_of(network, launches_of(network, request.batch, request.precision));
    return found;
  }
  KernelsOfLayers found = roofline_by_layer(training_step(layers, request.precision), request.batch,
                                            request.precision, Lowering::framework, gpu);
  found.sequence.operators.launching = static_cast<double>(found.sequence.kernels.size());
  found.sequence.provenance += ", a step of training";
  return found;
}

// The kernels that a runtime runs where nobody measured them.
KernelsOfLayers unmeasured(const Request& request, const Network& network, const gpu::Spec& gpu) {
  if (request.lowering != Lowering::framework || !has_framework_laws(gpu, request.precision))
    return computed(request, network, gpu);
  const Model* const model = request.network == nullptr ? find_model(request.model) : nullptr;
  return framework_kernels(
      network, request.batch, request.precision, gpu,
      {.attention = model != nullptr ? attention_of(*model, request.replayed) : AttentionKernels::fused});
}

// The value of a factor at the request's batch. What a factor adds to small batches is time of each kernel,
// not of each image: on AGX Orin, AGX Xavier and Xavier NX factors of single images, up to 1.21, leave large
// batches 9 to 20 % slower than measured, and 1 leaves them 5 % off (arttrt, MLPerf).
double value_at(const Factor& factor, const Request& request, const Network& network, const gpu::Spec& gpu,
                const gpu::KernelSequence& sequence) {
  double value = factor.value;
  if (factor.layers.empty() && factor.batch > 0 && request.batch > factor.batch) {
    Request fitted = request;
    fitted.batch = factor.batch;
    value = 1 + (value - 1) * sim::to_us(unmeasured(fitted, network, gpu).sequence.total()) /
                    std::max(sim::to_us(sequence.total()), 1e-6);
  }
  return value * factor.drawn;
}

// The computed times of the products of a network at a batch.
BatchLaw::Products products_of(const Request& request, const Network& network, const gpu::Spec& gpu) {
  return [&](std::int64_t batch) {
    Request other = request;
    other.batch = batch;
    const KernelsOfLayers modelled = computed(other, network, gpu);
    std::vector<sim::Duration> times;
    for (std::size_t i = 0; i < modelled.product.size(); ++i)
      if (modelled.product[i]) times.push_back(modelled.sequence.kernels[i].duration);
    return times;
  };
}

// The computed kernels at the level of the network's rates.
gpu::KernelSequence at_rates(const Request& request, const Network& network, const gpu::Spec& gpu,
                             const MeasuredNetwork& rated) {
  const auto computed_ps = [&](std::int64_t batch) {
    Request other = request;
    other.batch = batch;
    const gpu::KernelSequence found = unmeasured(other, network, gpu).sequence;
    return static_cast<double>((found.total() + found.lone_gap).ps());
  };
  gpu::KernelSequence sequence = unmeasured(request, network, gpu).sequence;
  const double modelled = sim::to_us(sequence.total() + sequence.lone_gap);
  const double factor = sim::to_us(rated_total(rated, request.batch, computed_ps)) / std::max(modelled, 1e-6);
  scale_durations(sequence, factor);
  sequence.lone_gap = sim::work_in(sequence.lone_gap, factor);
  sequence.grade = gpu::Grade::fitted;
  sequence.provenance += fmt::format(", x {:.3f} by the network's rates", factor);
  return sequence;
}

// The operators of a network without layers: as counted in its trace, else as many for each kernel as in the
// mean of the 21 networks of evidence/h200-host/networks.csv.
gpu::Operators counted_or_usual(const MeasuredNetwork& network, std::int64_t batch,
                                const gpu::KernelSequence& sequence) {
  constexpr double launching = 0.58, views = 0.17;
  if (const MeasuredBatch* const counted = counted_near(network, batch)) return counted->operators;
  const auto kernels = static_cast<double>(sequence.kernels.size());
  return {launching * kernels, views * kernels};
}

// The kernels of a network that only its tables describe.
gpu::KernelSequence of_traces_alone(const Request& request, const KernelTables& tables, const gpu::Spec& gpu,
                                    std::span<const Factor> factors) {
  std::string known;
  const MeasuredNetwork* network = nullptr;
  for (const MeasuredNetwork& each : tables.networks) {
    if (each.model != request.model || each.batches.empty()) continue;
    known += fmt::format("{}{}", known.empty() ? "in " : ", ", to_string(each.precision));
    if (each.precision == request.precision && (request.input == 0 || request.input == each.input))
      network = &each;
  }
  const auto refuse = [&](std::string_view why) {
    throw std::invalid_argument(
        fmt::format("{} is known by the traces of its kernels alone ({}), so it cannot run {}", request.model,
                    known, why));
  };
  if (request.lowering != Lowering::framework)
    refuse("in a runtime that makes kernels of its own: only in cuda-graph, eager and libtorch");
  if (request.training) refuse("as training");
  if (network == nullptr)
    refuse(request.input > 0
               ? fmt::format("in {} with input {}", to_string(request.precision), input_text(request.input))
               : fmt::format("in {}", to_string(request.precision)));
  gpu::KernelSequence sequence = sequence_at(*network, request.batch, BatchLaw(gpu), request.replayed);
  if (!tables.source.empty()) sequence.provenance = tables.source + " " + sequence.provenance;
  for (gpu::Kernel& kernel : sequence.kernels) gpu::fill_residency(gpu, kernel);
  if (!request.replayed) sequence.operators = counted_or_usual(*network, request.batch, sequence);
  sequence.provenance += ", without layers: no memory traffic is known";
  sequence.rebuild_finish();
  for (const Factor& factor : factors)
    if (factor.model == request.model && factor.precision == request.precision &&
        factor.lowering == request.lowering && factor.chip == request.chip)
      apply_to_table(factor, sequence);
  return sequence;
}

}  // namespace

void scale_durations(gpu::KernelSequence& sequence, double factor) {
  for (gpu::Kernel& kernel : sequence.kernels) scale_duration(kernel, factor);
  sequence.rebuild_finish();
}

gpu::KernelSequence kernels_for(const Request& request, const KernelTables& tables, const gpu::Spec& gpu,
                                std::span<const Factor> factors) {
  check_range(request);
  const bool file = request.network != nullptr;
  const bool traced = !file && find_model(request.model) == nullptr &&
                      std::ranges::any_of(tables.networks, [&](const MeasuredNetwork& network) {
                        return network.model == request.model;
                      });
  if (traced) return of_traces_alone(request, tables, gpu, factors);
  const Model* const model = file ? nullptr : &known_model(request);
  const int input = file ? 0 : request.input > 0 ? request.input : model->default_input;
  const std::shared_ptr<const Network> built = file ? nullptr : built_network(*model, input);
  const Network& layers = file ? *request.network : *built;
  if (request.training) return computed(request, layers, gpu).sequence;
  const Precision precision = path_for(gpu, request.precision).precision;
  const Factor* const factor = find_factor(
      factors, {request.chip, request.model, file ? std::string_view(request.model) : model->family,
                precision, request.lowering, request.batch});
  const MeasuredNetwork* const measured = request.lowering == Lowering::framework
                                              ? tables.find(request.model, request.precision, input)
                                              : nullptr;
  if (measured != nullptr) {
    if (measured->batches.empty()) return at_rates(request, layers, gpu, *measured);
    gpu::KernelSequence sequence = sequence_at(
        *measured, request.batch, BatchLaw(gpu, products_of(request, layers, gpu)), request.replayed);
    if (!tables.source.empty()) sequence.provenance = tables.source + " " + sequence.provenance;
    if (!request.replayed) {
      const MeasuredBatch* const counted = counted_near(*measured, request.batch);
      sequence.operators = counted != nullptr
                               ? counted->operators
                               : operators_of(layers, launches_of(layers, request.batch, request.precision));
    }
    spread_activity(computed(request, layers, gpu), gpu, sequence);
    if (factor != nullptr && factor->model == request.model) apply_to_table(*factor, sequence);
    return sequence;
  }
  KernelsOfLayers modelled = unmeasured(request, layers, gpu);
  if (factor != nullptr)
    apply(*factor, request, precision, value_at(*factor, request, layers, gpu, modelled.sequence), modelled);
  return std::move(modelled.sequence);
}

}  // namespace jostle::dnn
