#include "analyses/fleet/fleet.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr double seconds_a_day = 86400;
constexpr const char* latency = "processes.latency_ms.p99";

// The simulated metrics of a board with a number of cameras.
struct Load {
  bool fits = false, keeps_up = false, meets_limits = false;
  double power_w = 0;
  scenarios::Metric energy_per_frame_mj;
  std::vector<double> values;
  scenarios::Metric p99_ms;
};

class FleetPlanner {
 public:
  FleetPlanner(const FleetSection& section, const Candidates& candidates, const FleetControl& control)
      : section_(section), candidates_(candidates), control_(control) {
    for (const Constraint& constraint : section.constraints) {
      if (constraint.min) add_limit(constraint.metric, true, *constraint.min);
      if (constraint.max) add_limit(constraint.metric, false, *constraint.max);
    }
  }

  Fleet make() {
    Fleet fleet{section_.cameras, section_.rate_per_s, goal_, {}, {}, {}, candidates_.size(), 0};
    const std::vector<std::int64_t> capacity = capacities();
    for (const FleetBoard& board : section_.boards) {
      if (auto choice = best_of_type(board, capacity))
        fleet.choices.push_back(*std::move(choice));
      else
        fleet.carry_none.push_back(board.device);
    }
    const auto cost = [](const FleetChoice& choice) {
      return std::pair(choice.price.value_or(0), choice.boards);
    };
    std::ranges::stable_sort(fleet.choices, {}, cost);
    add_mix(fleet);
    fleet.simulated = simulated_;
    return fleet;
  }

 private:
  void add_limit(const std::string& metric, bool is_lower_bound, double limit) {
    goal_.criteria.push_back({is_lower_bound, limit});
    goal_.metrics.push_back(metric);
  }

  [[nodiscard]] Load load(std::size_t candidate, std::int64_t cameras) {
    const scenarios::Scenario scenario =
        with_cameras(candidates_.scenario(candidate), cameras, section_.rate_per_s);
    input::Problems problems;
    const auto profile = candidates_.profiles().of(scenario, problems);
    if (!profile) throw scenarios::RunError(problems.text());
    scenarios::RunControl control;
    control.interrupt = control_.interrupt;
    control.all_must_fit = true;
    const auto result = run(scenario, *profile, control);
    if (!result) throw scenarios::Interrupted();
    ++simulated_;
    Load load;
    load.fits = result->status == "ok";
    if (!load.fits) return load;
    load.keeps_up = true;
    for (const scenarios::ProcessResult& process : result->processes)
      load.keeps_up &= process.drops == 0 && process.stable == true;
    load.power_w = result->system.power_w.mean.value_or(0);
    load.energy_per_frame_mj = result->system.energy_per_image_mj;
    const ResultMetrics metrics(*result);
    const Evaluation values = values_in(goal_, metrics), p99 = values_in({{{false, {}}}, {latency}}, metrics);
    if (p99) load.p99_ms = p99->front();
    if (values) load.values = *values;
    load.meets_limits = values && meets_limits(goal_.criteria, *values);
    return load;
  }

  // How fast a candidate's power mode lets the board be: its clock times its TPCs, then the memory's clock,
  // then the cores'. Only an order, in which to search.
  using Speed = std::tuple<double, double, double, int>;
  [[nodiscard]] Speed speed_of(std::size_t candidate) const {
    const scenarios::Scenario scenario = candidates_.scenario(candidate);
    input::Problems problems;
    const auto profile = candidates_.profiles().of(scenario, problems);
    if (!profile) throw scenarios::RunError(problems.text());
    const board::DeviceSpec& device = *profile->spec;
    const board::PowerMode mode = power_mode_of(scenario, device).value_or(board::PowerMode{});
    const int tpcs = device.sms_per_tpc > 0 ? device.gpu.sm_count / device.sms_per_tpc : 1;
    const auto& cpu = mode.cpu_max_clock_hz;
    int cores = 0;
    for (const int online : mode.online_cores) cores += online;
    return {mode.gpu_max_clock_hz.value_or(device.gpu.max_clock_hz) * mode.tpcs.value_or(tpcs),
            mode.emc_max_clock_hz.value_or(device.memory.max_clock_hz),
            cpu.empty() ? std::numeric_limits<double>::infinity() : std::ranges::max(cpu),
            mode.online_cores.empty() ? device.core_count() : cores};
  }

  // How many cameras a board carries, by candidate; 0: none, or so few that another candidate needs fewer
  // boards of the type. First those in the fastest mode of each type: what they need bounds the others, most
  // of which then cost one run.
  [[nodiscard]] std::vector<std::int64_t> capacities() {
    std::vector<std::string> type(candidates_.size());
    std::vector<Speed> speed(candidates_.size());
    std::map<std::string, Speed> fastest;
    for (std::size_t i = 0; i < type.size(); ++i) {
      type[i] = candidates_.scenario(i).device;
      speed[i] = speed_of(i);
      const auto known = fastest.emplace(type[i], speed[i]).first;
      known->second = std::max(known->second, speed[i]);
    }
    std::vector<std::size_t> first, others;
    for (std::size_t i = 0; i < type.size(); ++i)
      (speed[i] == fastest[type[i]] ? first : others).push_back(i);
    std::vector<std::int64_t> capacity(type.size());
    search(first, {}, capacity);
    std::vector<std::int64_t> needed(type.size(), 1);
    for (const std::size_t i : others) {
      std::int64_t most = 0;
      for (const std::size_t other : first)
        if (type[other] == type[i]) most = std::max(most, capacity[other]);
      if (most > 0) needed[i] = cameras_each(boards_for(most));
    }
    search(others, needed, capacity);
    return capacity;
  }

  [[nodiscard]] std::int64_t boards_for(std::int64_t capacity) const {
    return (section_.cameras + capacity - 1) / capacity;
  }
  // At most, spread evenly.
  [[nodiscard]] std::int64_t cameras_each(std::int64_t boards) const {
    return (section_.cameras + boards - 1) / boards;
  }

  // Finds the capacities of these candidates; `needed`: by candidate, the least that counts (empty: 1).
  void search(const std::vector<std::size_t>& these, const std::vector<std::int64_t>& needed,
              std::vector<std::int64_t>& capacity) {
    std::mutex guard;
    scenarios::parallel_for(
        these.size(),
        [&](std::size_t i) {
          capacity[these[i]] = capacity_of(these[i], needed.empty() ? 1 : needed[these[i]]);
          const std::lock_guard lock(guard);
          ++searched_;
          if (control_.progress) control_.progress(searched_, candidates_.size());
        },
        control_.threads);
  }

  // The largest number of cameras, at least `needed`, that the board keeps up with and that meets the limits;
  // 0: none. The search first finds how many it keeps up with, then goes down until the limits hold: with few
  // cameras a batch fills slowly, so latency is not monotonic.
  [[nodiscard]] std::int64_t capacity_of(std::size_t candidate, std::int64_t needed) {
    std::int64_t feasible = needed - 1, too_many = section_.cameras + 1;
    Load here;  // with `feasible` cameras
    for (std::int64_t tried = needed; tried > feasible && tried < too_many;) {
      Load loaded = load(candidate, tried);
      if (loaded.keeps_up) {
        feasible = tried;
        here = std::move(loaded);
      } else {
        too_many = tried;
      }
      tried =
          too_many <= section_.cameras ? (feasible + too_many) / 2 : std::min(2 * feasible, section_.cameras);
    }
    while (feasible >= needed) {
      if (here.keeps_up && here.meets_limits) return feasible;
      feasible -= std::max<std::int64_t>(1, feasible / 16);
      if (feasible >= needed) here = load(candidate, feasible);
    }
    return 0;
  }

  // The candidate that needs the fewest boards, then the least power; if what carries all cameras on average
  // does not when they are spread evenly, one that needs more boards.
  [[nodiscard]] std::optional<FleetChoice> best_of_type(const FleetBoard& board,
                                                        const std::vector<std::int64_t>& capacity) {
    std::map<std::int64_t, std::vector<std::size_t>> able;  // by number of boards
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (capacity[i] > 0 && candidates_.scenario(i).device == board.device)
        able[boards_for(capacity[i])].push_back(i);
    }
    for (const auto& [boards, equals] : able) {
      std::optional<FleetChoice> best;
      std::size_t best_candidate = 0;
      for (const std::size_t candidate : equals) {
        auto choice = spread(board, candidate, boards);
        if (!choice || (best && best->power_w <= choice->power_w)) continue;
        choice->capacity = capacity[candidate];
        best_candidate = candidate;
        best = std::move(choice);
      }
      if (!best) continue;
      add_intervals(*best, best_candidate);
      return best;
    }
    return std::nullopt;
  }

  // The candidate with all cameras spread evenly over the boards; none if that does not meet the limits.
  [[nodiscard]] std::optional<FleetChoice> spread(const FleetBoard& board, std::size_t candidate,
                                                  std::int64_t boards) {
    const std::int64_t less = section_.cameras / boards, more_of = section_.cameras % boards;
    const std::int64_t more = less + (more_of > 0 ? 1 : 0);
    const Load full = load(candidate, more);
    const Load rest = more_of > 0 ? load(candidate, less) : full;
    if (!full.keeps_up || !full.meets_limits || !rest.meets_limits) return std::nullopt;
    FleetChoice choice;
    choice.device = board.device;
    choice.settings = settings_without_device(candidate);
    choice.boards = boards;
    choice.max_cameras = more;
    choice.power_w =
        static_cast<double>(more_of) * full.power_w + static_cast<double>(boards - more_of) * rest.power_w;
    choice.energy_kwh_day = choice.power_w * seconds_a_day / 3.6e6;
    choice.energy_per_frame_mj = full.energy_per_frame_mj;
    if (board.price) choice.price = *board.price * static_cast<double>(boards);
    choice.values = full.values;
    choice.board_w = full.power_w;
    const scenarios::Scenario scenario = candidates_.scenario(candidate);
    choice.power_mode =
        scenario.power_mode_file ? std::optional(scenario.power_mode_file->mode) : scenario.power_mode;
    choice.p99_ms = full.p99_ms;
    return choice;
  }

  // The intervals of the board with the most cameras.
  void add_intervals(FleetChoice& choice, std::size_t candidate) const {
    Goal goal = goal_;
    for (const char* const metric : {latency, "system.power_w"}) {
      goal.criteria.push_back({false, std::nullopt});
      goal.metrics.emplace_back(metric);
    }
    std::vector<double> around = choice.values;
    around.push_back(choice.p99_ms.value_or(0));
    around.push_back(choice.board_w);
    choice.intervals = goal_intervals(
        goal, with_cameras(candidates_.scenario(candidate), choice.max_cameras, section_.rate_per_s), around,
        control_.interrupt);
    const scenarios::Interval power = choice.intervals.back();
    choice.intervals.pop_back();
    choice.p99_pi90 = choice.intervals.back();
    choice.intervals.pop_back();
    const auto boards = static_cast<double>(choice.boards);
    if (power) choice.power_pi90 = {power->first * boards, power->second * boards};
  }

  [[nodiscard]] std::string settings_without_device(std::size_t candidate) const {
    auto settings = nlohmann::ordered_json::parse(candidates_.checked(candidate).settings);
    settings.erase("device");
    settings.erase("power_mode");
    return settings.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  void add_mix(Fleet& fleet) const {
    std::vector<std::int64_t> capacities;
    std::vector<double> prices;
    for (const FleetChoice& choice : fleet.choices) {
      if (!choice.price) return;
      capacities.push_back(choice.capacity);
      prices.push_back(*choice.price / static_cast<double>(choice.boards));
    }
    if (fleet.choices.size() < 2) return;
    FleetMix mix = cheapest_mix(section_.cameras, capacities, prices);
    if (mix.price < *fleet.choices.front().price) fleet.mix = std::move(mix);
  }

  const FleetSection& section_;
  const Candidates& candidates_;
  const FleetControl& control_;
  Goal goal_;
  std::atomic<std::size_t> simulated_ = 0;
  std::size_t searched_ = 0;
};

}  // namespace

bool check_fleet(const Study& study, input::Problems& problems) {
  const input::Cursor scenario(study.scenario, "scenario", problems);
  const input::Node processes = study.scenario->find("processes");
  if (!processes || processes->children.size() != 1) {
    scenario.problem("a fleet needs exactly one entry in processes", "keep one entry");
    return false;
  }
  if (processes->children.front()->find("arrivals")) {
    scenario.descend("processes.0.arrivals")
        .problem("the cameras and rate of the fleet set the arrivals", "remove it");
    return false;
  }
  return true;
}

scenarios::Scenario with_cameras(const scenarios::Scenario& scenario, std::int64_t cameras,
                                 double rate_per_s) {
  scenarios::Scenario loaded = scenario;
  const scenarios::ProcessEntry entry = scenario.processes.front();
  const std::int64_t processes = std::min(entry.count, cameras);
  loaded.processes.clear();
  const auto add = [&](std::int64_t count, std::int64_t streams) {
    if (count == 0 || streams == 0) return;
    scenarios::ProcessEntry& added = loaded.processes.emplace_back(entry);
    added.count = count;
    added.arrivals.kind = process::ArrivalKind::periodic;
    added.arrivals.rate_per_s = rate_per_s;
    added.arrivals.streams = streams;
    added.arrivals.dynamic_batch = entry.batch;
  };
  add(cameras % processes, cameras / processes + 1);
  add(processes - cameras % processes, cameras / processes);
  return loaded;
}

Fleet fleet(const FleetSection& section, const Candidates& candidates, const FleetControl& control) {
  return FleetPlanner(section, candidates, control).make();
}

FleetMix cheapest_mix(std::int64_t cameras, const std::vector<std::int64_t>& capacities,
                      const std::vector<double>& prices) {
  struct State {
    double price = std::numeric_limits<double>::infinity();
    std::int64_t boards = 0;
    std::size_t last = 0;
  };
  // [n]: the cheapest boards for n cameras.
  std::vector<State> cheapest(static_cast<std::size_t>(cameras) + 1);
  cheapest[0].price = 0;
  for (std::int64_t n = 1; n <= cameras; ++n) {
    State& here = cheapest[static_cast<std::size_t>(n)];
    for (std::size_t kind = 0; kind < capacities.size(); ++kind) {
      if (capacities[kind] < 1) continue;
      const State& before =
          cheapest[static_cast<std::size_t>(std::max<std::int64_t>(0, n - capacities[kind]))];
      const double price = before.price + prices[kind];
      if (std::pair(price, before.boards + 1) < std::pair(here.price, here.boards))
        here = {price, before.boards + 1, kind};
    }
  }
  FleetMix mix{std::vector<std::int64_t>(capacities.size()), cheapest.back().price};
  for (std::int64_t n = cameras; n > 0;) {
    const std::size_t kind = cheapest[static_cast<std::size_t>(n)].last;
    ++mix.boards[kind];
    n -= capacities[kind];
  }
  return mix;
}

}  // namespace jostle::analyses
