#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

using process::RuntimeKind;

const sim::Duration max_host_cost = sim::seconds(1);
const sim::Duration max_setup = sim::seconds(1000);

void read_setup(const Cursor& at, Block& outer, process::SetupSpec& setup) {
  Block block(at, "the costs of setup", outer.parameters(), outer.from());
  const TimeSpan span{sim::Duration::zero(), max_setup};
  block.required("start", setup.start, span);
  block.required("load", setup.load_bytes_per_s, Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.required("first_batch", setup.first_batch, span);
}

process::StaticGraphSpec read_static_graph(const Cursor& at, Block& outer) {
  Block block(at, "the costs with a static graph", outer.parameters(), outer.from());
  process::StaticGraphSpec graph;
  block.required("host_time", graph.host_time, Quantity{input::share_dimension(), 0, 1});
  block.required("compute", graph.compute, Quantity{input::share_dimension(), 0, 1, true});
  block.required("compile", graph.compile, TimeSpan{sim::Duration::zero(), max_setup});
  block.required("compile_per_node", graph.compile_per_node, TimeSpan{sim::Duration::zero(), max_host_cost});
  return graph;
}

void read_unpack(const Cursor& at, Block& outer, llm::UnpackCycles& unpack) {
  Block block(at, "SM cycles to unpack a weight, by format", outer.parameters(), outer.from());
  for (const llm::WeightTraits& row : llm::weight_formats)
    block.optional(std::string(row.name).c_str(), unpack[static_cast<std::size_t>(row.format)],
                   Real{0, 1000});
}

// Reads the locks that the threads of one process contend for.
void read_locks(const Cursor& at, Block& outer, process::LockSpec& locks) {
  Block block(at, "what threads of one process wait for each other: driver, interpreter, handover",
              outer.parameters(), outer.from());
  block.required("driver", locks.driver, Quantity{input::share_dimension(), 0, 10});
  block.required("interpreter", locks.interpreter, Quantity{input::share_dimension(), 0, 1});
  block.required("handover", locks.handover, Quantity{input::share_dimension(), 0, 10});
}

void read_server(const Cursor& at, Block& outer, process::ServerCosts& server) {
  Block block(at, "the costs of the loop of a server that forms batches", outer.parameters(), outer.from());
  const TimeSpan span{sim::Duration::zero(), max_host_cost};
  block.required("per_batch", server.per_batch, span);
  block.required("per_request", server.per_request, span);
}

cpu::ReturnLoss read_return_loss(const Cursor& at, Block& outer) {
  Block block(at, "what its thread owes after others ran: whole, time_constant", outer.parameters(),
              outer.from());
  cpu::ReturnLoss loss;
  block.required("whole", loss.whole, TimeSpan{sim::Duration::zero(), max_host_cost, true});
  block.required("time_constant", loss.time_constant, TimeSpan{sim::Duration::zero(), max_host_cost, true});
  return loss;
}

// Reads the costs of a runtime. Some parameters exist only for some runtimes: nodes only for a graph; the
// front-end time only for kernels that are launched one by one; dynamic and static graphs only for
// frameworks. `kind` is absent for synthetic processes with a pace: they have no setup.
process::RuntimeSpec read_runtime(const Cursor& at, Block& outer, std::optional<RuntimeKind> kind,
                                  bool serves_text = false) {
  Block block(at, "the costs of a runtime", outer.parameters(), outer.from());
  process::RuntimeSpec runtime;
  const TimeSpan span{sim::Duration::zero(), max_host_cost};
  block.required("per_launch", runtime.per_launch, span);
  block.required("per_batch", runtime.per_batch, span);
  if (kind == RuntimeKind::graph) {
    block.required("per_node", runtime.per_node, span);
    block.optional("replay_gaps", runtime.replay_gaps, Quantity{input::share_dimension(), 0, 2});
    block.optional("gap_beyond_tables", runtime.gap_beyond_tables,
                   TimeSpan{sim::Duration::zero(), sim::microseconds(10)});
  }
  if (kind == RuntimeKind::framework) {
    block.optional("per_operator", runtime.per_operator, span);
    block.optional("per_view", runtime.per_view, span);
    block.optional("host_time", runtime.host_time, Quantity{input::share_dimension(), 0.01, 100});
    block.optional("rate_weight", runtime.rate_weight, Quantity{input::share_dimension(), 0, 1});
    if (const auto found = block.words().find("return_loss"))
      runtime.return_loss = read_return_loss(*found, block);
  }
  block.required("variation", runtime.variation, Quantity{input::share_dimension(), 0, 2});
  block.required("working_set", runtime.working_set_bytes, Quantity{input::size_dimension(), 0, 1e12});
  block.optional("memory_demand", runtime.memory_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15});
  block.required("api_share", runtime.api_share, Quantity{input::share_dimension(), 0, 1});
  if (serves_text) {
    block.optional("row", runtime.cycles.row, Real{0, 10'000});
    block.optional("attention", runtime.cycles.attention, Real{0, 1e6});
    block.optional("cache", runtime.cycles.cache, Real{0, 1000});
    sim::Duration start;
    if (block.optional("kernel_start", start, span)) runtime.kernel_start = start;
    block.optional("products", runtime.products, Quantity{input::share_dimension(), 0, 2, true});
    if (const auto found = block.words().find("unpack")) read_unpack(*found, block, runtime.cycles.unpack);
  }
  if (kind != RuntimeKind::graph) block.required("gpu_per_launch", runtime.gpu_per_launch, span);
  if (kind) {
    if (const auto found = block.words().require("setup")) read_setup(*found, block, runtime.setup);
    if (const auto found = block.words().find("server")) read_server(*found, block, runtime.server);
  }
  if (kind == RuntimeKind::framework) {
    double share = 0;
    if (block.optional("fp16_of_fp32", share, Quantity{input::share_dimension(), 0, 8, true}))
      runtime.fp16_of_fp32 = share;
    if (const auto found = block.words().find("static_graph"))
      runtime.static_graph = read_static_graph(*found, block);
  }
  return runtime;
}

// Reads language models on the cores. Without a block of their own they run as in int8 and fp16 of the
// networks'.
llm::CoreRates read_core_rates(const std::optional<Cursor>& at, Block& outer, const dnn::HostRoofs& roofs,
                               sim::Duration per_layer) {
  llm::CoreRates rates{.core_bandwidth_bytes_per_s = roofs.core_bandwidth_bytes_per_s,
                       .bandwidth_bytes_per_s = roofs.bandwidth_bytes_per_s,
                       .per_operator = per_layer,
                       .per_thread = roofs.join};
  const auto of = [&rates](llm::WeightFormat format) -> double& {
    return rates.ops_per_clock[static_cast<std::size_t>(format)];
  };
  if (!at) {
    const double int8 = roofs.int8_efficiency > 0 ? roofs.int8_efficiency : roofs.efficiency;
    of(llm::WeightFormat::fp16) =
        roofs.efficiency * std::max(roofs.fp16_ops_per_clock, roofs.fp32_ops_per_clock);
    of(llm::WeightFormat::q4_k_m) = std::max(int8 * roofs.int8_ops_per_clock, of(llm::WeightFormat::fp16));
    return rates;
  }
  Block block(*at, "the costs of language models on the CPU", outer.parameters(), outer.from());
  if (const auto ops = block.words().require("ops_per_clock")) {
    Block formats(*ops, "operations per clock of a core, by the format of the weights", block.parameters(),
                  block.from());
    const Real count{0, 1e4, true};
    formats.required("fp16", of(llm::WeightFormat::fp16), count);
    formats.required("q4_k_m", of(llm::WeightFormat::q4_k_m), count);
    for (const llm::WeightTraits& row : llm::weight_formats)
      if (row.format != llm::WeightFormat::fp16 && row.format != llm::WeightFormat::q4_k_m)
        formats.optional(std::string(row.name).c_str(), of(row.format), count);
  }
  const Quantity bandwidth{input::bandwidth_dimension(), 0, 1e15, true};
  block.optional("core_bandwidth", rates.core_bandwidth_bytes_per_s, bandwidth);
  block.optional("bandwidth", rates.bandwidth_bytes_per_s, bandwidth);
  block.optional("crowding", rates.crowding, Quantity{input::share_dimension(), 0, 10});
  const TimeSpan span{sim::Duration::zero(), max_host_cost};
  block.required("per_operator", rates.per_operator, span);
  block.required("per_thread", rates.per_thread, span);
  return rates;
}

// Reads inference on the cores: the costs of a layer and a batch in addition to arithmetic, and the peak
// rates.
process::RuntimeSpec read_cpu_runtime(const Cursor& at, Block& outer, process::Runtime which,
                                      board::DeviceSpec& device) {
  dnn::HostRoofs& roofs = device.host[which];
  Block block(at, "the costs of inference on the CPU", outer.parameters(), outer.from());
  process::RuntimeSpec runtime;
  const TimeSpan span{sim::Duration::zero(), max_host_cost};
  block.required("per_layer", runtime.per_launch, span);
  block.required("per_batch", runtime.per_batch, span);
  block.required("variation", runtime.variation, Quantity{input::share_dimension(), 0, 2});
  block.required("working_set", runtime.working_set_bytes, Quantity{input::size_dimension(), 0, 1e12});
  if (const auto ops = block.words().require("ops_per_clock")) {
    Block rates(*ops, "operations per clock of a core, one for each precision", block.parameters(),
                block.from());
    const Real count{0, 1e4, true};
    rates.required("fp32", roofs.fp32_ops_per_clock, count);
    rates.optional("fp16", roofs.fp16_ops_per_clock, count);
    rates.optional("int8", roofs.int8_ops_per_clock, count);
  }
  const Quantity bandwidth{input::bandwidth_dimension(), 0, 1e15, true};
  const Quantity share{input::share_dimension(), 0, 1, true};
  block.required("efficiency", roofs.efficiency, share);
  block.optional("int8_efficiency", roofs.int8_efficiency, share);
  block.optional("join", roofs.join, span);
  block.optional("cache", roofs.cache_bytes, Quantity{input::size_dimension(), 0, 1e12, true});
  block.required("core_bandwidth", roofs.core_bandwidth_bytes_per_s, bandwidth);
  // By default, the cores reach the same memory bandwidth as the GPU. Without a GPU it must be given.
  roofs.bandwidth_bytes_per_s = device.gpu.bandwidth_bytes_per_s * device.gpu.bandwidth_efficiency;
  if (device.has_gpu())
    block.optional("bandwidth", roofs.bandwidth_bytes_per_s, bandwidth);
  else
    block.required("bandwidth", roofs.bandwidth_bytes_per_s, bandwidth);
  if (which == process::Runtime::cpu)
    device.language = read_core_rates(block.words().find("language"), block, roofs, runtime.per_launch);
  return runtime;
}

// An engine in a CUDA graph, where the profile does not tell its costs: the host launches and waits as for
// any other graph, set-up and server are the engine's, and a kernel begins as in graphs of language models
// (assumed).
void add_engine_graph(board::DeviceSpec& device) {
  const auto& graph = device.runtimes[process::Runtime::cuda_graph];
  const auto& engine = device.runtimes[process::Runtime::tensorrt];
  auto& both = device.runtimes[process::Runtime::tensorrt_graph];
  if (both || !graph || !engine) return;
  both = graph;
  both->setup = engine->setup;
  both->server = engine->server;
  both->replay_gaps = 1;
  both->gap_beyond_tables = sim::Duration::zero();
  for (const auto runtime : {process::Runtime::tensorrt_llm, process::Runtime::llama_cpp})
    if (!both->kernel_start && device.runtimes[runtime])
      both->kernel_start = device.runtimes[runtime]->kernel_start;
}

}  // namespace

void read_runtimes(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device) {
  auto rows = process::runtimes;  // by name, with the runtimes on cores last
  std::ranges::sort(rows, {}, [](const auto& row) {
    return std::pair(row.kind == RuntimeKind::cores, std::string_view(process::profile_key(row)));
  });
  const auto names = rows | std::views::transform(&process::profile_key);
  Block block(at, fmt::format("the runtimes: {}", fmt::join(names, ", ")), parameters);
  for (const auto& row : rows) {
    if (row.kind != RuntimeKind::cores) continue;
    if (const auto found = block.words().find(process::profile_key(row)))
      device.runtimes[row.runtime] = read_cpu_runtime(*found, block, row.runtime, device);
  }
  if (!device.has_gpu()) return;
  for (const auto& row : rows) {
    if (row.kind == RuntimeKind::cores) continue;
    if (const auto found = block.words().find(process::profile_key(row)))
      device.runtimes[row.runtime] = read_runtime(*found, block, row.kind, row.serves_text);
  }
  add_engine_graph(device);
  if (const auto found = block.words().require("paced"))
    device.paced = read_runtime(*found, block, std::nullopt);
  if (const auto found = block.words().find("locks")) read_locks(*found, block, device.locks);
}

void read_observer(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device) {
  Block block(at, "the observers: nsys", parameters);
  const auto found = block.words().require("nsys");
  if (!found) return;
  Block nsys(*found, "the overhead of an observer", parameters, block.from());
  process::ObserverSpec costs;
  const TimeSpan span{sim::Duration::zero(), max_host_cost};
  nsys.required("per_launch", costs.per_launch, span);
  nsys.required("per_batch", costs.per_batch, span);
  nsys.required("gpu_per_launch", costs.gpu_per_launch, span);
  nsys.optional("kernel_time", costs.kernel_time, Real{1, 10});
  nsys.optional("interval", costs.interval, TimeSpan{sim::Duration::zero(), max_host_cost});
  nsys.optional("per_interval", costs.per_interval, span);
  device.nsys = costs;
}

void read_sync(const Cursor& at, std::vector<ProfileParameter>& parameters, process::SyncSpec& sync) {
  Block block(at, "the costs of synchronisation", parameters);
  block.required("poll", sync.poll, TimeSpan{sim::Duration::zero(), max_host_cost, true});
  block.required("wake_latency", sync.wake_latency, TimeSpan{sim::Duration::zero(), max_host_cost});
  block.required("before_sleep", sync.before_sleep, TimeSpan{sim::Duration::zero(), max_host_cost});
}

void read_follow_up(const Cursor& at, std::vector<ProfileParameter>& parameters,
                    process::FollowUpSpec& follow_up) {
  Block block(at, "whether work enqueued during a turn extends the turn", parameters);
  const input::Boolean boolean;
  block.required("graph_of_kernels_spinning", follow_up.graph_of_kernels_spinning, boolean);
  block.required("graph_with_other_nodes_spinning", follow_up.graph_with_other_nodes_spinning, boolean);
  block.required("launches_spinning", follow_up.launches_spinning, boolean);
  block.required("paced_launches_spinning", follow_up.paced_launches_spinning, boolean);
  block.required("blocking", follow_up.blocking, boolean);
}

}  // namespace jostle::profiles
