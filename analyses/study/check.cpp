#include "analyses/study/check.hpp"

#include <map>
#include <mutex>
#include <set>

#include "analyses/study/outcome.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

std::string without_places(const input::Problems& problems) {
  std::string text;
  for (const input::Problem& problem : problems.list())
    text += (text.empty() ? "" : "; ") + problem.path + ": " + problem.message;
  return text;
}

double cost_of(const scenarios::Scenario& scenario) {
  const scenarios::Run& run = scenario.run;
  const double processes = static_cast<double>(scenarios::expand(scenario).size());
  return (1 + processes) * sim::to_seconds(run.duration + run.warmup) * static_cast<double>(run.replications);
}

class PointsCheck {
 public:
  PointsCheck(const Study& study, Profiles& profiles)
      : study_(study), profiles_(profiles), points_(study), catalogue_(profiles.catalogue()) {
    for (const Dimension& dimension : study.dimensions) usable_.emplace_back(dimension.size, false);
  }

  CheckedStudy read_all(unsigned threads, const std::atomic<bool>* interrupt) {
    CheckedStudy checked;
    checked.points.resize(points_.size());
    std::mutex guard;
    std::map<std::string, std::uint32_t> problems;
    const auto read = [&](std::size_t i) {
      if (interrupt != nullptr && interrupt->load()) throw scenarios::Interrupted{};
      const Remarks found = read_point(i, checked.points[i]);
      if (found.warnings.empty() && found.problem.empty()) return;
      const std::lock_guard lock(guard);
      warnings_.insert(found.warnings.begin(), found.warnings.end());
      if (found.problem.empty()) return;
      const auto [known, is_new] =
          problems.try_emplace(found.problem, static_cast<std::uint32_t>(checked.problems.size()));
      if (is_new) checked.problems.push_back(found.problem);
      checked.points[i].problem = known->second;
    };
    scenarios::parallel_for(points_.size(), read, threads);
    checked.warnings.assign(warnings_.begin(), warnings_.end());
    return checked;
  }

  // Adds the problems of values that are invalid in every point.
  void find_unusable(const CheckedStudy& checked, input::Problems& problems) {
    for (std::size_t i = 0; i < checked.points.size(); ++i) {
      if (checked.points[i].is_supported()) mark(i);
    }
    std::set<std::string> reported;
    for (std::size_t i = 0; i < checked.points.size(); ++i) {
      if (checked.points[i].is_supported() || all_usable(points_[i])) continue;
      input::Problems own;
      (void)scenario_at(study_, points_[i], catalogue_, own);
      if (is_of_the_board(points_[i], own)) continue;
      for (const input::Problem& problem : own.list()) {
        if (reported.insert(problem.text()).second)
          problems.add(problem.location, problem.path, problem.message, problem.hint);
      }
      mark(i);  // it is reported once, not for other points again
    }
  }

 private:
  struct Remarks {
    std::vector<std::string> warnings;  // about approximations
    std::string problem;                // reason why it is not supported; else empty
  };
  // Fills in the point, but for its problem.
  Remarks read_point(std::size_t index, CheckedPoint& point) {
    const Coordinates at = points_[index];
    input::Problems own;
    const auto scenario = scenario_at(study_, at, catalogue_, own);
    if (!scenario) {
      input::Problems ignored;
      const input::Node document = document_at(study_, at, ignored);
      point.key = unsupported_key(document ? json_text(*document) : settings_json(study_, at));
      return {.warnings = {}, .problem = without_places(own)};
    }
    const auto profile = profiles_.of(*scenario, own);
    point.key = point_key(*scenario, *profile, study_.interval);
    point.cost = static_cast<float>(cost_of(*scenario));
    return {.warnings = warnings(*scenario), .problem = {}};
  }

  void mark(std::size_t index) {
    const Coordinates at = points_[index];
    for (std::size_t i = 0; i < at.size(); ++i) mark(i, at[i]);
    constexpr std::size_t max_tried = 100;
    if (valid_.size() < max_tried) valid_.push_back(at);
  }

  // Marks a value of a dimension as valid. In a fleet this includes the board's other power modes, because
  // the user did not choose them separately.
  void mark(std::size_t dimension, std::size_t value) {
    usable_[dimension][value] = true;
    const Axis& axis = study_.axes[study_.dimensions[dimension].axes.front()];
    if (!study_.fleet || !study_.fleet->every_mode || axis.key != "device") return;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      if (axis.values[i] == axis.values[value]) usable_[dimension][i] = true;
  }

  // Returns whether a kind of boards of a fleet lacks something that another kind has: an answer, no mistake.
  bool is_of_the_board(const Coordinates& at, const input::Problems& problems) const {
    if (!study_.fleet || valid_.empty()) return false;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (!usable_[i][at[i]] && study_.axes[study_.dimensions[i].axes.front()].key != "device") return false;
    return std::ranges::none_of(problems.list(), [](const input::Problem& problem) {
      return problem.path.starts_with("sweep.device") || problem.path.starts_with("sweep.link");
    });
  }

  // Returns whether each of the values is valid in some point. A sampled study may lack that point, so it is
  // tried here.
  bool all_usable(const Coordinates& at) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (usable_[i][at[i]]) continue;
      if (!study_.sampling) return false;
      for (Coordinates other : valid_) {
        other[i] = at[i];
        input::Problems own;
        if (!scenario_at(study_, other, catalogue_, own)) continue;
        mark(i, at[i]);
        break;
      }
      if (!usable_[i][at[i]]) return false;
    }
    return true;
  }

  const Study& study_;
  Profiles& profiles_;
  Points points_;
  scenarios::Catalogue catalogue_;
  std::vector<std::vector<bool>> usable_;  // [dimension][value]
  std::vector<Coordinates> valid_;         // some valid points
  std::set<std::string> warnings_;
};

}  // namespace

std::optional<CheckedStudy> check_points(const Study& study, Profiles& profiles, unsigned threads,
                                         const std::atomic<bool>* interrupt, input::Problems& problems) {
  PointsCheck check(study, profiles);
  CheckedStudy checked = check.read_all(threads, interrupt);
  input::Problems own;
  check.find_unusable(checked, own);
  if (own.empty()) return checked;
  own.sort();
  problems.append(own);
  return std::nullopt;
}

}  // namespace jostle::analyses
