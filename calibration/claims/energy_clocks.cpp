// Statements of the energy-knobs report: clocks, governors, batches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/claims/energy_knobs.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {
namespace {

double span(const std::vector<KnobPoint>& points, double (*metric)(const KnobRun&)) {
  double low = metric(points.front().run), high = low;
  for (const KnobPoint& point : points) {
    low = std::min(low, metric(point.run));
    high = std::max(high, metric(point.run));
  }
  return high - low;
}
double seconds(const KnobRun& run) {
  return run.seconds;
}
double watts(const KnobRun& run) {
  return run.watts;
}
double joules(const KnobRun& run) {
  return run.joules();
}
std::vector<double> over_points(const std::vector<KnobPoint>& points, double (*metric)(const KnobRun&)) {
  std::vector<double> metrics;
  for (const KnobPoint& point : points) metrics.push_back(metric(point.run));
  return metrics;
}

// The best clocks for a network on a board, and the run with governors.
struct Best {
  KnobPoint point;
  KnobRun governed;
};
Best best_of(Runs& runs, const KnobBoard& board, const char* model) {
  const Knobs knobs{.model = model, .batch = knob_batch(board, model)};
  const auto points = clock_sweep(runs, board, knobs);
  return {*std::ranges::min_element(points, {}, [](const KnobPoint& p) { return p.run.joules(); }),
          knob_run(runs, board, knobs)};
}
void best_clocks(Runs& runs, Checks& checks, const KnobBoard& board, const std::array<double, 6>& claimed) {
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const Best best = best_of(runs, board, knob_models[i]);
    checks.near_points(
        fmt::format("{}, at {:g} and {:g} MHz", knob_models[i], best.point.cpu_mhz, best.point.gpu_mhz),
        claimed[i], percent_more(best.point.run.joules(), best.governed.joules()));
  }
}
void usual_clock(Runs& runs, Checks& checks, const KnobBoard& board, double claimed) {
  std::map<double, int> counts;
  for (const char* model : knob_models) ++counts[best_of(runs, board, model).point.gpu_mhz];
  const auto usual = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  // Neighbouring clocks of the table count as different.
  checks.equal("GPU clock of least energy of most networks", claimed, usual->first, "MHz");
}

void nano_gpu_spans(Runs& runs, Checks& checks) {
  const auto points = gpu_sweep(runs, knob_nano(), {.batch = 8, .cpu_mhz = 1132.8});
  checks.near("span of power", 4.7, span(points, watts), "W");
  checks.near("span of time", 532, span(points, seconds), "s");
}
void nano_cpu_spans(Runs& runs, Checks& checks) {
  const auto points = cpu_sweep(runs, knob_nano(), {.batch = 8, .gpu_mhz = 691.2});
  checks.near("span of power", 1, span(points, watts), "W");
  checks.near("span of time", 60, span(points, seconds), "s");
}
// The clock that the report fixes while it varies the other one.
double fixed_cpu(const KnobBoard& board) {
  return &board == &knob_nano() ? 1132.8 : &board == &knob_xavier() ? 1036.8 : 960;
}
double fixed_gpu(const KnobBoard& board) {
  return &board == &knob_nano() ? 691.2 : &board == &knob_xavier() ? 803.25 : 612;
}
std::vector<KnobPoint> over_gpu(Runs& runs, const KnobBoard& board, int batch = 16) {
  return gpu_sweep(runs, board, {.batch = batch, .cpu_mhz = fixed_cpu(board)});
}
std::vector<KnobPoint> over_cpu(Runs& runs, const KnobBoard& board, int batch = 16) {
  return cpu_sweep(runs, board, {.batch = batch, .gpu_mhz = fixed_gpu(board)});
}

void shapes_over_clocks(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    const auto points = over_gpu(runs, board);
    checks.rises(fmt::format("{}: W over the GPU's clock", board.name), over_points(points, watts));
    const auto time = over_points(points, seconds);
    checks.falls(fmt::format("{}: s over the GPU's clock", board.name), time);
    checks.falls(fmt::format("{}: s gained by the first and by the last step", board.name),
                 {time[0] - time[1], time[time.size() - 2] - time.back()});
  }
}
void cpu_matters_less(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    const auto gpu = over_gpu(runs, board), cpu = over_cpu(runs, board);
    checks.ordered(fmt::format("{}, span of W over a clock", board.name),
                   {{"GPU", span(gpu, watts)}, {"CPU", span(cpu, watts)}});
    checks.ordered(fmt::format("{}, span of s over a clock", board.name),
                   {{"GPU", span(gpu, seconds)}, {"CPU", span(cpu, seconds)}});
  }
}
void best_on_nano(Runs& runs, Checks& checks) {
  best_clocks(runs, checks, knob_nano(), {-13.5, -19.3, -15.6, -9.9, -17.3, -17.2});
}
void usual_on_nano(Runs& runs, Checks& checks) {
  usual_clock(runs, checks, knob_nano(), 614.4);
  for (const char* model : knob_models) {
    const Best best = best_of(runs, knob_nano(), model);
    checks.between(fmt::format("{}: time there against DVFS", model), 28, 35,
                   percent_more(best.point.run.seconds, best.governed.seconds), "%");
  }
}
void best_on_xavier(Runs& runs, Checks& checks) {
  best_clocks(runs, checks, knob_xavier(), {-13.42, -2.5, -14.84, -12.9, -15.1, -21.95});
}
void usual_on_xavier(Runs& runs, Checks& checks) {
  usual_clock(runs, checks, knob_xavier(), 803.25);
}
void best_on_orin(Runs& runs, Checks& checks) {
  best_clocks(runs, checks, knob_orin(), {-19.21, -18.76, -16.78, -3.00, -18.77, -16.38});
}
void usual_on_orin(Runs& runs, Checks& checks) {
  usual_clock(runs, checks, knob_orin(), 714);
}
double share_at_highest(const scenarios::Result& result, const std::string& domain) {
  for (const auto& [name, shares] : result.system.time_in_state)
    if (name == domain && !shares.empty()) return 100 * shares.back().second;
  return 0;
}
void residency(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double cpu, double gpu) {
    double of_cpu = 0, of_gpu = 0;
    for (const char* model : knob_models) {
      const scenarios::Result& result =
          runs.of(knob_text(board, {.model = model, .batch = knob_batch(board, model)}));
      of_cpu += share_at_highest(result, "cpu0") / static_cast<double>(knob_models.size());
      of_gpu += share_at_highest(result, "gpu") / static_cast<double>(knob_models.size());
    }
    checks.near(fmt::format("{}: time at the highest CPU clock", board.name), cpu, of_cpu, "%");
    checks.near(fmt::format("{}: time at the highest GPU clock", board.name), gpu, of_gpu, "%");
  };
  add(knob_nano(), 89, 83);
  add(knob_xavier(), 87, 79);
  add(knob_orin(), 56, 59);
}
void powersave(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double energy, double power, double time) {
    const KnobRun governed = knob_run(runs, board, {}),
                  saved = knob_run(runs, board, {.governors = "{cpu: powersave}"});
    checks.near_points(fmt::format("{}: energy", board.name), energy,
                       percent_more(saved.joules(), governed.joules()));
    checks.near_points(fmt::format("{}: power", board.name), power,
                       percent_more(saved.watts, governed.watts));
    checks.near_points(fmt::format("{}: time", board.name), time,
                       percent_more(saved.seconds, governed.seconds));
  };
  add(knob_nano(), 0.01, -30, 43);
  add(knob_xavier(), -1.3, -36, 54);
  add(knob_orin(), 1.5, -28, 44);
}
void other_governors(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double within) {
    const double governed = knob_run(runs, board, {}).joules();
    for (const char* governor : {"performance", "ondemand", "conservative"})
      checks.at_most(
          fmt::format("{}, {}: energy changes by", board.name, governor), within,
          std::abs(percent_more(
              knob_run(runs, board, {.governors = fmt::format("{{cpu: {}}}", governor)}).joules(), governed)),
          "%");
  };
  add(knob_nano(), 1);
  add(knob_xavier(), 2);
  add(knob_orin(), 2);
}
void batch_64_against_8(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double cpu_mhz, double low, double high) {
    double least = 0, most = -100;
    const auto small = gpu_sweep(runs, board, {.batch = 8, .cpu_mhz = cpu_mhz}),
               large = gpu_sweep(runs, board, {.batch = 64, .cpu_mhz = cpu_mhz});
    for (std::size_t i = 0; i < small.size(); ++i) {
      const double change = percent_more(large[i].run.joules(), small[i].run.joules());
      least = std::min(least, change);
      most = std::max(most, change);
    }
    checks.near_points(fmt::format("{}: most saved", board.name), low, least);
    checks.near_points(fmt::format("{}: least saved", board.name), high, most);
  };
  add(knob_nano(), 1479, -45, -40);
  add(knob_xavier(), 1036.8, -42, -35);
  add(knob_orin(), 960, -19, -15);
}
void xavier_spans(Runs& runs, Checks& checks) {
  const auto points = over_gpu(runs, knob_xavier());
  checks.between("span of power", 7.5, 9.8, span(points, watts), "W");
  checks.near("span of time", 20, span(points, seconds), "s");
}
void orin_spans(Runs& runs, Checks& checks) {
  const auto points = over_gpu(runs, knob_orin());
  checks.near("span of power", 5.1, span(points, watts), "W");
  checks.near("span of time", 6, span(points, seconds), "s");
}
void boards_by_energy(Runs& runs, Checks& checks) {
  for (const char* model : knob_models) {
    const auto energy = [&](const KnobBoard& board) {
      return knob_run(runs, board, {.model = model, .batch = knob_batch(board, model)}).joules();
    };
    checks.ordered(fmt::format("{}, J", model),
                   {{"jetson-nano", energy(knob_nano())}, {"xavier-nx", energy(knob_xavier())}});
    checks.ordered(fmt::format("{}, J", model),
                   {{"jetson-nano", energy(knob_nano())}, {"orin-nx", energy(knob_orin())}});
  }
}
// The clock with the least energy must be inside the range, not at an end.
void troughs(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    const auto points = over_gpu(runs, board);
    const auto least =
        std::ranges::min_element(points, {}, [](const KnobPoint& p) { return p.run.joules(); });
    checks.ordered(fmt::format("{}, J", board.name),
                   {{"lowest clock", points.front().run.joules()}, {"best", least->run.joules()}});
    checks.ordered(fmt::format("{}, J", board.name),
                   {{"highest clock", points.back().run.joules()}, {"best", least->run.joules()}});
  }
}
void other_cpu_governors(Runs& runs, Checks& checks) {
  const KnobRun governed = knob_run(runs, knob_nano(), {});
  KnobRun best = governed;
  for (const char* governor : {"performance", "ondemand", "conservative"}) {
    const KnobRun run = knob_run(runs, knob_nano(), {.governors = fmt::format("{{cpu: {}}}", governor)});
    if (run.watts < best.watts) best = run;
  }
  checks.near_points("power", -2.9, percent_more(best.watts, governed.watts));
  checks.near_points("time", 2.6, percent_more(best.seconds, governed.seconds));
}
KnobRun at_highest(Runs& runs, const KnobBoard& board) {
  return knob_run(runs, board, {.cpu_mhz = board.cpu_mhz.back(), .gpu_mhz = board.gpu_mhz.back()});
}
void dvfs_power(Runs& runs, Checks& checks) {
  checks.ordered("W", {{"DVFS", knob_run(runs, knob_nano(), {}).watts},
                       {"the fixed highest clocks", at_highest(runs, knob_nano()).watts}});
}
void dvfs_near_highest(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : {knob_nano(), knob_xavier()}) {
    const KnobRun governed = knob_run(runs, board, {}), fixed = at_highest(runs, board);
    checks.near(fmt::format("{}: time, as at the highest clocks", board.name), fixed.seconds,
                governed.seconds, "s");
    checks.near(fmt::format("{}: power, as at the highest clocks", board.name), fixed.watts, governed.watts,
                "W");
  }
}
void energy_over_each_clock(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards())
    checks.ordered(
        fmt::format("{}, span of J over a clock", board.name),
        {{"GPU", span(over_gpu(runs, board), joules)}, {"CPU", span(over_cpu(runs, board), joules)}});
}
void energy_over_batch(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    std::vector<double> energy;
    for (const int batch : {8, 16, 32, 64})
      energy.push_back(
          knob_run(runs, board, {.batch = batch, .cpu_mhz = fixed_cpu(board), .gpu_mhz = fixed_gpu(board)})
              .joules());
    checks.falls(fmt::format("{}: J at batch 8, 16, 32, 64", board.name), energy);
  }
}
void batch_at_every_clock(Runs& runs, Checks& checks) {
  for (const KnobBoard& board : knob_boards()) {
    const auto small = over_gpu(runs, board, 8), large = over_gpu(runs, board, 64);
    std::size_t lower = 0;
    for (std::size_t i = 0; i < small.size(); ++i)
      lower += large[i].run.joules() < small[i].run.joules() ? 1 : 0;
    checks.equal(fmt::format("{}: GPU clocks where batch 64 costs less than 8", board.name),
                 static_cast<double>(small.size()), static_cast<double>(lower));
  }
}
void lowest_clock_is_worst(Runs& runs, Checks& checks) {
  const auto energy = over_points(over_gpu(runs, knob_nano()), joules);
  checks.ordered("J", {{"lowest GPU clock", energy.front()},
                       {"the worst of the others", *std::max_element(energy.begin() + 1, energy.end())}});
}
void rises_little_beyond_best(Runs& runs, Checks& checks) {
  const auto beyond = [&](const KnobBoard& board) {
    const auto energy = over_points(over_gpu(runs, board), joules);
    return percent_more(energy.back(), *std::ranges::min_element(energy));
  };
  const double on_nano = beyond(knob_nano());
  checks.at_most("jetson-nano: from the least to the highest clock", 15, on_nano, "%");
  checks.ordered("rise to the highest clock, %",
                 {{"xavier-nx", beyond(knob_xavier())}, {"jetson-nano", on_nano}});
}
void joint_tuning(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double claimed) {
    double least = HUGE_VAL;
    for (const KnobPoint& point : clock_sweep(runs, board, {.batch = 64}))
      least = std::min(least, point.run.joules());
    checks.near_points(board.name, -claimed,
                       percent_more(least, knob_run(runs, board, {.batch = 8}).joules()));
  };
  add(knob_nano(), 45);
  add(knob_xavier(), 45);
  add(knob_orin(), 19);
}
void max_saved(Runs& runs, Checks& checks) {
  double most = 0;
  for (const KnobBoard& board : knob_boards())
    for (const char* model : knob_models) {
      const Best best = best_of(runs, board, model);
      most = std::max(most, -percent_more(best.point.run.joules(), best.governed.joules()));
    }
  checks.at_most("saved by clocks alone, six networks, three boards", 22, most, "%");
}
void cores_do_not_matter(Runs& runs, Checks& checks) {
  const auto add = [&](const KnobBoard& board, int all) {
    const Knobs few{.cpu_mhz = fixed_cpu(board), .gpu_mhz = fixed_gpu(board), .cores = 2};
    Knobs many = few;
    many.cores = all;
    checks.near(fmt::format("{}: time with 2 cores, as with {}", board.name, all),
                knob_run(runs, board, many).seconds, knob_run(runs, board, few).seconds, "s");
    checks.near(fmt::format("{}: power with 2 cores, as with {}", board.name, all),
                knob_run(runs, board, many).watts, knob_run(runs, board, few).watts, "W");
  };
  add(knob_nano(), 4);
  add(knob_xavier(), 6);
  add(knob_orin(), 8);
}
void orin_against_xavier(Runs& runs, Checks& checks) {
  const KnobRun orin = knob_run(runs, knob_orin(), {}), xavier = knob_run(runs, knob_xavier(), {});
  checks.ordered("W", {{"orin-nx", orin.watts}, {"xavier-nx", xavier.watts}});
  checks.ordered("s", {{"xavier-nx", xavier.seconds}, {"orin-nx", orin.seconds}});
  checks.near("J on orin-nx, as on xavier-nx", xavier.joules(), orin.joules(), "J");
}
void xavier_against_nano(Runs& runs, Checks& checks) {
  const KnobRun nano = knob_run(runs, knob_nano(), {}), xavier = knob_run(runs, knob_xavier(), {});
  checks.ordered("s", {{"jetson-nano", nano.seconds}, {"xavier-nx", xavier.seconds}});
  checks.ordered("W", {{"xavier-nx", xavier.watts}, {"jetson-nano", nano.watts}});
}
double by_second_half(const std::vector<double>& time) {
  return percent_more(time[time.size() / 2], time.back());
}
// The time must first fall by at least 5 %: a time that does not depend on the clock has no plateau.
void plateaus(Runs& runs, Checks& checks, const KnobBoard& board) {
  const auto time = over_points(over_cpu(runs, board), seconds);
  checks.at_least("time at the lowest over the highest CPU clock", 5, percent_more(time.front(), time.back()),
                  "% more");
  checks.at_most("time gained by the second half of the CPU's clocks", 5, by_second_half(time), "%");
}
void plateau_on_xavier(Runs& runs, Checks& checks) {
  plateaus(runs, checks, knob_xavier());
  checks.ordered("% gained by the second half of the clocks",
                 {{"GPU", by_second_half(over_points(over_gpu(runs, knob_xavier()), seconds))},
                  {"CPU", by_second_half(over_points(over_cpu(runs, knob_xavier()), seconds))}});
}
void plateau_on_orin(Runs& runs, Checks& checks) {
  plateaus(runs, checks, knob_orin());
}
void orin_is_faster_at_lower_clocks(Runs& runs, Checks& checks) {
  const auto at = [&](const KnobBoard& board, double mhz) {
    return knob_run(runs, board, {.cpu_mhz = fixed_cpu(board), .gpu_mhz = mhz});
  };
  checks.ordered(
      "s, orin-nx at 510 MHz and xavier-nx at 701.25",
      {{"xavier-nx", at(knob_xavier(), 701.25).seconds}, {"orin-nx", at(knob_orin(), 510).seconds}});
}
void counts_of_clocks(Runs& /*runs*/, Checks& checks) {
  const auto add = [&](const KnobBoard& board, double cpu, double gpu) {
    checks.equal(fmt::format("{}: CPU clocks", board.name), cpu, static_cast<double>(board.cpu_mhz.size()));
    checks.equal(fmt::format("{}: GPU clocks", board.name), gpu, static_cast<double>(board.gpu_mhz.size()));
  };
  add(knob_nano(), 15, 12);
  add(knob_xavier(), 25, 15);
  add(knob_orin(), 26, 7);
}
void mobilenet_needs_batch_8(Runs& runs, Checks& checks) {
  const auto fits = [&](int batch) {
    const scenarios::Result held = runs.held({.device = "jetson-nano",
                                              .model = "mobilenet_v2",
                                              .precision = "fp32",
                                              .batch = batch,
                                              .process = "runtime: eager"});
    return held.processes.front().status == "ok";
  };
  checks.is("batch 8", "fits", fits(8) ? "fits" : "does not", fits(8));
  checks.is("batch 16", "does not", fits(16) ? "fits" : "does not", !fits(16));
}

constexpr StatementCheck energy_clocks_all[] = {
    {"E01", nano_gpu_spans},
    {"E02", nano_cpu_spans},
    {"E03", shapes_over_clocks},
    {"E04", cpu_matters_less},
    {"E05", best_on_nano},
    {"E06", usual_on_nano},
    {"E07", best_on_xavier},
    {"E08", usual_on_xavier},
    {"E09", best_on_orin},
    {"E10", usual_on_orin},
    {"E11", residency},
    {"E12", powersave},
    {"E13", other_governors},
    {"E14", batch_64_against_8},
    {"E15", xavier_spans},
    {"E16", orin_spans},
    {"E17", boards_by_energy},
    {"E20", troughs},
    {"E21", other_cpu_governors},
    {"E22", dvfs_power},
    {"E23", dvfs_near_highest},
    {"E24", energy_over_each_clock},
    {"E25", energy_over_batch},
    {"E26", batch_at_every_clock},
    {"E27", lowest_clock_is_worst},
    {"E28", rises_little_beyond_best},
    {"E29", joint_tuning},
    {"E30", max_saved},
    {"E31", cores_do_not_matter},
    {"E32", orin_against_xavier},
    {"E33", xavier_against_nano},
    {"E34", plateau_on_xavier},
    {"E35", plateau_on_orin},
    {"E40", counts_of_clocks},
    {"E44", mobilenet_needs_batch_8},
    {"E45", orin_is_faster_at_lower_clocks},
};

}  // namespace

std::span<const StatementCheck> energy_statements() {
  return energy_clocks_all;
}

}  // namespace jostle::calibration
