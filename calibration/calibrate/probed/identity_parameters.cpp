#include "calibration/calibrate/probed/identity_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "models/cpu/kernel_version.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::calibration {
namespace {

using calibration::probe::CpuCluster;
using calibration::probe::Identity;
using calibration::probe::ProbeFolder;

std::optional<double> probed_value(const ProbeFolder& folder, const std::string& parameter) {
  for (const auto& row : folder.parameters)
    if (row.measured.parameter == parameter) return row.measured.value;
  return std::nullopt;
}

// The version of a kernel as a number that can be compared: 6.18.44 is 6 018 044.
long version_number(std::string_view release) {
  long number = 0;
  for (int part = 0; part < 3; ++part) {
    long value = 0;
    const auto read = std::from_chars(release.data(), release.data() + release.size(), value);
    if (read.ec == std::errc{}) release.remove_prefix(static_cast<std::size_t>(read.ptr - release.data()));
    if (release.starts_with('.')) release.remove_prefix(1);
    number = 1000 * number + std::min(value, 999L);
  }
  return number;
}

// The newest row of the table that is not newer than this kernel; the oldest with its policy if all are.
std::string_view kernel_row(const std::string& release, std::string_view policy) {
  std::string_view found = policy == "eevdf" ? "6.8" : cpu::kernel_versions.front().name;
  for (const cpu::KernelVersion& row : cpu::kernel_versions)
    if (version_number(row.name) <= version_number(release) &&
        version_number(row.name) > version_number(found))
      found = row.name;
  return found;
}

// Capacities of the clusters: as told, else by the speed that the probe measured; the fastest has 1024.
std::vector<int> capacities_of(const ProbeFolder& folder) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < folder.identity.clusters.size(); ++i) {
    const int told = folder.identity.clusters[i].capacity;
    const auto layer_us = probed_value(folder, fmt::format("seen.layer_cluster_{}", i));
    speeds.push_back(told > 0 ? told : layer_us && *layer_us > 0 ? 1e6 / *layer_us : 1);
  }
  const double fastest = speeds.empty() ? 1 : *std::ranges::max_element(speeds);
  std::vector<int> capacities;
  for (const double speed : speeds)
    capacities.push_back(std::clamp(static_cast<int>(std::lround(1024 * speed / fastest)), 1, 1024));
  return capacities;
}

std::string kib(double bytes) {
  return fmt::format("{:g} KiB", bytes / 1024);
}

// True if the kernel numbers the cores otherwise than through the clusters in their order, and none is
// missing.
bool numbered_otherwise(const Identity& identity) {
  std::vector<int> cpus;
  for (const CpuCluster& cluster : identity.clusters)
    cpus.insert(cpus.end(), cluster.cpus.begin(), cluster.cpus.end());
  const bool in_order = std::ranges::is_sorted(cpus);
  std::ranges::sort(cpus);
  return !in_order && cpus.front() == 0 && cpus.back() + 1 == static_cast<int>(cpus.size());
}

std::string cluster_yaml(const ProbeFolder& folder, std::size_t i, int capacity, double fallback_mhz) {
  const CpuCluster& cluster = folder.identity.clusters[i];
  const auto measured = probed_value(folder, fmt::format("seen.clock_cluster_{}", i));
  const double mhz = cluster.max_mhz > 0 ? cluster.max_mhz : measured ? *measured : fallback_mhz;
  std::string text = fmt::format(
      "{{from: {{grade: measured, source: {}}}, name: {}, cores: {}, capacity: {}, max_clock: {}",
      yaml_quoted("sysfs of the machine, " +
                  (cluster.core.empty() ? std::string("cores without a name") : cluster.core)),
      yaml_quoted(fmt::format("cluster{}", i)), cluster.cpus.size(), capacity,
      cluster.max_mhz > 0 ? fmt::format("{:g} MHz", mhz)
      : measured
          ? graded_yaml(fmt::format("{:.6g} MHz", mhz), "measured", "probe: a chain of dependent additions")
          : graded_yaml(fmt::format("{:.6g} MHz", mhz), "assumed", "neither told nor measured"));
  if (!cluster.clocks_mhz.empty())
    text += fmt::format(", clock_table: [{:g} MHz]", fmt::join(cluster.clocks_mhz, " MHz, "));
  text += cluster.cache_bytes > 0 ? ", cache: " + kib(cluster.cache_bytes)
                                  : ", cache: " + graded_yaml("512 KiB", "assumed", "not told by the system");
  text += ", shared_cache: " + kib(cluster.shared_cache_bytes);
  if (numbered_otherwise(folder.identity))
    text += fmt::format(", kernel_cpus: [{}]", fmt::join(cluster.cpus, ", "));
  return text + "}";
}

void add_cores(const ProbeFolder& folder, const board::DeviceSpec& spec, std::vector<ProfileLeaf>& leaves) {
  if (folder.identity.clusters.empty()) return;
  const std::vector<int> capacities = capacities_of(folder);
  const double fallback = spec.cpu->reference_clock_hz / 1e6;
  std::vector<std::string> clusters;
  for (std::size_t i = 0; i < capacities.size(); ++i)
    clusters.push_back(cluster_yaml(folder, i, capacities[i], fallback));
  leaves.push_back({"cpu.clusters", fmt::format("[{}]", fmt::join(clusters, ", "))});
}

// The kernel's defaults, unscaled (kernel/sched/fair.c): eevdf 0.75 ms, from 6.15 on 0.7 ms; cfs 6, 0.75 and
// 1 ms.
void add_scheduler(const Identity& identity, std::vector<ProfileLeaf>& leaves) {
  if (identity.policy.empty()) return;
  const auto add = [&leaves](const char* key, const std::string& yaml) {
    leaves.push_back({fmt::format("cpu.scheduler.{}", key), yaml});
  };
  leaves.push_back({"cpu.scheduler", "{}"});  // nothing of the base's, whose policy may be another
  add("from", "{grade: datasheet, source: \"Linux kernel/sched/fair.c: defaults\"}");
  add("policy", identity.policy);
  add("kernel", std::string(kernel_row(identity.kernel, identity.policy)));
  add("tick", identity.tick_hz > 0 ? graded_yaml(fmt::format("{:g} ms", 1e3 / identity.tick_hz), "measured",
                                                 "CONFIG_HZ of the kernel")
                                   : graded_yaml("4 ms", "assumed", "CONFIG_HZ is not told; 250 is usual"));
  if (identity.policy == "eevdf") {
    add("base_slice", version_number(identity.kernel) >= version_number("6.15") ? "0.7 ms" : "0.75 ms");
  } else {
    add("latency", "6 ms");
    add("min_granularity", "0.75 ms");
    add("wakeup_granularity", "1 ms");
  }
  add("migration_cost", "0.5 ms");
}

void add_gpu(const Identity& identity, std::vector<ProfileLeaf>& leaves) {
  const auto& gpu = identity.gpu;
  const std::string source =
      "the driver: " + (gpu.name.empty() ? std::string("a GPU without a name") : gpu.name);
  const auto add = [&](const char* path, const std::string& value) {
    leaves.push_back({path, graded_yaml(value, "measured", source)});
  };
  if (gpu.sms > 0) add("gpu.sm_count", fmt::format("{}", gpu.sms));
  if (gpu.max_mhz > 0) add("gpu.max_clock", fmt::format("{:g} MHz", gpu.max_mhz));
  if (!gpu.clocks_mhz.empty())
    add("gpu.clock_table", fmt::format("[{:g} MHz]", fmt::join(gpu.clocks_mhz, " MHz, ")));
  if (gpu.l2_bytes > 0) add("gpu.l2", kib(gpu.l2_bytes));
  if (gpu.bus_bits > 0 && gpu.memory_mhz > 0)
    leaves.push_back(
        {"gpu.bandwidth",
         graded_yaml(fmt::format("{:.5g} GB/s", 2e-3 * gpu.memory_mhz * gpu.bus_bits / 8), "measured",
                     "the driver: two transfers a clock over the width of the bus")});
}

// A tree of leaves by the steps of their paths, in the order in which the steps came first.
struct LeafBranch {
  std::vector<std::string> names;  // names of the parts
  std::vector<LeafBranch> parts;
  std::string yaml;

  LeafBranch& part(const std::string& name) {
    const auto known = std::ranges::find(names, name);
    if (known != names.end()) return parts[static_cast<std::size_t>(known - names.begin())];
    names.push_back(name);
    return parts.emplace_back();
  }
};

void write_branch(const LeafBranch& branch, const std::string& indent, std::string& text) {
  for (std::size_t i = 0; i < branch.parts.size(); ++i) {
    const LeafBranch& part = branch.parts[i];
    text += fmt::format("{}{}:", indent, branch.names[i]);
    if (part.parts.empty()) {
      text += ' ' + part.yaml + '\n';
    } else {
      text += '\n';
      write_branch(part, indent + "  ", text);
    }
  }
}

}  // namespace

std::vector<ProfileLeaf> identity_parameters(const ProbeFolder& folder, const ChosenBase& base,
                                             const board::DeviceSpec& spec) {
  const Identity& identity = folder.identity;
  const bool card = identity.gpu.present && !identity.gpu.integrated;
  std::vector<ProfileLeaf> leaves;
  if (card || !base.exact) {
    add_cores(folder, spec, leaves);
    add_scheduler(identity, leaves);
  }
  if (base.exact) return leaves;
  if (identity.gpu.present) add_gpu(identity, leaves);
  const double memory = card ? identity.gpu.memory_bytes : identity.memory_bytes;
  if (memory > 0)
    leaves.push_back({"memory.capacity", graded_yaml(fmt::format("{:.5g} MB", memory / 1e6), "measured",
                                                     card ? "the driver" : "MemTotal of /proc/meminfo")});
  std::string limits;
  if (identity.gpu.present && identity.gpu.max_mhz > 0)
    limits = fmt::format(", gpu: {:g} MHz", identity.gpu.max_mhz);
  leaves.push_back({"power_modes.default", "as-probed"});
  leaves.push_back(
      {"power_modes.modes", fmt::format("[{{name: as-probed, from: {{grade: measured, source: \"the state in "
                                        "which it was probed: {}\"}}, cores: {}{}}}]",
                                        identity.power_mode.empty() ? "no power modes" : identity.power_mode,
                                        std::max(1, identity.cores_online), limits)});
  return leaves;
}

std::string yaml_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

std::string graded_yaml(const std::string& value, const std::string& grade, const std::string& source) {
  return fmt::format("{{value: {}, grade: {}, source: {}}}", value, grade, yaml_quoted(source));
}

std::string leaves_text(const std::vector<ProfileLeaf>& leaves) {
  LeafBranch root;
  for (const ProfileLeaf& leaf : leaves) {
    LeafBranch* at = &root;
    for (std::size_t begin = 0; begin <= leaf.path.size();) {
      const std::size_t end = std::min(leaf.path.find('.', begin), leaf.path.size());
      at = &at->part(leaf.path.substr(begin, end - begin));
      begin = end + 1;
    }
    at->yaml = leaf.yaml;
  }
  std::string text;
  write_branch(root, "", text);
  return text;
}

}  // namespace jostle::calibration
