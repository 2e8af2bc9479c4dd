#include "models/dnn/kernels_for.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/dnn/activity.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/model_names.hpp"
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

void apply(const Factor& factor, gpu::KernelSequence& sequence) {
  scale_durations(sequence, factor.value);
  sequence.grade = gpu::Grade::fitted;
  sequence.provenance += fmt::format(", x {:.3f} fitted on {}", factor.value, factor.basis);
}

// From the layers, without measurements.
gpu::KernelSequence computed(const Request& request, const Network& network, const gpu::Spec& gpu) {
  const auto layers = fuse(network, request.training ? Lowering::framework : request.lowering);
  if (!request.training) return roofline(layers, request.batch, request.precision, request.lowering, gpu);
  gpu::KernelSequence sequence = roofline(training_step(layers, request.precision), request.batch,
                                          request.precision, Lowering::framework, gpu);
  sequence.provenance += ", a step of training";
  return sequence;
}

}  // namespace

void scale_durations(gpu::KernelSequence& sequence, double factor) {
  for (gpu::Kernel& kernel : sequence.kernels) {
    kernel.duration = sim::work_in(kernel.duration, factor);
    const auto busier = static_cast<float>(1 / factor);  // the same number of cycles in another time
    kernel.tensor_active = std::min(kernel.sm_active, kernel.tensor_active * busier);
    kernel.issue_slot = std::min(kernel.sm_active, kernel.issue_slot * busier);
  }
  sequence.rebuild_finish();
}

gpu::KernelSequence kernels_for(const Request& request, const KernelTables& tables, const gpu::Spec& gpu,
                                std::span<const Factor> factors) {
  check_range(request);
  if (request.network != nullptr) return computed(request, *request.network, gpu);
  const Model& model = known_model(request);
  const int input = request.input > 0 ? request.input : model.default_input;
  gpu::KernelSequence modelled = computed(request, model.build(input), gpu);
  if (request.training) return modelled;
  if (request.lowering == Lowering::framework) {
    if (const MeasuredNetwork* network = tables.find(request.model, request.precision, input)) {
      gpu::KernelSequence sequence = sequence_at(*network, request.batch);
      if (!tables.source.empty()) sequence.provenance = tables.source + " " + sequence.provenance;
      spread_activity(modelled, gpu, sequence);
      return sequence;
    }
  }
  if (const Factor* factor =
          find_factor(factors, {request.chip, request.model, model.family,
                                path_for(gpu, request.precision).precision, request.lowering})) {
    apply(*factor, modelled);
  }
  return modelled;
}

}  // namespace jostle::dnn
