// Checks of a scenario that need the board: existing cores, clocks in range, known power modes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dla/partition.hpp"
#include "models/llm/offload.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/partitions.hpp"
#include "scenarios/language/power_mode.hpp"

namespace jostle::scenarios {
namespace {

class DeviceCheck {
 public:
  DeviceCheck(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root)
      : scenario_(scenario), device_(device), root_(root) {}

  void run() {
    check_power_mode(scenario_, device_, root_);
    check_clocks();
    check_cores();
    check_power();
    if (scenario_.observer == Observer::nsys && !device_.nsys)
      problem("observer", fmt::format("the profile of {} has no costs of nsys", device_.name));
    check_tenants();
    if (gpu::way_of(scenario_.sharing).needs_mps && !device_.mps) problem(root_path_of_mps(), no_mps());
    for (std::size_t i = 0; i < scenario_.processes.size(); ++i) check_process(scenario_.processes[i], i);
    for (std::size_t i = 0; i < scenario_.loads.size(); ++i) check_load(scenario_.loads[i], i);
  }

 private:
  void problem(const std::string& path, std::string message, std::string hint = {}) const {
    root_.descend(path).problem(std::move(message), std::move(hint));
  }

  // Refuses keys that only governors and controllers could follow, if the profile has none.
  void check_power() const {
    if (device_.power && scenario_.power_cap && !device_.lowers_clocks())
      problem("power_cap", device_.name + "'s profile has no table of clocks that a cap could lower",
              "leave it out, or give the profile gpu.clock_table");
    if (device_.power && scenario_.power_limit_w) check_power_limit(*scenario_.power_limit_w);
    if (device_.power) return;
    const auto refuse = [this](bool given, const char* path) {
      if (given) problem(path, fmt::format("the profile of {} has no power parameters", device_.name));
    };
    refuse(scenario_.jetson_clocks == false, "jetson_clocks");
    refuse(scenario_.governors.cpu.has_value(), "governors.cpu");
    refuse(scenario_.governors.gpu.has_value(), "governors.gpu");
    refuse(scenario_.power_cap.has_value(), "power_cap");
    refuse(scenario_.power_limit_w.has_value(), "power_limit");
    refuse(scenario_.ambient_c.has_value(), "ambient");
    refuse(scenario_.fan.has_value(), "fan");
  }

  void check_power_limit(double watts) const {
    if (!device_.power->limit)
      return problem("power_limit", device_.name + " has no power limit of its own", "use power_cap");
    const power::PowerLimitSpec& limit = *device_.power->limit;
    const auto write = [](double value) { return input::format_quantity(value, input::power_dimension()); };
    if (watts > limit.budget_w)
      problem("power_limit", fmt::format("above the {} of {}", write(limit.budget_w), device_.name));
    if (watts < limit.min_w)
      problem("power_limit", fmt::format("{} is below what {} accepts", write(watts), device_.name),
              fmt::format("{} to {}", write(limit.min_w), write(limit.budget_w)));
  }

  // The path of the key that requests MPS: `mps: true` or `sharing: mps`.
  [[nodiscard]] const char* root_path_of_mps() const { return root_.value().find("mps") ? "mps" : "sharing"; }
  [[nodiscard]] std::string no_mps() const {
    return fmt::format("{} has no MPS: Tegra has it from CUDA 12.5 on (JetPack 6.1)", device_.name);
  }

  [[nodiscard]] gpu::Spec powered_gpu() const {
    const auto mode = power_mode_of(scenario_, device_);
    if (!mode || !mode->tpcs) return device_.gpu;
    return gpu::with_sms(device_.gpu, *mode->tpcs * device_.gpu.sms_per_tpc);
  }

  [[nodiscard]] std::string no_gpu() const {
    return fmt::format("{} has no GPU that computes", device_.name);
  }

  static double lowest(const std::vector<double>& table) { return table.empty() ? 0 : table.front(); }

  void check_clock(const char* path, std::optional<double> hz, double least, double most) const {
    if (!hz) return;
    if (*hz >= least && *hz <= most) return;
    const auto write = [](double value) {
      return input::format_quantity(value, input::frequency_dimension());
    };
    problem(path, fmt::format("{} is outside the range of {}", write(*hz), device_.name),
            least > 0 ? fmt::format("{} to {}", write(least), write(most))
                      : fmt::format("at most {}", write(most)));
  }

  void check_clocks() const {
    const Clocks& clocks = scenario_.clocks;
    // One clock for all clusters: it must be in the table of each, and at most the highest maximum of any.
    double least = 0, most = 0;
    for (const cpu::ClusterSpec& cluster : device_.cpu->clusters) {
      most = std::max(most, cluster.max_clock_hz);
      least = std::max(least, lowest(cluster.clock_table_hz));
    }
    check_clock("clocks.cpu", clocks.cpu_hz, least, most);
    if (clocks.gpu_hz && !device_.has_gpu()) problem("clocks.gpu", no_gpu());
    if (device_.has_gpu())
      check_clock("clocks.gpu", clocks.gpu_hz, lowest(device_.gpu.clock_table_hz), device_.gpu.max_clock_hz);
    if (clocks.dla_hz && device_.dla.count == 0) problem("clocks.dla", device_.name + " has no DLA");
    if (device_.dla.count > 0)
      check_clock("clocks.dla", clocks.dla_hz, lowest(device_.dla.clock_table_hz), device_.dla.max_clock_hz);
    const memory::Spec& memory = device_.memory;
    check_clock("clocks.emc", clocks.emc_hz, lowest(memory.clock_table_hz), memory.max_clock_hz);
    if (clocks.cores && *clocks.cores > device_.core_count()) {
      problem("clocks.cores",
              fmt::format("{} cores, {} has {}", *clocks.cores, device_.name, device_.core_count()));
    }
  }

  void check_cores() {
    const auto mode = power_mode_of(scenario_, device_);
    allowed_ = board::online_cpus(device_, mode ? &*mode : nullptr, scenario_.clocks.cores);
    check_cpus("cpus", scenario_.cpus, "online");
    if (!scenario_.cpus.empty()) allowed_ = scenario_.cpus;
    if (!scenario_.host_cores) return;
    const auto count = static_cast<std::size_t>(*scenario_.host_cores);
    if (count > allowed_.size()) {
      problem("host_cores", fmt::format("{} cores, but only {} are online", count, allowed_.size()));
    } else {
      allowed_.resize(count);
    }
  }

  // Checks the background loads, which take cores and the GPU from the processes.
  void check_tenants() const {
    const auto mode = power_mode_of(scenario_, device_);
    if (const auto& interrupts = scenario_.interrupts) {
      const auto online = board::online_cpus(device_, mode ? &*mode : nullptr, scenario_.clocks.cores);
      if (std::find(online.begin(), online.end(), interrupts->cpu) == online.end())
        problem("interrupts.cpu", fmt::format("core {} is not online", interrupts->cpu),
                fmt::format("one of {}", fmt::join(online, ", ")));
    }
    if (scenario_.compositor && !device_.has_gpu()) problem("compositor", no_gpu());
  }

  void check_cpus(const std::string& path, const std::vector<int>& cpus, const char* what) const {
    for (const int cpu : cpus) {
      if (std::find(allowed_.begin(), allowed_.end(), cpu) != allowed_.end()) continue;
      problem(path, fmt::format("core {} is not {}", cpu, what),
              fmt::format("one of {}", fmt::join(allowed_, ", ")));
      return;
    }
  }

  void check_process(const ProcessEntry& process, std::size_t index) const {
    const std::string path = fmt::format("processes.{}.", place_of_entry(scenario_, index));
    check_cpus(path + "cpus", process.cpus, "among those the processes are confined to");
    if (!device_.has_gpu() && process.placement != Placement::cpu) {
      problem(path + "placement", no_gpu(), "placement: cpu");
      return;
    }
    check_stages(process.before, path + "stages.before");
    check_stages(process.after, path + "stages.after");
    if (!gpu::way_of(scenario_.sharing).takes_turns) {
      const std::string reason = fmt::format("with sharing: {} no process has turns on the GPU",
                                             gpu::way_of(scenario_.sharing).name);
      if (process.gpu_timeslice) problem(path + "gpu_timeslice", reason);
      if (process.gpu_interleave != gpu::Interleave::low) problem(path + "gpu_interleave", reason);
    }
    if (has_partitions(process)) check_partitions(process, path);
    if (!device_.runtimes[process.runtime])
      problem(path + "runtime",
              fmt::format("{} has no costs for runtime {}", device_.name, to_string(process.runtime)));
    if (process.static_graph) check_static_graph(process, path);
    if (process.language) check_offload(process, path);
    for (std::size_t part = 0; part < parts_of(process).size(); ++part) {
      const std::string of = process.instances.empty() ? path : fmt::format("{}instances.{}.", path, part);
      check_placement(parts_of(process)[part], of);
      check_blocks(parts_of(process)[part], of);
    }
  }

  // Layers and experts that are not on the GPU are computed by threads like those of runtime cpu.
  void check_offload(const ProcessEntry& process, const std::string& path) const {
    if (device_.runtimes[Runtime::cpu]) return;
    const auto refuse = [&](const char* key) {
      problem(path + key,
              fmt::format("the profile of {} does not say how fast its cores compute", device_.name),
              "leave it out, or give the profile runtimes.cpu");
    };
    const auto& layers = process.language->gpu_layers;
    if (layers && *layers < llm::most_layers(*language_model(process.model))) refuse("gpu_layers");
    if (process.language->cpu_moe > 0) refuse("cpu_moe");
  }

  void check_partitions(const ProcessEntry& process, const std::string& path) const {
    if (std::string wrong = problem_of_partitions(process, powered_gpu()); !wrong.empty())
      problem(path + (process.sm_partition ? "sm_partition" : "instances"), std::move(wrong));
  }

  void check_stages(const std::vector<Stage>& stages, const std::string& path) const {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const auto& engine = stages[i].engine;
      if (engine && device_.engines.pixels_per_s[media::index_of(*engine)] <= 0)
        problem(
            fmt::format("{}.{}.on", path, i),
            fmt::format("{} has no {}, or its rate is not known", device_.name, media::to_string(*engine)),
            *engine == media::Kind::vic ? "on: cpu or gpu" : "on: cpu, or another board");
    }
  }

  void check_load(const LoadEntry& load, std::size_t index) const {
    const std::string path = fmt::format("processes.{}.", place_of_load(scenario_, index));
    check_cpus(path + "cpus", load.cpus, "among those the processes are confined to");
    const process::LoadRow& kind = process::row_of(load.kind);
    if (!kind.moves_memory()) return;
    if (!device_.memory.unified || !device_.has_gpu() || !device_.memory.cores) {
      problem(path + "load",
              fmt::format("the profile of {} does not say how fast its cores move memory", device_.name),
              "load: busy");
      return;
    }
    const memory::CoreTraffic& cores = *device_.memory.cores;
    const double most = std::min(load.threads * kind.bytes_per_s(cores), cores.together);
    if (load.bandwidth && *load.bandwidth > most * (1 + 1e-9))
      problem(path + "bandwidth",
              fmt::format("more than {} of {} can move", load.threads == 1 ? "one thread" : "these threads",
                          device_.name),
              fmt::format("{} threads of {} at most {}", load.threads, kind.name,
                          input::format_quantity(most, input::bandwidth_dimension())));
  }

  void check_blocks(const ProcessEntry& part, const std::string& path) const {
    const auto* synthetic = std::get_if<SyntheticModel>(&part.model);
    const int most = device_.gpu.max_threads_per_block;
    if (synthetic != nullptr && device_.has_gpu() && synthetic->threads > static_cast<std::uint32_t>(most))
      problem(path + "model.threads", fmt::format("{} threads in a block, {} takes {}", synthetic->threads,
                                                  device_.gpu.architecture, most));
  }

  void check_placement(const ProcessEntry& process, const std::string& path) const {
    const Placement placement = process.placement;
    const std::string where = path + "placement";
    const bool network = !std::holds_alternative<SyntheticModel>(process.model);
    if (!network && placement != Placement::gpu) {
      problem(where, fmt::format("a synthetic model cannot run with placement: {}", to_string(placement)));
      return;
    }
    if (placement == Placement::cpu && process.precision == Precision::tf32)
      problem(path + "precision", "tf32 needs the GPU's tensor cores", "fp32");
    if (placement == Placement::dla0 || placement == Placement::dla1) check_dla(process, path);
  }

  void check_dla(const ProcessEntry& process, const std::string& path) const {
    const int number = process.placement == Placement::dla1 ? 1 : 0;
    if (number >= device_.dla.count) {
      problem(path + "placement", fmt::format("{} has no {}", device_.name, to_string(process.placement)),
              device_.dla.count == 0 ? "it has no DLA" : "it has one DLA, dla0");
      return;
    }
    if (traits_of(process.runtime).kind != RuntimeKind::engine)
      problem(path + "runtime", fmt::format("runtime {} cannot use a DLA", to_string(process.runtime)),
              runtime_list([](const auto& row) { return row.kind == RuntimeKind::engine; }));
    if (process.precision && !dla::supports(*process.precision))
      problem(path + "precision", fmt::format("a DLA does not compute in {}", to_string(*process.precision)),
              "fp16 or int8");
  }

  void check_static_graph(const ProcessEntry& process, const std::string& path) const {
    const auto& runtime = device_.runtimes[process.runtime];
    if (!runtime || runtime->static_graph) return;
    problem(path + "graph", fmt::format("the profile of {} has no costs of a static graph for runtime {}",
                                        device_.name, to_string(process.runtime)));
  }

  Scenario& scenario_;
  const board::DeviceSpec& device_;
  const input::Cursor& root_;
  std::vector<int> allowed_;  // cores that processes may use
};

}  // namespace

void check_against_device(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root) {
  DeviceCheck(scenario, device, root).run();
}

}  // namespace jostle::scenarios
