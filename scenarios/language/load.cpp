#include "scenarios/language/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/file.hpp"
#include "input/override.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "profiles/document_kind.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

void read_device(const Cursor& at, const LoadContext& context, Scenario& scenario) {
  const std::optional<std::string> device = Text{}(at);
  if (!device) return;
  scenario.device = *device;
  if (input::is_path(*device)) {
    scenario.device_path = resolved(context, *device);
    return;
  }
  const auto& names = context.catalogue.devices;
  if (std::find(names.begin(), names.end(), *device) == names.end()) {
    at.problem(fmt::format("unknown device '{}'", input::printable(*device)), profiles::device_hint(*device));
    scenario.device.clear();
  }
}

// Reads `sharing` and its alias `mps` (SharingWay::alias).
void read_sharing(Mapping& top, Scenario& scenario) {
  bool mps = false;
  const bool by_alias = top.optional("mps", mps, Boolean{});
  if (by_alias)
    scenario.sharing = std::ranges::find(gpu::sharing_ways(), mps, &gpu::SharingWay::alias)->sharing;
  const auto at = top.find("sharing");
  if (!at) return;
  if (at->is(Kind::mapping)) {
    Mapping instances(*at, "a way of sharing the GPU, or its instances: {mig: [2g, 1g]}");
    if (const auto list = instances.require("mig"))
      for (const Cursor& one : list->items("a list of instances", 16, 1))
        if (auto name = Text{40}(one)) scenario.mig.push_back(std::move(*name));
    return;
  }
  if (at->is(Kind::scalar) && at->value().text == "mig")
    return at->problem("the instances of the GPU are not named", "sharing: {mig: [2g, 1g]}");
  const Choice<gpu::Sharing> choice{"a way of sharing the GPU", sharing_names()};
  const std::optional<gpu::Sharing> sharing = choice(*at);
  if (!sharing) return;
  if (by_alias && *sharing != scenario.sharing)
    at->problem(fmt::format("contradicts mps: {}", mps), "keep one of the two");
  scenario.sharing = *sharing;
}

// Reads overrides of the profile's parameters, by path or nested: gpu.time_slicing.slice: 2 ms.
void read_overrides(const Cursor& at, const std::string& outer, Scenario& scenario) {
  constexpr std::size_t max_overrides = 256;
  if (at.value().children.empty() || !at.is(Kind::mapping)) {
    at.expected("parameters of a profile, such as {gpu.time_slicing.slice: 2 ms}");
    return;
  }
  for (const input::Key& key : at.value().keys) {
    const Cursor child(at.value().find(key.name), at.path() + "." + key.name, at.problems());
    const std::string path = outer.empty() ? key.name : outer + "." + key.name;
    if (child.is(Kind::mapping)) {
      read_overrides(child, path, scenario);
    } else if (const auto value = Text{200}(child)) {
      if (scenario.figures.size() == max_overrides)
        return child.problem(fmt::format("more than {} overrides", max_overrides));
      scenario.figures.emplace_back(path, *value);
    }
  }
}

// The board that results from the scenario's overrides of its profile.
std::optional<board::DeviceSpec> changed_device(const Scenario& scenario, const Cursor& overrides) {
  input::Problems problems;
  const auto profile = device_profile(scenario, problems);
  for (const input::Problem& problem : problems.list())
    overrides.problem(problem.path.empty() ? problem.message : problem.path + ": " + problem.message,
                      problem.hint);
  return profile ? std::optional(*profile->spec) : std::nullopt;
}

void read_warmup(Mapping& mapping, Run& run) {
  const auto at = mapping.find("warmup");
  if (!at) return;
  run.warmup_given = true;
  if (at->is(Kind::scalar) && at->value().text == "auto") {
    run.warmup_found = true;
    return;
  }
  if (const auto warmup = up_to(max_run)(*at)) run.warmup = *warmup;
}

void read_run(const Cursor& at, Run& run) {
  Mapping mapping(at, with_keys<Run>("a mapping"));
  mapping.keep_one("duration", {"until"});
  read_keys(mapping, run);
  if (run.replications > 1) mapping.keep_one("replications", {"until"});
  if (run.setup || run.batches) {
    // The run measures its beginning, so it has no warm-up.
    run.warmup = sim::Duration::zero();
    run.warmup_given = true;
    if (!mapping.has("duration")) run.duration = run.batches ? sim::seconds(3600) : sim::seconds(60);
    for (const char* key : {"setup", "batches"}) mapping.keep_one(key, {"warmup", "until", "thermal"});
  }
  read_warmup(mapping, run);
  if (run.until) run.duration = run.until->max;
}

void read_processes(const Cursor& at, const LoadContext& context, Scenario& scenario) {
  const auto entries = at.items("a list of processes", static_cast<std::size_t>(max_processes), 1);
  std::int64_t total = 0;
  for (const Cursor& entry : entries) {
    if (entry.is(Kind::mapping) && entry.value().find("load")) {
      scenario.loads.push_back(read_load(entry));
      scenario.loads.back().behind = scenario.processes.size();
      ++total;
      continue;
    }
    scenario.processes.push_back(read_process(entry, context, scenario.processes));
    total += scenario.processes.back().count;  // each at most 1024, so this cannot overflow
  }
  if (scenario.processes.empty() && !scenario.loads.empty())
    at.problem("only loads", "at least one process with a model is needed");
  std::vector<std::optional<cpu::ContainerSpec>*> containers(entries.size());
  for (std::size_t i = 0; i < scenario.processes.size(); ++i)
    containers[place_of_entry(scenario, i)] = &scenario.processes[i].host.container;
  for (std::size_t i = 0; i < scenario.loads.size(); ++i)
    containers[place_of_load(scenario, i)] = &scenario.loads[i].container;
  unite_containers(entries, containers);
  at_most(max_processes, total, "processes on one board", at);
}

void check_tensor_payload(const Scenario& scenario, const Cursor& root) {
  for (const ProcessEntry& entry : scenario.processes) {
    if (const Kinds kind = kind_of(entry.work.model); kind != kind::network)
      root.descend("link.payload")
          .problem(
              fmt::format("a {} model has no input tensor", kind == kind::kernels ? "synthetic" : "language"),
              "a size such as 120 kB");
  }
}

input::Node overridden(input::Node root, const LoadOptions& options, const std::string& origin,
                       input::Problems& problems) {
  const auto assign = [&](const std::string& assignment, const std::string& option) {
    input::Node next = input::with_override(root, assignment, problems, option);
    if (next) root = std::move(next);
  };
  for (const std::string& assignment : options.set) assign(assignment, {});
  for (const OtherOption& other : options.others) assign(other.assignment, other.typed);
  if (root->expanded > input::Limits{}.values) {
    problems.add_file(origin,
                      fmt::format("more than {} values with what --set adds", input::Limits{}.values));
    return nullptr;
  }
  return problems.empty() ? root : nullptr;
}

std::optional<Scenario> load(input::Node root, const std::string& origin, const LoadContext& given,
                             const LoadOptions& options, input::Problems& problems) {
  input::Problems own;
  Scenario scenario;
  scenario.run.duration = sim::Duration::zero();  // not given so far
  const LoadContext context{given.directory, given.catalogue, &scenario};
  const Cursor cursor(std::move(root), {}, own);
  {
    Mapping top(cursor, "a mapping with device and processes");
    scenario.name =
        input::is_standard_input(origin) ? "standard input" : std::filesystem::path(origin).stem().string();
    if (const auto at = top.require("device")) read_device(*at, context, scenario);
    read_keys(top, scenario);
    if (const auto at = top.find("power_mode")) read_power_mode(*at, context, scenario);
    read_sharing(top, scenario);
    if (const auto at = top.find("figures")) read_overrides(*at, {}, scenario);
    top.keep_one("host_cores", {"cpus"});
    if (const auto at = top.require("processes")) read_processes(*at, context, scenario);
    if (const auto at = top.find("run")) read_run(*at, scenario.run);
    if (const auto at = top.find("objective"); at && own.empty()) check_objective(scenario, *at);
    if (const auto at = top.find("constraints"); at && own.empty()) read_constraints(*at, scenario);
    if (options.seed) scenario.run.seed = *options.seed;
  }
  if (own.empty()) check_streams(scenario, cursor);
  if (own.empty()) check_offered(scenario, cursor);
  if (scenario.run.duration == sim::Duration::zero()) {
    scenario.run.duration = default_duration(scenario);
    scenario.run.until_p99 = true;
  }
  if (own.empty() && scenario.gpu_metrics > scenario.run.duration)
    cursor.descend("gpu_metrics").problem("longer than the run", "a run must last at least one window");
  if (own.empty() && scenario.link && scenario.link->payload.tensor) check_tensor_payload(scenario, cursor);
  // A scenario is checked against its board only if it has no problems of its own.
  if (own.empty() && context.catalogue.device) {
    const auto device = scenario.figures.empty()
                            ? context.catalogue.device(scenario.device, scenario.device_path, own)
                            : changed_device(scenario, cursor.descend("figures"));
    if (device)
      check_against_device(scenario, *device, cursor);
    else if (own.empty())
      cursor.problem(fmt::format("device '{}' cannot be loaded", scenario.device));
  }
  own.sort();
  problems.append(own);
  return own.empty() ? std::optional(std::move(scenario)) : std::nullopt;
}

}  // namespace

std::string resolved(const LoadContext& context, const std::string& path) {
  if (input::is_standard_input(path))
    return "./" + path;  // a file named like standard input: only a command line can mean the latter
  if (context.directory.empty() || path.starts_with('/')) return path;
  return (std::filesystem::path(context.directory) / path).string();
}

std::optional<Scenario> parse_scenario(const ScenarioText& document, const Catalogue& catalogue,
                                       const LoadOptions& options, input::Problems& problems) {
  const auto& [text, origin, directory] = document;
  input::Problems own;
  input::Node root = input::parse_yaml(text, origin, own);
  if (profiles::is_another_kind(root, origin, {profiles::DocumentKind::scenario}, own)) root = nullptr;
  if (root) root = overridden(root, options, origin, own);
  problems.append(own);
  return root ? load(std::move(root), origin, {directory, catalogue}, options, problems) : std::nullopt;
}

std::optional<Scenario> read_scenario(input::Node document, const std::string& origin,
                                      const std::string& directory, const Catalogue& catalogue,
                                      input::Problems& problems) {
  return load(std::move(document), origin, {directory, catalogue}, {}, problems);
}

std::optional<Scenario> load_scenario(const std::string& path, const Catalogue& catalogue,
                                      const LoadOptions& options, input::Problems& problems) {
  const std::optional<std::string> text = input::read_text_file(path, input::Limits{}.bytes, problems);
  if (!text) return std::nullopt;
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return parse_scenario({*text, path, directory}, catalogue, options, problems);
}

}  // namespace jostle::scenarios
