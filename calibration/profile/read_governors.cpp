// Reads power.governors: the governor of each clock, its interval, the minimum clocks of power modes, and the
// delay until a new clock takes effect. A domain that the section omits is fixed at its limit.

#include <algorithm>

#include "calibration/profile/read_parts.hpp"
#include "calibration/profile/time_span.hpp"
#include "input/readers.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::calibration {
namespace {

using input::Cursor;
using input::Quantity;

const sim::Duration longest_delay = sim::seconds(1);

TimeSpan interval() {
  return {sim::milliseconds(1), longest_delay};
}
TimeSpan delay() {
  return {sim::Duration::zero(), longest_delay};
}
Quantity clock_up_to(double most) {
  return {input::frequency_dimension(), 0, most, true};
}

// Reads one name from a table of models/power/governors/names.hpp.
template <class Governor, std::size_t n>
struct Named {
  std::string what;
  const std::array<std::string_view, n>& names;
  std::optional<Governor> operator()(const Cursor& at) const {
    const auto index = input::choose(at, what, {names.begin(), names.end()});
    return index ? std::optional(static_cast<Governor>(*index)) : std::nullopt;
  }
};
template <class Governor, std::size_t n>
Named<Governor, n> one_of(const std::string& what, const std::array<std::string_view, n>& names) {
  return {what, names};
}

void read_cpu(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the CPU's clocks", outer.figures(), outer.from());
  block.words().required("governor", scaling.cpu,
                         one_of<power::CpuGovernor>("a governor", power::cpu_governor_names));
  block.words().optional("scaled_time", scaling.cpu_settings.schedutil.scaled_time, input::Boolean{});
  block.required("delay", scaling.cpu_delay, delay());
  block.optional("floor", scaling.cpu_floor_hz, clock_up_to(fastest));
  power::CpuSettings& settings = scaling.cpu_settings;
  if (block.optional("interval", settings.schedutil.rate_limit, interval()))
    settings.ondemand.sampling_rate = settings.conservative.sampling_rate = settings.schedutil.rate_limit;
}

void read_gpu(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the GPU's clock", outer.figures(), outer.from());
  block.words().required("governor", scaling.gpu,
                         one_of<power::GpuGovernor>("a governor", power::gpu_governor_names));
  block.words().optional("podgov", scaling.gpu_settings.podgov.build,
                         one_of<power::Podgov>("a build of nvhost_podgov", power::podgov_names));
  block.required("delay", scaling.gpu_delay, delay());
  block.optional("floor", scaling.gpu_floor_hz, clock_up_to(fastest));
  block.optional("interval", scaling.gpu_settings.interval, interval());
}

void read_emc(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the EMC's clock", outer.figures(), outer.from());
  power::EmcSettings& emc = scaling.emc;
  emc.scales = true;
  block.required("delay", scaling.emc_delay, delay());
  block.required("gpu_ratio", emc.gpu_ratio, input::Real{0, 100});
  block.required("up_threshold", emc.up_threshold, Quantity{input::share_dimension(), 0, 1, true});
  block.required("down_threshold", emc.down_threshold, Quantity{input::share_dimension(), 0, 1});
  block.optional("floor", scaling.emc_floor_hz, clock_up_to(fastest));
  block.optional("interval", emc.interval, interval());
  if (emc.down_threshold > emc.up_threshold) at.problem("down_threshold is above up_threshold");
}

}  // namespace

void read_governors(const Cursor& at, Block& outer, const board::DeviceSpec& device,
                    power::ScalingSpec& scaling) {
  Block block(at, "governors: cpu, gpu, emc", outer.figures(), outer.from());
  double fastest = 0;
  for (const cpu::ClusterSpec& cluster : device.cpu->clusters)
    fastest = std::max(fastest, cluster.max_clock_hz);
  if (const auto part = block.words().require("cpu")) read_cpu(*part, block, fastest, scaling);
  if (device.has_gpu()) {
    if (const auto part = block.words().require("gpu"))
      read_gpu(*part, block, device.gpu.max_clock_hz, scaling);
  }
  if (const auto part = block.words().find("emc"))
    read_emc(*part, block, device.memory.max_clock_hz, scaling);
}

}  // namespace jostle::calibration
