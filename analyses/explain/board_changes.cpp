// Another board, and networks on the cores of this one.
#include <fmt/format.h>

#include <algorithm>

#include "analyses/explain/intervention.hpp"
#include "analyses/explain/parts.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Precision;
using scenarios::ProcessEntry;
using scenarios::Scenario;

// A shipped board with its price.
struct PricedBoard {
  std::string name;
  double usd;
  std::string mode;  // its default power mode; empty: it has none
};

// SMs times clock, at most.
double gpu_speed(const board::DeviceSpec& device) {
  return device.has_gpu() ? device.gpu.sm_count * device.gpu.max_clock_hz : 0;
}

// The two cheapest boards that cost more than this one, have memory of the same kind and a faster GPU.
std::vector<PricedBoard> dearer_boards(const Request& request, double usd) {
  constexpr std::size_t most = 2;
  std::vector<PricedBoard> found;
  for (const std::string& name : profiles::device_names()) {
    input::Problems problems;
    const auto profile = profiles::shipped_profile(name, problems);
    if (!profile || !profile->prices.board_usd || *profile->prices.board_usd <= usd) continue;
    if (profile->spec->memory.unified == request.device.memory.unified &&
        gpu_speed(*profile->spec) > gpu_speed(request.device))
      found.push_back({name, *profile->prices.board_usd, profile->spec->default_power_mode});
  }
  std::ranges::stable_sort(found, {}, &PricedBoard::usd);
  if (found.size() > most) found.resize(most);
  return found;
}

// The first library for cores whose costs on this board are known.
std::optional<scenarios::Runtime> runtime_on_cores(const board::DeviceSpec& device) {
  using enum scenarios::Runtime;
  for (const scenarios::Runtime runtime : {onnxruntime_cpu, tflite, ncnn, cpu})
    if (device.runtimes[runtime]) return runtime;
  return std::nullopt;
}

bool is_network_on_gpu(const ProcessEntry& process) {
  return process.host.placement != scenarios::Placement::cpu && !is_synthetic(process) && !process.language &&
         !process.work.training && !process.work.layers && !scenarios::has_instances(process) &&
         !std::holds_alternative<scenarios::ProductsModel>(process.work.model);
}

}  // namespace

// In its default power mode, without figures, clocks and cores that are those of this board.
std::vector<Changed> other_boards(const Request& request) {
  std::vector<Changed> all;
  if (!request.scenario.device_path.empty()) return all;
  input::Problems problems;
  const auto now = profiles::shipped_profile(request.scenario.device, problems);
  if (!now || !now->prices.board_usd) return all;
  for (const PricedBoard& board : dearer_boards(request, *now->prices.board_usd)) {
    Scenario scenario = request.scenario;
    scenario.device = board.name;
    scenario.power_mode.reset();
    scenario.power_mode_file.reset();
    scenario.clocks = {};
    scenario.governors = {};
    scenario.figures.clear();
    scenario.host_cores.reset();
    scenario.cpus.clear();
    all.push_back(one_board(board.name, std::move(scenario)));
    all.back().price = board.usd / *now->prices.board_usd;
    all.back().note =
        fmt::format("{}{:.0f} USD in place of {:.0f}", board.mode.empty() ? "" : "in " + board.mode + ", ",
                    board.usd, *now->prices.board_usd);
  }
  return all;
}

// Moves one network to the cores, each in a change of its own; a precision that cores lack becomes fp32.
std::vector<Changed> on_cores(const Request& request) {
  constexpr std::size_t most = 3;
  std::vector<Changed> all;
  const std::vector<ProcessEntry>& entries = request.scenario.processes;
  const auto runtime = runtime_on_cores(request.device);
  if (!runtime) return all;
  if (scenarios::expand(request.scenario).size() < 2) return all;
  for (std::size_t i = 0; i < entries.size() && all.size() < most; ++i) {
    if (!is_network_on_gpu(entries[i])) continue;
    Scenario scenario = request.scenario;
    ProcessEntry& process = scenario.processes[i];
    process.host.placement = scenarios::Placement::cpu;
    if (process.host.sync == scenarios::default_sync(process.host.runtime))
      process.host.sync = scenarios::default_sync(*runtime);
    process.host.runtime = *runtime;
    process.host.static_graph = false;
    process.host.transfers = true;
    process.gpu = {};
    if (process.work.precision != Precision::int8) process.work.precision = Precision::fp32;
    all.push_back(one_board(scenarios::called(process) + " on the cores", std::move(scenario)));
  }
  return all;
}

}  // namespace jostle::analyses
