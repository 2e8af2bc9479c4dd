// Statements of the energy-knobs report on software rather than clocks: static graphs, runtimes, repeats.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "calibration/claims/energy_knobs.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

// A process of alexnet on the Nano at batch 32, from its start to its last batch.
const scenarios::Result& from_start(Runs& runs, const std::string& process, int batches) {
  const KnobBoard& board = knob_nano();
  return runs.of(fmt::format(
      "device: {}\npower_mode: {}\nprocesses: [{{model: alexnet, precision: {}, batch: 32, {}, {}}}]\n"
      "run: {{setup: true, batches: {}}}\n",
      board.device, board.mode, board.precision, process, waits_for_each_batch, batches));
}
double joules_from_start(Runs& runs, const std::string& process, int batches) {
  const scenarios::Result& result = from_start(runs, process, batches);
  return known(result.system.power_w.mean) * known(result.processes.front().finished_ms) / 1e3;
}
constexpr const char* dynamic_graph = "runtime: eager";
constexpr const char* static_graph = "runtime: eager, graph: static";

void static_graph_pays(Runs& runs, Checks& checks) {
  // The loading time excludes the start of the process and its libraries. One core is busy all the time, so
  // that energy is proportional to time.
  input::Problems problems;
  const auto profile = profiles::shipped_profile(knob_nano().device, problems);
  const double start =
      sim::to_ms(profile.value().spec->runtimes[process::Runtime::eager].value().setup.start);
  const auto loading = [&](const char* process) {
    return known(from_start(runs, process, 1).processes.front().setup_ms) - start;
  };
  checks.near_points("loading, static over dynamic", 25,
                     percent_more(loading(static_graph), loading(dynamic_graph)));
  checks.near_points(
      "after 10 batches", -8.5,
      percent_more(joules_from_start(runs, static_graph, 10), joules_from_start(runs, dynamic_graph, 10)));
}

void gap_keeps_growing(Runs& runs, Checks& checks) {
  std::vector<double> gaps;
  for (const int batches : {20, 50, 100, 200})
    gaps.push_back(joules_from_start(runs, dynamic_graph, batches) -
                   joules_from_start(runs, static_graph, batches));
  checks.rises("J that a static graph saves in 20, 50, 100, 200 batches", gaps);
  checks.is("after 200 batches", "more than 0", value_text(gaps.back()) + " J", gaps.back() > 0);
}

// A run of the report has 3200 inferences (100 batches); in shorter runs the set-up time matters more.
void python_costs(Runs& runs, Checks& checks) {
  const auto more = [&](int batches) {
    return percent_more(joules_from_start(runs, dynamic_graph, batches),
                        joules_from_start(runs, "runtime: libtorch", batches));
  };
  checks.near_points("PyTorch over LibTorch, 100 batches", 16, more(100));
  checks.shows("the same, 10 batches", "not stated", value_text(more(10)) + " %");
}

void lazy_loading(Runs& /*runs*/, Checks& checks) {
  checks.is("lazy loading turned off", "-1.82 %", "not modelled", false);
  checks.is("garbage collection turned off", "-1.65 %", "not modelled", false);
}

// The energy that polling the power sensor adds, in percent. A reading takes its core for an iteration of the
// Python loop around it (profiles/stages.csv); two registers of an INA3221, of five bytes on the bus each,
// take 0.9 ms at 100 kHz in which the thread sleeps. It is a co-runner that wants a core for so long each
// period; if a reading takes longer than the period, the loop never pauses but for the bus.
double polling_percent(Runs& runs, const KnobBoard& board, double period_ms) {
  constexpr double bus_ms = 2 * 5 * 9 / 100.0;
  const Knobs knobs{.process = "stages: [{call: python}, infer]"};
  const scenarios::ProcessResult& process = runs.of(knob_text(board, knobs)).processes.front();
  const double core_ms = known(process.stages.front().ms) / knobs.batch;
  const std::string alone = knob_text(board, {});
  const std::string load = fmt::format("processes: [{{load: busy, duty: {:.4f} %}}, ",
                                       100 * core_ms / std::max(period_ms, core_ms + bus_ms));
  const std::string_view key = "processes: [";
  std::string polled = alone;
  polled.replace(polled.find(key), key.size(), load);
  const auto joules = [&](const std::string& text) {
    const scenarios::Result& result = runs.of(text);
    return known(result.system.power_w.mean) / known(result.system.throughput);
  };
  return percent_more(joules(polled), joules(alone));
}
void polling_costs(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    checks.at_most(fmt::format("{}: polled every 100 ms", board.name), 0.5, polling_percent(runs, board, 100),
                   "%");
    for (const double period_ms : {10.0, 1.0})
      checks.at_least(fmt::format("{}: polled every {:g} ms", board.name, period_ms), 2,
                      polling_percent(runs, board, period_ms), "%");
  }
}

void repeats_agree(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    std::vector<double> joules;
    for (int seed = 1; seed <= 10; ++seed) {
      const scenarios::Result& result = runs.of(
          fmt::format("device: {}\npower_mode: {}\nprocesses: [{{model: alexnet, precision: {}, batch: 16, "
                      "runtime: eager, {}}}]\nrun: {{batches: 200, seed: {}}}\n",
                      board.device, board.mode, board.precision, waits_for_each_batch, seed));
      joules.push_back(known(result.system.power_w.mean) * known(result.processes.front().finished_ms) / 1e3);
    }
    const auto [least, most] = std::ranges::minmax(joules);
    checks.at_most(fmt::format("{}: 3200 inferences of alexnet, 10 seeds, most over least", board.name), 5,
                   percent_more(most, least), "%");
  }
}

constexpr StatementCheck energy_runtime_all[] = {
    {"E18", static_graph_pays}, {"E19", python_costs},  {"E36", gap_keeps_growing},
    {"E37", lazy_loading},      {"E38", polling_costs}, {"E39", repeats_agree},
};

}  // namespace

std::span<const StatementCheck> energy_runtime_statements() {
  return energy_runtime_all;
}

}  // namespace jostle::calibration
