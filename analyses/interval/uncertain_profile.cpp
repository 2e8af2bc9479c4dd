#include "analyses/interval/uncertain_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "analyses/interval/interval.hpp"
#include "analyses/interval/spread.hpp"
#include "input/csv.hpp"
#include "input/override.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/base_profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/parallel.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {

std::optional<UncertainProfile> uncertain_profile(const std::string& name, const std::string& path,
                                                  input::Problems& problems,
                                                  const std::vector<std::string>& set) {
  auto base =
      path.empty() ? profiles::base_profile(name, problems) : profiles::base_profile_at(path, problems);
  if (!base) return std::nullopt;
  input::Problems own;
  for (const std::string& assignment : set)
    if (base->document) base->document = input::with_override(base->document, assignment, own);
  if (!set.empty()) {
    auto changed = own.empty() ? profiles::profile_of(base->document, own) : std::nullopt;
    problems.append(own);
    if (!changed) return std::nullopt;
    base->profile = std::move(*changed);
  }
  const std::string& device = base->profile.spec->name;
  profiles::Uncertainty uncertainty = profiles::shipped_uncertainty(device);
  const std::string uncertainty_file = path.empty() ? "" : profiles::uncertainty_path(path);
  std::error_code ignored;
  if (!uncertainty_file.empty() && std::filesystem::exists(uncertainty_file, ignored)) {
    try {
      profiles::Uncertainty own_table =
          profiles::parse_uncertainty(input::read_text(uncertainty_file), uncertainty_file, device);
      // The rows of the board come first; those of other boards fill the gaps.
      own_table.residuals.insert(own_table.residuals.end(), uncertainty.residuals.begin(),
                                 uncertainty.residuals.end());
      uncertainty = std::move(own_table);
    } catch (const input::CsvError& error) {
      problems.add({}, {}, error.what());
      return std::nullopt;
    }
  }
  return UncertainProfile{std::move(*base), std::move(uncertainty)};
}

std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                  input::Problems& problems) {
  auto known = uncertain_profile(scenario.device, scenario.device_path, problems);
  if (!known || scenario.figures.empty()) return known;
  return uncertain_profile(
      scenario.device, scenario.device_path, problems,
      profiles::assignments(known->base.profile, known->base.document, scenario.figures));
}

namespace {

using scenarios::Among;

// Numbers of draws and repetitions after which the ends of the intervals may be known well enough.
constexpr std::array<std::pair<std::size_t, std::size_t>, 3> rounds{
    {{16, 8}, {32, 8}, {profiles::uncertainty_draws, repetitions}}};
constexpr double least_seconds = 4, least_of_repeats = 1;
constexpr double part_of_run = 0.25, part_of_repeats = 0.05;

// The scenario of the draws and repetitions. `point`: the result of the run itself.
scenarios::Scenario shortened(scenarios::Scenario scenario, const scenarios::Result& point) {
  scenarios::Run& settings = scenario.run;
  settings.replications = 1;
  if (settings.setup || settings.batches) return scenario;
  const double length = point.simulated_s / static_cast<double>(point.replications);
  const bool repeats = point.system.gpu.repeated > 0.5;  // nothing new comes then
  const double least = repeats ? std::max(least_of_repeats, length * part_of_repeats)
                               : std::max(least_seconds, length * part_of_run);
  if (length > least_seconds || settings.until) settings.duration = sim::seconds(std::min(length, least));
  settings.until.reset();
  settings.until_p99 = false;
  return scenario;
}

scenarios::Scenario with_seed(scenarios::Scenario scenario, const char* what, std::size_t i) {
  scenario.run.seed = sim::RandomStream(scenario.run.seed, fmt::format("{} {}", what, i)).bits();
  return scenario;
}

// Simulations without a trace; on interruption the results are incomplete.
class Simulations {
 public:
  Simulations(const scenarios::RunControl& control, Among among) : control_(control), among_(among) {}

  void run(const scenarios::Scenario& scenario, const profiles::Profile& profile, scenarios::Result& into) {
    scenarios::RunControl alone;
    alone.interrupt = control_.interrupt;
    // A draw is compared with other draws only, so its percentiles need not be known well.
    alone.every_percentile = control_.every_percentile || among_ == Among::draws;
    alone.among = among_;
    auto result = jostle::scenarios::run(scenario, profile, alone);
    if (result)
      into = std::move(*result);
    else
      interrupted_ = true;
  }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  const scenarios::RunControl& control_;
  Among among_;
  std::atomic<bool> interrupted_ = false;
};

// Adds runs on its draws of the profile, and repetitions, to the run of a scenario. `enough`: they are (asked
// between rounds). False if interrupted.
bool add_runs(DrawnRuns& found, const scenarios::Scenario& scenario, const UncertainProfile& profile,
              Simulations& runs, const std::function<bool()>& enough) {
  const std::vector<profiles::Draw> draws = std::move(found.draws);
  const scenarios::Scenario asked = shortened(scenario, found.point);
  found.as_long = sim::to_seconds(asked.run.duration) >=
                      found.point.simulated_s * 0.999 / static_cast<double>(found.point.replications) ||
                  scenario.run.setup || scenario.run.batches || !scenarios::fixed_phases(scenario).empty();
  for (const auto& [drawn, repeated] : rounds) {
    const std::size_t from = found.drawn.size(), repeated_from = found.repeated.size();
    found.draws.assign(draws.begin(), draws.begin() + static_cast<std::ptrdiff_t>(drawn));
    found.drawn.resize(drawn);
    found.repeated.resize(repeated);
    scenarios::parallel_for(drawn - from + repeated - repeated_from, [&](std::size_t i) {
      if (const std::size_t draw = from + i; draw < drawn) {
        const profiles::Profile& base = profile.base.profile;
        runs.run(with_seed(asked, "draw", draw), profiles::drawn(profile.base.document, base, draws[draw]),
                 found.drawn[draw]);
      } else {
        const std::size_t at = draw - drawn + repeated_from;
        runs.run(with_seed(asked, "repetition", at), profile.base.profile, found.repeated[at]);
      }
    });
    if (runs.interrupted() || (drawn < draws.size() && enough())) break;
  }
  return !runs.interrupted();
}

}  // namespace

std::optional<std::vector<DrawnRuns>> drawn_runs(std::span<const scenarios::Scenario> scenarios,
                                                 const UncertainProfile& profile,
                                                 const scenarios::RunControl& control) {
  std::vector<DrawnRuns> found(scenarios.size());
  Simulations points(control, Among::none), runs(control, Among::draws);
  scenarios::parallel_for(scenarios.size(), [&](std::size_t s) {
    points.run(scenarios[s], profile.base.profile, found[s].point);
  });
  if (points.interrupted()) return std::nullopt;
  if (scenarios.empty()) return found;
  const auto draws = profiles::draws(profile.uncertainty, profile.base.profile, scenarios.front().run.seed);
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    found[s].draws = draws;
    if (!add_runs(found[s], scenarios[s], profile, runs, [] { return false; })) return std::nullopt;
  }
  return found;
}

std::optional<DrawnRuns> drawn_runs(const scenarios::Scenario& scenario, const UncertainProfile& profile,
                                    const scenarios::Result& point, const scenarios::RunControl& control,
                                    Sought sought) {
  DrawnRuns found;
  found.point = point;
  Simulations runs(control, Among::draws);
  found.draws = profiles::draws(profile.uncertainty, profile.base.profile, scenario.run.seed);
  const auto enough = [&] { return are_enough(scenario, profile, found, sought); };
  if (!add_runs(found, scenario, profile, runs, enough)) return std::nullopt;
  return found;
}

}  // namespace jostle::analyses
