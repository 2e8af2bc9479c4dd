// Reads power.governors: the governor of each clock, its interval, the minimum clocks of power modes, and the
// delay until a new clock takes effect. A domain that the section omits is fixed at its limit.

#include <algorithm>

#include "input/readers.hpp"
#include "models/cpu/spec.hpp"
#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/gpu_governors.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

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

template <class Governor>
input::Choice<const Governor*> one_of(std::span<const Governor> governors) {
  input::Choice<const Governor*> choice{"a governor", {}};
  for (const Governor& governor : governors) choice.names.emplace_back(governor.name, &governor);
  return choice;
}
input::Choice<power::Podgov> podgov() {
  return {"a build of nvhost_podgov",
          {{"r35", power::Podgov::r35}, {"r36", power::Podgov::r36}, {"r38", power::Podgov::r38}}};
}

void read_cpu(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the CPU's clocks", outer.parameters(), outer.from());
  block.words().required("governor", scaling.cpu, one_of(power::cpu_governors()));
  block.words().optional("scaled_time", scaling.cpu_settings.schedutil.scaled_time, input::Boolean{});
  block.required("delay", scaling.cpu_delay, delay());
  block.optional("floor", scaling.cpu_floor_hz, clock_up_to(fastest));
  block.optional("interval", scaling.cpu_settings.interval, interval());
}

void read_gpu(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the GPU's clock", outer.parameters(), outer.from());
  block.words().required("governor", scaling.gpu, one_of(power::gpu_governors()));
  block.words().optional("podgov", scaling.gpu_settings.podgov.build, podgov());
  block.required("delay", scaling.gpu_delay, delay());
  block.optional("floor", scaling.gpu_floor_hz, clock_up_to(fastest));
  block.optional("interval", scaling.gpu_settings.interval, interval());
}

void read_emc(const Cursor& at, Block& outer, double fastest, power::ScalingSpec& scaling) {
  Block block(at, "the governor of the EMC's clock", outer.parameters(), outer.from());
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
  Block block(at, "governors: cpu, gpu, emc", outer.parameters(), outer.from());
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

}  // namespace jostle::profiles
