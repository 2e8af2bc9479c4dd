#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

const sim::Duration max_gpu_cost = sim::seconds(1);

void read_operations(const Cursor& at, Block& outer, gpu::OpsPerClock& operations) {
  Block block(at, "operations per clock and SM, one for each precision", outer.parameters(), outer.from());
  const Real count{0, 1e6};
  block.optional("fp32", operations.fp32, count);
  block.optional("tf32", operations.tf32, count);
  block.optional("fp16", operations.fp16, count);
  block.optional("int8", operations.int8, count);
  block.optional("fp8", operations.fp8, count);
  block.optional("nvfp4", operations.nvfp4, count);
}

void read_shares(const Cursor& at, Block& outer, gpu::PerPrecision& shares) {
  Block block(at, "shares of the peak, one for each precision", outer.parameters(), outer.from());
  const Quantity share{input::share_dimension(), 0, 1, true};
  block.optional("tf32", shares.tf32, share);
  block.optional("fp16", shares.fp16, share);
  block.optional("int8", shares.int8, share);
}

// The precisions that CUDA cores have.
void read_of_cuda_cores(const Cursor& at, Block& outer, gpu::PerPrecision& values, const auto& kind) {
  Block block(at, "values of CUDA cores, one for each precision", outer.parameters(), outer.from());
  block.optional("fp32", values.fp32, kind);
  block.optional("fp16", values.fp16, kind);
  block.optional("int8", values.int8, kind);
}

void read_time_slicing(const Cursor& at, Block& outer, gpu::TimeSlicing& slicing) {
  Block block(at, "the parameters of time slicing", outer.parameters(), outer.from());
  const TimeSpan span{sim::Duration::zero(), max_gpu_cost};
  block.required("slice", slicing.slice, TimeSpan{sim::Duration::zero(), max_gpu_cost, true});
  block.optional("slice_jitter", slicing.slice_jitter, span);
  block.required("switch_when_idle", slicing.switch_when_idle, span);
  block.required("switch_at_expiry", slicing.switch_at_expiry, span);
  block.optional("state_bandwidth", slicing.state_bandwidth_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.optional("restart_after_expiry", slicing.restart_after_expiry, span);
  block.required("refill_after_expiry", slicing.refill_after_expiry, span);
  block.required("hold_when_idle", slicing.hold_when_idle, span);
  using Granularity = gpu::PreemptionGranularity;
  block.required("granularity", slicing.granularity,
                 input::Choice<Granularity>{"a preemption granularity",
                                            {{"instruction", Granularity::instruction},
                                             {"thread-block", Granularity::thread_block},
                                             {"kernel", Granularity::kernel}}});
}

void read_space_sharing(const Cursor& at, Block& outer, gpu::SpaceSharing& law) {
  Block block(at, "the parameters of sharing in space", outer.parameters(), outer.from());
  const TimeSpan span{sim::Duration::zero(), max_gpu_cost};
  const Quantity load{input::share_dimension(), 0, 2, false};
  block.required("connections", law.connections, Whole<int>{1, 1024});
  block.required("resident_grids", law.resident_grids, Whole<int>{1, 1024});
  block.required("block_turnover", law.block_turnover, span);
  block.required("kernel_start", law.kernel_start, span);
  block.required("fetch", law.fetch, span);
  block.optional("foreign_fetch", law.foreign_fetch, span);
  block.required("mps_kernel", law.mps_kernel, span);
  block.optional("mps_cold_code", law.mps_cold_code, span);
  block.required("compute_load", law.compute_load, load);
  block.required("memory_load", law.memory_load, load);
  block.optional("miss_latency", law.miss_latency, Real{0.5, 10});
  block.required("warp_bandwidth", law.warp_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
}

void read_idle_wake(const Cursor& at, Block& outer, gpu::IdleWake& wake) {
  Block block(at, "the cost of a wake-up from idle", outer.parameters(), outer.from());
  block.required("after", wake.after, TimeSpan{sim::Duration::zero(), sim::seconds(1000)});
  block.required("cost", wake.cost, TimeSpan{sim::Duration::zero(), max_gpu_cost});
}

void read_droop(const Cursor& at, Block& outer, gpu::DroopSpec& droop) {
  Block block(at, "the loss of clock under tensor work", outer.parameters(), outer.from());
  block.required("above", droop.above_hz, Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  double per_ghz = 0;
  block.required("per_ghz", per_ghz, Quantity{input::share_dimension(), 0, 1});
  droop.per_hz = per_ghz * 1e-9;
}

void read_instructions(const Cursor& at, Block& outer, gpu::IssuedInstructions& instructions) {
  Block block(at, "instructions of kernels", outer.parameters(), outer.from());
  const Real count{0, 1e6};
  block.required("per_tensor_clock", instructions.per_tensor_clock, count);
  block.required("per_fma", instructions.per_fma, count);
  block.required("per_result", instructions.per_result, count);
  block.required("per_moved", instructions.per_moved, count);
}

void read_kernels(const Cursor& at, Block& outer, gpu::KernelCosts& costs) {
  Block block(at, "the efficiency of kernels", outer.parameters(), outer.from());
  const Quantity share{input::share_dimension(), 0, 1, true};
  const Real cycles{0, 1e9};
  block.required("tensor_efficiency", costs.tensor_efficiency, share);
  if (const auto differing = block.words().find("tensor_efficiency_of"))
    read_shares(*differing, block, costs.tensor_efficiency_of);
  block.required("cuda_efficiency", costs.cuda_efficiency, share);
  if (const auto differing = block.words().find("cuda_efficiency_of"))
    read_of_cuda_cores(*differing, block, costs.cuda_efficiency_of, share);
  const Real gain{1, 4};
  block.required("winograd_gain", costs.winograd_gain, gain);
  if (const auto differing = block.words().find("winograd_gain_of"))
    read_of_cuda_cores(*differing, block, costs.winograd_gain_of, gain);
  block.optional("gemm_gain", costs.gemm_gain, Real{0.3, 3});
  block.optional("heuristic_algorithm_efficiency", costs.heuristic_algorithm_efficiency, Real{0.05, 1});
  block.optional("depthwise_efficiency", costs.depthwise_efficiency, share);
  block.required("wave_cycles", costs.wave_cycles, cycles);
  block.required("start_cycles", costs.start_cycles, cycles);
  block.required("l2_bytes_per_clock", costs.l2_bytes_per_clock, Real{1, 1e6});
  if (const auto instructions = block.words().find("instructions"))
    read_instructions(*instructions, block, costs.instructions);
}

void read_what_if(const Cursor& at, Block& outer, board::SpeedFactors& faster) {
  Block block(at, "speed factors: arithmetic, memory", outer.parameters(), outer.from());
  const Real times{0.01, 100};
  block.optional("arithmetic", faster.arithmetic, times);
  block.optional("memory", faster.memory, times);
}

gpu::InstanceKind read_instance(const Cursor& at, const Block& outer, int slices) {
  Block block(at, "an instance of the GPU", outer.parameters(), outer.from());
  gpu::InstanceKind kind;
  block.words().required("name", kind.name, input::Text{40});
  block.required("sms", kind.sms, Whole<int>{1, 4096});
  block.optional("memory", kind.memory_bytes, Quantity{input::size_dimension(), 0, 1e15, true});
  block.words().required("slices", kind.slices, Whole<int>{1, slices});
  block.words().required(
      "at", kind.starts,
      input::List<int, Whole<int>>{"the first slice of each place", {0, slices - kind.slices}, 64});
  return kind;
}

// Reads the instances that the driver makes of the GPU.
void read_instances(const Cursor& at, Block& outer, board::DeviceSpec& device) {
  constexpr int most_slices = 16;
  Block block(at, "instances of the GPU: slices, kinds", outer.parameters(), outer.from());
  block.words().required("slices", device.instances.slices, Whole<int>{1, most_slices});
  if (const auto kinds = block.words().require("kinds"))
    for (const Cursor& kind : kinds->items("a list of instances", 64))
      device.instances.kinds.push_back(read_instance(kind, block, device.instances.slices));
}

void read_limits(Block& block, gpu::Spec& gpu) {
  block.required("max_threads_per_sm", gpu.max_threads_per_sm, Whole<int>{1, 1 << 20});
  block.required("max_blocks_per_sm", gpu.max_blocks_per_sm, Whole<int>{1, 1 << 16});
  block.required("max_threads_per_block", gpu.max_threads_per_block, Whole<int>{1, 1 << 16});
  block.required("registers_per_sm", gpu.registers_per_sm, Whole<int>{1, 1 << 24});
  double shared = 0;
  if (block.required("shared_memory_per_sm", shared, Quantity{input::size_dimension(), 0, 1e9, true})) {
    gpu.shared_bytes_per_sm = static_cast<int>(shared);
  }
}

const sim::Duration max_dla_cost = sim::seconds(1);

template <class Reader>
void read_precisions(const Cursor& at, Block& outer, const char* what, dla::PerPrecision& values,
                     const Reader& read) {
  Block block(at, what, outer.parameters(), outer.from());
  block.required("fp16", values.fp16, read);
  block.required("int8", values.int8, read);
}

}  // namespace

void read_gpu(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device,
              std::optional<power::PowerLimitSpec>& limit) {
  gpu::Spec& gpu = device.gpu;
  Block block(at, "a GPU", parameters);
  block.words().required("architecture", gpu.architecture, input::Text{20});
  block.required("sm_count", gpu.sm_count, Whole<int>{1, 4096});
  block.required("sms_per_tpc", gpu.sms_per_tpc, Whole<int>{1, 16});
  block.required("max_clock", gpu.max_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  block.optional("clock_table", gpu.clock_table_hz, read_clock_table);
  read_limits(block, gpu);
  if (const auto cores = block.words().require("cuda_cores")) read_operations(*cores, block, gpu.cuda_cores);
  if (const auto cores = block.words().find("tensor_cores")) read_operations(*cores, block, gpu.tensor_cores);
  block.required("l2", gpu.l2_bytes, Quantity{input::size_dimension(), 0, 1e12, true});
  block.required("bandwidth", gpu.bandwidth_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.required("bandwidth_efficiency", gpu.bandwidth_efficiency,
                 Quantity{input::share_dimension(), 0, 1, true});
  block.optional("memory_bytes_per_clock", gpu.memory_bytes_per_clock, Real{0, 1e6});
  block.required("copy_bandwidth", gpu.copy_bandwidth_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.required("copy_fixed", gpu.copy_fixed, TimeSpan{sim::Duration::zero(), max_gpu_cost});
  block.required("kernel_fixed", gpu.kernel_fixed, TimeSpan{sim::Duration::zero(), max_gpu_cost});
  if (const auto kernels = block.words().require("kernels")) read_kernels(*kernels, block, gpu.kernels);
  if (const auto slicing = block.words().require("time_slicing"))
    read_time_slicing(*slicing, block, gpu.time_slicing);
  block.optional("mps", device.mps, input::Boolean{});
  if (const auto instances = block.words().find("mig")) read_instances(*instances, block, device);
  if (const auto faster = block.words().find("what_if")) read_what_if(*faster, block, device.what_if);
  if (const auto law = block.words().find("space_sharing"))
    read_space_sharing(*law, block, gpu.space_sharing);
  if (const auto wake = block.words().find("idle_wake")) read_idle_wake(*wake, block, gpu.idle_wake);
  if (const auto loss = block.words().find("droop")) read_droop(*loss, block, gpu.droop);
  if (const auto part = block.words().find("power_limit")) read_power_limit(*part, block, limit);
}

void read_dla(const Cursor& at, std::vector<ProfileParameter>& parameters, dla::Spec& dla) {
  Block block(at, "a DLA", parameters);
  block.required("count", dla.count, Whole<int>{1, 2});
  block.required("max_clock", dla.max_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  block.optional("clock_table", dla.clock_table_hz, read_clock_table);
  if (const auto ops = block.words().require("ops_per_clock"))
    read_precisions(*ops, block, "operations per clock", dla.ops_per_clock, Real{0, 1e6, true});
  if (const auto shares = block.words().require("efficiency")) {
    read_precisions(*shares, block, "shares of the peak", dla.efficiency,
                    Quantity{input::share_dimension(), 0, 1, true});
  }
  block.optional("pointwise", dla.pointwise, Quantity{input::share_dimension(), 0.01, 1});
  block.required("bandwidth", dla.bandwidth_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.required("sram", dla.sram_bytes, Quantity{input::size_dimension(), 0, 1e12});
  const TimeSpan span{sim::Duration::zero(), max_dla_cost};
  block.required("layer_fixed", dla.layer_fixed, span);
  block.required("submit", dla.submit, span);
  block.required("border", dla.border, span);
}

void read_engines(const input::Cursor& at, std::vector<ProfileParameter>& parameters, media::Spec& engines) {
  Block block(at, "engines for pictures: nvdec, nvjpeg, vic, nvenc, each in pixels/s", parameters);
  const input::Quantity rate{input::rate_dimension(), 0, 1e15, true};
  for (std::size_t i = 0; i < media::kind_count; ++i)
    block.optional(std::string(media::kind_names.at(i)), engines.pixels_per_s.at(i), rate);
}

}  // namespace jostle::profiles
