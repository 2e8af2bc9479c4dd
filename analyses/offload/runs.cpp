#include "analyses/offload/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/profile/profile.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/memory/footprint.hpp"
#include "models/process/arrivals.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/process_work.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

// Images/s that the stream asks for between two instants; none of a closed loop.
scenarios::Metric asked(const scenarios::ProcessEntry& entry, std::uint32_t source, const scenarios::Run& run,
                        double& requests) {
  if (entry.arrivals.kind == process::ArrivalKind::closed_loop) return std::nullopt;
  const sim::Time begin = sim::Time::zero() + run.warmup, end = begin + run.duration;
  process::ArrivalTimes times(entry.arrivals,
                              sim::RandomStream(run.seed, fmt::format("process {} arrivals", source)));
  requests = 0;
  for (; times.next() < end; times.advance()) requests += times.next() >= begin ? 1 : 0;
  return requests * static_cast<double>(entry.batch) / sim::to_seconds(run.duration);
}

// Whether less is served than asked for, beyond what the ends of the run and the chance of Poisson's arrivals
// in it explain.
bool falls_behind(const scenarios::ProcessEntry& entry, std::uint32_t source, const scenarios::Run& run,
                  const scenarios::ProcessResult& got) {
  double requests = 0;
  const scenarios::Metric rate = asked(entry, source, run, requests);
  if (!rate || *rate == 0) return false;
  if (!got.throughput.mean) return requests >= 3;
  constexpr double least = 0.97;
  const double chance = entry.arrivals.kind == process::ArrivalKind::poisson ? 3 / std::sqrt(requests) : 0;
  return *got.throughput.mean < *rate * (least - chance);
}

BoardRun figures_of(const scenarios::Scenario& scenario, const scenarios::Result& result,
                    const scenarios::Run& asked_in, const char* where) {
  BoardRun run;
  run.power_w = result.system.power_w.mean;
  if (result.system.link) {
    run.link_busy = result.system.link->busy;
    run.radio_w = result.system.link->power_w;
  }
  const std::vector<scenarios::ProcessInstance> instances = scenarios::expand(scenario);
  std::uint32_t nth = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    nth = i > 0 && instances[i - 1].entry == instances[i].entry ? nth + 1 : 0;
    const scenarios::ProcessEntry& entry = scenario.processes[instances[i].entry];
    const scenarios::ProcessResult& process = result.processes[i];
    StreamMetrics stream{.latency_ms = process.latency_ms,
                         .throughput = process.throughput.mean,
                         .drops = process.drops,
                         .saturated = {}};
    if (process.status != "ok")
      stream.saturated = "memory";
    else if (falls_behind(entry, entry.arrivals.source.value_or(0) + nth, asked_in, process))
      stream.saturated = where;
    run.images_per_s += stream.throughput.value_or(0);
    run.streams.push_back(std::move(stream));
  }
  return run;
}

// Requests/s that arrive; none of a closed loop, which asks for what it gets.
double request_rate(const process::Arrivals& arrivals, const scenarios::Run& run) {
  if (arrivals.kind != process::ArrivalKind::trace) {
    const auto sources = static_cast<double>(arrivals.streams),
               of_one = static_cast<double>(arrivals.dynamic_batch);
    return arrivals.rate_per_s * sources / of_one;
  }
  const sim::Time begin = sim::Time::zero() + run.warmup, end = begin + run.duration;
  const auto count =
      std::ranges::count_if(arrivals.times, [&](sim::Time time) { return time >= begin && time < end; });
  return static_cast<double>(count) / sim::to_seconds(run.duration);
}

// Of the link's time, what the streams ask for.
double load_of_link(const scenarios::Scenario& scenario, const scenarios::Run& run, const link::Spec& link,
                    const std::vector<process::Spec>& processes) {
  double load = 0;
  std::size_t i = 0;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(scenario)) {
    if (i == processes.size()) break;
    const double rate = request_rate(scenario.processes[instance.entry].arrivals, run);
    load += rate * processes[i++].payload_bytes / link.bandwidth_bytes_per_s / (1 - link.loss);
  }
  return load;
}

scenarios::Result result_of(const scenarios::Scenario& scenario, const calibration::Profile& profile,
                            const scenarios::RunControl& control) {
  auto result = run(scenario, profile, control);
  if (!result) throw scenarios::Interrupted{};
  return *std::move(result);
}

scenarios::RunControl interrupted_by(const std::atomic<bool>* interrupt) {
  scenarios::RunControl control;
  control.interrupt = interrupt;
  return control;
}

}  // namespace

BoardRun run_on_edge(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                     const std::atomic<bool>* interrupt) {
  const scenarios::Scenario scenario = with_streams(question.edge, streams);
  BoardRun run = figures_of(scenario, result_of(scenario, *question.edge_profile, interrupted_by(interrupt)),
                            scenario.run, "edge");
  if (streams.empty()) run.streams.clear();
  return run;
}

namespace {

BoardRun run_over_link(const OffloadQuestion& question, scenarios::Scenario scenario, double bandwidth,
                       sim::Duration rtt, const scenarios::RunControl& control) {
  scenario.link->bandwidth = bandwidth;
  scenario.link->rtt = rtt;
  const scenarios::Run asked_in = scenario.run;
  // The same requests are looked at whatever the round-trip time.
  scenario.run.warmup += rtt - rtt / 2;
  const scenarios::Assembly assembly = scenarios::assemble(scenario, *question.cloud_profile);
  BoardRun run =
      figures_of(scenario, result_of(scenario, *question.cloud_profile, control), asked_in, "cloud");
  const bool full =
      load_of_link(scenario, asked_in, assembly.setup.link.value(), assembly.setup.processes) > 1;
  for (StreamMetrics& stream : run.streams) {
    const bool behind_link = stream.saturated == "cloud" && run.link_busy.value_or(0) > 0.99;
    if ((full && stream.saturated != "memory") || behind_link) stream.saturated = "link";
  }
  return run;
}

}  // namespace

BoardRun run_in_cloud(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                      double bandwidth, sim::Duration rtt, const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = with_streams(question.cloud, streams);
  scenario.link = question.section.link;
  return run_over_link(question, std::move(scenario), bandwidth, rtt, interrupted_by(interrupt));
}

namespace {

// As given, or the network's own.
std::optional<std::int64_t> input_of(const scenarios::ProcessEntry& entry) {
  const auto* const built_in = std::get_if<scenarios::BuiltInModel>(&entry.model);
  const dnn::Model* const model = built_in != nullptr ? dnn::find_model(built_in->name) : nullptr;
  return entry.input || model == nullptr ? entry.input : std::optional<std::int64_t>(model->default_input);
}

// Empty if it may.
std::string why_not_cut(const OffloadQuestion& question) {
  if (question.edge.processes.size() != 1) return "not all streams are of one process";
  const scenarios::ProcessEntry &edge = question.edge.processes.front(),
                                &cloud = question.cloud.processes.front();
  for (const scenarios::ProcessEntry* const entry : {&edge, &cloud}) {
    if (std::holds_alternative<scenarios::SyntheticModel>(entry->model))
      return "equal kernels have no layers";
    if (entry->layers) return "a part of a network is what a process runs already";
    if (traits_of(entry->runtime).kind != process::RuntimeKind::engine ||
        entry->placement != scenarios::Placement::gpu)
      return "only TensorRT's engines on GPUs are cut";
  }
  if (scenarios::model_name(edge.model) != scenarios::model_name(cloud.model) ||
      input_of(edge) != input_of(cloud))
    return "edge and cloud run different networks";
  if (edge.arrivals.kind == process::ArrivalKind::closed_loop) return "the streams are closed loops";
  return {};
}

}  // namespace

PartitionPoints partition_points_of(const OffloadQuestion& question) {
  PartitionPoints found{.all = {}, .layers = 0, .why_none = why_not_cut(question)};
  if (!found.why_none.empty()) return found;
  const scenarios::ProcessEntry& entry = question.edge.processes.front();
  const std::vector<dnn::FusedLayer> layers = scenarios::layers_of(entry, dnn::Lowering::optimised);
  found.layers = layers.size();
  found.all = dnn::narrowing(dnn::partition_points(layers),
                             memory::bindings(scenarios::network_of(entry).value()).inputs);
  if (found.all.empty())
    found.why_none = "nowhere does one tensor cross alone that is smaller than the input";
  return found;
}

double request_bytes(const OffloadQuestion& question, const dnn::PartitionPoint& cut) {
  const scenarios::ProcessEntry& edge = question.edge.processes.front();
  return dnn::bytes_per_element(*edge.precision) * static_cast<double>(edge.batch * cut.elements);
}

HeadRun run_heads(const OffloadQuestion& question, const dnn::PartitionPoint& cut,
                  const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = question.edge;
  scenario.processes.front().layers = scenarios::LayerRange{0, cut.layers};
  if (const auto until = std::exchange(scenario.run.until, std::nullopt))
    scenario.run.duration = until->max;  // no tail waits for more
  HeadRun heads;
  scenarios::RunControl control = interrupted_by(interrupt);
  control.answered = &heads.answered;
  const scenarios::Result result = result_of(scenario, *question.edge_profile, control);
  heads.answered.resize(question.streams());  // of those that do not fit: none
  heads.board = figures_of(scenario, result, scenario.run, "edge");
  return heads;
}

BoardRun run_tails(const OffloadQuestion& question, const dnn::PartitionPoint& cut, const HeadRun& heads,
                   double bandwidth, sim::Duration rtt, const std::atomic<bool>* interrupt) {
  scenarios::Scenario scenario = question.cloud;
  scenarios::ProcessEntry& tails = scenario.processes.front();
  tails.layers =
      scenarios::LayerRange{cut.layers, scenarios::layers_of(tails, dnn::Lowering::optimised).size()};
  scenario.link = question.section.link;
  scenario.link->payload = {false, request_bytes(question, cut) / static_cast<double>(tails.batch)};
  scenarios::RunControl control = interrupted_by(interrupt);
  control.requests = &heads.answered;
  return run_over_link(question, std::move(scenario), bandwidth, rtt, control);
}

}  // namespace jostle::analyses
