// The result as a JSON object, the interface for other tools.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/result/entries.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

using Json = nlohmann::ordered_json;

Json figure(const Metric& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

Json interval(const Interval& value) {
  if (!value) return nullptr;
  return Json::array({figure(value->first), figure(value->second)});
}

Json named(const NamedParameters& figures) {
  Json json = Json::object();
  for (const auto& [name, value] : figures) json[name] = figure(value);
  return json;
}

Json time_share(const std::optional<TimeShare>& shares) {
  Json json = Json::object();
  for (const process::ShareRow& row : process::share_rows)
    json[std::string(row.name)] = shares ? figure((*shares)[index_of(row.share)]) : Json(nullptr);
  return json;
}

void put(Json& json, const SmArray& array) {
  json["sm_active"] = figure(array.sm_active);
  json["issue_slot"] = figure(array.issue_slot);
  json["tensor_active"] = figure(array.tensor_active);
  json["occupancy"] = figure(array.occupancy);
}

Json windows_json(const GpuWindows& windows) {
  Json json{{"interval_us", windows.interval_us}, {"samples", windows.samples}};
  for (const WindowShares& shares : windows.shares) {
    Json& metric = json[shares.name];
    for (std::size_t i = 0; i < window_percentiles.size(); ++i)
      metric[fmt::format("p{}", window_percentiles[i])] = figure(shares.percentiles[i]);
    metric["max"] = figure(shares.max);
    metric["mean"] = figure(shares.mean);
    metric["cdf"] = Json::array();
    for (std::size_t i = 0; i < shares.cdf.size(); ++i)
      metric["cdf"].push_back({static_cast<double>(i) / 100, shares.cdf[i]});
  }
  return json;
}

// Beside an interval: what makes it as wide as it is.
void put_parts(Json& json, const std::optional<IntervalParts>& parts) {
  if (!parts) return;
  Json& of = json["pi90_parts"];
  of = {{"parameters", parts->parameters},
        {"chance", parts->chance},
        {"model", parts->model},
        {"of_parameters", named(parts->of_parameters)},
        {"model_from", parts->model_from}};
}

Json latency_json(const Latency& latency) {
  Json needs = Json::object();
  for (const auto& [name, seconds] : latency.needs) needs[name] = {{"run_s", figure(seconds)}};
  Json json{{"mean", figure(latency.mean)},
            {"p50", figure(latency.p50)},
            {"p90", figure(latency.p90)},
            {"p95", figure(latency.p95)},
            {"p99", figure(latency.p99)},
            {"pi90", interval(latency.pi90)},
            {"n", latency.samples},
            {"ci95",
             {{"mean", interval(latency.ci95.mean)},
              {"p50", interval(latency.ci95.p50)},
              {"p90", interval(latency.ci95.p90)},
              {"p99", interval(latency.ci95.p99)}}},
            {"unfinished", latency.unfinished},
            {"needs", needs},
            {"of_served", latency.of_served}};
  put_parts(json, latency.pi90_parts);
  return json;
}

void put_throttled(Json& json, const ProcessResult& process) {
  if (!process.throttled_share) return;
  json["throttled_share"] = figure(process.throttled_share);
  json["throttled_by"] = process.throttled_by;
}

Json throughput_json(const Throughput& throughput, const std::string& unit) {
  Json json{{"mean", figure(throughput.mean)},
            {"ci95", interval(throughput.ci95)},
            {"pi90", interval(throughput.pi90)},
            {"unit", unit}};
  put_parts(json, throughput.pi90_parts);
  return json;
}

Json offered_json(const Metric& offered, const std::string& unit) {
  return offered ? Json{{"mean", *offered}, {"unit", unit}} : Json(nullptr);
}

Json tokens_json(const std::optional<TokenResult>& tokens) {
  if (!tokens) return nullptr;
  return {{"decode_per_s", {{"mean", figure(tokens->decode_per_s)}}},
          {"prefill_per_s", {{"mean", figure(tokens->prefill_per_s)}}},
          {"ttft_ms",
           {{"mean", figure(tokens->ttft_mean)},
            {"p50", figure(tokens->ttft_p50)},
            {"p99", figure(tokens->ttft_p99)}}},
          {"itl_ms",
           {{"mean", figure(tokens->itl_mean)},
            {"p50", figure(tokens->itl_p50)},
            {"p99", figure(tokens->itl_p99)}}},
          {"tokens_per_s", figure(tokens->per_s)},
          {"tokens_per_joule", figure(tokens->per_joule)},
          {"decode_step",
           {{"gb", figure(tokens->step_gb)},
            {"kernels_ms", figure(tokens->step_kernels_ms)},
            {"memory_share", figure(tokens->step_memory_share)}}},
          {"weights_mb", figure(tokens->weights_mb)},
          {"kv_cache_mb", figure(tokens->kv_cache_mb)}};
}

Json instance_json(const InstanceResult& instance) {
  Json json{{"index", instance.index}};
  if (!instance.name.empty()) json["name"] = instance.name;
  json["model"] = instance.model;
  json["precision"] = instance.precision ? Json(*instance.precision) : Json(nullptr);
  json["batch"] = instance.batch;
  json["priority"] = instance.priority;
  json["throughput"] = throughput_json(instance.throughput, instance.unit);
  json["offered"] = offered_json(instance.offered, instance.unit);
  json["stable"] = instance.stable ? Json(*instance.stable) : Json(nullptr);
  json["latency_ms"] = latency_json(instance.latency_ms);
  json["mean_batch"] = figure(instance.mean_batch);
  json["drops"] = instance.drops;
  json["tokens"] = tokens_json(instance.tokens);
  return json;
}

Json instances_json(const std::vector<InstanceResult>& instances) {
  if (instances.empty()) return nullptr;
  Json json = Json::array();
  for (const InstanceResult& instance : instances) json.push_back(instance_json(instance));
  return json;
}

Json grades_json(const Grades& grades) {
  return {{"kernels", grades.kernels},
          {"sharing", grades.sharing ? Json(*grades.sharing) : Json(nullptr)},
          {"power", grades.power ? Json(*grades.power) : Json(nullptr)}};
}

// What a process is, and what it serves.
Json service_json(const ProcessResult& process) {
  Json json{{"index", process.index}, {"entry", process.entry}};
  if (!process.name.empty()) json["name"] = process.name;
  json["model"] = process.model;
  json["precision"] = process.precision ? Json(*process.precision) : Json(nullptr);
  json["batch"] = process.batch;
  json["runtime"] = process.runtime;
  if (process.training) json["training"] = true;
  json["status"] = process.status;
  json["grade"] = lowest(process.grades);
  json["grades"] = grades_json(process.grades);
  json["throughput"] = throughput_json(process.throughput, process.unit);
  json["images"] = figure(process.images);
  json["offered"] = offered_json(process.offered, process.unit);
  json["stable"] = process.stable ? Json(*process.stable) : Json(nullptr);
  json["stationary"] = process.stationary ? Json(*process.stationary) : Json(nullptr);
  json["backlog_growth"] = figure(process.backlog_growth);
  json["stable_rate"] = figure(process.stable_rate);
  json["latency_ms"] = latency_json(process.latency_ms);
  if (!process.converged.empty()) {
    for (const Converged& figure : process.converged) json["converged"][figure.figure] = figure.yes;
  }
  return json;
}

Json process_json(const ProcessResult& process) {
  const EnqueueCall& ec = process.ec_ms;
  const GpuRunningBy& by = process.gpu_running_by;
  Json json = service_json(process);
  json["ec_ms"] = {{"mean", figure(ec.mean)},
                   {"launch", figure(ec.launch)},
                   {"reschedule", figure(ec.reschedule)},
                   {"compute", figure(ec.compute)},
                   {"blocking", figure(ec.blocking)}};
  json["sync_ms"] = {{"mean", figure(process.sync_ms)}};
  if (!process.stages.empty()) {
    json["stages"] = Json::array();
    for (const StageResult& stage : process.stages)
      json["stages"].push_back({{"name", stage.name}, {"ms", figure(stage.ms)}});
  }
  json["time_share"] = time_share(process.time_share);
  json["gpu_running_by"] = {{"compute", figure(by.compute)},
                            {"memory", figure(by.memory)},
                            {"fixed", figure(by.fixed)},
                            {"throttled", figure(by.throttled)}};
  put(json["gpu"], process.gpu);
  if (process.gpu_windows) json["gpu"]["metrics"] = windows_json(*process.gpu_windows);
  json["memory_mb"] = figure(process.memory_mb);
  json["memory"] = {{"context_mb", figure(process.memory.context)},
                    {"engine_mb", figure(process.memory.engine)},
                    {"arena_mb", figure(process.memory.arena)},
                    {"io_mb", figure(process.memory.io)},
                    {"gpu_mb", figure(process.memory.gpu)}};
  put_throttled(json, process);
  if (process.tokens) json["tokens"] = tokens_json(process.tokens);
  if (!process.problem.empty()) json["problem"] = process.problem;
  json["drops"] = process.drops;
  json["setup_ms"] = figure(process.setup_ms);
  json["finished_ms"] = figure(process.finished_ms);
  json["throughput_after_setup"] = figure(process.throughput_after_setup);
  json["instances"] = instances_json(process.instances);
  return json;
}

// What only inference has is null, or 0.
Json load_json(const LoadResult& load, const Place& place) {
  ProcessResult none;
  none.name = load.name;
  none.model = load.load;
  none.grades.kernels = load.grade;
  Json json = process_json(none);
  json["index"] = place.index;
  json["entry"] = place.entry;
  json["batch"] = 0;
  json["runtime"] = nullptr;
  json["load"] = load.load;
  json["threads"] = load.threads;
  json["bandwidth_gb_s"] = figure(load.bandwidth_gb_s);
  json["busy_cores"] = figure(load.busy_cores);
  return json;
}

Json entries_json(const Result& result) {
  Json json = Json::array();
  in_order(
      result,
      [&json](const ProcessResult& process, const Place& place) {
        json.push_back(process_json(process));
        json.back()["entry"] = place.entry;
      },
      [&json](const LoadResult& load, const Place& place) { json.push_back(load_json(load, place)); });
  return json;
}

Json system_json(const SystemResult& system) {
  const auto& gpu = system.gpu;
  const auto& cpu = system.cpu;
  Json json;
  json["throughput"] = {{"mean", figure(system.throughput)}};
  json["power_w"] = {{"mean", figure(system.power_w.mean)},  {"peak", figure(system.power_w.peak)},
                     {"rails", named(system.power_w.rails)}, {"rail_peaks", named(system.power_w.rail_peaks)},
                     {"parts", named(system.power_w.parts)}, {"wall", figure(system.power_w.wall)}};
  if (system.throughput_ci95) json["throughput"]["ci95"] = interval(system.throughput_ci95);
  if (system.power_w.ci95) json["power_w"]["ci95"] = interval(system.power_w.ci95);
  if (system.throughput_pi90) json["throughput"]["pi90"] = interval(system.throughput_pi90);
  if (system.power_w.pi90) json["power_w"]["pi90"] = interval(system.power_w.pi90);
  put_parts(json["throughput"], system.throughput_pi90_parts);
  put_parts(json["power_w"], system.power_w.pi90_parts);
  json["energy_per_image_mj"] = figure(system.energy_per_image_mj);
  json["gpu"] = {{"busy", figure(gpu.busy)}, {"reported_load", figure(gpu.reported_load)}};
  put(json["gpu"], gpu.array);
  json["gpu"]["clock_mhz"] = figure(gpu.clock_mhz);
  json["gpu"]["switches_per_s"] = figure(gpu.switches_per_s);
  if (gpu.compositor) json["gpu"]["compositor"] = figure(gpu.compositor);
  if (gpu.windows) json["gpu"]["metrics"] = windows_json(*gpu.windows);
  json["dla"] = Json::array();
  for (const DlaResult& dla : system.dla)
    json["dla"].push_back(
        {{"name", dla.name}, {"busy", figure(dla.busy)}, {"clock_mhz", figure(dla.clock_mhz)}});
  for (const EngineResult& engine : system.engines)
    json["engines"].push_back({{"name", engine.name}, {"busy", figure(engine.busy)}});
  if (system.link)
    json["link"] = {{"busy", figure(system.link->busy)},
                    {"load", figure(system.link->load)},
                    {"requests_per_s", figure(system.link->requests_per_s)},
                    {"resends", figure(system.link->resends)},
                    {"wait_ms", figure(system.link->wait_ms)},
                    {"queued", system.link->queued},
                    {"power_w", figure(system.link->power_w)}};
  json["cpu"] = {{"busy_cores", figure(cpu.busy_cores)},
                 {"migrations_per_s", figure(cpu.migrations_per_s)},
                 {"involuntary_switches_per_s", figure(cpu.involuntary_switches_per_s)},
                 {"clock_mhz", cpu.clock_mhz}};
  if (cpu.interrupted) json["cpu"]["interrupted"] = figure(cpu.interrupted);
  json["memory"] = {{"used_mb", figure(system.memory.used_mb)},
                    {"needed_mb", figure(system.memory.needed_mb)},
                    {"capacity_mb", figure(system.memory.capacity_mb)},
                    {"gpu_share", figure(system.memory.gpu_share)},
                    {"bandwidth_gb_s", figure(system.memory.bandwidth_gb_s)},
                    {"clock_mhz", figure(system.memory.clock_mhz)}};
  json["temperature_c"] = figure(system.temperature_c);
  json["temperature_peak_c"] = figure(system.temperature_peak_c);
  json["time_in_state"] = Json::object();
  for (const auto& [domain, shares] : system.time_in_state) json["time_in_state"][domain] = named(shares);
  json["limited_by"] = system.limited_by;
  json["limited_share"] = named(system.limited_share);
  json["stop"] = system.stop;
  return json;
}

}  // namespace

std::string to_json(const Result& result) {
  Json json{{"schema", "jostle.result/1"},         {"scenario", result.scenario}, {"device", result.device},
            {"profile_hash", result.profile_hash}, {"seed", result.seed},         {"status", result.status}};
  json["processes"] = entries_json(result);
  json["system"] = system_json(result.system);
  json["scenario_hash"] = result.scenario_hash;
  json["simulated_s"] = result.simulated_s;
  json["replications"] = result.replications;
  json["stationary"] = result.stationary ? Json(*result.stationary) : Json(nullptr);
  json["warmup"] = {{"set_s", result.warmup.set_s},
                    {"found_s",
                     {{"throughput", figure(result.warmup.throughput_s)},
                      {"power", figure(result.warmup.power_s)},
                      {"temperature", figure(result.warmup.temperature_s)}}}};
  json["warnings"] = result.warnings;
  if (const std::string note = sharing_note(result); !note.empty()) json["sharing_note"] = note;
  if (!result.resolved.empty()) json["resolved"] = Json::parse(result.resolved);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace jostle::scenarios
