#include "calibration/claims/energy_knobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

namespace {

constexpr int inferences = 3200;
constexpr int simulated_batches = 20;  // a closed loop is periodic: scale to the full number

std::vector<double> in_mhz(const std::vector<double>& hz) {
  std::vector<double> clocks;
  for (const double clock : hz) clocks.push_back(clock / 1e6);
  return clocks;
}

KnobBoard board_of(const char* name, const char* device, const char* mode, const char* precision) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile(device, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  const board::DeviceSpec& spec = *profile->spec;
  const double limit = board::find_power_mode(spec, mode)->gpu_max_clock_hz.value_or(spec.gpu.max_clock_hz);
  std::vector<double> gpu = spec.gpu.clock_table_hz;
  std::erase_if(gpu, [limit](double hz) { return hz > limit; });
  return {name, device, mode, precision, in_mhz(spec.cpu->clusters.front().clock_table_hz), in_mhz(gpu)};
}

std::vector<KnobPoint> points(Runs& runs, const KnobBoard& board, const Knobs& knobs,
                              const std::vector<double>& cpu, const std::vector<double>& gpu) {
  std::vector<Knobs> all;
  for (const double cpu_mhz : cpu) {
    for (const double gpu_mhz : gpu) {
      Knobs& point = all.emplace_back(knobs);
      point.cpu_mhz = cpu_mhz;
      point.gpu_mhz = gpu_mhz;
    }
  }
  std::vector<std::string> texts;
  for (const Knobs& point : all) texts.push_back(knob_text(board, point));
  runs.prepare(texts);
  std::vector<KnobPoint> found;
  for (const Knobs& point : all)
    found.push_back({*point.cpu_mhz, *point.gpu_mhz, knob_run(runs, board, point)});
  return found;
}

}  // namespace

const std::vector<KnobBoard>& knob_boards() {
  static const std::vector<KnobBoard> boards{board_of("jetson-nano", "jetson-nano", "MAXN", "fp32"),
                                             board_of("xavier-nx", "jetson-xavier-nx", "15W_2CORE", "fp32"),
                                             board_of("orin-nx", "jetson-orin-nx-16gb", "MAXN", "tf32")};
  return boards;
}

int knob_batch(const KnobBoard& board, std::string_view model) {
  return &board == &knob_nano() && model == "mobilenet_v2" ? 8 : 16;
}

std::string knob_text(const KnobBoard& board, const Knobs& knobs) {
  std::string clocks;
  const auto clock = [&clocks](const char* domain, std::optional<double> mhz) {
    if (mhz) clocks += fmt::format("{}{}: {} MHz", clocks.empty() ? "" : ", ", domain, *mhz);
  };
  clock("cpu", knobs.cpu_mhz);
  clock("gpu", knobs.gpu_mhz);
  if (knobs.cores) clocks += fmt::format("{}cores: {}", clocks.empty() ? "" : ", ", *knobs.cores);
  const bool governed = !knobs.cpu_mhz || !knobs.gpu_mhz;
  // Governors need some seconds to settle; pinned clocks do not.
  const std::string run =
      governed ? "run: {duration: 8 s, warmup: 2 s}" : fmt::format("run: {{batches: {}}}", simulated_batches);
  return fmt::format(
      "device: {}\npower_mode: {}\n{}{}processes: [{{model: {}, precision: {}, batch: {}, runtime: "
      "eager, {}{}{}}}]\n"
      "{}\n",
      board.device, board.mode, clocks.empty() ? "" : fmt::format("clocks: {{{}}}\n", clocks),
      knobs.governors.empty() ? "" : fmt::format("governors: {}\n", knobs.governors), knobs.model,
      board.precision, knobs.batch, waits_for_each_batch, knobs.process.empty() ? "" : ", ", knobs.process,
      run);
}

KnobRun knob_run(Runs& runs, const KnobBoard& board, const Knobs& knobs) {
  const scenarios::Result& result = runs.of(knob_text(board, knobs));
  return {.seconds = inferences / known(result.system.throughput),
          .watts = known(result.system.power_w.mean)};
}

std::vector<KnobPoint> clock_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs) {
  return points(runs, board, knobs, board.cpu_mhz, board.gpu_mhz);
}

std::vector<KnobPoint> gpu_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs) {
  return points(runs, board, knobs, {knobs.cpu_mhz.value()}, board.gpu_mhz);
}

std::vector<KnobPoint> cpu_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs) {
  return points(runs, board, knobs, board.cpu_mhz, {knobs.gpu_mhz.value()});
}

}  // namespace jostle::calibration
