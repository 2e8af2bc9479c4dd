#include "scenarios/language/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "calibration/document_kind.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/profile/time_span.hpp"
#include "input/file.hpp"
#include "input/override.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

using calibration::TimeSpan;
using input::Boolean;
using input::Choice;
using input::Cursor;
using input::Integer;
using input::Kind;
using input::Mapping;
using input::Quantity;
using input::Text;

constexpr std::int64_t max_batches = 1'000'000'000;
constexpr std::int64_t max_replications = 10'000;
constexpr double max_clock_hz = 1e11;
const sim::Duration max_run = sim::seconds(max_run_seconds);

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
    at.problem(fmt::format("unknown device '{}'", input::printable(*device)),
               input::spelling_hint(*device, names));
    scenario.device.clear();
  }
}

void read_clocks(const Cursor& at, Scenario& scenario) {
  Mapping clocks(at, "a mapping of clocks: cpu, gpu, emc, dla, cores");
  const Quantity clock{input::frequency_dimension(), 0, max_clock_hz, true};
  clocks.optional("cpu", scenario.clocks.cpu_hz, clock);
  clocks.optional("gpu", scenario.clocks.gpu_hz, clock);
  clocks.optional("emc", scenario.clocks.emc_hz, clock);
  clocks.optional("dla", scenario.clocks.dla_hz, clock);
  std::int64_t cores = 0;
  if (clocks.optional("cores", cores, Integer{1, max_cores})) scenario.clocks.cores = static_cast<int>(cores);
}

// Reads the name of a governor; the names are the kernel's.
struct GovernorName {
  const std::vector<std::string>& names;
  std::optional<std::string> operator()(const Cursor& at) const {
    const auto index = input::choose(at, "a governor", names);
    return index ? std::optional(names[*index]) : std::nullopt;
  }
};

// Reads `sharing` and its alias: `mps: true` means `sharing: mps`, `mps: false` means `sharing:
// time-slicing`.
void read_sharing(Mapping& top, Scenario& scenario) {
  bool mps = false;
  const bool by_alias = top.optional("mps", mps, Boolean{});
  if (by_alias) scenario.sharing = mps ? gpu::Sharing::mps : gpu::Sharing::time_slicing;
  const auto at = top.find("sharing");
  if (!at) return;
  const Choice<gpu::Sharing> choice{"a way of sharing the GPU", sharing_names()};
  const std::optional<gpu::Sharing> sharing = choice(*at);
  if (!sharing) return;
  if (by_alias && *sharing != scenario.sharing)
    at->problem(fmt::format("contradicts mps: {}", mps), "keep one of the two");
  scenario.sharing = *sharing;
}

void read_board_state(Mapping& top, const LoadContext& context, Scenario& scenario) {
  if (const auto at = top.find("power_mode")) read_power_mode(*at, context, scenario);
  if (const auto at = top.find("clocks")) read_clocks(*at, scenario);
  top.optional("jetson_clocks", scenario.jetson_clocks, Boolean{});
  if (const auto at = top.find("governors")) {
    Mapping governors(*at, "a mapping of governors: cpu, gpu");
    governors.optional("cpu", scenario.governors.cpu, GovernorName{cpu_governor_names()});
    governors.optional("gpu", scenario.governors.gpu, GovernorName{gpu_governor_names()});
  }
  if (const auto at = top.find("power_cap")) {
    Mapping cap(*at, "a mapping: budget, window");
    PowerCap value{0, sim::seconds(1)};
    cap.required("budget", value.budget_w, Quantity{input::power_dimension(), 0, 1e5, true});
    cap.optional("window", value.window, TimeSpan{sim::Duration::zero(), max_run, true});
    scenario.power_cap = value;
  }
  top.optional("power_limit", scenario.power_limit_w, Quantity{input::power_dimension(), 0, 1e5, true});
  top.optional("ambient", scenario.ambient_c, Quantity{input::temperature_dimension(), -60, 125});
  top.optional("fan", scenario.fan, Boolean{});
  top.optional("observer", scenario.observer, Choice<Observer>{"an observer", observer_names()});
  top.optional("gpu_metrics", scenario.gpu_metrics, TimeSpan{sim::microseconds(1), max_run});
  read_sharing(top, scenario);
  if (const auto at = top.find("link")) scenario.link = read_link(*at);
  if (const auto at = top.find("interrupts")) scenario.interrupts = read_interrupts(*at);
  if (const auto at = top.find("compositor")) scenario.compositor = read_compositor(*at);
}

// Reads overrides of the profile's parameters, by path or nested: gpu.time_slicing.slice: 2 ms.
void read_figures(const Cursor& at, const std::string& outer, Scenario& scenario) {
  constexpr std::size_t max_figures = 256;
  if (at.value().children.empty() || !at.is(Kind::mapping)) {
    at.expected("figures of a profile, as {gpu.time_slicing.slice: 2 ms}");
    return;
  }
  for (const input::Key& key : at.value().keys) {
    const Cursor child(at.value().find(key.name), at.path() + "." + key.name, at.problems());
    const std::string path = outer.empty() ? key.name : outer + "." + key.name;
    if (child.is(Kind::mapping)) {
      read_figures(child, path, scenario);
    } else if (const auto value = Text{200}(child)) {
      if (scenario.figures.size() == max_figures) return child.problem("too many figures");
      scenario.figures.emplace_back(path, *value);
    }
  }
}

// The board that results from the scenario's overrides of its profile.
std::optional<board::DeviceSpec> changed_device(const Scenario& scenario, const Cursor& figures) {
  input::Problems problems;
  const auto profile = device_profile(scenario, problems);
  for (const input::Problem& problem : problems.list())
    figures.problem(problem.path.empty() ? problem.message : problem.path + ": " + problem.message,
                    problem.hint);
  return profile ? std::optional(*profile->spec) : std::nullopt;
}

void read_confinement(Mapping& top, Scenario& scenario) {
  std::int64_t cores = 0;
  const bool by_count = top.optional("host_cores", cores, Integer{1, max_cores});
  if (by_count) scenario.host_cores = static_cast<int>(cores);
  if (const auto at = top.find("cpus")) {
    if (const auto cpus = read_cpus(*at)) scenario.cpus = *cpus;
    if (top.has("host_cores")) at->problem("given beside host_cores", "keep one of the two");
  }
}

void read_warmup(Mapping& mapping, Run& run) {
  const auto at = mapping.find("warmup");
  if (!at) return;
  if (at->is(Kind::scalar) && at->value().text == "auto") {
    run.warmup_found = true;
    return;
  }
  const TimeSpan time{sim::Duration::zero(), max_run};
  if (const auto warmup = time(*at)) run.warmup = *warmup;
}

// Reads the metrics that must be precise: a list without repetition.
void read_until_of(const Cursor& at, std::vector<Precise>& of) {
  of.clear();
  for (const Cursor& item : at.items("a list of figures, such as [throughput, latency_ms.p99]", 16)) {
    const auto figure = Choice<Precise>{"a figure", precise_names()}(item);
    if (!figure) continue;
    if (std::ranges::find(of, *figure) != of.end())
      item.problem(fmt::format("{} is listed twice", to_string(*figure)));
    of.push_back(*figure);
  }
  if (at.is(Kind::sequence) && at.value().children.empty())
    at.problem("no figures", "leave the key out for [throughput]");
}

void read_run(const Cursor& at, Run& run) {
  Mapping mapping(at, "a mapping: duration, warmup, seed, replications, until, setup, batches, thermal");
  mapping.optional("setup", run.setup, Boolean{});
  std::int64_t batches = 0;
  if (mapping.optional("batches", batches, Integer{1, max_batches})) run.batches = batches;
  if (run.setup || run.batches) {
    // The run measures its beginning, so it has no warm-up.
    run.warmup = sim::Duration::zero();
    run.duration = run.batches ? sim::seconds(3600) : sim::seconds(60);
    for (const char* key : {"warmup", "until", "thermal"}) {
      if (!mapping.has(key)) continue;
      if (const auto given = mapping.find(key))
        given->problem("given beside setup or batches", "these begin at the start and have no steady state");
    }
  }
  mapping.optional("duration", run.duration, TimeSpan{sim::Duration::zero(), max_run, true});
  read_warmup(mapping, run);
  const Choice<ThermalStart> starts{"how warm the board begins", thermal_start_names()};
  ThermalStart thermal{};
  if (mapping.optional("thermal", thermal, starts)) run.thermal = thermal;
  std::int64_t seed = 0;
  if (mapping.optional("seed", seed, Integer{0})) run.seed = static_cast<std::uint64_t>(seed);
  mapping.optional("replications", run.replications, Integer{1, max_replications});
  if (const auto until_at = mapping.find("until")) {
    if (mapping.has("duration")) until_at->problem("given beside duration", "keep one of the two");
    if (run.replications > 1)
      until_at->problem("given beside replications",
                        "keep one of the two: replications are of equal length, and as many as given");
    Mapping until(*until_at, "a mapping: relative_error, of, max");
    Until value{.relative_error = 0, .max = sim::seconds(60)};
    until.required("relative_error", value.relative_error, Quantity{input::share_dimension(), 0, 1, true});
    if (const auto of = until.find("of")) read_until_of(*of, value.of);
    until.optional("max", value.max, TimeSpan{sim::Duration::zero(), max_run, true});
    run.until = value;
    run.duration = value.max;
  }
}

void read_processes(const Cursor& at, const LoadContext& context, Scenario& scenario) {
  const auto entries = at.items("a list of processes", static_cast<std::size_t>(max_processes));
  if (at.is(Kind::sequence) && at.value().children.empty())
    at.problem("no processes", "at least one is needed");
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
    containers[place_of_entry(scenario, i)] = &scenario.processes[i].container;
  for (std::size_t i = 0; i < scenario.loads.size(); ++i)
    containers[place_of_load(scenario, i)] = &scenario.loads[i].container;
  unite_containers(entries, containers);
  if (total > max_processes) {
    at.problem(fmt::format("{} processes on one board, at most {} are allowed", total, max_processes));
  }
}

void check_tensor_payload(const Scenario& scenario, const Cursor& root) {
  for (const ProcessEntry& entry : scenario.processes) {
    if (std::holds_alternative<SyntheticModel>(entry.model))
      root.descend("link.payload").problem("equal kernels have no input tensor", "a size such as 120 kB");
    if (entry.language)
      root.descend("link.payload").problem("a prompt is text; with images, each has a size", "120 kB");
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
  const LoadContext context{given.directory, given.catalogue, &scenario};
  const Cursor cursor(std::move(root), {}, own);
  {
    Mapping top(cursor, "a mapping with device and processes");
    scenario.name =
        input::is_standard_input(origin) ? "standard input" : std::filesystem::path(origin).stem().string();
    top.optional("name", scenario.name, Text{200});
    if (const auto at = top.require("device")) read_device(*at, context, scenario);
    read_board_state(top, context, scenario);
    if (const auto at = top.find("figures")) read_figures(*at, {}, scenario);
    read_confinement(top, scenario);
    if (const auto at = top.require("processes")) read_processes(*at, context, scenario);
    if (const auto at = top.find("run")) read_run(*at, scenario.run);
    if (const auto at = top.find("gpu_metrics"); at && scenario.gpu_metrics > scenario.run.duration)
      at->problem("longer than the run", "a run must last at least one window");
    if (options.seed) scenario.run.seed = *options.seed;
  }
  if (own.empty()) check_streams(scenario, cursor);
  if (own.empty()) check_offered(scenario, cursor);
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

std::optional<std::vector<int>> read_cpus(const Cursor& at) {
  const input::List<int, Integer> list{"a list of core numbers, such as [1, 2, 3]", Integer{0, max_cores - 1},
                                       max_cores};
  std::optional<std::vector<int>> cpus = list(at);
  if (!cpus) return std::nullopt;
  if (cpus->empty()) {
    at.problem("no cores", "leave the key out to allow all");
    return std::nullopt;
  }
  std::sort(cpus->begin(), cpus->end());
  const auto twice = std::adjacent_find(cpus->begin(), cpus->end());
  if (twice == cpus->end()) return cpus;
  at.problem(fmt::format("core {} is listed twice", *twice));
  return std::nullopt;
}

std::optional<Scenario> parse_scenario(const ScenarioText& document, const Catalogue& catalogue,
                                       const LoadOptions& options, input::Problems& problems) {
  const auto& [text, origin, directory] = document;
  input::Problems own;
  input::Node root = input::parse_yaml(text, origin, own);
  if (calibration::is_another_kind(root, origin, {calibration::DocumentKind::scenario}, own)) root = nullptr;
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
