#include "calibration/calibrate/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/calibrate/bench.hpp"
#include "calibration/fit/launch_cost.hpp"
#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/space_sharing.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "calibration/fit/trace_priors.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_launches.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/process/costs.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {
namespace {

using calibration::Estimate;
using calibration::TracePrior;
using profiles::TraceFiles;
using profiles::TraceKind;

// Model errors in addition to noise (relative standard deviations).
constexpr double switch_model_sd = 0.05;
constexpr double streams_model_sd = 0.04;
constexpr double host_model_sd = 0.12;  // sessions on a shared host differ by a factor of 1.28

// An estimate of a parameter and its origin.
struct ParameterEstimate {
  Estimate estimate;  // with its prior
  std::string_view source;
  bool measured = true;  // a direct estimate; else fitted
  double variance_left = 0;
};
struct Estimates {
  std::map<std::string_view, TracePrior> priors;        // by path
  std::map<std::string_view, ParameterEstimate> found;  // by path
};

void add_estimate(Estimates& all, std::string_view path, const std::optional<Estimate>& estimate,
                  std::string_view source, bool measured = true) {
  if (!estimate || estimate->value <= 0) return;
  const auto both = calibration::with_prior(*estimate, all.priors.at(path));
  all.found[path] = {both.estimate, source, measured, both.variance_left};
}

// A row for a joint fit of several parameters; `predict` takes a value for each, in the unit of its prior.
struct Row {
  calibration::Measured measured;
  std::function<double(const std::vector<double>&)> predict;
};
void fit_together(Estimates& all, const std::vector<std::string_view>& paths, const std::vector<Row>& rows,
                  std::string_view source) {
  if (rows.empty()) return;
  std::vector<calibration::Parameter> parameters;
  for (const std::string_view path : paths) {
    const TracePrior& prior = all.priors.at(path);
    parameters.push_back({.name = std::string(path),
                          .prior = prior.centre,
                          .prior_sd = prior.sd,
                          .lower = prior.centre / prior.range,
                          .upper = prior.centre * prior.range});
  }
  std::vector<calibration::Measured> measured;
  for (const Row& row : rows) measured.push_back(row.measured);
  const auto found = calibration::fit(parameters, measured, [&](std::span<const std::vector<double>> points) {
    std::vector<std::vector<double>> predicted(points.size(), std::vector<double>(rows.size()));
    scenarios::parallel_for(points.size() * rows.size(), [&](std::size_t i) {
      predicted[i / rows.size()][i % rows.size()] = rows[i % rows.size()].predict(points[i / rows.size()]);
    });
    return predicted;
  });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const double sd = std::sqrt(found.covariance[i * paths.size() + i]);
    all.found[paths[i]] = {
        {found.values[i], sd * found.values[i], rows.size()}, source, false, found.variance_left[i]};
  }
}

void time_slicing(Estimates& all, const profiles::TraceFiles& files, const gpu::Spec& gpu) {
  calibration::SpinnerEstimates spinning;
  if (files.has(profiles::TraceKind::timeslices)) {
    const char* const source = "timeslices.csv: stretches of a kernel that spins";
    spinning = calibration::spinners(files.table(profiles::TraceKind::timeslices));
    add_estimate(all, "gpu.time_slicing.slice", spinning.slice, source);
    add_estimate(all, "gpu.time_slicing.slice_jitter", spinning.slice_jitter, source);
  }
  const double slice_us = spinning.slice ? spinning.slice->value : sim::to_us(gpu.time_slicing.slice);
  std::vector<calibration::SharingRun> sharing;
  if (files.has(profiles::TraceKind::sharing_configs) && files.has(profiles::TraceKind::sharing_intervals))
    sharing = calibration::sharing_runs(files.table(profiles::TraceKind::sharing_configs),
                                        files.table(profiles::TraceKind::sharing_intervals));
  std::vector<calibration::SparseRun> sparse;
  if (files.has(profiles::TraceKind::sparse_launches))
    sparse = calibration::sparse_runs(files.table(profiles::TraceKind::sparse_launches));

  add_estimate(all, "gpu.time_slicing.switch_when_idle",
               calibration::out_of_work_switch(sharing, sparse, slice_us),
               "sharing and sparse intervals: gaps where every turn ends out of work");
  std::vector<Row> rows;
  for (const auto& expiry : calibration::expiry_switches(sharing, spinning.switch_at_expiry, gpu, slice_us)) {
    const double sd = std::hypot(expiry.us.sd / expiry.us.value, switch_model_sd);
    rows.push_back({{expiry.us.value, sd}, [bytes = expiry.state_bytes](const std::vector<double>& at) {
                      return at[0] + 2 * bytes / (at[1] * 1e9) * 1e6;
                    }});
  }
  fit_together(all, {"gpu.time_slicing.switch_at_expiry", "gpu.time_slicing.state_bandwidth"}, rows,
               "timeslices.csv, sharing intervals: time between turns that expire, by state on the SMs");
  add_estimate(all, "gpu.time_slicing.restart_after_expiry",
               calibration::restart_after_expiry(sharing, slice_us),
               "sharing intervals: slice less the kernels of a turn", false);

  const auto paced = calibration::paced_launches(sparse, slice_us);
  add_estimate(all, "runtimes.paced.per_launch", paced.per_launch,
               "sparse_launch_intervals.csv: time between launches less the pace");
  add_estimate(all, "runtimes.paced.gpu_per_launch", paced.gpu_per_launch,
               "sparse_launch_intervals.csv: length of a turn, by its kernels and theirs");
}

// The host's time for a batch by the costs of its operators and launches, in us.
double law_us(const process::RuntimeSpec& eager, const calibration::HostTime& time) {
  const dnn::Model* const model = dnn::find_model(time.model);
  gpu::KernelSequence batch;
  if (model != nullptr) {
    const auto network = dnn::built_network(*model, model->default_input);
    batch.operators = dnn::operators_of(*network, dnn::launches_of(*network, 1, time.precision));
  }
  return sim::to_us(eager.per_batch + eager.per_launch * static_cast<std::int64_t>(time.kernels) +
                    process::operators_time(eager, batch));
}

// Costs by launch and batch; or, where the base has those of operators, the one factor of the host.
void fit_eager_host(Estimates& all, const std::vector<calibration::HostTime>& times,
                    const profiles::Profile& profile) {
  const auto& eager = profile.spec->runtimes[process::Runtime::eager];
  const bool one_host = eager && has_host_time(profile);
  std::vector<Row> rows;
  for (const calibration::HostTime& time : times) {
    const double sd = std::hypot(host_model_sd, time.sd);
    if (one_host) {
      rows.push_back({{time.usual_us, sd}, [law = law_us(*eager, time)](const std::vector<double>& at) {
                        return law * at[0] / 100;
                      }});
    } else {
      rows.push_back({{time.us, sd}, [count = time.kernels](const std::vector<double>& at) {
                        return count * at[0] + at[1];
                      }});
    }
  }
  if (one_host)
    fit_together(all, {host_time_path}, rows,
                 "solo.csv, kernels.csv: host time of each network and precision over that of its operators");
  else
    fit_together(all, {"runtimes.eager.per_launch", "runtimes.eager.per_batch"}, rows,
                 "solo.csv, kernels.csv: host time of the fastest run of each network and precision");
}

void launches(Estimates& all, const profiles::TraceFiles& files, const profiles::Profile& profile) {
  const gpu::Spec& gpu = profile.spec->gpu;
  const bool kernels = files.has(profiles::TraceKind::kernels);
  if (kernels) {
    const double start_us = 1e6 * gpu.kernels.start_cycles / gpu.max_clock_hz;
    add_estimate(all, "gpu.kernel_fixed",
                 calibration::kernel_fixed(files.table(profiles::TraceKind::kernels), start_us),
                 "kernels.csv: kernels of one block, less the cycles of their start", false);
  }
  if (files.has(profiles::TraceKind::open_loop)) {
    const auto idle = calibration::idle_wake(files.table(profiles::TraceKind::open_loop));
    const char* const source = "open_loop_periodic.csv, one process: latency against how long the GPU idled";
    add_estimate(all, "gpu.idle_wake.after", idle.after, source, false);
    add_estimate(all, "gpu.idle_wake.cost", idle.cost, source, false);
  }
  if (!files.has(profiles::TraceKind::solo)) return;
  const auto& solo = files.table(profiles::TraceKind::solo);
  const auto graph = calibration::graph_launches(solo);
  add_estimate(all, "runtimes.cuda-graph.per_launch", graph.per_launch, "solo.csv: enqueue calls of graphs");
  add_estimate(all, "runtimes.cuda-graph.per_batch", graph.per_batch,
               "solo.csv: batch less enqueue and wait");
  if (!kernels) return;
  const auto& table = files.table(profiles::TraceKind::kernels);
  fit_eager_host(all, calibration::eager_host_times(solo, table), profile);
  add_estimate(all, "runtimes.eager.gpu_per_launch", calibration::eager_gpu_per_launch(solo, table),
               "solo.csv, kernels.csv: GPU-bound batches less their kernels", false);
}

// The measured kernels of a network from the profile's tables; none if a table has no measurement.
std::optional<gpu::KernelSequence> measured_kernels(const profiles::Profile& profile,
                                                    const calibration::NetworkOfRow& network) {
  const board::DeviceSpec& device = *profile.spec;
  const dnn::KernelTables& tables = profiles::kernel_tables_for(
      device.evidence, device.sibling, {network.model, network.precision, network.batch});
  const auto& graph = device.runtimes[process::Runtime::cuda_graph];
  if (!device.has_gpu() || !graph || dnn::find_model(network.model) == nullptr ||
      network.batch > dnn::max_images)
    return {};
  gpu::KernelSequence kernels = dnn::kernels_for(
      {.model = network.model, .precision = network.precision, .batch = network.batch}, tables, device.gpu);
  if (!tables.own)
    kernels.lone_gap += graph->gap_beyond_tables * static_cast<std::int64_t>(kernels.kernels.size());
  kernels.lone_gap = sim::work_in(kernels.lone_gap, graph->replay_gaps);
  return kernels.grade == gpu::Grade::measured ? std::optional(std::move(kernels)) : std::nullopt;
}

// The model of space sharing at a point of kernel_start, fetch (us) and compute_load (%).
gpu::Spec with_law(gpu::Spec gpu, const std::vector<double>& at) {
  gpu.space_sharing.kernel_start = sim::microseconds(at[0]);
  gpu.space_sharing.fetch = sim::microseconds(at[1]);
  gpu.space_sharing.compute_load = at[2] / 100;
  return gpu;
}

// The parameters that loops of equal kernels determine.
void synthetic_streams(Estimates& all, const profiles::TraceFiles& files, const gpu::Spec& gpu) {
  const bool streams = files.has(profiles::TraceKind::streams_synthetic);
  const bool readers = files.has(profiles::TraceKind::streams_of_readers);
  if (streams)
    add_estimate(all, "gpu.space_sharing.block_turnover",
                 calibration::block_turnover(files.table(profiles::TraceKind::streams_synthetic), gpu),
                 "streams_synthetic.csv: waves of kernels that spin, beyond the first", false);
  if (streams || readers) {
    const profiles::TraceKind kind =
        readers ? profiles::TraceKind::streams_of_readers : profiles::TraceKind::streams_synthetic;
    add_estimate(all, "gpu.space_sharing.warp_bandwidth", calibration::warp_bandwidth(files.table(kind), gpu),
                 "streams_synthetic.csv, _mem: readers that draw less than half of the bandwidth", false);
  }
  if (streams && files.has(profiles::TraceKind::clients_synthetic))
    add_estimate(all, "gpu.space_sharing.mps_kernel",
                 calibration::mps_kernel(files.table(profiles::TraceKind::clients_synthetic),
                                         files.table(profiles::TraceKind::streams_synthetic)),
                 "streams_synthetic_mps.csv: kernels of a lone client less those of a stream", false);
}

void space_sharing(Estimates& all, const profiles::TraceFiles& files, const profiles::Profile& profile) {
  const calibration::MeasuredKernels kernels = [&profile](const calibration::NetworkOfRow& network) {
    return measured_kernels(profile, network);
  };
  if (files.has(profiles::TraceKind::streams_networks)) {
    std::vector<Row> rows;
    for (calibration::StreamsRun& run :
         calibration::streams_runs(files.table(profiles::TraceKind::streams_networks), kernels)) {
      const calibration::Measured measured{run.relative, streams_model_sd};
      rows.push_back(
          {measured, [&gpu = profile.spec->gpu, run = std::move(run)](const std::vector<double>& at) {
             return calibration::predicted_relative(with_law(gpu, at), run);
           }});
    }
    fit_together(
        all, {"gpu.space_sharing.kernel_start", "gpu.space_sharing.fetch", "gpu.space_sharing.compute_load"},
        rows, "streams_networks.csv: rates of equal streams over that of one alone");
  }
  synthetic_streams(all, files, profile.spec->gpu);
  if (files.has(profiles::TraceKind::mps))
    add_estimate(all, "gpu.space_sharing.mps_kernel",
                 calibration::mps_kernel(files.table(profiles::TraceKind::mps), kernels),
                 "mps.csv: batches of a lone client less those of a lone process, by kernel", false);
}

std::string written(double value, std::string_view unit) {
  if (unit == "us" && value >= 1000) return fmt::format("{:.6g} ms", value / 1000);
  return fmt::format("{:.5g} {}", value, unit);
}

FittedParameter fitted_parameter(const TracePrior& prior, const std::string& device,
                                 const std::string& before, const ParameterEstimate* found) {
  FittedParameter parameter;
  parameter.path = prior.path;
  parameter.prior = before;
  parameter.source = prior.source;
  parameter.value = written(found != nullptr ? found->estimate.value : prior.centre, prior.unit);
  parameter.sd = found != nullptr ? found->estimate.sd / found->estimate.value : prior.sd;
  parameter.of_prior = found != nullptr ? found->estimate.value / prior.centre : 1;
  parameter.variance_left = found != nullptr ? found->variance_left : 1;
  parameter.identified = calibration::identified(parameter.variance_left);
  parameter.measured = parameter.identified && found != nullptr && found->measured;
  if (prior.near) parameter.source = fmt::format("{} of {}: {}", before, device, prior.source);
  if (found != nullptr) parameter.identified_by = found->source;
  return parameter;
}

}  // namespace

Calibration calibrate_traces(const profiles::BaseProfile& base, const profiles::TraceFiles& files,
                             PriorsFrom from) {
  // The profile's own values are centres of priors, as wide as devices of one type differ.
  Estimates estimates;
  for (const TracePrior& prior : calibration::trace_priors()) {
    const auto known = std::ranges::find(base.profile.figures, prior.path, &profiles::ProfileParameter::path);
    const bool own = from == PriorsFrom::profile && known != base.profile.figures.end();
    estimates.priors.emplace(prior.path, own ? prior.around(known->value) : prior);
  }
  time_slicing(estimates, files, base.profile.spec->gpu);
  space_sharing(estimates, files, base.profile);
  launches(estimates, files, base.profile);
  if (estimates.found.empty())
    throw CalibrationError("the traces do not identify any parameter of the profile");
  Calibration result;
  result.device = base.name;
  result.converged = true;
  std::vector<std::string> set;
  for (const TracePrior& prior : calibration::trace_priors()) {
    const auto known = std::ranges::find(base.profile.figures, prior.path, &profiles::ProfileParameter::path);
    const auto of = estimates.found.find(prior.path);
    if (known == base.profile.figures.end() || (of == estimates.found.end() && from == PriorsFrom::profile))
      continue;
    result.parameters.push_back(fitted_parameter(estimates.priors.at(prior.path), base.name, known->value,
                                                 of != estimates.found.end() ? &of->second : nullptr));
    if (of != estimates.found.end()) result.rows += of->second.estimate.samples;
    set.push_back(fmt::format("{}={{value: {}, grade: fitted, source: fit}}", prior.path,
                              result.parameters.back().value));
  }
  input::Problems problems;
  auto profile = profiles::profile_of(base.document, problems, set);
  if (!profile) throw CalibrationError(problems.text());
  result.profile = std::move(*profile);
  return result;
}

}  // namespace jostle::calibration
