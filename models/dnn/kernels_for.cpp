#include "models/dnn/kernels_for.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/dnn/activity.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/roofline.hpp"
#include "models/dnn/training.hpp"

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
  if (request.input < 0 || request.input > largest_input) {
    throw std::invalid_argument("the input is " + std::to_string(request.input) + "; it must be 1 to " +
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

void apply(const Factor& factor, const Request& request, Precision precision, KernelsOfLayers& kernels) {
  gpu::KernelSequence& sequence = kernels.sequence;
  sequence.grade = as_measured(factor, request, precision) ? gpu::Grade::measured : gpu::Grade::fitted;
  if (factor.layers.empty()) {
    scale_durations(sequence, factor.value);
    sequence.provenance += fmt::format(", x {:.3f} fitted on {}", factor.value, factor.basis);
    return;
  }
  if (kernels.layer.empty() || factor.layers.size() != kernels.layer.back() + 1)
    throw std::invalid_argument(fmt::format(
        "{}: the profile has times of {} layers, the network has {}: calibrate it again", request.model,
        factor.layers.size(), kernels.layer.empty() ? 0 : kernels.layer.back() + 1));
  for (std::size_t i = 0; i < kernels.layer.size(); ++i)
    scale_duration(sequence.kernels[i], factor.value * factor.layers[kernels.layer[i]]);
  sequence.rebuild_finish();
  sequence.provenance += fmt::format(", layers as timed at batch {} in {} (x {:.3f}), {}", factor.batch,
                                     to_string(factor.precision), factor.value, factor.basis);
}

// Kernels computed from the layers, without measurements.
KernelsOfLayers computed(const Request& request, const Network& network, const gpu::Spec& gpu) {
  const auto layers = fuse(network, request.training ? Lowering::framework : request.lowering);
  if (!request.training)
    return roofline_by_layer(layers, request.batch, request.precision, request.lowering, gpu);
  KernelsOfLayers found = roofline_by_layer(training_step(layers, request.precision), request.batch,
                                            request.precision, Lowering::framework, gpu);
  found.sequence.provenance += ", a step of training";
  return found;
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
  const Model* const model = file ? nullptr : &known_model(request);
  const int input = file ? 0 : request.input > 0 ? request.input : model->default_input;
  KernelsOfLayers modelled = computed(request, file ? *request.network : *built_network(*model, input), gpu);
  if (request.training) return std::move(modelled.sequence);
  if (request.lowering == Lowering::framework && !file) {
    if (const MeasuredNetwork* network = tables.find(request.model, request.precision, input)) {
      gpu::KernelSequence sequence = sequence_at(*network, request.batch);
      if (!tables.source.empty()) sequence.provenance = tables.source + " " + sequence.provenance;
      spread_activity(modelled, gpu, sequence);
      return sequence;
    }
  }
  const Precision precision = path_for(gpu, request.precision).precision;
  if (const Factor* factor = find_factor(
          factors, {request.chip, request.model, file ? std::string_view(request.model) : model->family,
                    precision, request.lowering, request.batch})) {
    apply(*factor, request, precision, modelled);
  }
  return std::move(modelled.sequence);
}

}  // namespace jostle::dnn
