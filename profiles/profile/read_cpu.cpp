#include <algorithm>
#include <functional>
#include <numeric>

#include "input/readers.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

const sim::Duration max_cpu_cost = sim::seconds(1);

// The share of `preempted` that a thread loses to the shortest visit, unless the profile says
// `preempted_least`: as on the H200's host.
constexpr double lost_at_once = 0.4;

cpu::ClusterSpec read_cluster(const Cursor& at, Block& outer) {
  Block block(at, "a cluster of cores", outer.parameters(), outer.from());
  cpu::ClusterSpec cluster;
  block.words().required("name", cluster.name, input::Text{100});
  block.required("cores", cluster.cores, Whole<int>{1, max_board_cores});
  block.required("capacity", cluster.capacity, Whole<int>{1, 1024});
  block.required("max_clock", cluster.max_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  block.optional("clock_table", cluster.clock_table_hz, read_clock_table);
  block.required("cache", cluster.cache_bytes, Quantity{input::size_dimension(), 0, 1e10, true});
  block.required("shared_cache", cluster.shared_cache_bytes, Quantity{input::size_dimension(), 0, 1e10});
  block.words().optional("isolated", cluster.isolated, input::Boolean{});
  if (const auto numbers = block.words().find("kernel_cpus")) {
    const input::List<int, Whole<int>> list{"a list of core numbers", Whole<int>{0, max_board_cores - 1},
                                            max_board_cores};
    cluster.kernel_cpus = list(*numbers).value_or(std::vector<int>{});
  }
  return cluster;
}

// True if no core numbers of the kernel are given, or they are a permutation of 0, 1, 2 and so on.
bool good_kernel_cpus(const std::vector<cpu::ClusterSpec>& clusters) {
  std::vector<int> numbers;
  bool given = false, each = true;
  int cores = 0;
  for (const cpu::ClusterSpec& cluster : clusters) {
    given = given || !cluster.kernel_cpus.empty();
    each = each && static_cast<int>(cluster.kernel_cpus.size()) == cluster.cores;
    cores += cluster.cores;
    numbers.insert(numbers.end(), cluster.kernel_cpus.begin(), cluster.kernel_cpus.end());
  }
  std::sort(numbers.begin(), numbers.end());
  return !given || (each && numbers.front() == 0 && numbers.back() == cores - 1 &&
                    std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
}

void read_scheduler(const Cursor& at, Block& outer, cpu::SchedulerSpec& scheduler) {
  Block block(at, "a scheduler", outer.parameters(), outer.from());
  input::Choice<const cpu::SchedulerPolicy*> policy{"a scheduling policy", {}};
  for (const cpu::NamedPolicy& named : cpu::policies) policy.names.emplace_back(named.name, named.policy);
  block.words().required("policy", scheduler.policy, policy);
  input::Choice<const cpu::KernelVersion*> kernel{"a kernel version", {}};
  for (const cpu::KernelVersion& version : cpu::kernel_versions)
    kernel.names.emplace_back(version.name, &version);
  block.words().optional("kernel", scheduler.kernel, kernel);
  block.words().optional("knows_capacities", scheduler.knows_capacities, input::Boolean{});
  block.words().optional("groups_realtime", scheduler.groups_realtime, input::Boolean{});
  block.words().optional("interrupt_core", scheduler.interrupt_core, Whole<int>{0, max_board_cores - 1});
  const TimeSpan span{sim::Duration::zero(), max_cpu_cost, true};
  block.required("tick", scheduler.tick, span);
  for (const cpu::SchedulerParameter& parameter : scheduler.policy->parameters) {
    block.required(parameter.key, scheduler.*parameter.value, span);
  }
  // The kernel's name: sched_migration_cost.
  block.required("migration_cost", scheduler.cache_hot_for, TimeSpan{sim::Duration::zero(), max_cpu_cost});
}

void read_costs(const Cursor& at, Block& outer, cpu::CostSpec& costs) {
  Block block(at, "the costs of switching", outer.parameters(), outer.from());
  const TimeSpan span{sim::Duration::zero(), max_cpu_cost};
  block.required("context_switch", costs.context_switch, span);
  block.required("preempted", costs.preempted, span);
  costs.preempted_least = sim::work_in(costs.preempted, lost_at_once);
  block.optional("preempted_least", costs.preempted_least, span);
  block.required("preempted_time_constant", costs.preempted_time_constant,
                 TimeSpan{sim::Duration::zero(), max_cpu_cost, true});
  block.required("migrated_within", costs.migrated_within, span);
  block.required("migrated_across", costs.migrated_across, span);
  block.required("speed_while_refilling", costs.speed_while_refilling, Real{0.01, 0.99});
}

// Reads a list of cores that are kept from threads without affinity, of so many on the board.
std::optional<std::vector<int>> read_cores_apart(const Cursor& at, int count) {
  const input::List<int, Whole<int>> list{"a list of core numbers", Whole<int>{0, std::max(count, 1) - 1},
                                          max_board_cores};
  auto cores = list(at);
  if (!cores) return std::nullopt;
  std::ranges::sort(*cores);
  if (std::ranges::adjacent_find(*cores) != cores->end()) at.problem("a core is named twice");
  if (std::ssize(*cores) == count) at.problem("every core is named: none is left for all others");
  return cores;
}

void read_two_speeds(const Cursor& at, Block& outer, std::optional<cpu::TwoSpeeds>& speeds) {
  Block block(at, "two speeds of a core: factor, weight, slow", outer.parameters(), outer.from());
  speeds.emplace();
  block.required("factor", speeds->factor, Real{1, 100});
  block.required("weight", speeds->weight, Real{0.01, 0.99});
  block.required("slow", speeds->slow, TimeSpan{sim::milliseconds(1), sim::seconds(3600)});
}

void read_idle_state(const Cursor& at, Block& outer, std::optional<cpu::IdleState>& state) {
  Block block(at, "an idle state", outer.parameters(), outer.from());
  state.emplace();
  block.required("residency", state->residency, TimeSpan{sim::Duration::zero(), sim::seconds(1), true});
  block.required("exit_latency", state->exit_latency, TimeSpan{sim::Duration::zero(), max_cpu_cost});
}

}  // namespace

std::optional<std::vector<double>> read_clock_table(const Cursor& at) {
  const input::List<double, Quantity> list{
      "a list of clocks", Quantity{input::frequency_dimension(), 0, max_clock_hz, true}, 256};
  auto table = list(at);
  if (!table) return std::nullopt;
  if (std::adjacent_find(table->begin(), table->end(), std::greater_equal<>()) == table->end()) return table;
  at.problem("the clocks are not ascending");
  return std::nullopt;
}

void read_cpu(const Cursor& at, std::vector<ProfileParameter>& parameters, cpu::Spec& cpu) {
  Block block(at, "a CPU", parameters);
  block.required("reference_clock", cpu.reference_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  if (const auto clusters = block.words().require("clusters")) {
    for (const Cursor& cluster : clusters->items("a list of clusters", 64)) {
      cpu.clusters.push_back(read_cluster(cluster, block));
    }
    if (clusters->is(input::Kind::sequence) && cpu.clusters.empty()) clusters->problem("no clusters");
    const auto fastest =
        std::any_of(cpu.clusters.begin(), cpu.clusters.end(),
                    [](const cpu::ClusterSpec& cluster) { return cluster.capacity == 1024; });
    if (!cpu.clusters.empty() && !fastest)
      clusters->problem("no cluster has capacity 1024, that of the fastest core");
    const auto all_isolated = std::all_of(cpu.clusters.begin(), cpu.clusters.end(),
                                          [](const cpu::ClusterSpec& cluster) { return cluster.isolated; });
    if (!cpu.clusters.empty() && all_isolated) clusters->problem("every cluster is isolated");
    if (!good_kernel_cpus(cpu.clusters))
      clusters->problem("kernel_cpus must number every core of the board, from 0 up, each once");
  }
  const auto apart =
      [count = std::transform_reduce(cpu.clusters.begin(), cpu.clusters.end(), 0, std::plus<>(),
                                     [](const auto& cluster) { return cluster.cores; })](const Cursor& at) {
        return read_cores_apart(at, count);
      };
  block.optional("isolcpus", cpu.isolated, apart);
  block.optional("partition", cpu.partitioned, apart);
  block.optional("what_if", cpu.what_if, Real{0.01, 100});
  if (const auto scheduler = block.words().require("scheduler"))
    read_scheduler(*scheduler, block, cpu.scheduler);
  if (const auto costs = block.words().require("costs")) read_costs(*costs, block, cpu.costs);
  if (const auto speeds = block.words().find("two_speeds")) read_two_speeds(*speeds, block, cpu.two_speeds);
  if (const auto state = block.words().find("idle_state")) read_idle_state(*state, block, cpu.idle_state);
}

}  // namespace jostle::profiles
