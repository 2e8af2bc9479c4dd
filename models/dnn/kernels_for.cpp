#include "models/dnn/kernels_for.hpp"

#include <stdexcept>

#include "models/dnn/interpolate.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::dnn {
namespace {

void check(const Request& request) {
  if (!is_model(request.model)) {
    throw std::invalid_argument("unknown model '" + request.model + "'; did you mean '" +
                                nearest_model(request.model) + "'?");
  }
  if (request.batch < 1) throw std::invalid_argument("a batch of " + std::to_string(request.batch));
  if (request.input < 0) throw std::invalid_argument("an input of " + std::to_string(request.input));
}

}  // namespace

KernelSequence kernels_for(const Request& request, const KernelTables& tables, const gpu::Spec& gpu) {
  check(request);
  const int input = request.input > 0 ? request.input : 224;
  if (request.lowering == Lowering::framework) {
    if (const MeasuredNetwork* network = tables.find(request.model, request.precision, input)) {
      KernelSequence sequence = sequence_at(*network, request.batch);
      if (!tables.source.empty()) sequence.provenance = tables.source + " " + sequence.provenance;
      return sequence;
    }
  }
  throw std::invalid_argument("no measured kernels of '" + request.model + "' on " + gpu.architecture);
}

}  // namespace jostle::dnn
