#include "analyses/interval/uncertain_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analyses/interval/spread.hpp"
#include "input/csv.hpp"
#include "input/override.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/base_profile.hpp"
#include "scenarios/language/scenario.hpp"
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

constexpr double least_seconds = 4;
constexpr double part_of_run = 0.25;

// The scenario of the draws and repetitions. `point`: the result of the run itself.
scenarios::Scenario shortened(scenarios::Scenario scenario, const scenarios::Result& point) {
  scenarios::Run& settings = scenario.run;
  settings.replications = 1;
  if (settings.setup || settings.batches) return scenario;
  const double length = point.simulated_s / static_cast<double>(point.replications);
  if (length > least_seconds || settings.until)
    settings.duration = sim::seconds(std::min(length, std::max(least_seconds, length * part_of_run)));
  settings.until.reset();
  return scenario;
}

scenarios::Scenario with_seed(scenarios::Scenario scenario, const char* what, std::size_t i) {
  scenario.run.seed = sim::RandomStream(scenario.run.seed, fmt::format("{} {}", what, i)).bits();
  return scenario;
}

// Simulations without a trace; on interruption the results are incomplete.
class Simulations {
 public:
  explicit Simulations(const scenarios::RunControl& control) : control_(control) {}

  void run(const scenarios::Scenario& scenario, const profiles::Profile& profile, Among among,
           scenarios::Result& into) {
    scenarios::RunControl alone;
    alone.interrupt = control_.interrupt;
    // A draw is compared with other draws only, so its percentiles need not be known well.
    alone.every_percentile = control_.every_percentile || among == Among::draws;
    alone.among = among;
    auto result = jostle::scenarios::run(scenario, profile, alone);
    if (result)
      into = std::move(*result);
    else
      interrupted_ = true;
  }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  const scenarios::RunControl& control_;
  std::atomic<bool> interrupted_ = false;
};

// Adds draws and repetitions to runs whose points are known. False if interrupted.
bool add_runs(std::vector<DrawnRuns>& found, std::span<const scenarios::Scenario> scenarios,
              const UncertainProfile& profile, const scenarios::RunControl& control) {
  if (scenarios.empty()) return true;
  const profiles::BaseProfile& base = profile.base;
  const auto draws = profiles::draws(profile.uncertainty, base.profile, scenarios.front().run.seed);
  std::vector<profiles::Profile> profiles(draws.size());
  scenarios::parallel_for(draws.size(), [&](std::size_t i) {
    profiles[i] = profiles::drawn(base.document, base.profile, draws[i]);
  });
  std::vector<scenarios::Scenario> asked;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    asked.push_back(shortened(scenarios[s], found[s].point));
    found[s].draws = draws;
    found[s].drawn.resize(draws.size());
    found[s].repeated.resize(repetitions);
    found[s].as_long =
        sim::to_seconds(asked[s].run.duration) >=
            found[s].point.simulated_s * 0.999 / static_cast<double>(found[s].point.replications) ||
        scenarios[s].run.setup || scenarios[s].run.batches;
  }
  Simulations runs(control);
  const std::size_t each = draws.size() + repetitions;
  scenarios::parallel_for(scenarios.size() * each, [&](std::size_t i) {
    const std::size_t s = i / each, j = i % each;
    if (j < draws.size())
      runs.run(with_seed(asked[s], "draw", j), profiles[j], Among::draws, found[s].drawn[j]);
    else
      runs.run(with_seed(asked[s], "repetition", j - draws.size()), base.profile, Among::draws,
               found[s].repeated[j - draws.size()]);
  });
  return !runs.interrupted();
}

}  // namespace

std::optional<std::vector<DrawnRuns>> drawn_runs(std::span<const scenarios::Scenario> scenarios,
                                                 const UncertainProfile& profile,
                                                 const scenarios::RunControl& control) {
  std::vector<DrawnRuns> found(scenarios.size());
  Simulations runs(control);
  scenarios::parallel_for(scenarios.size(), [&](std::size_t s) {
    runs.run(scenarios[s], profile.base.profile, Among::none, found[s].point);
  });
  if (runs.interrupted() || !add_runs(found, scenarios, profile, control)) return std::nullopt;
  return found;
}

std::optional<DrawnRuns> drawn_runs(const scenarios::Scenario& scenario, const UncertainProfile& profile,
                                    const scenarios::Result& point, const scenarios::RunControl& control) {
  std::vector<DrawnRuns> found(1);
  found.front().point = point;
  if (!add_runs(found, {&scenario, 1}, profile, control)) return std::nullopt;
  return std::move(found.front());
}

}  // namespace jostle::analyses
