#include "models/process/costs.hpp"

namespace jostle::process {
namespace {

std::int64_t kernels_of(const Spec& spec) {
  return static_cast<std::int64_t>(spec.kernels->kernels.size());
}

// Number of launch calls per batch.
std::int64_t launches(const Spec& spec) {
  return spec.launches_at_once() ? 1 : kernels_of(spec);
}

sim::Duration own_time(const RuntimeSpec& runtime, const Spec& spec) {
  return runtime.per_batch + runtime.per_launch * launches(spec) + runtime.per_node * kernels_of(spec) +
         operators_time(runtime, *spec.kernels);
}

// Adds the observer's overhead: every call takes longer, and the GPU stamps every kernel that is launched by
// itself. The extra host time passes inside the calls, so it raises api_share.
void observe(RuntimeSpec& runtime, const Spec& spec, const ObserverSpec& observer) {
  const double own = sim::to_seconds(own_time(runtime, spec));
  const double added = sim::to_seconds(observer.per_batch + observer.per_launch * launches(spec));
  if (own + added > 0) runtime.api_share = (runtime.api_share * own + added) / (own + added);
  runtime.per_launch += observer.per_launch;
  runtime.per_batch += observer.per_batch;
  runtime.gpu_per_launch += observer.gpu_per_launch;
}

void stretch(gpu::SharedKernels& shared, double times) {
  gpu::KernelSequence& work = shared.edit();
  for (gpu::Kernel& kernel : work.kernels) kernel.duration = sim::work_in(kernel.duration, times);
  work.rebuild_finish();
}

}  // namespace

sim::Duration operators_time(const RuntimeSpec& runtime, const gpu::KernelSequence& kernels) {
  return sim::work_in(runtime.per_operator, kernels.operators.launching) +
         sim::work_in(runtime.per_view, kernels.operators.views);
}

RuntimeSpec runtime_of(const RuntimeSpec& runtime, const Spec& spec, const ObserverSpec* observer) {
  RuntimeSpec costs = runtime;
  if (spec.server) costs.server = *spec.server;
  const double of_graph = spec.static_graph && runtime.static_graph ? runtime.static_graph->host_time : 1;
  for (sim::Duration* const cost :
       {&costs.per_launch, &costs.per_batch, &costs.per_operator, &costs.per_view})
    *cost = sim::work_in(sim::work_in(*cost, spec.host_time * runtime.host_time), of_graph);
  const bool calls = traits_of(spec.runtime).kind != RuntimeKind::cores;
  if (observer != nullptr && calls) observe(costs, spec, *observer);
  return costs;
}

Spec observed(Spec spec, const ObserverSpec* observer) {
  if (observer == nullptr || observer->kernel_time == 1) return spec;
  stretch(spec.kernels, observer->kernel_time);
  for (Segment& segment : spec.segments) stretch(segment.kernels, observer->kernel_time);
  if (spec.smaller) {
    auto batches = *spec.smaller;
    for (SizedBatch& batch : batches) stretch(batch.kernels, observer->kernel_time);
    spec.smaller = std::make_shared<const std::vector<SizedBatch>>(std::move(batches));
  }
  for (Spec& instance : spec.instances) instance = observed(std::move(instance), observer);
  return spec;
}

sim::Duration most_spun(const Spec& spec) {
  const double ms = traits_of(spec.runtime).spins_ms;
  const double threads = spec.host.threads;
  const bool over_quota = spec.container && spec.container->cpus && threads > *spec.container->cpus;
  const bool over_mask = !spec.cpus.empty() && threads > static_cast<double>(spec.cpus.size());
  const bool sleeps = ms > 0 && !spec.generation && (over_quota || over_mask);
  return sleeps ? sim::milliseconds(ms) : sim::Duration::max();
}

sim::Duration setup_of(const RuntimeSpec& runtime, const Spec& spec) {
  const SetupSpec& setup = runtime.setup;
  sim::Duration time = setup.start;
  for (const Spec& part : parts_of(spec)) {
    time += setup.first_batch;
    if (setup.load_bytes_per_s > 0) time += sim::seconds(part.weights_bytes / setup.load_bytes_per_s);
    if (spec.static_graph && runtime.static_graph)
      time += runtime.static_graph->compile + runtime.static_graph->compile_per_node * kernels_of(part);
  }
  return time;
}

bool follow_up_prolongs_turn(const FollowUpSpec& rule, const Spec& spec) {
  if (!spec.segments.empty()) return true;  // the next segment waits for a fence, not for the host
  if (spec.sync == Sync::blocking) return rule.blocking;
  if (traits_of(spec.runtime).kind != RuntimeKind::graph)
    return spec.pace ? rule.paced_launches_spinning : rule.launches_spinning;
  return spec.kernels->launched_whole ? rule.graph_of_kernels_spinning : rule.graph_with_other_nodes_spinning;
}

}  // namespace jostle::process
