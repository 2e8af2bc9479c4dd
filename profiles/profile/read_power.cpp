// Reads power: the consumption of the parts of a board, and the rails that its sensors measure.

#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

Quantity watts() {
  return {input::power_dimension(), 0, 1e5};
}
Quantity farads() {
  return {input::capacitance_dimension(), 0, 1};
}
Quantity joules_per_byte() {
  return {input::energy_per_byte_dimension(), 0, 1};
}
Quantity positive_share() {
  return {input::share_dimension(), 0, 1, true};
}

// Reads a list of points such as [[306 MHz, 0.62 V], [1020 MHz, 0.80 V]].
struct Curve {
  std::optional<power::VoltageCurve> operator()(const Cursor& at) const {
    power::VoltageCurve curve;
    for (const Cursor& point : at.items("a list of points, each [clock, voltage]", 256)) {
      const auto pair = point.items("a point: [clock, voltage]", 2);
      if (pair.size() != 2) {
        if (point.is(Kind::sequence)) point.expected("a point: [clock, voltage]");
        return std::nullopt;
      }
      const auto hz = Quantity{input::frequency_dimension(), 0, max_clock_hz}(pair[0]);
      const auto volts = Quantity{input::voltage_dimension(), 0, 10, true}(pair[1]);
      if (!hz || !volts) return std::nullopt;
      if (!curve.empty() && (*hz <= curve.back().hz || *volts < curve.back().volts)) {
        point.problem("clocks must rise, and voltages must not fall");
        return std::nullopt;
      }
      curve.push_back({*hz, *volts});
    }
    if (curve.empty()) return std::nullopt;
    return curve;
  }
};

void read_cpu(const Cursor& at, Block& outer, power::CpuSpec& cpu) {
  Block block(at, "the power of the CPU", outer.parameters(), outer.from());
  block.required("voltage", cpu.voltage, Curve{});
  block.required("core", cpu.core_f, farads());
  block.required("idle_core", cpu.idle_core_f, farads());
  block.required("leakage", cpu.leakage_w, watts());
}

void read_gpu(const Cursor& at, Block& outer, power::GpuSpec& gpu) {
  Block block(at, "the power of the GPU", outer.parameters(), outer.from());
  block.required("voltage", gpu.voltage, Curve{});
  block.required("clock_tree", gpu.clock_tree_f, farads());
  block.required("busy", gpu.busy_f, farads());
  block.required("sm", gpu.sm_f, farads());
  block.required("tensor", gpu.tensor_f, farads());
  block.optional("issue", gpu.issue_f, farads());
  block.optional("warps", gpu.warp_f, farads());
  block.required("per_byte", gpu.byte_j, joules_per_byte());
  block.required("leakage", gpu.leakage_w, watts());
  sim::Duration gated;
  if (block.optional("gated_after", gated, TimeSpan{sim::Duration::zero(), sim::seconds(1000)}))
    gpu.gated_after_s = sim::to_seconds(gated);
  block.words().optional("held_awake", gpu.held_awake, input::Boolean{});
}

void read_dla(const Cursor& at, Block& outer, power::DlaSpec& dla) {
  Block block(at, "the power of a DLA", outer.parameters(), outer.from());
  block.required("voltage", dla.voltage, Curve{});
  block.required("busy", dla.busy_f, farads());
  block.required("idle", dla.idle_f, farads());
  block.optional("per_operation", dla.operation_j, Quantity{input::energy_dimension(), 0, 1e-9});
  block.required("leakage", dla.leakage_w, watts());
}

void read_soc(const Cursor& at, Block& outer, power::SocSpec& soc) {
  Block block(at, "the power of the rest of the chip", outer.parameters(), outer.from());
  block.required("voltage", soc.voltage, Curve{});
  block.required("base", soc.base_w, watts());
  block.required("clock", soc.clock_f, farads());
  block.required("per_byte", soc.byte_j, joules_per_byte());
  block.optional("leakage", soc.leakage_w, watts());
}

void read_dram(const Cursor& at, Block& outer, power::DramSpec& dram) {
  Block block(at, "the power of the DRAM", outer.parameters(), outer.from());
  block.required("base", dram.base_w, watts());
  block.required("clock", dram.clock_w_per_hz, Quantity{input::power_per_frequency_dimension(), 0, 1});
  block.required("per_byte", dram.byte_j, joules_per_byte());
}

power::Rail read_rail(const Cursor& at) {
  power::Rail rail;
  input::Mapping mapping(at, "a sensor: name, parts");
  mapping.required("name", rail.name, input::Text{60});
  if (const auto parts = mapping.require("parts")) {
    const std::vector<std::string> names(power::part_names.begin(), power::part_names.end());
    for (const Cursor& part : parts->items("a list of parts", names.size())) {
      if (const auto index = input::choose(part, "a part", names))
        rail.parts.push_back(static_cast<power::Part>(*index));
    }
  }
  return rail;
}

void read_module(const Cursor& at, Block& outer, power::Spec& power) {
  Block block(at, "the module: base, per_byte, efficiency, input, rails", outer.parameters(), outer.from());
  block.required("base", power.base_w, watts());
  block.optional("per_byte", power.base_byte_j, joules_per_byte());
  block.required("efficiency", power.efficiency, positive_share());
  block.words().optional("input", power.input, input::Text{60});
  if (const auto rails = block.words().find("rails")) {
    for (const Cursor& rail : rails->items("a list of sensors", 32)) power.rails.push_back(read_rail(rail));
  }
}

void read_wall(const Cursor& at, Block& outer, power::Spec& power) {
  Block block(at, "the plug: base, efficiency", outer.parameters(), outer.from());
  power::Spec::Wall wall;
  block.required("base", wall.base_w, watts());
  block.required("efficiency", wall.efficiency, positive_share());
  power.wall = wall;
}

}  // namespace

void read_power(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device) {
  Block block(at, "the power of a board", parameters);
  power::Spec& power = device.power.emplace();
  if (const auto part = block.words().require("cpu")) read_cpu(*part, block, power.cpu);
  if (device.has_gpu()) {
    if (const auto part = block.words().require("gpu")) read_gpu(*part, block, power.gpu);
  }
  if (device.dla.count > 0) {
    if (const auto part = block.words().require("dla")) read_dla(*part, block, power.dla);
  }
  if (const auto part = block.words().require("soc")) read_soc(*part, block, power.soc);
  if (const auto part = block.words().require("dram")) read_dram(*part, block, power.dram);
  if (const auto part = block.words().require("module")) read_module(*part, block, power);
  if (const auto part = block.words().find("wall")) read_wall(*part, block, power);
  if (const auto part = block.words().find("over_current")) read_over_current(*part, block, power);
  for (const board::PowerMode& mode : device.power_modes) {
    const bool limited = mode.over_current.average_a || mode.over_current.instantaneous_a;
    if (limited && (!power.over_current || power.over_current->input_v <= 0))
      at.problem("power mode " + mode.name + " limits currents: over_current.voltage is missing");
  }
  if (const auto part = block.words().find("thermal")) read_thermal(*part, block, power);
  if (const auto part = block.words().find("governors")) read_governors(*part, block, device, power.scaling);
  const Quantity celsius{input::temperature_dimension(), -60, 150};
  block.optional("reference_temperature", power.reference_c, celsius);
  double growth = power.leakage_growth_k;
  if (block.optional("leakage_growth", growth, input::Real{1, 1000})) power.leakage_growth_k = growth;
}

}  // namespace jostle::profiles
