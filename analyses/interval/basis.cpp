#include "analyses/interval/basis.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/board/spec.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

constexpr std::array<std::string_view, 6> order{"measured", "network", "family", "laws", "single", "model"};

// The measured kernels and rates of the process's network in a framework's runtime; null if there are none.
const dnn::MeasuredNetwork* measured_network(const scenarios::ProcessEntry& entry,
                                             const profiles::Profile& profile) {
  if (!entry.work.precision || traits_of(entry.host.runtime).lowering != dnn::Lowering::framework)
    return nullptr;
  const std::string network = scenarios::network_name(entry.work.model);
  const dnn::Model* const model = dnn::find_model(network);
  const auto input = static_cast<int>(entry.work.input.value_or(model != nullptr ? model->default_input : 0));
  return profiles::kernel_tables_for(profile.spec->evidence, profile.spec->sibling,
                                     {network, *entry.work.precision, entry.work.batch, input})
      .find(network, *entry.work.precision, input);
}

std::string kernel_basis(const scenarios::ProcessEntry& entry, const std::string& grade,
                         const profiles::Profile& profile) {
  if (grade == "measured" || grade == "interpolated") return "measured";
  if (grade != "fitted" || !entry.work.precision) return "model";
  if (const dnn::MeasuredNetwork* const known = measured_network(entry, profile))
    return known->batches.empty() ? "network" : "measured";
  const std::string network = scenarios::network_name(entry.work.model);
  const bool file = scenarios::network_of_file(entry.work.model) != nullptr;
  const dnn::Model* const model = file ? nullptr : dnn::find_model(network);
  if (!file && model == nullptr) return "model";
  const dnn::Chip chip = dnn::Chip::of(profile.spec->gpu);
  const std::string_view family = file ? std::string_view(network) : model->family;
  const dnn::Lowering lowering = traits_of(entry.host.runtime).lowering;
  const bool laws = lowering == dnn::Lowering::framework &&
                    dnn::has_framework_laws(profile.spec->gpu, *entry.work.precision);
  const dnn::Factor* const factor = dnn::find_factor(
      profile.factors,
      {chip, network, family, *entry.work.precision, laws ? lowering : dnn::Lowering::optimised});
  if (factor == nullptr && laws) return *entry.work.precision == dnn::Precision::fp16 ? "laws" : "single";
  // On another GPU, or in another precision, a network's factor is known no better than a family's.
  return factor != nullptr && !factor->model.empty() && factor->chip == chip &&
                 factor->precision == *entry.work.precision
             ? "network"
             : "family";
}

std::size_t rank(const std::string& basis) {
  const std::string kernels = basis.substr(0, basis.find(' '));
  const auto at = static_cast<std::size_t>(std::ranges::find(order, kernels) - order.begin());
  return 2 * at + (kernels.size() < basis.size() ? 1 : 0);
}

}  // namespace

std::string basis_of(const scenarios::ProcessEntry& entry, const std::string& grade,
                     const profiles::Profile& profile, bool beside) {
  const std::string kernels = kernel_basis(entry, grade, profile);
  const process::RuntimeKind kind = traits_of(entry.host.runtime).kind;
  const bool own = kind == process::RuntimeKind::framework || kind == process::RuntimeKind::session;
  return own ? kernels + " " + to_string(entry.host.runtime) : beside ? kernels + " beside" : kernels;
}

bool is_beside(const scenarios::Scenario& scenario) {
  std::int64_t queues = 0;
  bool streams = false;
  for (const scenarios::ProcessEntry& entry : scenario.processes) {
    const std::int64_t own = streams_of(entry);
    streams = streams || own > 1;
    queues += own * entry.count;
  }
  return queues > 1 && (streams || scenario.sharing == gpu::Sharing::mps);
}

double octaves_beyond_tables(const scenarios::ProcessEntry& entry, const profiles::Profile& profile) {
  const dnn::MeasuredNetwork* const known = measured_network(entry, profile);
  return known != nullptr ? dnn::octaves_beyond(*known, entry.work.batch) : 0;
}

std::string weaker(const std::string& a, const std::string& b) {
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace jostle::analyses
