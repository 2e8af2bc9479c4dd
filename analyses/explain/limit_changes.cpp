// Changes of the limits of power, current and heat, and of the power mode that sets most of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "analyses/explain/intervention.hpp"
#include "models/board/clocks.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::analyses {
namespace {

constexpr double room_c = 25;  // cooler-air: the temperature of a room

double limited_share(const Request& request, std::string_view limit) {
  const auto& shares = request.before.system.limited_share;
  const auto found = std::ranges::find(shares, limit, [](const auto& share) { return share.first; });
  return found == shares.end() ? 0 : found->second;
}

// Takes the effect from the alarms: all clock pulses pass. The alarms stay, since limits of power modes in
// amperes need their voltage.
void disarm(scenarios::Scenario& scenario, const power::OverCurrentSpec& alarms) {
  if (alarms.average) put(scenario, "power.over_current.average.pulses", "100 %");
  if (alarms.instantaneous) put(scenario, "power.over_current.instantaneous.pulses", "100 %");
}

// Lets the chip be as warm as the air around the board: what a heat sink of any size could do.
void cool(scenarios::Scenario& scenario, const power::ThermalSpec& thermal) {
  for (std::size_t i = 0; i < thermal.stages.size(); ++i) {
    put(scenario, fmt::format("power.thermal.stages.{}.resistance", i), "0.001 K/W");
    put(scenario, fmt::format("power.thermal.stages.{}.resistance_without_fan", i), "0.001 K/W");
  }
}

// The size of a power mode: SMs times clock; ties: memory clock; then cores times clock.
using Size = std::tuple<double, double, double>;
Size size_of(const board::DeviceSpec& device, const board::PowerMode& mode) {
  const board::Clocks most = board::maximum_clocks(device);
  const int tpcs = device.gpu.sms_per_tpc > 0 ? device.gpu.sm_count / device.gpu.sms_per_tpc : 0;
  double cpu = 0;
  for (std::size_t i = 0; i < device.cpu->clusters.size(); ++i) {
    const int cores = i < mode.online_cores.size() ? mode.online_cores[i] : device.cpu->clusters[i].cores;
    cpu += cores * (i < mode.cpu_max_clock_hz.size() ? mode.cpu_max_clock_hz[i] : most.clusters_hz[i]);
  }
  return {std::min(mode.tpcs.value_or(tpcs), tpcs) * mode.gpu_max_clock_hz.value_or(most.gpu_hz),
          mode.emc_max_clock_hz.value_or(most.emc_hz), cpu};
}

const board::PowerMode* present_mode(const Request& request) {
  const scenarios::Scenario& scenario = request.scenario;
  if (scenario.power_mode_file || !scenario.power_mode) return nullptr;
  return board::find_power_mode(request.device, *scenario.power_mode);
}

Changed in_mode(const Request& request, const board::PowerMode& mode) {
  scenarios::Scenario scenario = request.scenario;
  scenario.power_mode = mode.name;
  return one_board("power mode " + in_words(mode), std::move(scenario));
}

// The modes of the board that nvpmodel can switch to.
auto modes_beside(const Request& request, const board::PowerMode& now) {
  return request.device.power_modes |
         std::views::filter([&now](const board::PowerMode& mode) { return together(mode, now); });
}

}  // namespace

std::optional<Changed> no_limits(const Request& request) {
  if (!request.device.power) return std::nullopt;
  const power::Spec& power = *request.device.power;
  scenarios::Scenario scenario = request.scenario;
  std::vector<std::string_view> lifted;
  if (limited_share(request, "power_cap") > 0) lifted.emplace_back("power cap");
  if (limited_share(request, "power_limit") > 0) lifted.emplace_back("power limit");
  if (limited_share(request, "over_current") > 0) lifted.emplace_back("over-current limit");
  if (limited_share(request, "thermal") > 0) lifted.emplace_back("heat limit");
  if (lifted.empty()) return std::nullopt;
  scenario.power_cap.reset();
  scenario.power_limit_w.reset();
  if (power.limit) put(scenario, "gpu.power_limit", "none");
  if (power.over_current) disarm(scenario, *power.over_current);
  if (power.thermal) cool(scenario, *power.thermal);
  return one_board(fmt::format("no {}", fmt::join(lifted, " or ")), std::move(scenario));
}

std::optional<Changed> with_fan(const Request& request) {
  if (limited_share(request, "thermal") <= 0 || request.scenario.fan.value_or(true)) return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.fan = true;
  return one_board("a fan", std::move(scenario));
}

std::optional<Changed> cooler_air(const Request& request) {
  if (limited_share(request, "thermal") <= 0 || request.scenario.ambient_c.value_or(room_c) <= room_c)
    return std::nullopt;
  scenarios::Scenario scenario = request.scenario;
  scenario.ambient_c = room_c;
  return one_board(fmt::format("air of {:.0f} degC", room_c), std::move(scenario));
}

std::optional<Changed> next_power_mode(const Request& request) {
  const board::PowerMode* const now = present_mode(request);
  if (now == nullptr) return std::nullopt;
  const board::PowerMode* next = nullptr;
  for (const board::PowerMode& mode : modes_beside(request, *now)) {
    if (size_of(request.device, mode) <= size_of(request.device, *now)) continue;
    if (next == nullptr || size_of(request.device, mode) < size_of(request.device, *next)) next = &mode;
  }
  if (next == nullptr) return std::nullopt;
  return in_mode(request, *next);
}

// Modes with fewer but faster cores whose GPU is no slower: threads of a process follow one
// after another, so the clock counts and not the number. The greatest clock; ties: the smallest mode.
std::optional<Changed> faster_cores(const Request& request) {
  const board::PowerMode* const now = present_mode(request);
  if (now == nullptr || request.scenario.clocks.cpu_hz) return std::nullopt;
  const auto clock = [&](const board::PowerMode& mode) {
    return std::ranges::max(mode.cpu_max_clock_hz.empty() ? board::maximum_clocks(request.device).clusters_hz
                                                          : mode.cpu_max_clock_hz);
  };
  const auto gpu = [&](const board::PowerMode& mode) { return std::get<0>(size_of(request.device, mode)); };
  const board::PowerMode* fastest = nullptr;
  for (const board::PowerMode& mode : modes_beside(request, *now)) {
    if (clock(mode) <= clock(*now) || gpu(mode) < gpu(*now)) continue;
    const bool better =
        fastest == nullptr || clock(mode) > clock(*fastest) ||
        (clock(mode) == clock(*fastest) && size_of(request.device, mode) < size_of(request.device, *fastest));
    if (better) fastest = &mode;
  }
  if (fastest == nullptr) return std::nullopt;
  return in_mode(request, *fastest);
}

std::vector<Changed> smaller_power_modes(const Request& request) {
  const board::PowerMode* const now = present_mode(request);
  if (now == nullptr ||
      (limited_share(request, "thermal") <= 0 && limited_share(request, "over_current") <= 0))
    return {};
  std::vector<const board::PowerMode*> smaller;
  for (const board::PowerMode& mode : modes_beside(request, *now))
    if (size_of(request.device, mode) < size_of(request.device, *now)) smaller.push_back(&mode);
  std::ranges::stable_sort(smaller, std::ranges::greater(),
                           [&](const board::PowerMode* mode) { return size_of(request.device, *mode); });
  std::vector<Changed> all;
  for (const board::PowerMode* mode : smaller) all.push_back(in_mode(request, *mode));
  return all;
}

}  // namespace jostle::analyses
