#include "models/board/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/cpu/spec.hpp"
#include "models/process/collector.hpp"
#include "models/process/costs.hpp"
#include "sim/random.hpp"

namespace jostle::board {
namespace {

// Copies the clocks that are set in `clocks`.
void overlay(Clocks& onto, const Clocks& clocks) {
  for (std::size_t i = 0; i < clocks.clusters_hz.size(); ++i) onto.clusters_hz[i] = clocks.clusters_hz[i];
  if (clocks.gpu_hz > 0) onto.gpu_hz = clocks.gpu_hz;
  if (clocks.emc_hz > 0) onto.emc_hz = clocks.emc_hz;
  if (clocks.dla_hz > 0) onto.dla_hz = clocks.dla_hz;
}

double ratio(double hz, double given) {
  return given > 0 ? hz / given : 1;
}

gpu::SharingSetup sharing_of(const Setup& setup, std::size_t instance) {
  return {.sharing = setup.sharing,
          .streams = std::ranges::any_of(setup.processes,
                                         [instance](const process::Spec& spec) {
                                           return spec.gpu_instance == instance &&
                                                  (process::serves_instances(spec) || spec.partition);
                                         }),
          .every_kernel = setup.every_kernel,
          .loops = setup.loops};
}

}  // namespace

Board::Board(sim::Engine& engine, const DeviceSpec& device, const Setup& setup, std::unique_ptr<gpu::Gpu> gpu)
    : engine_(engine),
      device_(device),
      given_(maximum_clocks(device)),
      memory_bytes_per_s_(setup.memory_bytes_per_s),
      cpu_(engine, *device.cpu, setup.cores, sim::RandomStream(setup.seed, "cpu")) {
  add_gpus(setup, std::move(gpu));
  overlay(given_, setup.clocks);
  clocks_ = given_;
  for (std::size_t cluster = 0; cluster < clocks_.clusters_hz.size(); ++cluster)
    cpu_.set_cluster_clock(static_cast<int>(cluster), clocks_.clusters_hz[cluster]);
  if ((device.memory.unified || !gpus_.front().gpu) && setup.memory_bytes_per_s > 0) {
    const memory::Sharing sharing{.capacity_bytes_per_s = setup.memory_bytes_per_s,
                                  .interference = device.memory.interference};
    const auto listener_of = [](GpuPart& part) -> memory::SpeedListener {
      if (!part.gpu) return {};
      return {.changed = [](void* self,
                            double speed) { static_cast<GpuPart*>(self)->memory_speed_changed(speed); },
              .context = &part};
    };
    // A copy reads and writes, so it moves every byte twice.
    traffic_.emplace(engine, sharing, listener_of(gpus_.front()), 2 * device.gpu.copy_bandwidth_bytes_per_s);
    for (std::size_t i = 1; i < gpus_.size(); ++i) traffic_->add_gpu(listener_of(gpus_[i]));
  }
  for (int i = 0; i < device.dla.count; ++i) {
    dlas_.emplace_back(engine, fmt::format("dla{}", i), device.dla);
    if (traffic_) dlas_.back().share_memory(traffic_->arbiter());
  }
  if (setup.link) link_.emplace(engine, *setup.link);
  if (setup.two_speeds) cpu_.vary_speeds(sim::RandomStream(setup.seed, "speeds of cores"));
  std::uint32_t index = 0;
  for (const process::Spec& spec : setup.processes) add_engines(spec);
  for (const process::Spec& spec : setup.processes) add_process(spec, setup, index++);
  connect(setup);
  if (traffic_ && device.memory.cores) traffic_->limit_cores(device.memory.cores->together);
  for (const process::LoadSpec& load : setup.loads) add_load(load, setup, index++);
  interrupted_ = setup.interrupts.has_value();
  if (const auto& interrupts = setup.interrupts)
    cpu_.set_interrupts(interrupts->cpu, interrupts->load, interrupts->rate);
  if (setup.compositor && gpus_.front().gpu)
    compositor_.emplace(engine, *gpus_.front().gpu, *setup.compositor);
}

// Instances draw random numbers of their own.
void Board::add_gpus(const Setup& setup, std::unique_ptr<gpu::Gpu> given) {
  if (!given && device_.has_gpu())
    for (std::size_t i = 0; i < setup.instances.size(); ++i)
      gpus_.emplace_back(*this,
                         gpu::make_gpu(sharing_of(setup, i), engine_, setup.instances[i], setup.seed + i),
                         setup.instances[i]);
  if (!gpus_.empty()) return;
  if (!given && device_.has_gpu())
    given = gpu::make_gpu(sharing_of(setup, 0), engine_, device_.gpu, setup.seed);
  gpus_.emplace_back(*this, std::move(given), device_.gpu);
}

process::BoardParts Board::parts(std::size_t instance) {
  return {.engine = engine_,
          .cpu = cpu_,
          .gpu = gpus_[instance].gpu.get(),
          .gpu_instance = instance,
          .copies = gpus_[instance].copies,
          .dlas = dlas_,
          .engines = engines_,
          .link = link_,
          .traffic = traffic_};
}

process::Costs Board::costs_of(const process::Spec& spec, const process::ObserverSpec* observer) const {
  const process::RuntimeSpec& own = spec.pace ? device_.paced : *device_.runtimes[spec.runtime];
  process::Costs costs{.runtime = process::runtime_of(own, spec, observer),
                       .sync = device_.sync,
                       .locks = device_.locks,
                       .follow_up_prolongs_turn = process::follow_up_prolongs_turn(device_.follow_up, spec)};
  costs.sync.most_spun = process::most_spun(spec);
  if (!traits_of(spec.runtime).interpreted || spec.pace) costs.locks.interpreter = 0;
  for (const process::Spec& instance : spec.instances)
    costs.instances.push_back(costs_of(instance, observer));
  return costs;
}

void Board::connect(const Setup& setup) {
  for (std::size_t i = 0; i < setup.processes.size(); ++i) {
    const auto parts = process::parts_of(setup.processes[i]);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (parts[part].sources.empty()) continue;
      Request& request = requests_.emplace_back(Request{&processes_[i], part});
      const process::Feed feed{.served =
                                   [](void* self, sim::Time made) {
                                     const Request& to = *static_cast<Request*>(self);
                                     to.to->deliver(to.part, made);
                                   },
                               .context = &request};
      for (const process::PartOf source : parts[part].sources)
        processes_[source.process].feed(source.part, feed);
    }
  }
}

void Board::add_process(const process::Spec& spec, const Setup& setup, std::uint32_t index) {
  const auto& runtime = device_.runtimes[spec.runtime];
  if (!runtime && !spec.pace)
    throw std::invalid_argument(fmt::format("{} has no runtime {}", device_.name, to_string(spec.runtime)));
  if (!gpus_.front().gpu && spec.host.threads == 0) throw std::invalid_argument(device_.name + " has no GPU");
  if (!spec.segments.empty() && static_cast<std::size_t>(spec.dla) >= dlas_.size())
    throw std::invalid_argument(fmt::format("{} has no DLA {}", device_.name, spec.dla));
  const process::ObserverSpec* observer = setup.observed && device_.nsys ? &*device_.nsys : nullptr;
  const process::Identity identity{.seed = setup.seed, .index = index, .name = spec.random_name};
  processes_.emplace_back(parts(spec.gpu_instance), process::observed(spec, observer),
                          costs_of(spec, observer), identity);
  // A process that only waits for the results of others, or for its own stages, may wait forever.
  const bool led =
      spec.overlap > 0 || std::ranges::any_of(process::parts_of(spec), [](const process::Spec& part) {
        return part.arrivals.kind == process::ArrivalKind::cascade;
      });
  const std::string name = spec.name.empty() ? fmt::format("process {}", index) : spec.name;
  for (std::size_t thread = 0; thread < processes_.back().host_threads(); ++thread)
    engine_.spawn(processes_.back().body(thread),
                  thread == 0 ? name : fmt::format("{}, thread {}", name, thread),
                  led ? sim::Role::daemon : sim::Role::worker);
  if (observer != nullptr) process::spawn_collector(engine_, cpu_, *observer, spec, identity);
}

// Adds the media engines that the process's stages use and that do not exist yet.
void Board::add_engines(const process::Spec& spec) {
  for (const auto* const stages : {&spec.before, &spec.after})
    for (const process::HostStage& stage : *stages)
      if (stage.engine && std::ranges::find(engines_, *stage.engine, &media::Engine::kind) == engines_.end())
        engines_.emplace_back(engine_, *stage.engine);
}

void Board::add_load(const process::LoadSpec& load, const Setup& setup, std::uint32_t index) {
  double each = 0;
  if (const process::LoadRow& kind = process::row_of(load.kind); kind.moves_memory()) {
    if (!device_.memory.cores)
      throw std::invalid_argument(device_.name + " does not say how fast its cores move memory");
    each = kind.bytes_per_s(*device_.memory.cores);
    if (load.bytes_per_s) each = std::min(each, *load.bytes_per_s / load.threads);
  }
  const process::Identity identity{.seed = setup.seed, .index = index, .name = load.random_name};
  loads_.emplace_back(engine_, cpu_, traffic_, load, each, identity);
}

void Board::GpuPart::memory_speed_changed(double speed) {
  memory_speed = speed;
  set_rates();
}

void Board::GpuPart::set_rates() {
  gpu->set_rates({board.gpu_rates_.clock, board.gpu_rates_.memory * memory_speed,
                  gpu::droop_at(board.device_.gpu.droop, board.given_.gpu_hz)});
}

void Board::set_clocks(const Clocks& clocks) {
  const Clocks before = clocks_;
  overlay(clocks_, clocks);
  if (clocks_ == before) return;
  for (std::size_t i = 0; i < clocks_.clusters_hz.size(); ++i) {
    if (clocks_.clusters_hz[i] != before.clusters_hz[i])
      cpu_.set_cluster_clock(static_cast<int>(i), clocks_.clusters_hz[i]);
  }
  const gpu::Rates rates{ratio(clocks_.gpu_hz, given_.gpu_hz),
                         memory_speed(device_, clocks_.gpu_hz, clocks_.emc_hz) /
                             memory_speed(device_, given_.gpu_hz, given_.emc_hz)};
  const double dram = memory::relative_bandwidth(device_.memory, clocks_.emc_hz) /
                      memory::relative_bandwidth(device_.memory, given_.emc_hz);
  if (gpus_.front().gpu && rates != gpu_rates_) {
    gpu_rates_ = rates;
    for (GpuPart& part : gpus_) part.set_rates();
  }
  if (traffic_) traffic_->set_clocks(memory_bytes_per_s_ * dram, rates.clock, rates.memory);
  for (dla::Dla& dla : dlas_) dla.set_rates(ratio(clocks_.dla_hz, given_.dla_hz), dram);
}

void Board::end_warmup() {
  for (process::Inference& process : processes_) process.end_warmup();
  if (link_) link_->end_warmup();
  if (compositor_) compositor_->end_warmup();
  for (process::CoRunner& load : loads_) load.end_warmup();
  before_ = totals_so_far();
}

void Board::settle() {
  for (process::Inference& process : processes_) process.settle();
}

bool Board::finished() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const process::Inference& process) { return process.finished().has_value(); });
}

// The sum over all instances, each by its share of the SMs.
template <class T, class Read>
T Board::gpu_sum(const Read& read) {
  if (gpus_.front().share == 1) return gpus_.front().gpu ? read(*gpus_.front().gpu) : T{};
  T sum{};
  for (GpuPart& part : gpus_) {
    if constexpr (std::is_same_v<T, sim::Duration>) {
      sum += sim::work_in(read(*part.gpu), part.share);
    } else {
      T own = read(*part.gpu);
      own *= part.share;
      sum += own;
    }
  }
  return sum;
}

sim::Duration Board::gpu_busy() {
  return gpu_sum<sim::Duration>([](gpu::Gpu& gpu) { return gpu.busy(); });
}

sim::Duration Board::gpu_switching() {
  return gpu_sum<sim::Duration>([](gpu::Gpu& gpu) { return gpu.switching(); });
}

sim::Duration Board::gpu_load(std::size_t instance) {
  gpu::Gpu& gpu = *gpus_[instance].gpu;
  return gpu.busy() + gpu.switching();
}

gpu::Usage Board::gpu_used() {
  auto used = gpu_sum<gpu::Usage>([](gpu::Gpu& gpu) { return gpu.used(); });
  if (gpus_.front().share == 1) return used;
  used.dram_bytes = 0;  // bytes are bytes, on however few SMs
  for (GpuPart& part : gpus_) used.dram_bytes += part.gpu->used().dram_bytes;
  return used;
}

double Board::other_bytes() const {
  double bytes = traffic_ ? traffic_->moved_by_host() : 0;
  for (const dla::Dla& dla : dlas_) bytes += dla.dram_bytes();
  return bytes;
}

double Board::dla_operations() const {
  double operations = 0;
  for (const dla::Dla& dla : dlas_) operations += dla.operations();
  return operations;
}

Board::Totals Board::totals_so_far() {
  Totals totals{.elapsed = engine_.now() - sim::Time::zero(),
                .gpu_busy = {},
                .gpu_switching = {},
                .gpu_repeating = {},
                .gpu_used = gpu_used(),
                .other_bytes = other_bytes(),
                .compositor_busy = {},
                .cores_busy = {},
                .interrupted = {},
                .dla_busy = {},
                .engine_busy = {}};
  totals.gpu_busy = gpu_busy();
  totals.gpu_switching = gpu_switching();
  totals.gpu_repeating = gpu_sum<sim::Duration>([](gpu::Gpu& gpu) { return gpu.repeating(); });
  for (const GpuPart& part : gpus_) totals.gpu_switches += part.gpu ? part.gpu->switches() : 0;
  for (int core = 0; core < cpu_.cores(); ++core) {
    const cpu::CoreStatistics statistics = cpu_.core_statistics(core);
    totals.cores_busy += statistics.busy;
    totals.interrupted += statistics.interrupted;
  }
  for (const process::Inference& process : processes_) {
    totals.migrations += process.migrations();
    totals.involuntary_switches += process.involuntary_switches();
  }
  for (const dla::Dla& dla : dlas_) {
    totals.dla_busy.push_back(dla.busy());
  }
  for (const media::Engine& engine : engines_) totals.engine_busy.push_back(engine.busy());
  return totals;
}

Board::Totals Board::totals() {
  Totals totals = totals_so_far();
  totals.elapsed -= before_.elapsed;
  totals.gpu_busy -= before_.gpu_busy;
  totals.gpu_switching -= before_.gpu_switching;
  totals.gpu_repeating -= before_.gpu_repeating;
  totals.gpu_switches -= before_.gpu_switches;
  totals.other_bytes -= before_.other_bytes;
  totals.cores_busy -= before_.cores_busy;
  totals.migrations -= before_.migrations;
  totals.involuntary_switches -= before_.involuntary_switches;
  totals.interrupted -= before_.interrupted;
  if (compositor_) totals.compositor_busy = compositor_->busy();
  totals.gpu_used -= before_.gpu_used;
  for (std::size_t i = 0; i < before_.dla_busy.size(); ++i) totals.dla_busy[i] -= before_.dla_busy[i];
  for (std::size_t i = 0; i < before_.engine_busy.size(); ++i)
    totals.engine_busy[i] -= before_.engine_busy[i];
  return totals;
}

}  // namespace jostle::board
