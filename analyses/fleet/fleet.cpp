#include "analyses/fleet/fleet.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/board/spec.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr double seconds_a_day = 86400;

// The simulated metrics of a board with a number of cameras.
struct Load {
  bool fits = false, keeps_up = false, meets_limits = false;
  double power_w = 0;
  scenarios::Metric energy_per_frame_mj;
  std::vector<double> values;
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
    std::vector<std::int64_t> capacity(candidates_.size());
    std::mutex guard;
    std::size_t done = 0;
    scenarios::parallel_for(
        candidates_.size(),
        [&](std::size_t i) {
          capacity[i] = capacity_of(i);
          const std::lock_guard lock(guard);
          ++done;
          if (control_.progress) control_.progress(done, candidates_.size());
        },
        control_.threads);
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
    const Evaluation values = values_in(goal_, to_json(*result));
    if (values) load.values = *values;
    load.meets_limits = values && meets_limits(goal_.criteria, *values);
    return load;
  }

  // The largest number of cameras that the board keeps up with and that meets the limits; 0: none. The search
  // first finds how many it keeps up with, then goes down until the limits hold: with few cameras a batch
  // fills slowly, so latency is not monotonic.
  [[nodiscard]] std::int64_t capacity_of(std::size_t candidate) {
    std::int64_t feasible = 0, too_many = section_.cameras + 1;
    for (std::int64_t tried = 1; tried < too_many;) {
      if (load(candidate, tried).keeps_up)
        feasible = tried;
      else
        too_many = tried;
      tried =
          too_many <= section_.cameras ? (feasible + too_many) / 2 : std::min(2 * feasible, section_.cameras);
      if (tried <= feasible) break;
    }
    while (feasible > 0) {
      const Load here = load(candidate, feasible);
      if (here.keeps_up && here.meets_limits) return feasible;
      feasible -= std::max<std::int64_t>(1, feasible / 16);
    }
    return 0;
  }

  [[nodiscard]] std::optional<FleetChoice> best_of_type(const FleetBoard& board,
                                                        const std::vector<std::int64_t>& capacity) {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::pair<std::size_t, std::int64_t>> able;  // candidate, boards
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (capacity[i] == 0 || candidates_.scenario(i).device != board.device) continue;
      able.emplace_back(i, (section_.cameras + capacity[i] - 1) / capacity[i]);
      fewest = std::min(fewest, able.back().second);
    }
    std::erase_if(able, [&](const auto& one) { return one.second > fewest; });
    std::optional<FleetChoice> best;
    std::size_t best_candidate = 0;
    for (const auto& [candidate, boards] : able) {
      const std::int64_t less = section_.cameras / boards, more_of = section_.cameras % boards;
      const std::int64_t more = less + (more_of > 0 ? 1 : 0);
      const Load full = load(candidate, more);
      const Load rest = more_of > 0 ? load(candidate, less) : full;
      if (!full.keeps_up || !full.meets_limits || !rest.meets_limits) continue;
      const double power =
          static_cast<double>(more_of) * full.power_w + static_cast<double>(boards - more_of) * rest.power_w;
      if (best && best->power_w <= power) continue;
      best_candidate = candidate;
      best = FleetChoice{
          board.device,
          settings_without_device(candidate),
          capacity[candidate],
          boards,
          more,
          power,
          power * seconds_a_day / 3.6e6,
          full.energy_per_frame_mj,
          board.price ? scenarios::Metric(*board.price * static_cast<double>(boards)) : std::nullopt,
          full.values,
          {},
          {}};
    }
    if (best) add_intervals(*best, best_candidate);
    return best;
  }

  // The intervals of the board with the most cameras.
  void add_intervals(FleetChoice& choice, std::size_t candidate) const {
    Goal goal = goal_;
    goal.criteria.push_back({});
    goal.metrics.emplace_back("system.power_w");
    choice.intervals = goal_intervals(
        goal, with_cameras(candidates_.scenario(candidate), choice.max_cameras, section_.rate_per_s),
        control_.interrupt);
    const scenarios::Interval power = choice.intervals.back();
    choice.intervals.pop_back();
    const auto boards = static_cast<double>(choice.boards);
    if (power) choice.power_pi90 = {power->first * boards, power->second * boards};
  }

  [[nodiscard]] std::string settings_without_device(std::size_t candidate) const {
    auto settings = nlohmann::ordered_json::parse(candidates_.checked(candidate).settings);
    settings.erase("device");
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
