// Reads power.over_current, power.thermal and gpu.power_limit: the controllers that protect a board.

#include <fmt/format.h>

#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

constexpr std::int64_t most_readings = 10'000;  // in the window of a power limit
constexpr sim::Duration longest_constant = sim::Duration{1'000'000'000'000'000};  // 1000 s

// Reads an alarm; its threshold is a power, or a current at the input's voltage.
std::optional<power::OverCurrentAlarm> read_alarm(Block& outer, const char* name, double volts) {
  const auto at = outer.words().find(name);
  if (!at) return std::nullopt;
  Block block(*at, "an alarm: current or power, averaging, pulses, release", outer.parameters(),
              outer.from());
  power::OverCurrentAlarm alarm;
  double amperes = 0;
  const bool current = block.optional("current", amperes, Quantity{input::current_dimension(), 0, 1e4, true});
  if (current) {
    if (volts <= 0) at->problem("a current needs over_current.voltage");
    if (block.words().has("power")) at->problem("current and power are both given");
    alarm.threshold_w = amperes * volts;
  }
  if (!current && !block.words().has("current"))
    block.required("power", alarm.threshold_w, Quantity{input::power_dimension(), 0, 1e5, true});
  block.optional("averaging", alarm.averaging, TimeSpan{sim::Duration::zero(), longest_constant});
  block.required("pulses", alarm.ratio, Quantity{input::share_dimension(), 0, 1, true});
  block.required("release", alarm.release, TimeSpan{sim::Duration::zero(), longest_constant, true});
  return alarm;
}

// Reads a thermal stage. resistance_without_fan defaults to resistance, which is right for a stage inside the
// module.
power::ThermalStage read_stage(const Cursor& at, Block& outer) {
  Block block(at, "a stage: resistance, resistance_without_fan, time_constant", outer.parameters(),
              outer.from());
  power::ThermalStage stage;
  const Quantity resistance{input::thermal_resistance_dimension(), 0, 1e4, true};
  sim::Duration time_constant;
  const bool resists = block.required("resistance", stage.resistance_k_per_w, resistance);
  stage.resistance_without_k_per_w = stage.resistance_k_per_w;
  block.optional("resistance_without_fan", stage.resistance_without_k_per_w, resistance);
  if (stage.resistance_without_k_per_w < stage.resistance_k_per_w)
    at.problem("resistance_without_fan must not be below resistance");
  if (block.required("time_constant", time_constant,
                     TimeSpan{sim::Duration::zero(), longest_constant * 100, true}) &&
      resists)
    stage.capacity_j_per_k = sim::to_seconds(time_constant) / stage.resistance_k_per_w;
  return stage;
}

// Reads a list of points such as [[40 degC, 0 %], [80 degC, 100 %]].
struct FanCurve {
  std::optional<std::vector<power::FanPoint>> operator()(const Cursor& at) const {
    std::vector<power::FanPoint> curve;
    for (const Cursor& point : at.items("a list of points, each [temperature, speed]", 64)) {
      const auto pair = point.items("a point: [temperature, speed]", 2);
      if (pair.size() != 2) {
        if (point.is(Kind::sequence)) point.expected("a point: [temperature, speed]");
        return std::nullopt;
      }
      const auto celsius = Quantity{input::temperature_dimension(), -60, 150}(pair[0]);
      const auto share = Quantity{input::share_dimension(), 0, 1}(pair[1]);
      if (!celsius || !share) return std::nullopt;
      if (!curve.empty() && (*celsius <= curve.back().celsius || *share < curve.back().share)) {
        point.problem("temperatures must rise, and speeds must not fall");
        return std::nullopt;
      }
      curve.push_back({*celsius, *share});
    }
    if (curve.empty()) return std::nullopt;
    return curve;
  }
};

}  // namespace

void read_over_current(const Cursor& at, Block& outer, power::Spec& power) {
  // The text `none` removes the alarms of the board that this one is `like`.
  if (at.is(Kind::scalar) && at.value().text == "none") return;
  Block block(at, "over-current alarms: voltage, average, instantaneous", outer.parameters(), outer.from());
  power::OverCurrentSpec spec;
  block.optional("voltage", spec.input_v, Quantity{input::voltage_dimension(), 0, 100, true});
  spec.average = read_alarm(block, "average", spec.input_v);
  spec.instantaneous = read_alarm(block, "instantaneous", spec.input_v);
  if (block.words().good() && !spec.average && !spec.instantaneous)
    at.problem("at least one alarm is required: average or instantaneous");
  power.over_current = spec;
}

void read_thermal(const Cursor& at, Block& outer, power::Spec& power) {
  Block block(at, "thermal management: stages, passive, critical", outer.parameters(), outer.from());
  power::ThermalSpec spec;
  const Quantity celsius{input::temperature_dimension(), -60, 200};
  const bool trip = block.required("passive", spec.passive_c, celsius);
  double critical = 0;
  if (block.optional("critical", critical, celsius)) {
    spec.critical_c = critical;
    if (trip && critical <= spec.passive_c)
      at.problem("the critical trip point must be above the passive one");
  }
  block.optional("hysteresis", spec.hysteresis_k, Quantity{input::temperature_rise_dimension(), 0, 100});
  block.optional("polling", spec.polling, TimeSpan{sim::milliseconds(1), longest_constant});
  if (const auto stages = block.words().require("stages")) {
    for (const Cursor& stage : stages->items("a list of stages", 4))
      spec.stages.push_back(read_stage(stage, block));
    if (stages->is(Kind::sequence) && spec.stages.empty()) stages->problem("no stage");
  }
  block.optional("fan_curve", spec.fan_curve, FanCurve{});
  power.thermal = spec;
}

void read_power_limit(const Cursor& at, Block& outer, std::optional<power::PowerLimitSpec>& limit) {
  // The text `none` removes the limit of the card that this one is `like`.
  if (at.is(Kind::scalar) && at.value().text == "none") return;
  Block block(at, "a card's power limit: budget, min, window, period, gain, burst", outer.parameters(),
              outer.from());
  power::PowerLimitSpec spec;
  block.required("budget", spec.budget_w, Quantity{input::power_dimension(), 0, 1e5, true});
  block.optional("min", spec.min_w, Quantity{input::power_dimension(), 0, 1e5, true});
  if (block.words().good() && spec.min_w > spec.budget_w) at.problem("min must not be above budget");
  block.required("window", spec.window, TimeSpan{sim::milliseconds(10), longest_constant});
  block.required("period", spec.period, TimeSpan{sim::milliseconds(1), longest_constant});
  block.required("gain", spec.gain, input::Real{0, 1000});
  block.required("burst", spec.burst, Quantity{input::share_dimension(), 1, 10});
  const std::int64_t readings = spec.period > sim::Duration::zero() ? spec.window / spec.period : 0;
  if (block.words().good() && (readings < 1 || readings > most_readings))
    at.problem(fmt::format("the window must hold 1 to {} periods", most_readings));
  else if (block.words().good() && spec.gain >= static_cast<double>(readings))
    at.problem(
        fmt::format("a gain of {} and more does not settle: the window holds so many periods", readings));
  limit = spec;
}

}  // namespace jostle::profiles
