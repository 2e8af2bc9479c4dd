#include "analyses/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/alternatives.hpp"
#include "analyses/plan/overload.hpp"
#include "analyses/plan/replicator.hpp"
#include "analyses/plan/samples.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/verdict/slower.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/power_mode.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr double seconds_a_day = 86400;
constexpr const char* latency = "processes.latency_ms.p99";

constexpr const char* power = "system.power_w";
// The criteria of a board are the limits, then latency and power, which may be absent. The position of power
// after the limits:
constexpr std::size_t power_after_limits = 1, may_be_absent = 2;

// The outcome of one run of a board with a number of cameras. Lengths are relative to the scenario's.
struct Outcome {
  bool keeps_up = false, meets_limits = false;
  double length = 1;                  // run length
  std::optional<double> next_length;  // length to try next, if the run is too short for a limit
};

// The replications of such a run, and the verdict that follows from them.
struct Decided {
  Replicated replicated;
  Verdict verdict = Verdict::undecided;
  double p_feasible = 0;
};

class FleetPlanner {
 public:
  FleetPlanner(const FleetSection& section, const Candidates& candidates, const FleetControl& control)
      : section_(section),
        rate_(section.rate_per_s * section.peak),
        candidates_(candidates),
        control_(control) {
    for (const Constraint& constraint : section.constraints) {
      if (constraint.min) add_limit(constraint.metric, true, *constraint.min);
      if (constraint.max) add_limit(constraint.metric, false, *constraint.max);
    }
    limit_headroom(goal_, section.headroom);
    goal_.confidence = candidates.goal().confidence;
    board_goal_ = goal_;
    board_goal_.may_be_absent = may_be_absent;
    for (const char* const metric : {latency, power}) {
      board_goal_.criteria.push_back({false, std::nullopt});
      board_goal_.metrics.emplace_back(metric);
    }
  }

  Fleet make() {
    Fleet fleet{section_.cameras, section_.rate_per_s, goal_, {}, {}, {}, candidates_.size(), 0};
    const std::vector<std::int64_t> capacity = capacities();
    for (const FleetBoard& board : section_.boards) {
      if (auto choice = best_of_type(board, capacity))
        fleet.choices.push_back(*std::move(choice));
      else
        fleet.carry_none.push_back({board.device, why_none(board, capacity)});
    }
    const auto cost = [](const FleetChoice& choice) {
      return std::pair(choice.price.value_or(std::numeric_limits<double>::infinity()), choice.boards);
    };
    std::ranges::stable_sort(fleet.choices, {}, cost);
    std::set<std::string> with_server;
    for (const FleetBoard& board : section_.boards)
      if (board.host_w) with_server.insert(board.device);
    fleet.power_note = power_note(powered_, with_server);
    fleet.peak = section_.peak;
    fleet.spare = section_.spare;
    fleet.asked = asked_of(candidates_.scenario(0), candidates_.values(0));
    if (section_.every_mode) fleet.asked.board = "in every power mode";
    if (std::ranges::none_of(section_.boards, [](const FleetBoard& of) { return of.price || of.per_hour; }))
      fleet.currency = " USD";
    for (FleetChoice& choice : fleet.choices)
      if (control_.curve) add_curve(choice, control_.intervals && &choice == fleet.choices.data());
    if (control_.intervals && !fleet.choices.empty()) add_trust(fleet.choices.front());
    add_mix(fleet);
    fleet.simulated = simulated_;
    return fleet;
  }

 private:
  void add_limit(const std::string& metric, bool is_lower_bound, double limit) {
    goal_.criteria.push_back({is_lower_bound, limit});
    goal_.metrics.push_back(metric);
  }

  // The outcome of a run that is long enough for the limits.
  [[nodiscard]] Outcome outcome_of(std::size_t candidate, std::int64_t cameras) {
    Outcome found = single_run(candidate, cameras, 1);
    while (found.keeps_up && found.next_length) found = single_run(candidate, cameras, *found.next_length);
    return found;
  }

  [[nodiscard]] Outcome single_run(std::size_t candidate, std::int64_t cameras, double length) {
    const scenarios::Scenario scenario =
        lengthened(with_cameras(candidates_.scenario(candidate), cameras, rate_), length);
    const auto profile = candidates_.profiles().required(scenario);
    const auto work = candidates_.profiles().work(*profile);
    scenarios::RunControl control;
    control.shared = work.get();
    control.interrupt = control_.interrupt;
    control.every_percentile = true;
    control.all_must_fit = true;
    const auto result = run(scenario, *profile, control);
    if (!result) throw scenarios::Interrupted();
    ++simulated_;
    Outcome outcome;
    outcome.length = length;
    if (result->status != "ok") return outcome;
    outcome.keeps_up = true;
    for (const scenarios::ProcessResult& process : result->processes)
      outcome.keeps_up &= process.drops == 0 && process.stable == true;
    const ResultMetrics metrics(*result);
    Evaluation values = values_in(goal_, metrics);
    if (outcome.keeps_up) {
      add_headroom(goal_, values, {scenario, *profile, control});
      outcome.keeps_up = section_.headroom == 0 || !values || values->back() >= section_.headroom;
    }
    if (is_too_short(goal_, metrics)) outcome.next_length = next_length(length, *result);
    outcome.meets_limits = values && meets_limits(goal_.criteria, *values);
    return outcome;
  }

  // The speed of a candidate's power mode: GPU clock times TPCs, then the memory clock, then the cores'
  // clock, then the number of cores. It only decides the order of the search.
  using Speed = std::tuple<double, double, double, int>;
  [[nodiscard]] Speed speed_of(std::size_t candidate) const {
    const scenarios::Scenario scenario = candidates_.scenario(candidate);
    const auto profile = candidates_.profiles().required(scenario);
    const board::DeviceSpec& device = *profile->spec;
    const board::PowerMode mode = power_mode_of(scenario, device).value_or(board::PowerMode{});
    const int tpcs = device.gpu.sms_per_tpc > 0 ? device.gpu.sm_count / device.gpu.sms_per_tpc : 1;
    const auto& cpu = mode.cpu_max_clock_hz;
    int cores = 0;
    for (const int online : mode.online_cores) cores += online;
    return {mode.gpu_max_clock_hz.value_or(device.gpu.max_clock_hz) * mode.tpcs.value_or(tpcs),
            mode.emc_max_clock_hz.value_or(device.memory.max_clock_hz),
            cpu.empty() ? std::numeric_limits<double>::infinity() : std::ranges::max(cpu),
            mode.online_cores.empty() ? device.core_count() : cores};
  }

  // The number of cameras that one board can serve, for each candidate. 0: none, or so few that another
  // candidate needs fewer boards of the same type. The search starts with the candidates in the fastest mode
  // of each type. Their results bound the others, most of which then cost one run.
  [[nodiscard]] std::vector<std::int64_t> capacities() {
    length_.assign(candidates_.size(), 1);
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
  // The number of cameras on the fullest board if all cameras are spread evenly over the boards.
  [[nodiscard]] std::int64_t cameras_each(std::int64_t boards) const {
    return (section_.cameras + boards - 1) / boards;
  }

  // Finds the capacities of the `chosen` candidates. `needed`: the least capacity that is of use, for each
  // candidate (empty: 1).
  void search(const std::vector<std::size_t>& chosen, const std::vector<std::int64_t>& needed,
              std::vector<std::int64_t>& capacity) {
    std::mutex guard;
    scenarios::parallel_for(
        chosen.size(),
        [&](std::size_t i) {
          const std::size_t candidate = chosen[i];
          capacity[candidate] = capacity_of(candidate, needed.empty() ? 1 : needed[candidate]);
          const std::lock_guard lock(guard);
          ++searched_;
          if (control_.progress) control_.progress(searched_, candidates_.size());
        },
        control_.threads);
  }

  // The largest number of cameras, at least `needed`, with which the board keeps up and meets the limits; 0
  // if there is none. A bisection finds how many cameras the board keeps up with. The number then goes down
  // step by step until the limits hold, because latency is not monotonic: with few cameras a batch fills
  // slowly.
  [[nodiscard]] std::int64_t capacity_of(std::size_t candidate, std::int64_t needed) {
    std::int64_t feasible = needed - 1, too_many = section_.cameras + 1;
    Outcome here;  // with `feasible` cameras
    for (std::int64_t tried = needed; tried > feasible && tried < too_many;) {
      const Outcome outcome = outcome_of(candidate, tried);
      if (outcome.keeps_up) {
        feasible = tried;
        here = outcome;
      } else {
        too_many = tried;
      }
      tried =
          too_many <= section_.cameras ? (feasible + too_many) / 2 : std::min(2 * feasible, section_.cameras);
    }
    while (feasible >= needed) {
      if (here.keeps_up && here.meets_limits) {
        length_[candidate] = here.length;
        return feasible;
      }
      feasible -= std::max<std::int64_t>(1, feasible / 16);
      if (feasible >= needed) here = outcome_of(candidate, feasible);
    }
    return 0;
  }

  // Decides by replications if a board with this many cameras meets the limits, in the busiest hour or at
  // this rate. Each verdict is remembered.
  [[nodiscard]] const Decided& decided(std::size_t candidate, std::int64_t cameras,
                                       std::optional<double> rate = {}) {
    const auto [known, is_new] = decided_.try_emplace({candidate, cameras, rate.value_or(rate_)});
    Decided& board = known->second;
    if (!is_new) return board;
    board.replicated.scenario = loaded(candidate, cameras, rate);
    const Replicator replicator{board_goal_, candidates_.profiles(), control_.threads, control_.interrupt};
    // The probability of error is divided among the steps, and among the boards that a search usually
    // examines.
    constexpr std::size_t steps = 5, usual_boards = 8;
    const double error = (1 - board_goal_.confidence) / static_cast<double>(steps * usual_boards);
    while (board.replicated.steps < steps && board.verdict == Verdict::undecided) {
      replicator.step({&board.replicated});
      board.p_feasible = board.replicated.samples.p_feasible(board_goal_.criteria);
      board.verdict = verdict_of(board.p_feasible, error, board.verdict);
    }
    simulated_ += board.replicated.samples.runs();
    return board;
  }

  // The number of cameras on the emptiest board, at least one.
  [[nodiscard]] std::int64_t fewest_each(std::int64_t boards) const {
    return std::max<std::int64_t>(1, section_.cameras / boards);
  }

  // The loads in which the limits must hold if `boards` carry all cameras: on the fullest and the emptiest of
  // these boards, and with the spare ones, among which the cameras are spread evenly too; there also at the
  // mean rate, at which a batch fills later.
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> loads_of(std::int64_t boards) const {
    const std::int64_t all = boards + section_.spare;
    std::vector<std::pair<std::int64_t, double>> loads;
    for (const auto& [on, rate] : {std::pair(boards, rate_), {all, rate_}, {all, section_.rate_per_s}})
      for (const std::int64_t cameras : {cameras_each(on), fewest_each(on)})
        loads.emplace_back(cameras, rate);
    return loads;
  }

  // True if replications show that every board meets the limits then.
  [[nodiscard]] bool is_feasible(std::size_t candidate, std::int64_t boards) {
    return std::ranges::all_of(loads_of(boards), [&](const auto& load) {
      return decided(candidate, load.first, load.second).verdict == Verdict::feasible;
    });
  }

  // Why no configuration of a kind carries the cameras: it has none, each misses a limit with one camera, or
  // the first that carries some misses it with the cameras that a board has, which may be too few for a
  // batch.
  [[nodiscard]] std::string why_none(const FleetBoard& board, const std::vector<std::int64_t>& capacity) {
    std::optional<std::size_t> any;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_.scenario(i).device == board.device &&
          (!any || (capacity[*any] == 0 && capacity[i] > 0)))
        any = i;
    if (!any) return candidates_.unsupported_on(board.device);
    if (capacity[*any] == 0) {
      const std::string why = why_not(*any, 1);
      return "no configuration meets the limits with even one camera" + (why.empty() ? "" : ": " + why);
    }
    const std::int64_t batch = candidates_.scenario(*any).processes.front().work.batch;
    for (const auto& [cameras, rate] : loads_of(boards_for(capacity[*any]))) {
      const Decided& here = decided(*any, cameras, rate);
      if (here.verdict == Verdict::feasible) continue;
      const Evaluation means = here.replicated.samples.means();
      std::string why = "it is not known to meet the limits";
      if (means)
        if (const auto missed = most_missed(goal_, *means))
          why = missed_words(goal_, *missed, (*means)[*missed]);
      return fmt::format(
          "one carries up to {}, but as they are spread over all boards, one has {} at {} frames/s: {}{}",
          input::counted(capacity[*any], "camera"), cameras, input::decimal(rate, 4), why,
          batch > 1 ? fmt::format("; a batch of {} fills late", batch) : "");
    }
    return "no number of boards is known to meet the limits";
  }

  // The candidate that needs the fewest boards; ties: the lowest power. The search begins at the numbers of
  // boards that follow from single runs. If replications do not confirm such a number, it tries more boards;
  // if they do, it also tries fewer.
  [[nodiscard]] std::optional<FleetChoice> best_of_type(const FleetBoard& board,
                                                        const std::vector<std::int64_t>& capacity) {
    constexpr std::int64_t max_extra = 16;  // boards beyond the number that follows from a single run
    std::map<std::int64_t, std::vector<std::size_t>> by_boards;  // candidates by number of boards
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (capacity[i] > 0 && candidates_.scenario(i).device == board.device)
        by_boards[boards_for(capacity[i])].push_back(i);
    }
    while (!by_boards.empty()) {
      const auto [boards, candidates] = *by_boards.begin();
      by_boards.erase(by_boards.begin());
      std::optional<FleetChoice> best;
      std::int64_t needed = boards;  // without spare ones
      for (const std::size_t candidate : candidates) {
        if (!is_feasible(candidate, boards)) {
          const std::int64_t next = more_boards(boards);
          if (next > boards && next <= boards_for(capacity[candidate]) + max_extra)
            by_boards[next].push_back(candidate);
          continue;
        }
        FleetChoice choice = spread(board, candidate, boards + section_.spare);
        if (best && best->power_w <= choice.power_w) continue;
        best = std::move(choice);
      }
      if (!best) continue;
      const std::size_t best_candidate = best->candidate;
      for (; needed > 1 && is_feasible(best_candidate, needed - 1); --needed)
        best = spread(board, best_candidate, needed - 1 + section_.spare);
      best->capacity = confirmed_capacity(best_candidate, capacity[best_candidate], cameras_each(needed));
      best->strongest = strongest(*best, capacity);
      add_distances(*best, best_candidate);
      if (section_.spare > 0) best->without_spare = bill_of(spread(board, best_candidate, needed));
      best->intervals.resize(goal_.criteria.size());
      add_states(*best, needed);
      std::set<std::optional<std::string>> modes;
      for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (const auto tried = candidates_.scenario(i); tried.device == board.device)
          modes.insert(tried.power_mode);
      best->modes = modes.size();
      if (control_.intervals) add_intervals(*best, best_candidate);
      if (control_.intervals) add_if_off(*best, best_candidate);
      return best;
    }
    return std::nullopt;
  }

  void add_states(FleetChoice& choice, std::int64_t needed) {
    const std::size_t limits = goal_.criteria.size();
    const auto add = [&](std::string when, std::int64_t boards, double rate) {
      FleetState worse{std::move(when), 0, rate, {}, {}};
      for (const std::int64_t cameras : {cameras_each(boards), fewest_each(boards)}) {
        const std::vector<double> means =
            *decided(choice.candidate, cameras, rate).replicated.samples.means();
        if (worse.cameras > 0 && means[limits] <= worse.p99_ms.value_or(0)) continue;
        worse.cameras = cameras;
        worse.values.assign(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(limits));
        if (means[limits] > 0) worse.p99_ms = means[limits];
      }
      choice.states.push_back(std::move(worse));
    };
    const bool peak = section_.peak != 1, spare = section_.spare > 0;
    add(peak ? "in the busiest hour" : spare ? "with all boards" : "", choice.boards, rate_);
    if (peak) add("in ordinary hours", choice.boards, section_.rate_per_s);
    if (spare) add(fmt::format("with {} lost", section_.spare), needed, rate_);
  }

  // The next larger number of boards with fewer cameras on the fullest board; the same number if there is
  // none.
  [[nodiscard]] std::int64_t more_boards(std::int64_t boards) const {
    const std::int64_t each = cameras_each(boards);
    return each > 1 ? std::max(boards + 1, boards_for(each - 1)) : boards;
  }

  // The largest capacity that replications confirm, between `confirmed` and `from_single_run`.
  [[nodiscard]] std::int64_t confirmed_capacity(std::size_t candidate, std::int64_t from_single_run,
                                                std::int64_t confirmed) {
    std::int64_t cameras = from_single_run;
    while (cameras > confirmed && decided(candidate, cameras).verdict != Verdict::feasible)
      cameras -= std::max<std::int64_t>(1, cameras / 16);
    return std::max(cameras, confirmed);
  }

  [[nodiscard]] scenarios::Scenario loaded(std::size_t candidate, std::int64_t cameras,
                                           std::optional<double> rate = {}) const {
    return lengthened(with_cameras(candidates_.scenario(candidate), cameras, rate.value_or(rate_)),
                      length_[candidate]);
  }

  [[nodiscard]] std::optional<Strongest> strongest(const FleetChoice& choice,
                                                   const std::vector<std::int64_t>& capacity) const {
    std::size_t most = choice.candidate;
    for (std::size_t i = 0; i < capacity.size(); ++i)
      if (capacity[i] > capacity[most] && candidates_.scenario(i).device == choice.device) most = i;
    if (most == choice.candidate) return std::nullopt;
    return Strongest{most, capacity[most],
                     setting_words(candidates_.scenario(most).power_mode, settings_without_device(most))};
  }

  // Adds how far the fullest board is from overload, and what would be better and is out of reach: a board
  // less even in the strongest setting.
  void add_distances(FleetChoice& choice, std::size_t candidate) {
    const Load load{LoadUnit::cameras, choice.max_cameras, 0, rate_};
    choice.overload = distance_to_overload(load, [&](std::int64_t cameras) {
      ++simulated_;
      return candidates_.result_of(loaded(candidate, cameras));
    });
    if (const auto over = choice.overload.overloads_at) {
      std::int64_t carried = choice.capacity, missed = std::max(*over, carried + 1);
      std::string why = why_not(candidate, missed);
      while (missed - carried > 1) {
        const std::int64_t tried = (carried + missed) / 2;
        std::string reason = why_not(candidate, tried);
        (reason.empty() ? carried : missed) = tried;
        if (!reason.empty()) why = std::move(reason);
      }
      choice.more_cameras = {choice.boards, missed, std::move(why)};
    }
    const std::int64_t needed = choice.boards - section_.spare;
    if (needed < 2) return;
    const std::int64_t each = cameras_each(needed - 1);
    std::string why = why_not(choice.strongest ? choice.strongest->candidate : candidate, each);
    if (why.empty()) why = "they are not known to meet the limits";
    if (choice.strongest) why += choice.strongest->setting + ", which carries the most";
    choice.fewer_boards = {choice.boards - 1, each, std::move(why)};
  }

  // The reason why a board does not carry this many cameras, from one run; empty: it does.
  // `factor`: its times are so much longer.
  [[nodiscard]] std::string why_not(std::size_t candidate, std::int64_t cameras, double factor = 1) {
    const scenarios::Scenario scenario = on_slower_board(loaded(candidate, cameras), factor);
    ++simulated_;
    const scenarios::Result result = candidates_.result_of(scenario);
    const ResultMetrics metrics(result);
    if (const auto shortage = shortage_in(result)) {
      const scenarios::Metric share = metrics.stable_share();
      const std::string served = share ? ": " + served_words(*share) + " of the frames could be served" : "";
      return "they would " + shortage->effect + served;
    }
    Evaluation values = values_in(goal_, metrics);
    if (!values) return {};
    for (std::size_t i = 0; i < values->size(); ++i)
      (*values)[i] = in_scenario_time(goal_.metrics[i], (*values)[i], factor);
    candidates_.measure_headroom(goal_, scenario, values);
    const auto missed = most_missed(goal_, *values);
    return missed ? missed_words(goal_, *missed, (*values)[*missed]) : std::string();
  }

  // The number of cameras that one board carries within the limits if its times are `factor` times as long.
  // `capacity`: as they are.
  [[nodiscard]] std::int64_t carried_if(std::int64_t capacity, std::size_t candidate, double factor) {
    const Load load{LoadUnit::cameras, capacity, 0, rate_};
    const auto run_with = [&](std::int64_t cameras) {
      ++simulated_;
      return candidates_.result_of(on_slower_board(loaded(candidate, cameras), factor));
    };
    std::int64_t cameras = distance_to_overload(load, run_with).carries;
    while (cameras > 0 && !why_not(candidate, cameras, factor).empty())
      cameras -= std::max<std::int64_t>(1, cameras / 16);
    return cameras;
  }

  // Adds what a board carries if the model is off by the usual error of its grade.
  void add_if_off(FleetChoice& choice, std::size_t candidate) {
    const scenarios::Metric error = scenarios::usual_error_share(choice.grade);
    if (!error) return;
    const std::int64_t slow = carried_if(choice.capacity, candidate, 1 + *error);
    choice.if_off = {*error, slow, std::max(slow, carried_if(choice.capacity, candidate, 1 / (1 + *error)))};
  }

  // The choice that spreads all cameras evenly over the boards. is_feasible() must have been called for it.
  [[nodiscard]] FleetChoice spread(const FleetBoard& board, std::size_t candidate, std::int64_t boards) {
    const std::int64_t fewest = fewest_each(boards), most = cameras_each(boards);  // cameras on a board
    const std::int64_t fuller_boards =
        section_.cameras % boards;  // they have one camera more than the others
    const Decided& full = decided(candidate, most);
    const Decided& rest = decided(candidate, fewest);
    const std::vector<double> values = *full.replicated.samples.means();
    const std::size_t limits = goal_.criteria.size();
    const auto watts = [&](std::int64_t cameras, double rate) {
      return (*decided(candidate, cameras, rate).replicated.samples.means())[limits + power_after_limits];
    };
    FleetChoice choice;
    choice.device = board.device;
    choice.settings = settings_without_device(candidate);
    choice.boards = boards;
    choice.max_cameras = most;
    choice.candidate = candidate;
    choice.batch = candidates_.scenario(candidate).processes.front().work.batch;
    choice.board_w = watts(most, rate_);
    choice.host_w = board.host_w;
    const auto sum = [&](double rate) {
      return static_cast<double>(fuller_boards) * watts(most, rate) +
             static_cast<double>(boards - fuller_boards) * watts(fewest, rate) +
             static_cast<double>(boards) * board.host_w.value_or(0);
    };
    choice.power_w = sum(rate_);
    choice.day_w = sum(section_.rate_per_s);
    choice.energy_kwh_day = choice.day_w * seconds_a_day / 3.6e6;
    if (choice.day_w > 0)
      choice.energy_per_frame_mj =
          1e3 * choice.day_w / (section_.rate_per_s * static_cast<double>(section_.cameras));
    add_prices(choice, board, candidate);
    choice.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(limits));
    choice.replications = full.replicated.samples.size();
    for (std::size_t i = 0; i <= limits; ++i)
      choice.half_widths.emplace_back(full.replicated.samples.half_width(i, board_goal_.confidence));
    choice.p_feasible = std::max(0.0, full.p_feasible + (fewest == most ? 1 : rest.p_feasible) - 1);
    const scenarios::Scenario scenario = candidates_.scenario(candidate);
    choice.power_mode =
        scenario.power_mode_file ? std::optional(scenario.power_mode_file->mode) : scenario.power_mode;
    if (const auto mode = power_mode_of(scenario, *candidates_.profiles().required(scenario)->spec))
      choice.jetpack = mode->jetpack;
    if (values[limits] > 0) choice.p99_ms = values[limits];
    if (scenario.link) choice.rtt_ms = sim::to_seconds(scenario.link->rtt) * 1e3;
    return choice;
  }

  // Adds the latency by number of cameras: at most some ten points, and those of the choice itself.
  void add_curve(FleetChoice& choice, bool with_intervals) {
    constexpr std::int64_t parts = 5;
    const std::int64_t last = choice.overload.carries;
    std::set<std::int64_t> counts{1, choice.max_cameras, choice.capacity, last, last + 1};
    for (std::int64_t i = 1; i < parts; ++i) counts.insert(std::max<std::int64_t>(1, last * i / parts));
    const Goal goal{{{false, std::nullopt}}, {latency}};
    for (const std::int64_t cameras : counts) {
      CurvePoint& point = choice.curve.emplace_back(CurvePoint{cameras, {}, {}});
      if (cameras == choice.max_cameras) {
        point = {cameras, choice.p99_ms, choice.p99_pi90};
        continue;
      }
      ++simulated_;
      const scenarios::Scenario scenario = loaded(choice.candidate, cameras);
      const scenarios::Result result = candidates_.result_of(scenario);
      const Evaluation p99 = values_in(goal, ResultMetrics(result));
      if (!p99) continue;
      point.p99_ms = p99->front();
      if (with_intervals && cameras <= choice.capacity)
        point.pi90 = goal_trust(goal, scenario, *p99, result, control_.interrupt).intervals.front();
    }
  }

  // Sets the grade of the power, and purchase and running costs, from the prices in the study, else from
  // those in the board's profile.
  void add_prices(FleetChoice& choice, const FleetBoard& board, std::size_t candidate) {
    const auto profile = candidates_.profiles().required(candidates_.scenario(candidate));
    choice.power_grade = scenarios::power_grade(*profile);
    choice.is_card = is_card(*profile);
    powered_[board.device] = profile;
    const auto boards = static_cast<double>(choice.boards);
    const std::optional<double> price = board.price ? board.price : profile->prices.board_usd;
    const std::optional<double> per_hour =
        board.per_hour || price ? board.per_hour : profile->prices.per_hour_usd;
    if (price) choice.price = *price * boards;
    if (per_hour)
      choice.cost_per_hour = *per_hour * boards;
    else if (price)
      choice.cost_per_hour = section_.costs.per_hour(*choice.price, choice.day_w);
    const double frames_per_s = section_.rate_per_s * static_cast<double>(section_.cameras);
    if (choice.cost_per_hour) choice.cost_per_million = per_million(*choice.cost_per_hour, frames_per_s);
    if (per_hour || !(section_.costs.energy_usd_per_kwh > 0)) return;
    choice.energy_per_hour = choice.day_w / 1e3 * section_.costs.energy_usd_per_kwh;
    choice.energy_per_million = per_million(*choice.energy_per_hour, frames_per_s);
  }

  // The prediction intervals of a board with so many cameras: of the limits, its latency and its power.
  [[nodiscard]] GoalTrust trust_at(std::size_t candidate, std::int64_t cameras, double rate) {
    const scenarios::Scenario scenario = with_cameras(candidates_.scenario(candidate), cameras, rate);
    return goal_trust(board_goal_, scenario, *decided(candidate, cameras, rate).replicated.samples.means(),
                      candidates_.result_of(scenario), control_.interrupt);
  }

  void add_trust(FleetChoice& choice) {
    if (auto& most = choice.strongest; most && choice.if_off)
      most->slow = carried_if(most->cameras, most->candidate, 1 + choice.if_off->error);
    for (FleetState& state : choice.states) {
      state.intervals = trust_at(choice.candidate, state.cameras, state.rate_per_s).intervals;
      state.missed_if_slow =
          state.rate_per_s == rate_ && choice.if_off && choice.if_off->slow < state.cameras;
    }
  }

  // Adds those of the board with the most cameras.
  void add_intervals(FleetChoice& choice, std::size_t candidate) {
    GoalTrust trust = trust_at(candidate, choice.max_cameras, rate_);
    choice.intervals = std::move(trust.intervals);
    choice.sharing_note = std::move(trust.sharing_note);
    choice.grade = std::move(trust.grade);
    const scenarios::Interval watts = choice.intervals.back();
    choice.intervals.pop_back();
    choice.p99_pi90 = choice.intervals.back();
    choice.intervals.pop_back();
    const auto boards = static_cast<double>(choice.boards);
    const double host_w = choice.host_w.value_or(0);
    if (watts) choice.power_pi90 = {(watts->first + host_w) * boards, (watts->second + host_w) * boards};
  }

  [[nodiscard]] std::string settings_without_device(std::size_t candidate) const {
    auto settings = output::parsed_json(candidates_.values(candidate));
    for (const char* const key : {"device", "power_mode", "link"}) settings.erase(key);
    return output::json_text(settings);
  }

  // By price if all kinds are bought, else by what all cost in an hour. One board more of the kind that
  // carries the most stands in for each that may be lost.
  void add_mix(Fleet& fleet) const {
    if (fleet.choices.size() < 2) return;
    const bool bought = all_bought(fleet);
    std::vector<std::int64_t> capacities;
    std::vector<double> prices, whole;
    for (const FleetChoice& choice : fleet.choices) {
      const scenarios::Metric& price = bought ? choice.price : choice.cost_per_hour;
      if (!price) return;
      capacities.push_back(choice.capacity);
      whole.push_back(*price);
      prices.push_back(*price / static_cast<double>(choice.boards));
    }
    FleetMix mix = cheapest_mix(section_.cameras, capacities, prices);
    std::size_t largest = 0;
    for (std::size_t kind = 0; kind < capacities.size(); ++kind)
      if (mix.boards[kind] > 0 && (mix.boards[largest] == 0 || capacities[kind] > capacities[largest]))
        largest = kind;
    mix.boards[largest] += section_.spare;
    mix.price += static_cast<double>(section_.spare) * prices[largest];
    mix.per_hour = !bought;
    if (mix.price < std::ranges::min(whole)) fleet.mix = std::move(mix);
  }

  const FleetSection& section_;
  const double rate_;  // frames/s per camera in the busiest hour
  const Candidates& candidates_;
  const FleetControl& control_;
  Goal goal_;        // the limits
  Goal board_goal_;  // the limits, then the reported metrics of a board
  // By candidate, number of cameras and their rate.
  std::map<std::tuple<std::size_t, std::int64_t, double>, Decided> decided_;
  std::vector<double> length_;  // run length at each candidate's capacity, relative to the scenario's
  std::atomic<std::size_t> simulated_ = 0;
  std::size_t searched_ = 0;
  PoweredBoards powered_;  // the choices'
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
  scenarios::Scenario filled = scenario;
  scenarios::ProcessEntry& entry = filled.processes.front();
  entry.arrivals.kind = process::ArrivalKind::periodic;
  entry.arrivals.rate_per_s = rate_per_s;
  entry.arrivals.dynamic_batch = entry.work.batch;
  filled.processes = spread_cameras(entry, cameras);
  return filled;
}

Fleet fleet(const FleetSection& section, const Candidates& candidates, const FleetControl& control) {
  Fleet found = FleetPlanner(section, candidates, control).make();
  if (section.peak == 1) return found;
  FleetSection mean = section;
  mean.peak = 1;
  mean.spare = 0;
  FleetControl alone = control;
  alone.intervals = alone.curve = false;
  alone.progress = nullptr;
  const Fleet without = FleetPlanner(mean, candidates, alone).make();
  found.simulated += without.simulated;
  for (FleetChoice& choice : found.choices) {
    const auto same = std::ranges::find(without.choices, choice.device, &FleetChoice::device);
    if (same != without.choices.end()) choice.for_mean = bill_of(*same);
  }
  return found;
}

}  // namespace jostle::analyses
