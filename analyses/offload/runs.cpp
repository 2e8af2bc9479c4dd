#include "analyses/offload/runs.hpp"

#include <utility>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/memory/footprint.hpp"
#include "models/process/arrivals.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/process_work.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

BoardRun board_run_of(const scenarios::Scenario& scenario, const scenarios::Result& result,
                      const char* where) {
  BoardRun run;
  run.power_w = result.system.power_w.mean;
  run.gpu_clock_mhz = result.system.gpu.clock_mhz;
  if (result.system.link) {
    run.link_busy = result.system.link->busy;
    run.link_load = result.system.link->load;
    run.radio_w = result.system.link->power_w;
  }
  const std::vector<scenarios::ProcessInstance> instances = scenarios::expand(scenario);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const scenarios::ProcessResult& process = result.processes[i];
    StreamMetrics stream{.latency_ms = process.latency_ms,
                         .throughput = process.throughput.mean,
                         .drops = process.drops,
                         .saturated = {},
                         .tokens = process.tokens,
                         .grade = lowest(process.grades)};
    if (process.status != "ok")
      stream.saturated = "memory";
    else if (process.stable == false)
      stream.saturated = where;
    run.images_per_s += stream.throughput.value_or(0);
    if (stream.tokens) run.tokens_per_s += stream.tokens->per_s.value_or(0);
    run.streams.push_back(std::move(stream));
  }
  return run;
}

scenarios::Result result_of(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                            const scenarios::RunControl& control) {
  auto result = run(scenario, profile, control);
  if (!result) throw scenarios::Interrupted{};
  return *std::move(result);
}

scenarios::RunControl interrupted_by(const std::atomic<bool>* interrupt) {
  scenarios::RunControl control;
  control.interrupt = interrupt;
  control.every_percentile = true;  // options are compared over the same time, with the same random numbers
  return control;
}

BoardRun run_over_link(const OffloadQuestion& question, scenarios::Scenario scenario, const LinkPoint& at,
                       const scenarios::RunControl& control) {
  scenario.link->bandwidth = at.bandwidth;
  scenario.link->rtt = at.rtt;
  // The warm-up is shifted by the uplink delay, so that the same requests are measured at any round-trip
  // time.
  scenario.run.warmup += at.rtt - at.rtt / 2;
  BoardRun run = board_run_of(scenario, result_of(scenario, *question.cloud_profile, control), "cloud");
  run.link_bytes_per_s = run.link_busy.value_or(0) * at.bandwidth;
  const bool link_is_full = run.link_load.value_or(0) > 1;
  for (StreamMetrics& stream : run.streams) {
    const bool behind_link = stream.saturated == "cloud" && run.link_busy.value_or(0) > 0.99;
    if ((link_is_full && stream.saturated != "memory") || behind_link) stream.saturated = "link";
  }
  return run;
}

// The input size: the entry's, else the default of the network.
std::optional<std::int64_t> input_of(const scenarios::ProcessEntry& entry) {
  const auto* const built_in = std::get_if<scenarios::BuiltInModel>(&entry.work.model);
  const dnn::Model* const model = built_in != nullptr ? dnn::find_model(built_in->name) : nullptr;
  return entry.work.input || model == nullptr ? entry.work.input
                                              : std::optional<std::int64_t>(model->default_input);
}

// The reason why the network cannot be partitioned; empty if it can.
std::string why_not_partitioned(const OffloadQuestion& question) {
  if (question.edge.processes.size() != 1) return "the streams belong to more than one process entry";
  const scenarios::ProcessEntry &edge = question.edge.processes.front(),
                                &cloud = question.cloud.processes.front();
  for (const scenarios::ProcessEntry* const entry : {&edge, &cloud}) {
    if (std::holds_alternative<scenarios::SyntheticModel>(entry->work.model))
      return "a synthetic model has no layers";
    if (entry->work.layers) return "the process already runs a part of a network";
    if (traits_of(entry->host.runtime).kind != process::RuntimeKind::engine ||
        entry->host.placement != scenarios::Placement::gpu)
      return "only TensorRT engines on GPUs can be partitioned";
  }
  if (scenarios::model_name(edge.work.model) != scenarios::model_name(cloud.work.model) ||
      input_of(edge) != input_of(cloud))
    return "edge and cloud run different networks";
  if (edge.arrivals.waits_for_answers()) return "the streams are closed loops";
  return {};
}

}  // namespace

BoardRun run_on_edge(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                     const std::atomic<bool>* interrupt) {
  const scenarios::Scenario scenario = with_streams(question.edge, streams);
  BoardRun run =
      board_run_of(scenario, result_of(scenario, *question.edge_profile, interrupted_by(interrupt)), "edge");
  if (streams.empty()) run.streams.clear();
  return run;
}

BoardRun run_in_cloud(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                      const LinkPoint& at, const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = with_streams(question.cloud, streams);
  scenario.link = question.section.link;
  return run_over_link(question, std::move(scenario), at, interrupted_by(interrupt));
}

PartitionPoints partition_points_of(const OffloadQuestion& question) {
  PartitionPoints found{.all = {}, .layers = 0, .why_none = why_not_partitioned(question)};
  if (!found.why_none.empty()) return found;
  const scenarios::ProcessEntry& entry = question.edge.processes.front();
  const std::vector<dnn::FusedLayer> layers = scenarios::layers_of(entry, dnn::Lowering::optimised);
  found.layers = layers.size();
  found.all =
      dnn::narrowing(dnn::partition_points(layers), memory::bindings(*scenarios::network_of(entry)).inputs);
  if (found.all.empty()) found.why_none = "no layer boundary with a single tensor smaller than the input";
  return found;
}

double request_bytes(const OffloadQuestion& question, const dnn::PartitionPoint& point) {
  const scenarios::ProcessEntry& edge = question.edge.processes.front();
  return dnn::bytes_per_element(*edge.work.precision) * static_cast<double>(edge.work.batch * point.elements);
}

HeadRun run_heads(const OffloadQuestion& question, const dnn::PartitionPoint& point,
                  const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = question.edge;
  scenario.processes.front().work.layers = scenarios::LayerRange{0, point.layers};
  if (const auto until = std::exchange(scenario.run.until, std::nullopt))
    scenario.run.duration = until->max;  // tails need no longer run
  HeadRun heads;
  scenarios::RunControl control = interrupted_by(interrupt);
  control.answered = &heads.answered;
  const scenarios::Result result = result_of(scenario, *question.edge_profile, control);
  heads.answered.resize(question.streams());  // streams that do not fit have none
  heads.board = board_run_of(scenario, result, "edge");
  return heads;
}

BoardRun run_tails(const OffloadQuestion& question, const dnn::PartitionPoint& point, const HeadRun& heads,
                   const LinkPoint& at, const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = question.cloud;
  scenarios::ProcessEntry& tails = scenario.processes.front();
  tails.work.layers =
      scenarios::LayerRange{point.layers, scenarios::layers_of(tails, dnn::Lowering::optimised).size()};
  scenario.link = question.section.link;
  scenario.link->payload = {false, request_bytes(question, point) / static_cast<double>(tails.work.batch)};
  scenarios::RunControl control = interrupted_by(interrupt);
  control.requests = &heads.answered;
  return run_over_link(question, std::move(scenario), at, control);
}

// The break-even of cloud and edge latency.

BreakEven break_even(const std::vector<sim::Duration>& rtts, const std::vector<scenarios::Metric>& cloud,
                     scenarios::Metric edge) {
  BreakEven found;
  const auto cloud_is_faster = [&](std::size_t i) { return cloud[i] && (!edge || *cloud[i] < *edge); };
  std::size_t first = 0;  // the first RTT at which the cloud is not faster
  while (first < rtts.size() && cloud_is_faster(first)) ++first;
  if (first == 0) return found;
  if (first == rtts.size()) {
    found.kind = BreakEven::Kind::always;
    return found;
  }
  found.kind = BreakEven::Kind::up_to;
  found.rtt = rtts[first - 1];
  if (!edge || !cloud[first]) return found;  // not interpolated: the last RTT at which the cloud was faster
  const double below = *edge - *cloud[first - 1], above = *cloud[first] - *edge;
  found.rtt += sim::work_in(rtts[first] - rtts[first - 1], below / (below + above));
  return found;
}

}  // namespace jostle::analyses
