#include "analyses/support/support.hpp"

#include <algorithm>

#include "models/board/spec.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/network.hpp"

namespace jostle::analyses {

Support support(const profiles::Profile& profile, const scenarios::Model& model, dnn::Precision precision,
                process::Runtime runtime, std::int64_t batch) {
  const board::DeviceSpec& device = *profile.spec;
  const dnn::Lowering lowering = process::traits_of(runtime).lowering;
  const std::string name = scenarios::network_name(model);
  const dnn::KernelTables& tables =
      profiles::kernel_tables_for(device.evidence, device.sibling, {name, precision, batch});
  const gpu::KernelSequence kernels = dnn::kernels_for({.model = name,
                                                        .precision = precision,
                                                        .batch = batch,
                                                        .lowering = lowering,
                                                        .chip = dnn::Chip::of(device.gpu),
                                                        .network = scenarios::network_of_file(model),
                                                        .gpu_hz = device.gpu.max_clock_hz},
                                                       tables, device.gpu, profile.factors);
  Support support{.has_runtime = device.runtimes[runtime].has_value(),
                  .grade = kernels.grade,
                  .basis = kernels.provenance};
  const dnn::Model* const known = dnn::find_model(name);
  if (const auto* table = known == nullptr ? nullptr : tables.find(name, precision, known->default_input);
      table != nullptr && lowering == dnn::Lowering::framework) {
    for (const dnn::MeasuredBatch& measured : table->batches)
      if (measured.measured_on.empty()) support.measured_batches.push_back(measured.batch);
    return support;
  }
  if (lowering == dnn::Lowering::optimised)
    for (const dnn::Factor& factor : profile.factors)
      if (factor.model == name && factor.precision == precision && !factor.layers.empty())
        support.measured_batches.push_back(factor.batch);
  scenarios::ProcessEntry entry;
  entry.work.model = model;
  const auto network = scenarios::network_of(entry);
  for (const dnn::Precision used : dnn::all_precisions) {
    const auto count =
        std::ranges::count_if(dnn::fuse(*network, lowering), [&](const dnn::FusedLayer& layer) {
          return dnn::path_for(device.gpu, layer, precision).precision == used;
        });
    if (count > 0) support.kernels_by_precision.emplace_back(used, static_cast<int>(count));
  }
  return support;
}

}  // namespace jostle::analyses
