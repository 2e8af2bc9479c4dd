#include "analyses/deploy/deploy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "analyses/deploy/deploying.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "output/json.hpp"

namespace jostle {
[[nodiscard]] std::string_view deploy_tools_json();
}

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

// A value in words: numbers and names of a list with commas, of stages their names.
std::string deployed_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return output::json_text(value);
  std::vector<std::string> words;
  for (const Json& one : value) words.push_back(deployed_value(one.is_object() ? one["name"] : one));
  return fmt::format("{}", fmt::join(words, ","));
}

// Adds what differs from the usual; keys of mappings are joined by '/'.
void add_settings(const Json& now, const Json& usual, const std::string& at, Settings& settings) {
  for (const auto& [key, value] : now.items()) {
    const auto same = usual.find(key);
    if (same != usual.end() && *same == value) continue;
    if (value.is_object())
      add_settings(value, Json::object(), at + key + "/", settings);
    else
      settings.values[at + key] = deployed_value(value);
  }
}

// A name as files, services and models may have it.
std::string plain_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  return name;
}
// The same, different from those there are.
std::string plain_name(const std::string& given, const std::vector<DeployedPart>& parts) {
  const std::string name = plain_name(given);
  std::string other = name;
  const auto taken = [&](const DeployedPart& part) { return part.name == other || part.process == other; };
  for (int i = 2; std::ranges::any_of(parts, taken); ++i) other = fmt::format("{}-{}", name, i);
  return other;
}

// The processes or, of one with instances, those: each with what it has of its process.
std::vector<DeployedPart> deployed_parts(const scenarios::Scenario& scenario) {
  std::vector<DeployedPart> parts;
  for (const scenarios::ProcessEntry& process : scenario.processes) {
    const std::string name = plain_name(scenarios::called(process), parts);
    for (const scenarios::ProcessEntry& part : scenarios::parts_of(process)) {
      scenarios::ProcessEntry own = part;
      own.gpu = process.gpu;
      own.gpu.priority = part.gpu.priority;
      own.gpu.sm_partition = part.gpu.sm_partition;
      own.gpu.streams = streams_of(process, part);
      own.count = process.count;
      own.instances.clear();
      if (process.host.host_threads == default_host_threads(process))
        own.host.host_threads = default_host_threads(own);
      parts.push_back(
          {own, process.instances.empty() ? name : plain_name(scenarios::called(part), parts), name});
    }
  }
  return parts;
}

// Cards have one mode at most, which nothing sets.
bool has_modes(const Deploying& all) {
  return all.device.power_modes.size() > 1;
}

// The settings of board and parts: what the scenario's JSON has beyond that of a plain one.
void read_settings(Deploying& all) {
  scenarios::Scenario now = all.scenario, usual;
  now.loads.clear();
  now.processes.clear();
  for (const DeployedPart& part : all.parts) {
    now.processes.push_back(part.entry);
    scenarios::ProcessEntry& plain = usual.processes.emplace_back();
    plain.work.model = part.entry.work.model;
    plain.host.runtime = part.entry.host.runtime;
    plain.host.sync = scenarios::default_sync(plain.host.runtime);
  }
  Json json = output::parsed_json(scenarios::to_json(now)),
       plain = output::parsed_json(scenarios::to_json(usual));
  for (std::size_t i = 0; i < all.parts.size(); ++i) {
    DeployedPart& part = all.parts[i];
    part.json = json["processes"][i];
    for (const char* key : {"model", "batch", "runtime"}) plain["processes"][i].erase(key);
    add_settings(part.json, plain["processes"][i], "", part.settings);
    part.settings.values["name"] = part.name;
    part.settings.values["~process"] = part.process;
  }
  for (const char* key : {"name", "device", "observer", "objective", "processes", "fan", "gpu_metrics",
                          "ambient", "run", "constraints"})  // no tool's
    json.erase(key);
  if (!has_modes(all)) json.erase("power_mode");
  add_settings(json, plain, "", all.board);
}

// Tells the settings that no row took, those that the same other tools say in one line.
void tell_rest(Deploying& all, const std::string& of, const Settings& settings) {
  std::map<std::string, std::vector<std::string>> by_tools;
  for (const auto& [key, value] : settings.values) {
    if (key == "name" || key.starts_with('~') || settings.said.contains(key)) continue;
    std::set<std::string> say;
    for (const auto& [tool, tables] : tools().items())
      for (const Json& table : tables)
        for (const Json& row : table)
          if (row.is_object() && row["key"] == key) say.insert(tool);
    by_tools[say.empty() ? "" : fmt::format(" (--write {})", fmt::join(say, "|"))].push_back(
        key + " " + input::printable(value, 80));
  }
  for (const auto& [hint, words] : by_tools) all.tell(of, fmt::format("{}{}", fmt::join(words, ", "), hint));
}

// Compose and systemd: a service for each process, with the cores of the scenario unless it has its own.
void write_services(Deploying& all, const char* tool) {
  const bool compose = tool == std::string_view("compose"), mps = all.board.values.contains("mps");
  (void)lines_of(tool, "board", all.board);
  std::set<std::string> processes, containers;
  std::string services = "# Images and commands are yours; a service is a process.\nservices:\n";
  for (DeployedPart& part : all.parts) {
    auto& values = part.settings.values;
    for (const char* key : {"cpus", "host_cores"})
      if (const auto cores = all.board.values.find(key); cores != all.board.values.end())
        values.emplace("cpus", key == std::string("cpus")
                                   ? cores->second
                                   : fmt::format("0-{}", all.scenario.host_cores.value() - 1));
    if (mps || values.contains("mps_threads") || values.contains("mps_memory"))
      values["~mps"] = "/tmp/nvidia-mps";
    if (all.device.has_gpu()) values["~gpu"] = "";
    const auto& container = part.entry.host.container;
    const bool first = container && containers.insert(container->name).second;
    part.settings.say("container/name", first);
    if (container) values["container/name"] = plain_name(container->name);
    const std::string lines = lines_of(tool, "service", part.settings);
    if (!processes.insert(part.process).second) continue;
    services += lines;
    if (!compose)
      all.made.files.push_back(
          {part.process + (part.entry.count > 1 ? "@.service" : ".service"), lines, part.name});
    if (compose || !container) continue;
    if (container->cpus) values["container/cpus"] = fmt::format("{:.0f}", 100 * *container->cpus);
    values["container/shares"] =  // 1024 there is 100 here
        std::to_string(std::clamp<std::int64_t>((container->shares * 100 + 512) / 1024, 1, 10'000));
    const std::string slice = lines_of(tool, "slice", part.settings);
    if (first) all.made.files.push_back({plain_name(container->name) + ".slice", slice});
  }
  if (compose)
    all.made.files.push_back({"compose.yaml", services});
  else if (const std::string server = lines_of(tool, "server", all.board); !server.empty())
    all.made.files.push_back({"nvidia-mps.service", server});
}

void write_clocks(Deploying& all) {
  auto& values = all.board.values;
  if (const auto& file = all.scenario.power_mode_file) {
    values["power_mode"] = file->mode;
    all.board.say("power_mode/mode");
  }
  all.made.files.push_back(
      {"clocks.sh", "#!/bin/sh\n# Run it as root after each start.\nset -eu\n" +
                        lines_of("nvpmodel", has_modes(all) ? "jetson" : "card", all.board)});
}

double unit_of(const std::string& name, const std::string& value) {
  const bool time = name == "us", share = name == "%", power = name == "W", size = name == "MiB";
  const input::Dimension& of = time    ? input::time_dimension()
                               : share ? input::share_dimension()
                               : power ? input::power_dimension()
                               : size  ? input::size_dimension()
                                       : input::frequency_dimension();
  return input::parse_quantity(value, of).value.value() /
         input::parse_quantity("1 " + name, of).value.value();
}

}  // namespace

const Json& tools() {
  static const Json all = output::parsed_json(deploy_tools_json());
  return all;
}

std::string lines_of(const char* tool, const char* table, Settings& settings) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Json& row : tools()[tool][table]) {
    const std::string key = row["key"];
    const auto at = settings.values.find(key);
    if (at == settings.values.end()) continue;
    std::string value = key.starts_with('~') ? at->second : input::printable(at->second, std::string::npos);
    if (row.contains("values")) {
      if (!row["values"].contains(value)) continue;
      value = row["values"][value];
    }
    if (row.contains("unit")) value = fmt::format("{:.0f}", unit_of(row["unit"], value));
    settings.say(key);
    const std::string line =
        fmt::format(fmt::runtime(row["line"].get<std::string>()), value, output::json_string(value));
    const std::string group = row.value("group", "");
    const auto same = std::ranges::find(groups, group, &std::pair<std::string, std::string>::first);
    if (group.empty() || same == groups.end())
      groups.emplace_back(group, line);
    else
      same->second += line;
  }
  std::string text;
  for (const auto& [group, lines] : groups)
    text += group.empty() ? lines : fmt::format(fmt::runtime(group), lines);
  return text;
}

std::vector<std::string> deploy_tools() {
  std::vector<std::string> names;
  for (const auto& [name, tables] : tools().items()) names.push_back(name);
  return names;
}

Deployment deployment(const std::string& tool, const scenarios::Scenario& scenario,
                      const board::DeviceSpec& device, const std::string& source) {
  Deploying all{scenario, device, deployed_parts(scenario)};
  read_settings(all);
  if (tool == "triton" && !all.parts.empty()) write_triton(all);
  if (tool == "deepstream") write_deepstream(all);
  if (tool == "nvpmodel") write_clocks(all);
  if (tool == "compose" || tool == "systemd") write_services(all, tool.c_str());
  tell_rest(all, "", all.board);
  for (const DeployedPart& part : all.parts) tell_rest(all, part.name, part.settings);
  for (const scenarios::LoadEntry& load : scenario.loads)
    all.tell("", fmt::format("load {}: it stands for another program", process::row_of(load.kind).name));
  for (DeployedFile& file : all.made.files) {
    std::string head = fmt::format("# Written by jostle plan --write {}: the best point of {}, on {}.\n",
                                   tool, input::printable(source), scenario.device);
    for (const Unsaid& one : all.made.unsaid)
      if (one.of.empty() || file.of.empty() || one.of == file.of) head += "# Not said: " + one.text() + "\n";
    file.text.insert(file.text.starts_with("#!") ? file.text.find('\n') + 1 : 0, head);
  }
  return std::move(all.made);
}

}  // namespace jostle::analyses
