// Every figure of a profile moves some output, in the direction it should: a figure that moves nothing is
// read and never used.
//
// One row a figure: the scenario that shows it, the change, what is looked at, and where that goes. A figure
// of a shipped profile without a row here fails; those whose mechanism is still to come are listed with the
// reason.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

enum class Goes { up, down };

// What is looked at.
using Observe = double (*)(const Result&);
double total(const Result& result) {
  return result.system.throughput.value();
}
double latency(const Result& result) {
  return result.processes.front().latency_ms.mean.value();
}
double tail(const Result& result) {
  return result.processes.front().latency_ms.p99.value() / latency(result);
}
// Of its latencies: how uncertain they leave their mean.
double spread(const Result& result) {
  const auto ci = result.processes.front().latency_ms.ci95.mean.value();
  return (ci.second - ci.first) / latency(result);
}
// Of its rate in replications.
double uncertainty(const Result& result) {
  const Throughput& rate = result.processes.front().throughput;
  return (rate.ci95->second - rate.ci95->first) / rate.mean.value();
}
double launch(const Result& result) {
  return result.processes.front().ec_ms.launch.value();
}
double set_up(const Result& result) {
  return result.processes.front().setup_ms.value();
}
double issue_slots(const Result& result) {
  return result.processes.front().gpu.issue_slot.value();
}
double gpu_switches(const Result& result) {
  return result.system.gpu.switches_per_s.value();
}
double preemptions(const Result& result) {
  return result.system.cpu.involuntary_switches_per_s.value();
}
double busy_cores(const Result& result) {
  return result.system.cpu.busy_cores.value();
}
double migrations(const Result& result) {
  return result.system.cpu.migrations_per_s.value();
}
// Of all processes, so that who is hit does not matter.
double refilling(const Result& result) {
  double sum = 0;
  for (const ProcessResult& process : result.processes)
    sum += process.time_share.value()[index_of(process::Share::cache_refill)];
  return sum;
}

double moved_by_load(const Result& result) {
  return result.loads.front().bandwidth_gb_s.value();
}
double busy_engine(const Result& result) {
  return result.system.engines.front().busy.value();
}

double used_mb(const Result& result) {
  return result.system.memory.used_mb.value();
}
double watts(const Result& result) {
  return result.system.power_w.mean.value();
}
double at_plug(const Result& result) {
  return result.system.power_w.wall.value();
}

double gpu_memory(const Result& result) {
  return result.system.memory.gpu_share.value();
}
double first(const Result& result) {
  return result.processes.front().throughput.mean.value();
}
double fitting(const Result& result) {
  const auto fits = [](const ProcessResult& process) { return process.status == "ok"; };
  return static_cast<double>(std::ranges::count_if(result.processes, fits));
}

struct Row {
  std::string figure;  // as in Profile::figures
  std::string value;   // what it is changed to
  std::string device;
  std::string scenario;
  Observe observe;
  Goes goes;
  std::vector<std::string> before = {};  // of the profile in both runs
  std::vector<std::string> along = {};   // changed together with the figure, which must not contradict it
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.figure << " = " << row.value << " on " << row.device;
}

// Scenarios
// ---------------------------------------------------------------------------------------------------

std::string on_the(const std::string& device, const std::string& processes, const std::string& rest = {}) {
  return "device: " + device + "\njetson_clocks: true\nprocesses: [" + processes + "]\n" + rest +
         "\nrun: {duration: 2 s, warmup: 500 ms}\n";
}
std::string net(const std::string& runtime, const std::string& rest) {
  return "{model: resnet50, runtime: " + runtime + ", " + rest + "}";
}

const std::string h200 = "nvidia-h200", h100 = "nvidia-h100", tx2 = "jetson-tx2", nano = "jetson-nano",
                  orin = "jetson-orin-nano", super = "jetson-orin-nano-super", xavier = "jetson-xavier-nx",
                  orin_nx = "jetson-orin-nx-16gb", agx = "jetson-agx-orin-64gb", pi = "raspberry-pi-3b",
                  t4 = "nvidia-t4", v100 = "nvidia-v100";

// CPU-bound: alone; on a core or two for several that never sleep.
const std::string eager = net("eager", "precision: fp16, sync: spin");
const std::string session = net("onnxruntime", "precision: fp16, sync: spin");
const std::string engine_session = net("onnxruntime-tensorrt", "precision: fp16, sync: spin");
std::string in_two_threads(const std::string& runtime) {
  return net(runtime, "precision: fp16, sync: spin, streams: 2, host_threads: 2");
}
const std::string batching =
    net("cuda-graph", "precision: fp16, sync: spin, batch: 2, max_queue_delay: 1 ms, arrivals: {clients: 2}");
const std::string libtorch = net("libtorch", "precision: fp16, sync: spin");
std::string from_the_start(const std::string& process) {
  return "device: jetson-nano\nprocesses: [" + process + "]\nrun: {setup: true, batches: 20}\n";
}
const std::string graph_blocking = net("cuda-graph", "precision: fp16, sync: blocking");
const std::string eager_blocking = net("eager", "precision: fp16, sync: blocking");
std::string crowd(int count) {
  return net("eager", fmt::format("precision: fp16, sync: spin, count: {}", count));
}
// Threads without a loss of their own: they owe the cores' debts.
const std::string programs = net("libtorch", "precision: fp16, sync: spin, count: 4");
std::string on_cores(const std::string& device, int cores, const std::string& processes) {
  return on_the(device, processes, fmt::format("host_cores: {}", cores));
}
const std::string polls =
    net("cuda-graph", "precision: fp16, arrivals: {periodic: 20 /s, wait: {poll: 100 us}}");
const std::string replicated = "device: " + h200 + "\nprocesses: [" + eager +
                               "]\nrun: {duration: 1 s, warmup: 100 ms, replications: 12}\n";
// GPU-bound: turns that end by running dry, turns that expire.
const std::string dry = net("cuda-graph", "precision: fp16, sync: spin, count: 4");
const std::string expiring = net("cuda-graph", "precision: fp16, batch: 16, sync: spin, count: 3");
const std::string wide = net("cuda-graph", "precision: fp32, batch: 16, sync: spin, count: 3");
// Kernels of several streams at once: each is an event, and a tenth of a second tells.
std::string streams(int count, int batch, const std::string& rest = {}) {
  return "device: nvidia-h200\nprocesses: [" +
         net("cuda-graph", fmt::format("precision: fp16, streams: {}, batch: {}", count, batch)) + "]\n" +
         rest + "\nrun: {duration: 100 ms, warmup: 50 ms}\n";
}
// Kernel times from the roofline.
std::string roofline(const std::string& precision, int batch) {
  return net("tensorrt", fmt::format("precision: {}, batch: {}", precision, batch));
}
// Hardly any GPU work.
std::string hosts(int count) {
  return fmt::format(
      "{{model: {{kernels: 20, duration: 1 us, blocks: 1, threads: 32}}, runtime: eager, sync: spin, count: "
      "{}}}",
      count);
}
const std::vector<std::string> roomy_and_free_switches{"memory.capacity=64 GB",
                                                       "gpu.time_slicing.switch_when_idle=0 us",
                                                       "gpu.time_slicing.switch_at_expiry=0 us"};
// The cores idle for long between two requests.
const std::string rare = "device: " + orin + "\nprocesses: [" +
                         net("cuda-graph", "precision: fp16, sync: blocking, arrivals: {periodic: 20 /s}") +
                         "]\nrun: {duration: 2 s, warmup: 500 ms}\n";
const std::string two_cores = "clocks: {cores: 2}";
const std::string sparse = net("cuda-graph", "precision: fp16, sync: spin, arrivals: {periodic: 50 /s}");
const std::string copying = net("tensorrt", "precision: fp16, batch: 4, arrivals: {periodic: 20 /s}");
// Batches far shorter than a slice.
std::string kernels(const std::string& runtime, const std::string& sync, const std::string& pace = {}) {
  return "{model: {kernels: 50, duration: 5 us, blocks: 132, threads: 256" +
         (pace.empty() ? "" : ", pace: " + pace) + "}, runtime: " + runtime + ", sync: " + sync +
         ", count: 3}";
}

// In pieces on DLA and GPU; on the cores.
std::string on_dla(const std::string& precision, const std::string& rest = "power_mode: MAXN") {
  return on_the(agx, net("tensorrt", "precision: " + precision + ", batch: 2, placement: dla1"), rest);
}
std::string on_cpu(const std::string& precision, int count = 1, const std::string& runtime = "cpu") {
  return fmt::format("{{model: mobilenet_v2, precision: {}, runtime: {}, placement: cpu, count: {}}}",
                     precision, runtime, count);
}

const std::string paced = kernels("eager", "spin", "15 us");
// Kernels bound by memory, on a board with little bandwidth, beside threads that launch all the time.
std::string beside_threads(const std::string& runtime) {
  return roofline("fp16", 1) + ", " +
         (runtime == "paced" ? kernels("eager", "spin", "15 us") : kernels(runtime, "spin"));
}

std::string beside_load(const std::string& kind) {
  return roofline("fp16", 1) + ", {load: " + kind + "}";
}
std::string after_stage(const std::string& engine) {
  return "{model: {kernels: 10, duration: 50 us, blocks: 8, threads: 128}, arrivals: {periodic: 20 /s}, "
         "stages: {before: [{name: picture, on: " +
         engine + ", size: 1920x1080}]}}";
}

const std::vector<std::string> saves_state{"gpu.time_slicing.state_bandwidth=200 GB/s"};
const std::vector<std::string> long_slice{"gpu.time_slicing.slice=20 ms"};

std::vector<Row> space_rows();
// What a board draws, clocks pinned; and what protects it.
std::vector<Row> power_rows();
// Runtimes of language models.
std::vector<Row> language_rows();

std::vector<Row> rows() {
  using enum Goes;
  std::vector<Row> table{
      // The host's cores
      {"cpu.reference_clock", "4 GHz", h200, on_the(h200, eager), total, down},
      {"cpu.clusters.0.cores", "2", h200, on_the(h200, crowd(6)), total, down},
      {"cpu.clusters.0.capacity", "400", tx2, on_the(tx2, eager, "cpus: [0]"), total, down},
      {"cpu.clusters.0.max_clock", "2 GHz", h200, on_the(h200, eager), total, down},
      {"cpu.clusters.0.cache", "64 MiB", h200, on_cores(h200, 1, programs), refilling, down},
      {"cpu.scheduler.tick", "1 ms", h200, on_cores(h200, 1, crowd(4)), preemptions, up},
      {"cpu.scheduler.base_slice", "4 ms", h200, on_cores(h200, 1, crowd(4)), preemptions, down},
      {"cpu.scheduler.latency", "24 ms", orin, on_cores(orin, 1, crowd(3)), preemptions, down},
      {"cpu.scheduler.min_granularity", "6 ms", orin, on_cores(orin, 1, crowd(3)), preemptions, down},
      {"cpu.scheduler.wakeup_granularity", "50 ms", orin,
       on_cores(orin, 1,
                eager + ", " + net("eager", "precision: fp16, sync: blocking, arrivals: {periodic: 5 /s}")),
       preemptions, down},
      {"cpu.scheduler.migration_cost", "50 ms", h200, on_the(h200, crowd(3), two_cores), migrations, down},
      {"cpu.costs.context_switch", "200 us", h200, on_cores(h200, 1, crowd(4)), total, down},
      {"cpu.costs.preempted", "2 ms", h200, on_cores(h200, 1, programs), total, down},
      {"cpu.costs.preempted_least", "95 us", h200, on_cores(h200, 1, eager + ", " + polls), refilling, up},
      {"cpu.two_speeds.factor", "4", h200, replicated, uncertainty, up},
      {"cpu.two_speeds.weight", "0.02", h200, replicated, uncertainty, down},
      {"cpu.two_speeds.slow", "20 ms", h200, replicated, uncertainty, down},
      {"cpu.costs.preempted_time_constant", "50 ms", h200, on_cores(h200, 1, programs), refilling, down},
      {"cpu.costs.migrated_within", "3 ms", h200, on_the(h200, crowd(3), two_cores), refilling, up},
      {"cpu.costs.migrated_across", "10 ms", orin, on_the(orin, hosts(8)), total, down,
       roomy_and_free_switches},
      {"runtimes.eager.return_loss.whole", "3 ms", h200, on_cores(h200, 1, crowd(4)), total, down},
      {"runtimes.eager.return_loss.time_constant", "100 ms", h200, on_cores(h200, 1, crowd(4)), refilling,
       down},
      {"cpu.idle_state.residency", "1 s", orin, rare, latency, down},
      {"cpu.idle_state.exit_latency", "5 ms", orin, rare, latency, up},
      {"cpu.costs.speed_while_refilling", "0.9", h200, on_cores(h200, 1, crowd(4)), refilling, up},

      // What the GPU can do
      {"gpu.sm_count", "264", h200, on_the(h200, roofline("fp16", 32)), total, up},
      {"gpu.mig.kinds.0.sms", "32", h200, on_the(h200, roofline("fp16", 32), "sharing: {mig: [1g]}"), total,
       up},
      {"gpu.mig.kinds.0.memory", "200 MB", h200, on_the(h200, roofline("fp16", 32), "sharing: {mig: [1g]}"),
       fitting, down},
      {"gpu.sms_per_tpc", "1", orin, on_the(orin, roofline("fp16", 8), "power_mode: 7W"), total, down},
      {"gpu.max_clock",
       "1 GHz",
       h200,
       on_the(h200, roofline("fp16", 32)),
       total,
       down,
       {},
       {"power_modes.modes.0.gpu=1 GHz"}},
      {"gpu.cuda_cores.fp32", "128", h200, on_the(h200, roofline("fp32", 32)), total, down},
      {"gpu.cuda_cores.fp16", "256", nano, on_the(nano, roofline("fp16", 8)), total, down},
      {"gpu.cuda_cores.int8", "256", v100, on_the(v100, roofline("int8", 32)), total, down},
      {"gpu.power_limit.budget", "60 W", t4, on_the(t4, roofline("int8", 32)), total, down},
      {"gpu.tensor_cores.tf32", "512", h200, on_the(h200, roofline("tf32", 32)), total, down},
      {"gpu.tensor_cores.fp16", "1024", h200, on_the(h200, roofline("fp16", 32)), total, down},
      {"gpu.tensor_cores.int8", "1024", h200, on_the(h200, roofline("int8", 32)), total, down},
      {"gpu.tensor_cores.fp8", "1024", h200, on_the(h200, roofline("fp8", 32)), total, down},
      {"gpu.tensor_cores.nvfp4", "1024", "jetson-agx-thor",
       on_the("jetson-agx-thor", "{model: vit_base, precision: nvfp4, batch: 8}"), total, down},
      {"gpu.l2", "64 MiB", nano, on_the(nano, "{model: resnet18, precision: fp16, batch: 8, runtime: eager}"),
       total, up},
      {"gpu.bandwidth", "20 GB/s", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.bandwidth_efficiency", "30 %", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.copy_bandwidth", "1 GB/s", orin, on_the(orin, copying), latency, up},
      {"gpu.copy_fixed", "1 ms", orin, on_the(orin, copying), latency, up},
      {"gpu.kernel_fixed", "50 us", orin, on_the(orin, roofline("fp16", 1)), total, down},
      {"gpu.memory_bytes_per_clock", "10", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.kernels.tensor_efficiency", "20 %", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.kernels.tensor_efficiency_of.tf32", "20 %", orin, on_the(orin, roofline("tf32", 8)), total, down},
      {"gpu.kernels.tensor_efficiency_of.int8", "20 %", orin, on_the(orin, roofline("int8", 8)), total, down},
      {"gpu.kernels.cuda_efficiency", "20 %", nano, on_the(nano, roofline("fp16", 8)), total, down},
      {"gpu.kernels.winograd_gain", "2", nano, on_the(nano, roofline("fp16", 8)), total, up},
      {"gpu.kernels.cuda_efficiency_of.fp32", "20 %", nano, on_the(nano, roofline("fp32", 8)), total, down},
      {"gpu.kernels.winograd_gain_of.fp32", "1", nano, on_the(nano, roofline("fp32", 8)), total, down},
      {"gpu.kernels.gemm_gain", "0.5", orin, on_the(orin, "{model: bert_base, precision: fp16, batch: 8}"),
       total, down},
      {"gpu.kernels.heuristic_algorithm_efficiency", "0.2", nano,
       on_the(nano, "{model: alexnet, precision: fp32, batch: 8, runtime: eager}"), total, down},
      {"gpu.kernels.depthwise_efficiency", "1 %", nano,
       on_the(nano, "{model: mobilenet_v2, precision: fp16, batch: 8}"), total, down},
      {"gpu.kernels.wave_cycles", "20000", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.kernels.start_cycles", "20000", orin, on_the(orin, roofline("fp16", 1)), total, down},
      {"gpu.kernels.l2_bytes_per_clock", "16", orin, on_the(orin, roofline("fp16", 8)), total, down},
      {"gpu.kernels.instructions.per_tensor_clock", "2", orin, on_the(orin, roofline("fp16", 8)), issue_slots,
       up},
      {"gpu.kernels.instructions.per_fma", "2", nano, on_the(nano, roofline("fp16", 8)), issue_slots, up},
      {"gpu.kernels.instructions.per_result", "50", orin, on_the(orin, roofline("fp16", 8)), issue_slots, up},
      {"gpu.kernels.instructions.per_moved", "20", orin, on_the(orin, roofline("fp16", 8)), issue_slots, up},
      // What fits on an SM is what an expiry must save.
      {"gpu.max_threads_per_sm", "256", h200, on_the(h200, wide), total, up, saves_state},
      {"gpu.max_blocks_per_sm", "1", h200, on_the(h200, wide), total, up, saves_state},
      {"gpu.registers_per_sm", "8192", h200, on_the(h200, wide), total, up, saves_state},
      {"gpu.shared_memory_per_sm", "16 KiB", h200, on_the(h200, wide), total, up, saves_state},

      // How it is shared
      {"gpu.time_slicing.slice", "8 ms", h200, on_the(h200, expiring), gpu_switches, down},
      {"gpu.time_slicing.slice_jitter", "1 ms", h200, on_the(h200, expiring), tail, up},
      {"gpu.time_slicing.restart_after_expiry", "500 us", h200, on_the(h200, expiring), total, down},
      {"gpu.time_slicing.switch_when_idle", "1 ms", h200, on_the(h200, dry), total, down},
      {"gpu.time_slicing.switch_at_expiry", "1 ms", h200, on_the(h200, expiring), total, down},
      {"gpu.time_slicing.state_bandwidth", "50 GB/s", h200, on_the(h200, wide), total, down},
      {"gpu.time_slicing.refill_after_expiry", "500 us", h200, on_the(h200, expiring), total, down},
      {"gpu.time_slicing.hold_when_idle", "1 ms", h200, on_the(h200, dry), total, down},
      {"gpu.time_slicing.granularity",
       "kernel",
       h200,
       on_the(h200, wide),
       gpu_switches,
       down,
       {"gpu.time_slicing.slice=200 us", "gpu.time_slicing.state_bandwidth=100 TB/s"}},
      {"gpu.idle_wake.after", "30 ms", h200, on_the(h200, sparse), latency, down},
      {"gpu.idle_wake.cost", "2 ms", h200, on_the(h200, sparse), latency, up},
      {"memory.max_clock", "8 GHz", orin, on_the(orin, roofline("fp16", 8), "clocks: {emc: 2133 MHz}"), total,
       down},

      {"memory.capacity", "2 GB", orin, on_the(orin, net("tensorrt", "precision: fp16, count: 4")), fitting,
       down},
      {"memory.system", "6.9 GB", orin, on_the(orin, net("tensorrt", "precision: fp16, count: 4")), fitting,
       down},
      {"memory.page", "8 MiB", orin, on_the(orin, roofline("fp16", 1)), used_mb, up},
      {"memory.when_full",
       "reboot",
       orin,
       on_the(orin, net("tensorrt", "precision: fp16, count: 4")),
       fitting,
       down,
       {"memory.capacity=2 GB"}},
      {"memory.interference",
       "50 %",
       orin,
       on_the(orin, beside_threads("tensorrt")),
       first,
       down,
       {"gpu.bandwidth_efficiency=20 %", "runtimes.tensorrt.memory_demand=60 GB/s"}},
      {"memory.cores.read", "6 GB/s", orin, on_the(orin, beside_load("memory_read")), moved_by_load, down},
      {"memory.cores.write", "6 GB/s", orin, on_the(orin, beside_load("memory_write")), moved_by_load, down},
      {"memory.cores.together", "4 GB/s", orin, on_the(orin, beside_load("memory_write")), moved_by_load,
       down},
      {"engines.nvdec", "100000000 /s", orin, on_the(orin, after_stage("nvdec")), busy_engine, up},
      {"engines.nvjpeg", "100000000 /s", orin, on_the(orin, after_stage("nvjpeg")), busy_engine, up},
      {"engines.vic", "100000000 /s", orin, on_the(orin, after_stage("vic")), busy_engine, up},
      {"engines.nvenc", "100000000 /s", agx, on_the(agx, after_stage("nvenc")), busy_engine, up},
      {"memory.unified", "false", orin, on_the(orin, roofline("fp16", 1)), used_mb, down},
      // What a DLA can do
      {"dla.max_clock", "1400 MHz", agx, on_dla("int8"), total, down},
      {"dla.ops_per_clock.fp16", "256", agx, on_dla("fp16"), total, down},
      {"dla.ops_per_clock.int8", "8192", agx, on_dla("int8"), total, down},
      {"dla.efficiency.fp16", "20 %", agx, on_dla("fp16"), total, down},
      {"dla.efficiency.int8", "20 %", agx, on_dla("int8"), total, down},
      {"dla.bandwidth", "30 GB/s", agx, on_dla("int8"), total, down},
      {"dla.sram", "16 MiB", agx, on_dla("int8"), total, up},
      {"dla.pointwise", "20 %", agx, on_dla("int8"), total, down},
      {"dla.layer_fixed", "50 us", agx, on_dla("int8"), total, down},
      {"dla.submit", "1 ms", agx, on_dla("int8"), total, down},
      {"dla.border", "1 ms", agx, on_dla("int8"), total, down},
      {"power_modes.modes.1.dla", "1400 MHz", agx, on_dla("int8", "power_mode: 15W"), total, up},

      // What runtimes cost
      {"runtimes.cpu.bandwidth", "100 MB/s", pi, on_the(pi, on_cpu("fp32")), total, down},
      {"runtimes.tflite.int8_efficiency", "2 %", pi, on_the(pi, on_cpu("int8", 1, "tflite")), total, down},
      {"runtimes.ncnn.int8_efficiency", "2 %", orin, on_the(orin, on_cpu("int8", 1, "ncnn")), total, down},
      {"runtimes.ncnn.ops_per_clock.fp16", "2", orin, on_the(orin, on_cpu("fp16", 1, "ncnn")), total, down},
      {"runtimes.cpu.ops_per_clock.fp16", "2", orin, on_the(orin, on_cpu("fp16")), total, down},
      {"runtimes.paced.per_launch", "30 us", h200, on_the(h200, paced), total, down},
      {"runtimes.paced.per_batch", "5 ms", h200, on_the(h200, paced), total, down},
      {"runtimes.paced.gpu_per_launch", "100 us", h200, on_the(h200, paced), total, down},
      {"runtimes.locks.driver", "300 %", h200, on_the(h200, in_two_threads("libtorch")), total, down},
      {"runtimes.locks.interpreter", "100 %", h200, on_the(h200, in_two_threads("eager")), total, down},
      {"runtimes.locks.handover", "50 %", h200, on_the(h200, in_two_threads("eager")), total, down},
      {"runtimes.cuda-graph.server.per_batch", "5 ms", h100, on_the(h100, batching), total, down},
      {"runtimes.cuda-graph.server.per_request", "5 ms", h100, on_the(h100, batching), total, down},
      {"runtimes.cuda-graph.per_launch", "5 ms", h200, on_the(h200, dry), total, down},
      {"runtimes.cuda-graph.per_batch", "5 ms", h200, on_the(h200, dry), total, down},
      {"runtimes.cuda-graph.per_node", "50 us", h200, on_the(h200, dry), total, down},
      {"runtimes.eager.per_launch", "22 us", h200, on_the(h200, eager), total, down},
      {"runtimes.eager.per_batch", "5 ms", h200, on_the(h200, eager), total, down},
      {"runtimes.eager.per_operator", "40 us", h200, on_the(h200, eager), total, down},
      {"runtimes.eager.host_time", "150 %", h200, on_the(h200, eager), total, down},
      {"runtimes.eager.per_view", "9 ms", h200, on_the(h200, eager), total, down},
      {"runtimes.eager.gpu_per_launch", "50 us", h200, on_the(h200, eager), total, down},
      {"runtimes.tensorrt.per_launch", "300 us", h200, on_the(h200, roofline("fp16", 1)), total, down},
      {"runtimes.tensorrt.per_batch", "9 ms", h200, on_the(h200, roofline("fp16", 1)), total, down},
      {"runtimes.tensorrt.gpu_per_launch", "90 us", h200, on_the(h200, roofline("fp16", 1)), total, down},
      {"runtimes.libtorch.per_launch", "22 us", h200, on_the(h200, libtorch), total, down},
      {"runtimes.libtorch.per_batch", "5 ms", h200, on_the(h200, libtorch), total, down},
      {"runtimes.libtorch.gpu_per_launch", "50 us", h200, on_the(h200, libtorch), total, down},
      {"runtimes.onnxruntime.per_launch", "300 us", h200, on_the(h200, session), total, down},
      {"runtimes.onnxruntime.per_batch", "9 ms", h200, on_the(h200, session), total, down},
      {"runtimes.onnxruntime.gpu_per_launch", "90 us", h200, on_the(h200, session), total, down},
      {"runtimes.onnxruntime-tensorrt.per_launch", "300 us", h200, on_the(h200, engine_session), total, down},
      {"runtimes.onnxruntime-tensorrt.per_batch", "9 ms", h200, on_the(h200, engine_session), total, down},
      {"runtimes.onnxruntime-tensorrt.gpu_per_launch", "90 us", h200, on_the(h200, engine_session), total,
       down},
      {"runtimes.eager.fp16_of_fp32", "90 %", nano, on_the(nano, eager), total, up},
      {"runtimes.libtorch.fp16_of_fp32", "90 %", nano, on_the(nano, libtorch), total, up},
      {"observer.nsys.per_launch", "90 us", h200, on_the(h200, eager, "observer: nsys"), total, down},
      {"observer.nsys.per_batch", "9 ms", h200, on_the(h200, eager, "observer: nsys"), total, down},
      {"observer.nsys.gpu_per_launch", "90 us", h200, on_the(h200, eager, "observer: nsys"), total, down},
      {"observer.nsys.kernel_time", "3", orin, on_the(orin, roofline("fp16", 1), "observer: nsys"), total,
       down},
      {"observer.nsys.interval", "100 us", orin, on_the(orin, roofline("fp16", 1), "observer: nsys"),
       busy_cores, up},
      {"observer.nsys.per_interval", "500 us", orin, on_the(orin, roofline("fp16", 1), "observer: nsys"),
       busy_cores, up},
      {"sync.poll", "500 us", h200, on_the(h200, sparse), latency, up},
      {"sync.wake_latency", "3 ms", h200, on_the(h200, graph_blocking), latency, up},
      {"sync.before_sleep", "5 ms", h200, on_the(h200, eager_blocking), total, down},

      // Which refills prolong a turn
      {"refill.graph_of_kernels_spinning", "true", h200, on_the(h200, kernels("cuda-graph", "spin")),
       gpu_switches, down},
      {"refill.graph_with_other_nodes_spinning", "false", h200,
       on_the(h200, net("cuda-graph", "precision: tf32, sync: spin, count: 3")), gpu_switches, up,
       long_slice},
      {"refill.launches_spinning",
       "false",
       h200,
       on_the(h200, kernels("eager", "spin")),
       gpu_switches,
       up,
       {"runtimes.eager.per_launch=1 us", "runtimes.eager.per_batch=0 us"}},
      {"refill.paced_launches_spinning", "true", h200, on_the(h200, kernels("eager", "spin", "1 us")),
       gpu_switches, down},
      {"refill.blocking", "false", h200, on_the(h200, kernels("cuda-graph", "blocking")), gpu_switches, up},

      // What power modes limit
      {"power_modes.modes.1.cores",
       "4",
       nano,
       on_the(nano, crowd(4), "power_mode: 5W"),
       busy_cores,
       up,
       {"memory.capacity=64 GB"}},
      {"power_modes.modes.1.cpu", "1400 MHz", nano,
       on_the(nano, "{model: mobilenet_v2, runtime: eager, precision: fp32, sync: spin}", "power_mode: 5W"),
       total, up},
      {"power_modes.modes.1.gpu", "900 MHz", nano, on_the(nano, roofline("fp16", 8), "power_mode: 5W"), total,
       up},
      {"power_modes.modes.1.emc", "400 MHz", nano, on_the(nano, roofline("fp16", 8), "power_mode: 5W"), total,
       down},
      {"power_modes.modes.0.jetson_clocks_emc", "mode", super,
       on_the(super, roofline("fp16", 8), "power_mode: 15W\nclocks: {gpu: 1020 MHz}"), total, down},
      {"power_modes.modes.1.tpcs", "4", orin, on_the(orin, roofline("fp16", 8), "power_mode: 7W"), total, up},
  };
  const auto process = [](const std::string& runtime, const std::string& rest) {
    return runtime == "paced"
               ? "{model: {kernels: 200, duration: 5 us, blocks: 132, threads: 256, pace: 5 us}, "
                 "runtime: eager, sync: spin" +
                     rest + "}"
               : net(runtime, "precision: fp16, sync: spin" + rest);
  };
  for (const std::string runtime :
       {"cuda-graph", "eager", "libtorch", "tensorrt", "onnxruntime", "onnxruntime-tensorrt"}) {
    const std::string below = "memory.contexts." + runtime + ".";
    const std::string scenario = on_the(orin, net(runtime, "precision: fp16"));
    table.push_back({below + "process", "2 GB", orin, scenario, used_mb, up});
    table.push_back({below + "gpu", "10 MB", orin, scenario, gpu_memory, down});
    table.push_back({below + "shared", "10 MB", orin, scenario, used_mb, down});
  }
  for (const std::string runtime : {"cpu", "ncnn", "tflite", "executorch", "onnxruntime-cpu", "torch"}) {
    const std::string key = runtime == "onnxruntime-cpu" ? "onnxruntime_cpu" : runtime;
    const std::string memory = "memory.contexts." + key + ".", below = "runtimes." + key + ".";
    const bool jetson = runtime == "cpu" || runtime == "ncnn" || runtime == "tflite";
    const std::string board = jetson ? orin : "raspberry-pi-5";
    const std::string scenario = on_the(board, on_cpu("fp32", 1, runtime));
    table.push_back({memory + "process", "2 GB", board, scenario, used_mb, up});
    table.push_back({memory + "gpu", "20 MB", board, scenario, gpu_memory, up});
    table.push_back({memory + "shared", "1 MB", board, scenario, used_mb, down});
    table.push_back({below + "per_layer", "5 ms", board, scenario, total, down});
    table.push_back({below + "per_batch", "50 ms", board, scenario, total, down});
    table.push_back({below + "variation", "80 %", board, scenario, spread, up});
    table.push_back({below + "working_set", "1 KiB", board, on_cores(board, 1, on_cpu("fp32", 3, runtime)),
                     refilling, down});
    table.push_back({below + "ops_per_clock.fp32", "2", board, scenario, total, down});
    table.push_back(
        {below + "ops_per_clock.int8", "2", board, on_the(board, on_cpu("int8", 1, runtime)), total, down});
    if (runtime == "executorch")
      table.push_back(
          {below + "ops_per_clock.fp16", "2", board, on_the(board, on_cpu("fp16", 1, runtime)), total, down});
    table.push_back({below + "efficiency", "5 %", board, scenario, total, down});
    table.push_back({below + "core_bandwidth", "100 MB/s", board, scenario, total, down});
    if (!jetson)
      table.push_back(
          {below + "int8_efficiency", "2 %", board, on_the(board, on_cpu("int8", 1, runtime)), total, down});
    if (!jetson || runtime == "tflite")
      table.push_back({below + "cache", "1 KiB", "raspberry-pi-5",
                       on_the("raspberry-pi-5", on_cpu("fp32", 1, runtime)), total, down});
    if (runtime == "cpu") continue;
    table.push_back({below + "bandwidth", "1 GB/s", board, scenario, total, down});
    table.push_back({below + "join", "500 us", board, scenario, total, down});
  }
  for (const std::string runtime :
       {"cuda-graph", "eager", "libtorch", "tensorrt", "onnxruntime", "onnxruntime-tensorrt", "paced"}) {
    const std::string below = "runtimes." + runtime + ".";
    table.push_back({below + "variation",
                     "80 %",
                     h200,
                     on_the(h200, process(runtime, ", arrivals: {periodic: 20 /s}")),
                     spread,
                     up,
                     {below + "per_batch=5 ms"}});
    table.push_back({below + "memory_demand",
                     "60 GB/s",
                     orin,
                     on_the(orin, beside_threads(runtime)),
                     first,
                     down,
                     {"gpu.bandwidth_efficiency=20 %"}});
    table.push_back({below + "api_share", "10 %", h200, on_the(h200, process(runtime, "")), launch, down});
    // On the H200 an eager thread has a loss of its own in place of that of its data.
    const std::string board = runtime == "eager" ? orin : h200;
    table.push_back({below + "working_set", "1 KiB", board,
                     on_cores(board, 1, process(runtime, ", count: 4")), refilling, down});
  }
  for (const std::string runtime :
       {"cuda-graph", "eager", "libtorch", "tensorrt", "onnxruntime", "onnxruntime-tensorrt"}) {
    const std::string below = "runtimes." + runtime + ".";
    const std::string once = from_the_start(net(runtime, "precision: fp32"));
    table.push_back({below + "setup.start", "20 s", nano, once, set_up, up});
    table.push_back({below + "setup.load", "10 MB/s", nano, once, set_up, up});
    table.push_back({below + "setup.first_batch", "20 s", nano, once, set_up, up});
    if (runtime != "eager" && runtime != "libtorch") continue;
    const std::string compiled = from_the_start(net(runtime, "precision: fp32, graph: static"));
    table.push_back({below + "static_graph.compile", "9 s", nano, compiled, set_up, up});
    table.push_back({below + "static_graph.compile_per_node", "1 s", nano, compiled, set_up, up});
    table.push_back({below + "static_graph.compute", "60 %", nano, compiled, total, up});
    table.push_back({below + "static_graph.host_time", "5 %", h200,
                     on_the(h200, net(runtime, "precision: fp16, sync: spin, graph: static")), total, up});
  }
  for (const std::vector<Row>& more : {space_rows(), power_rows(), language_rows()})
    table.insert(table.end(), more.begin(), more.end());
  return table;
}

std::string decoding(const std::string& runtime, const std::string& precision, const std::string& rest = {}) {
  return "{model: smollm2_360m, precision: " + precision + ", runtime: " + runtime +
         ", sync: spin, bench: {tg: 8, depth: 64}" + rest + "}";
}
std::vector<Row> language_rows() {
  using enum Goes;
  struct Served {
    std::string runtime, key;
    std::vector<std::string> formats;
  };
  const std::vector<Served> all{{"llama.cpp", "llama_cpp", {"q4_k_m", "q8_0", "q4_0", "mxfp4"}},
                                {"ollama", "ollama", {"q4_k_m", "q8_0", "q4_0", "mxfp4"}},
                                {"mlc", "mlc", {"int4", "awq"}},
                                {"tensorrt-llm", "tensorrt-llm", {"awq"}},
                                {"vllm", "vllm", {"awq", "mxfp4"}}};
  std::vector<Row> table;
  for (const auto& [runtime, key, formats] : all) {
    const std::string below = "runtimes." + key + ".", memory = "memory.contexts." + key + ".";
    const std::string once = on_the(orin, decoding(runtime, "fp16"));
    table.push_back({memory + "process", "3 GB", orin, once, used_mb, up});
    table.push_back({memory + "gpu", "10 MB", orin, once, gpu_memory, down});
    table.push_back({memory + "shared", "10 MB", orin, once, used_mb, down});
    table.push_back({below + "per_launch", "20 ms", orin, once, total, down});
    table.push_back({below + "per_batch", "20 ms", orin, once, total, down});
    table.push_back({below + "per_node", "100 us", orin, once, total, down});
    table.push_back({below + "api_share", "10 %", orin, once, launch, down});
    table.push_back({below + "variation",
                     "80 %",
                     orin,
                     on_the(orin, "{model: smollm2_360m, precision: fp16, runtime: " + runtime +
                                      ", sync: spin, bench: {tg: 1}}"),
                     spread,
                     up,
                     {below + "per_batch=20 ms"}});
    table.push_back({below + "working_set",
                     "64 KiB",
                     orin,
                     on_cores(orin, 1,
                              "{model: smollm2_360m, precision: fp16, runtime: " + runtime +
                                  ", sync: spin, bench: {tg: 1}, count: 3}"),
                     refilling,
                     down,
                     {"memory.capacity=64 GB"}});
    table.push_back({below + "memory_demand",
                     "60 GB/s",
                     orin,
                     on_the(orin, roofline("fp16", 1) + ", " + decoding(runtime, "fp16")),
                     first,
                     down,
                     {"gpu.bandwidth_efficiency=20 %", below + "per_batch=20 ms"}});
    const std::string begun = "device: jetson-orin-nano\nprocesses: [" + decoding(runtime, "fp16") +
                              "]\nrun: {setup: true, batches: 20}\n";
    table.push_back({below + "setup.start", "30 s", orin, begun, set_up, up});
    table.push_back({below + "setup.load", "10 MB/s", orin, begun, set_up, up});
    table.push_back({below + "setup.first_batch", "30 s", orin, begun, set_up, up});
    table.push_back({below + "row", "500", orin, once, total, down});
    table.push_back({below + "products", "5 %", orin,
                     on_the(orin, "{model: smollm2_360m, precision: fp16, runtime: " + runtime +
                                      ", sync: spin, bench: {pp: 512}}"),
                     total, down});
    if (key == "llama_cpp" || key == "ollama") {
      table.push_back({below + "cache", "50", orin, once, total, down});
      table.push_back({below + "kernel_start", "50 us", orin, once, total, down});
    }
    if (key == "tensorrt-llm") {
      table.push_back(
          {below + "unpack.mxfp4", "0.5", h200, on_the(h200, decoding(runtime, "mxfp4")), total, down});
      table.push_back({below + "attention", "500000", orin,
                       on_the(orin,
                              "{model: smollm2_360m, precision: fp16, runtime: tensorrt-llm, sync: spin, "
                              "bench: {tg: 8, depth: 64, sequences: 2}}"),
                       total, down});
    }
    for (const std::string& format : formats)
      table.push_back(
          {below + "unpack." + format, "0.5", orin, on_the(orin, decoding(runtime, format)), total, down});
  }
  const std::string pi = "raspberry-pi-5", on_the_cores = "runtimes.cpu.language.";
  const auto on_pi = [&pi](const std::string& precision, const std::string& bench) {
    return on_the(pi, "{model: qwen2.5_0.5b, precision: " + precision +
                          ", runtime: llama.cpp, placement: cpu, threads: 4, sync: spin, bench: {" + bench +
                          "}}");
  };
  for (const std::string format : {"fp16", "q8_0", "q4_0"})
    table.push_back(
        {on_the_cores + "ops_per_clock." + format, "0.5", pi, on_pi(format, "pp: 8"), total, down});
  // Rows of 896 weights, which blocks of 256 do not fit, are in other formats.
  table.push_back(
      {on_the_cores + "ops_per_clock.q4_k_m", "0.5", pi,
       on_the(pi,
              "{model: qwen2.5_1.5b, precision: q4_k_m, runtime: llama.cpp, placement: cpu, threads: "
              "4, sync: spin, bench: {pp: 4}}"),
       total, down});
  for (const auto& [figure, value] : {std::pair("core_bandwidth", "500 MB/s"),
                                      std::pair("bandwidth", "6 GB/s"), std::pair("crowding", "300 %"),
                                      std::pair("per_operator", "500 us"), std::pair("per_thread", "300 us")})
    table.push_back({on_the_cores + figure, value, pi, on_pi("q8_0", "tg: 4"), total, down});
  return table;
}

// Kernels that run at the same time
std::vector<Row> space_rows() {
  const auto up = Goes::up, down = Goes::down;
  return {
      {"gpu.space_sharing.connections", "1", h200, streams(4, 1), total, down},
      {"gpu.space_sharing.resident_grids", "1", h200, streams(4, 1), total, down},
      {"gpu.space_sharing.block_turnover", "20 us", h200, streams(2, 16), total, down},
      {"gpu.space_sharing.kernel_start", "0 us", h200, streams(4, 16), total, down},
      {"gpu.space_sharing.warp_bandwidth", "20 MB/s", h200, streams(4, 16), total, up},
      {"gpu.space_sharing.fetch", "20 us", h200, streams(4, 1), total, down},
      {"gpu.space_sharing.foreign_fetch", "20 us", h200,
       on_the(h200,
              "{model: resnet50, precision: fp16, runtime: cuda-graph}, "
              "{model: mobilenet_v2, precision: fp16, runtime: cuda-graph}",
              "sharing: mps"),
       total, down},
      {"gpu.space_sharing.mps_kernel", "20 us", h200, streams(4, 1, "sharing: mps"), total, down},
      {"gpu.space_sharing.mps_cold_code", "20 us", h200,
       on_the(h200,
              "{model: qwen2.5_1.5b, precision: fp16, runtime: cuda-graph, sync: spin, "
              "bench: {tg: 8, depth: 512}}",
              "sharing: mps"),
       total, down},
      {"gpu.space_sharing.compute_load", "1 %", h200, streams(4, 16), total, up},
      {"gpu.space_sharing.memory_load", "1 %", h200, streams(4, 16), total, up},
      {"gpu.space_sharing.miss_latency", "3", h200, streams(4, 16), total, down},
      {"runtimes.cuda-graph.replay_gaps", "0 %", h200, streams(1, 1), total, up},
      {"runtimes.cuda-graph.gap_beyond_tables", "1 us", h200, streams(1, 1), total, down},
  };
}

std::vector<Row> power_rows() {
  const auto up = Goes::up, down = Goes::down;
  std::vector<Row> table;
  const std::string busy = on_the(super, roofline("fp16", 1));
  for (const auto& [figure, value] : std::vector<std::pair<std::string, std::string>>{
           {"cpu.voltage", "[[1 GHz, 1.2 V]]"},
           {"cpu.core", "3 nF"},
           {"cpu.idle_core", "0.3 nF"},
           {"cpu.leakage", "1 W"},
           {"gpu.voltage", "[[1 GHz, 1.2 V]]"},
           {"gpu.clock_tree", "0.5 nF"},
           {"gpu.busy", "0.5 nF"},
           {"gpu.sm", "3 nF"},
           {"gpu.tensor", "3 nF"},
           {"gpu.per_byte", "100 pJ/B"},
           {"gpu.leakage", "0.5 W"},
           {"gpu.issue", "1 nF"},
           {"gpu.warps", "1 nF"},
           {"soc.voltage", "[[204 MHz, 0.65 V], [3199 MHz, 1.2 V]]"},
           {"soc.base", "3 W"},
           {"soc.leakage", "2 W"},
           {"soc.clock", "2 nF"},
           {"soc.per_byte", "100 pJ/B"},
           {"dram.base", "2 W"},
           {"dram.clock", "1 mW/MHz"},
           {"dram.per_byte", "150 pJ/B"},
           {"module.base", "4 W"}})
    table.push_back({"power." + figure, value, super, busy, watts, up});
  table.push_back(
      {"power.thermal.fan_curve", "[[0 degC, 100 %], [90 degC, 100 %]]", super, busy, watts, down});
  table.push_back({"power.module.efficiency", "80 %", super, busy, watts, up});
  const std::string now_and_then =
      "device: jetson-nano\nprocesses: [{model: resnet50, precision: fp16, arrivals: {periodic: 1 "
      "/s}}]\n"
      "run: {duration: 4 s, warmup: 1 s}\n";
  table.push_back({"power.gpu.gated_after", "100 ms", "jetson-nano", now_and_then, watts, down});
  for (const auto& [figure, value] :
       std::vector<std::pair<std::string, std::string>>{{"voltage", "[[1 GHz, 1.2 V]]"},
                                                        {"busy", "5 nF"},
                                                        {"idle", "2 nF"},
                                                        {"per_operation", "1 pJ"},
                                                        {"leakage", "1 W"}})
    table.push_back({"power.dla." + figure, value, agx, on_dla("int8"), watts, up});
  table.push_back({"power.module.per_byte", "1 nJ/B", "jetson-agx-xavier",
                   on_the("jetson-agx-xavier", roofline("fp16", 1)), watts, up});
  table.push_back({"power.wall.base", "20 W", agx, on_dla("int8"), at_plug, up});
  table.push_back({"power.wall.efficiency", "95 %", agx, on_dla("int8"), at_plug, down});

  const std::string heavy = on_the(xavier, roofline("int8", 16), "power_mode: 15W_6CORE");
  const std::string average = "power.over_current.average.", instant = "power.over_current.instantaneous.";
  table.push_back({average + "current", "2 A", xavier, heavy, total, down});
  table.push_back({average + "pulses", "80 %", xavier, heavy, total, up, {average + "current=2 A"}});
  table.push_back({instant + "current", "2 A", xavier, heavy, total, down});
  table.push_back({instant + "pulses", "80 %", xavier, heavy, total, up, {instant + "current=2 A"}});
  table.push_back({"power.over_current.voltage", "2 V", xavier, heavy, total, down});
  const std::string nx = on_the(orin_nx, roofline("int8", 16), "power_mode: MAXN");
  table.push_back({average + "power", "8 W", orin_nx, nx, total, down});
  table.push_back({instant + "power", "8 W", orin_nx, nx, total, down});
  table.push_back({"power_modes.modes.8.over_current_average", "2 A", xavier,
                   on_the(xavier, roofline("int8", 16), "power_mode: 20W_6CORE"), total, down});
  table.push_back({"power_modes.modes.4.over_current_instantaneous", "2 A", orin_nx,
                   on_the(orin_nx, roofline("int8", 16), "power_mode: 40W"), total, down});
  return table;
}

// A scenario that is accepted before the change and refused after it.
struct Bound {
  std::string figure, value, device, scenario;
};
std::vector<Bound> bounds() {
  return {
      {"cpu.clusters.0.clock_table", "[1 GHz, 2 GHz]", tx2, on_the(tx2, eager, "clocks: {cpu: 576 MHz}")},
      {"gpu.clock_table", "[1 GHz, 1.3 GHz]", tx2, on_the(tx2, eager, "clocks: {gpu: 500 MHz}")},
      {"memory.clock_table", "[1 GHz, 1.8 GHz]", tx2, on_the(tx2, eager, "clocks: {emc: 665.6 MHz}")},
      {"dla.count", "1", agx, on_dla("int8")},
      {"gpu.max_threads_per_block", "128", h200, on_the(h200, kernels("cuda-graph", "spin"))},
      {"gpu.mps", "false", "jetson-orin-nano-super", on_the("jetson-orin-nano-super", eager, "mps: true")},
  };
}

// Figures that move nothing here, and why or where they do.
struct Exception {
  std::string figure, reason;
};
std::vector<Exception> exceptions() {
  std::vector<Exception> list{
      {"cpu.clusters.*.shared_cache", "a debt is scaled by the core's own cache alone"},
      {"gpu.droop.above", "tests/models/gpu_rates.cpp"},
      {"gpu.droop.per_ghz", "tests/models/gpu_rates.cpp"},
      {"gpu.power_limit.min", "a bound of what scenarios ask: tests/scenarios/device_check.cpp"},
      {"gpu.power_limit.window", "tests/models/power_limit.cpp"},
      {"gpu.power_limit.period", "tests/models/power_limit.cpp"},
      {"gpu.power_limit.gain", "tests/models/power_limit.cpp"},
      {"gpu.power_limit.burst", "tests/models/power_limit.cpp"},
      {"price.board", "what a board costs moves no run: tests/analyses/plan.cpp, offload.cpp"},
      {"price.per_hour", "what a board costs moves no run: tests/analyses/plan.cpp, offload.cpp"},
      {"power_modes.modes.*.cpu_min", "the floor of a governor, and clocks are pinned here"},
      {"power_modes.modes.*.gpu_min", "the floor of a governor, and clocks are pinned here"}};
  for (const char* figure : {"cpu.delay", "cpu.floor", "cpu.interval", "gpu.delay", "gpu.interval",
                             "emc.delay", "emc.gpu_ratio", "emc.up_threshold", "emc.down_threshold"})
    list.push_back({std::string("power.governors.") + figure, "tests/models/power_governors.cpp"});
  for (const char* figure : {"average.averaging", "average.release", "instantaneous.release"})
    list.push_back({std::string("power.over_current.") + figure, "tests/models/power_controllers.cpp"});
  for (const char* figure : {"critical", "passive", "polling", "stages.*.resistance",
                             "stages.*.resistance_without_fan", "stages.*.time_constant"})
    list.push_back({std::string("power.thermal.") + figure, "tests/models/power_controllers.cpp"});
  return list;
}

// "cpu.clusters.1.cores" and "cpu.clusters.0.cores" are the same figure.
std::string without_indices(const std::string& path) {
  std::string result;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string step = path.substr(from, dot - from);
    const bool index = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    result += (from > 0 ? "." : "") + (index ? "*" : step);
    from = dot + 1;
  }
  return result;
}

class AFigure : public ::testing::TestWithParam<Row> {};

TEST_P(AFigure, moves_what_it_should) {
  const Row& row = GetParam();
  std::vector<std::string> after = row.before;
  after.insert(after.end(), row.along.begin(), row.along.end());
  after.push_back(row.figure + "=" + row.value);
  const double unchanged = row.observe(run_on(changed_profile(row.device, row.before), row.scenario));
  const double changed = row.observe(run_on(changed_profile(row.device, after), row.scenario));
  if (row.goes == Goes::up) {
    EXPECT_GT(changed, unchanged * 1.001);
  } else {
    EXPECT_LT(changed, unchanged * 0.999);
  }
}

std::string test_name(const ::testing::TestParamInfo<Row>& row) {
  std::string name = row.param.figure;
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Sensitivity, AFigure, ::testing::ValuesIn(rows()), test_name);

TEST(Sensitivity, a_bound_refuses_what_lies_beyond_it) {
  for (const Bound& bound : bounds()) {
    const profiles::Profile before = changed_profile(bound.device, {});
    const profiles::Profile after = changed_profile(bound.device, {bound.figure + "=" + bound.value});
    EXPECT_NO_THROW(static_cast<void>(scenario_of(bound.scenario, &before))) << bound.figure;
    EXPECT_THROW(static_cast<void>(scenario_of(bound.scenario, &after)), std::runtime_error) << bound.figure;
  }
}

TEST(Sensitivity, no_figure_of_a_shipped_profile_is_without_a_row) {
  std::set<std::string> shown;
  for (const Row& row : rows()) shown.insert(without_indices(row.figure));
  for (const Bound& bound : bounds()) shown.insert(without_indices(bound.figure));
  std::set<std::string> excused;
  for (const Exception& exception : exceptions()) excused.insert(exception.figure);
  std::set<std::string> found;
  for (const std::string& device : profiles::device_names()) {
    for (const profiles::ProfileParameter& figure : changed_profile(device, {}).figures) {
      const std::string path = without_indices(figure.path);
      found.insert(path);
      EXPECT_TRUE(shown.contains(path) || excused.contains(path))
          << device << ": " << figure.path << " moves nothing that is tested here";
    }
  }
  for (const std::string& path : excused) {
    EXPECT_TRUE(found.contains(path)) << path << " is excused, and no profile has it";
    EXPECT_FALSE(shown.contains(path)) << path << " is excused, and has a row";
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
