// Checks of a scenario that need the board: existing cores, clocks in range, known power modes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dla/partition.hpp"
#include "models/dnn/arithmetic.hpp"
#include "models/gpu/partitions.hpp"
#include "models/llm/offload.hpp"
#include "models/process/weight_formats.hpp"
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
    check_interrupts();
    // The path of the key that requests MPS: `mps: true` or `sharing: mps`.
    const char* const mps = root_.value().find("mps") ? "mps" : "sharing";
    lacks(device_.name, {{mps, gpu::way_of(scenario_.sharing).needs_mps && !device_.mps,
                          "MPS: Tegra has it from CUDA 12.5 on (JetPack 6.1)"},
                         {"sharing", !scenario_.mig.empty() && device_.instances.kinds.empty(),
                          "MIG: its GPU has no instances", "sharing: mps, or time-slicing"},
                         {"compositor", scenario_.compositor && !device_.has_gpu(), gpu_that_computes},
                         {"clocks.gpu", scenario_.clocks.gpu_hz && !device_.has_gpu(), gpu_that_computes},
                         {"clocks.dla", scenario_.clocks.dla_hz && device_.dla.count == 0, "DLA"},
                         {"power_limit", device_.power && scenario_.power_limit_w && !device_.power->limit,
                          "power limit of its own", "use power_cap"}});
    check_instances();
    settle_cores();
    for (std::size_t i = 0; i < scenario_.processes.size(); ++i) check_process(scenario_.processes[i], i);
    for (std::size_t i = 0; i < scenario_.loads.size(); ++i) check_load(scenario_.loads[i], i);
  }

 private:
  // A key that asks for something which the board or its profile does not have.
  struct Lack {
    std::string path;
    bool is = false;
    std::string what;  // "DLA"
    std::string hint = {};
  };
  void lacks(const std::string& who, std::initializer_list<Lack> list) const {
    for (const auto& [path, is, what, hint] : list)
      refuse({{path, is, fmt::format("{} has no {}", who, what), hint}});
  }

  // A key that is refused, when, and why.
  struct Refusal {
    std::string path;
    bool is = false;
    std::string message;
    std::string hint = {};
  };
  void refuse(std::initializer_list<Refusal> list) const {
    for (const Refusal& one : list)
      if (one.is) root_.descend(one.path).problem(one.message, one.hint);
  }

  // Checks what governors and controllers follow.
  void check_power() const {
    const bool none = !device_.power;
    const char* const power = "power parameters";
    lacks(profile_,
          {{"power_cap", device_.power && scenario_.power_cap && !device_.lowers_clocks(),
            "table of clocks that a cap could lower", "leave it out, or give the profile gpu.clock_table"},
           {"observer", scenario_.observer == Observer::nsys && !device_.nsys, "costs of nsys"},
           {"jetson_clocks", none && scenario_.jetson_clocks == false, power},
           {"governors.cpu", none && scenario_.governors.cpu, power},
           {"governors.gpu", none && scenario_.governors.gpu, power},
           {"power_cap", none && scenario_.power_cap, power},
           {"power_limit", none && scenario_.power_limit_w, power},
           {"ambient", none && scenario_.ambient_c, power},
           {"fan", none && scenario_.fan, power}});
    if (device_.power && device_.power->limit && scenario_.power_limit_w)
      check_range("power_limit", *scenario_.power_limit_w,
                  {device_.power->limit->min_w, device_.power->limit->budget_w}, input::power_dimension());
  }

  // Without a GPU, a language model of which it has no layers is one on the cores. The number of threads that
  // is a library's own follows from the board.
  void settle_cores() {
    for (ProcessEntry& process : scenario_.processes) {
      if (!device_.has_gpu() && process.language && process.language->gpu_layers == 0)
        process.host.placement = Placement::cpu;
      if (process.host.threads != 0) continue;
      const auto& own = process.host.cpus;
      const process::Pool pool = traits_of(process.host.runtime).pool;
      const std::size_t cores = pool == process::Pool::machine ? online().size()
                                : own.empty()                  ? allowed_.size()
                                                               : own.size();
      process.host.threads = pool == process::Pool::one ? 1 : static_cast<std::int64_t>(cores);
    }
  }

  // Instances have the full names of the profile from now on.
  void check_instances() {
    const gpu::InstanceKinds& offered = device_.instances;
    if (scenario_.mig.empty() || offered.kinds.empty()) return;
    const std::string hint = fmt::format("{} has {}", device_.name, gpu::in_words(offered));
    const bool whole = powered_gpu().sm_count == device_.gpu.sm_count;
    refuse({{"sharing", !whole, "instances need the power of all SMs", "another power mode"},
            {"compositor", scenario_.compositor.has_value(), "a GPU in instances draws no desktop here"}});
    std::vector<const gpu::InstanceKind*> kinds;
    for (std::size_t i = 0; i < scenario_.mig.size(); ++i) {
      const gpu::InstanceKind* const kind = gpu::find_instance(offered, scenario_.mig[i]);
      refuse(
          {{fmt::format("sharing.mig.{}", i), kind == nullptr,
            fmt::format("{} has no instance '{}'", device_.name, input::printable(scenario_.mig[i])), hint}});
      if (kind == nullptr) return;
      scenario_.mig[i] = kind->name;
      kinds.push_back(kind);
    }
    refuse({{"sharing.mig", !gpu::fit_together(kinds),
             fmt::format("{} do not fit together", fmt::join(scenario_.mig, ", ")), hint}});
  }

  // The GPU that a process has, or the powered part of it.
  [[nodiscard]] gpu::Spec gpu_of(const ProcessEntry& process) const {
    const gpu::InstanceKind* const kind =
        scenario_.mig.empty()
            ? nullptr
            : gpu::find_instance(device_.instances,
                                 scenario_.mig[static_cast<std::size_t>(process.gpu.mig.value_or(0))]);
    return kind == nullptr ? powered_gpu() : gpu::instance_of(device_.gpu, device_.instances, *kind);
  }
  [[nodiscard]] gpu::Spec powered_gpu() const {
    const auto mode = power_mode_of(scenario_, device_);
    if (!mode || !mode->tpcs) return device_.gpu;
    return gpu::with_sms(device_.gpu, *mode->tpcs * device_.gpu.sms_per_tpc);
  }

  static double lowest(const std::vector<double>& table) { return table.empty() ? 0 : table.front(); }

  void check_range(const char* path, double value, std::pair<double, double> range,
                   const input::Dimension& dimension) const {
    const auto write = [&](double one) { return input::format_quantity(one, dimension); };
    const auto& [least, most] = range;
    refuse({{path, value < least || value > most,
             fmt::format("{} is outside the range of {}", write(value), device_.name),
             least > 0 ? fmt::format("{} to {}", write(least), write(most))
                       : fmt::format("at most {}", write(most))}});
  }
  void check_clock(const char* path, std::optional<double> hz, double least, double most) const {
    if (hz) check_range(path, *hz, {least, most}, input::frequency_dimension());
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
    if (device_.has_gpu())
      check_clock("clocks.gpu", clocks.gpu_hz, lowest(device_.gpu.clock_table_hz), device_.gpu.max_clock_hz);
    if (device_.dla.count > 0)
      check_clock("clocks.dla", clocks.dla_hz, lowest(device_.dla.clock_table_hz), device_.dla.max_clock_hz);
    const memory::Spec& memory = device_.memory;
    check_clock("clocks.emc", clocks.emc_hz, lowest(memory.clock_table_hz), memory.max_clock_hz);
  }

  void check_cores() {
    allowed_ = online();
    check_cpus("cpus", scenario_.cpus, "online");
    if (!scenario_.cpus.empty()) allowed_ = scenario_.cpus;
    const int cores = scenario_.clocks.cores.value_or(0);
    const auto count = static_cast<std::size_t>(scenario_.host_cores.value_or(0));
    refuse({{"clocks.cores", cores > device_.core_count(),
             fmt::format("{} cores, {} has {}", cores, device_.name, device_.core_count())},
            {"host_cores", count > allowed_.size(),
             fmt::format("{} cores, but only {} are online", count, allowed_.size())}});
    if (count > 0) allowed_.resize(std::min(count, allowed_.size()));
  }

  [[nodiscard]] std::vector<int> online() const {
    const auto mode = power_mode_of(scenario_, device_);
    return board::online_cpus(device_, mode ? &*mode : nullptr, scenario_.clocks.cores);
  }

  void check_interrupts() const {
    if (scenario_.interrupts) check_cpus("interrupts.cpu", {scenario_.interrupts->cpu}, "online", online());
  }

  void check_cpus(const std::string& path, const std::vector<int>& cpus, const char* what) const {
    check_cpus(path, cpus, what, allowed_);
  }
  void check_cpus(const std::string& path, const std::vector<int>& cpus, const char* what,
                  const std::vector<int>& allowed) const {
    const auto wrong =
        std::ranges::find_if(cpus, [&](int cpu) { return std::ranges::find(allowed, cpu) == allowed.end(); });
    if (wrong == cpus.end()) return;
    refuse({{path, true, fmt::format("core {} is not {}", *wrong, what),
             fmt::format("one of {}", fmt::join(allowed, ", "))}});
  }

  void check_process(const ProcessEntry& process, std::size_t index) const {
    const std::string path = fmt::format("processes.{}.", place_of_entry(scenario_, index));
    check_cpus(path + "cpus", process.host.cpus, "among those the processes are confined to");
    const bool no_gpu = !device_.has_gpu() && process.host.placement != Placement::cpu;
    lacks(device_.name, {{path + "placement", no_gpu, gpu_that_computes, "placement: cpu"}});
    if (no_gpu) return;
    check_stages(process.around.before, path + "stages.before");
    check_stages(process.around.after, path + "stages.after");
    const auto& way = gpu::way_of(scenario_.sharing);
    const std::string no_turns = fmt::format("with sharing: {} no process has turns on the GPU", way.name),
                      no_parts =
                          has_partitions(process) ? problem_of_partitions(process, gpu_of(process)) : "",
                      no_cores = profile_ + " does not say how fast its cores compute",
                      without = "leave it out, or give the profile runtimes.cpu";
    // Layers and experts that are not on the GPU are computed by threads like those of runtime cpu.
    const bool on_cores = process.language && !device_.language;
    const bool all_on_cores = process.language && process.host.placement == Placement::cpu;
    refuse({{path + "gpu_timeslice", !way.takes_turns && process.gpu.slice, no_turns},
            {path + "gpu_interleave", !way.takes_turns && process.gpu.interleave != gpu::Interleave::low,
             no_turns},
            {path + (process.gpu.sm_partition ? "sm_partition" : "instances"), !no_parts.empty(), no_parts},
            {path + "gpu_layers",
             on_cores && !all_on_cores && process.language->gpu_layers &&
                 *process.language->gpu_layers < llm::most_layers(*language_model(process.work.model)),
             no_cores, without},
            {path + "placement", on_cores && all_on_cores, no_cores, without},
            {path + "cpu_moe", on_cores && process.language->cpu_moe > 0, no_cores, without}});
    if (process.language) check_weights(process, path);
    if (all_on_cores) return;
    const auto& runtime = device_.runtimes[process.host.runtime];
    const char* const name = to_string(process.host.runtime);
    lacks(device_.name, {{path + "runtime", !runtime, fmt::format("costs for runtime {}", name)}});
    lacks(profile_, {{path + "graph", process.host.static_graph && runtime && !runtime->static_graph,
                      fmt::format("costs of a static graph for runtime {}", name)}});
    for (std::size_t part = 0; part < parts_of(process).size(); ++part) {
      const std::string of = process.instances.empty() ? path : fmt::format("{}instances.{}.", path, part);
      check_placement(parts_of(process)[part], of);
    }
  }

  // The runtime reads the format of the weights, and has kernels for the GPU (docs/scenario.md has the
  // table).
  void check_weights(const ProcessEntry& process, const std::string& path) const {
    const process::Runtime runtime = process.host.runtime;
    const auto& row = process::traits_of(runtime);
    const llm::WeightTraits& format = llm::traits_of(process.language->weights);
    const process::RuntimeFormat* const known = process::find_format(runtime, format.format);
    refuse(
        {{path + "precision", !process::reads(runtime, format.format, device_.gpu),
          known == nullptr
              ? fmt::format("{} does not read weights in {}", row.name, format.name)
              : fmt::format(
                    "{} has no kernels for {} on {}: {} of compute capability {:.1f} and more have them",
                    row.name, format.name, device_.name, known->cards ? "cards" : "GPUs", known->from / 10.0),
          fmt::format("{}{}", process::computes_on_cores(row) ? "it reads GGUF: " : "it reads here: ",
                      fmt::join(process::formats_read(runtime, device_.gpu), ", "))}});
  }

  void check_stages(const std::vector<Stage>& stages, const std::string& path) const {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const auto& engine = stages[i].engine;
      if (!engine) continue;
      lacks(device_.name,
            {{fmt::format("{}.{}.on", path, i), device_.engines.pixels_per_s[media::index_of(*engine)] <= 0,
              fmt::format("{}, or its rate is not known", media::to_string(*engine)),
              *engine == media::Kind::vic ? "on: cpu or gpu" : "on: cpu, or another board"}});
    }
  }

  void check_load(const LoadEntry& load, std::size_t index) const {
    const std::string path = fmt::format("processes.{}.", place_of_load(scenario_, index));
    check_cpus(path + "cpus", load.cpus, "among those the processes are confined to");
    const process::LoadRow& kind = process::row_of(load.kind);
    if (!kind.moves_memory()) return;
    const bool known = (device_.memory.unified || !device_.has_gpu()) && device_.memory.cores;
    const memory::CoreTraffic cores = device_.memory.cores.value_or(memory::CoreTraffic{});
    const double most = std::min(load.threads * kind.bytes_per_s(cores), cores.together);
    refuse({{path + "load", !known, profile_ + " does not say how fast its cores move memory", "load: busy"},
            {path + "bandwidth", known && load.bandwidth && *load.bandwidth > most * (1 + 1e-9),
             fmt::format("more than {} of {} can move", load.threads == 1 ? "one thread" : "these threads",
                         device_.name),
             fmt::format("{} threads of {} at most {}", load.threads, kind.name,
                         input::format_quantity(most, input::bandwidth_dimension()))}});
  }

  void check_placement(const ProcessEntry& process, const std::string& path) const {
    const Placement placement = process.host.placement;
    const auto* synthetic = std::get_if<SyntheticModel>(&process.work.model);
    const bool strays = synthetic != nullptr && placement != Placement::gpu;
    const std::uint32_t threads = synthetic != nullptr ? synthetic->threads : 0;
    const Precision precision = process.work.precision.value_or(Precision::fp32);
    const int most = device_.gpu.max_threads_per_block;
    refuse({{path + "placement", strays,
             fmt::format("a synthetic model cannot run with placement: {}", to_string(placement))},
            {path + "precision", !strays && placement == Placement::cpu && precision == Precision::tf32,
             "tf32 needs the GPU's tensor cores", "fp32"},
            {path + "precision",
             dnn::is_short_float(precision) && (placement != Placement::gpu ||
                                                dnn::path_for(device_.gpu, precision).precision != precision),
             fmt::format(
                 "{} needs a GPU whose tensor cores have such numbers: {}", to_string(precision),
                 precision == Precision::fp8 ? "Ada, Hopper and later ones" : "Blackwell and later ones"),
             "int8 or fp16"},
            {path + "precision",
             dnn::is_short_float(precision) &&
                 traits_of(process.host.runtime).lowering != dnn::Lowering::optimised,
             fmt::format("networks run in {} in engines of TensorRT", to_string(precision)),
             "tensorrt, or onnxruntime-tensorrt"},
            {path + "model.threads", device_.has_gpu() && threads > static_cast<std::uint32_t>(most),
             fmt::format("{} threads in a block, {} takes {}", threads, device_.gpu.architecture, most)}});
    if (strays) return;
    if (placement == Placement::dla0 || placement == Placement::dla1) check_dla(process, path);
  }

  void check_dla(const ProcessEntry& process, const std::string& path) const {
    const int number = process.host.placement == Placement::dla1 ? 1 : 0;
    const bool none = number >= device_.dla.count;
    lacks(device_.name, {{path + "placement", none, to_string(process.host.placement),
                          device_.dla.count == 0 ? "it has no DLA" : "it has one DLA, dla0"}});
    if (none) return;
    const Precision precision = process.work.precision.value_or(Precision::fp16);
    refuse({{path + "runtime", traits_of(process.host.runtime).kind != RuntimeKind::engine,
             fmt::format("runtime {} cannot use a DLA", to_string(process.host.runtime)),
             runtime_list([](const auto& row) { return row.kind == RuntimeKind::engine; })},
            {path + "precision", !dla::supports(precision),
             fmt::format("a DLA does not compute in {}", to_string(precision)), "fp16 or int8"}});
  }

  static constexpr const char* gpu_that_computes = "GPU that computes";

  Scenario& scenario_;
  const board::DeviceSpec& device_;
  const input::Cursor& root_;
  std::string profile_ = fmt::format("the profile of {}", device_.name);
  std::vector<int> allowed_;  // cores that processes may use
};

}  // namespace

void check_against_device(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root) {
  DeviceCheck(scenario, device, root).run();
}

}  // namespace jostle::scenarios
