#include "calibration/sensitivity/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/validate/validate.hpp"
#include "input/quantity.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {
namespace {

constexpr double step = 1.2;
constexpr double min_effect = 1e-4;

struct Error {
  double sum = 0;
  std::size_t count = 0;
  void add(double predicted, double measured) {
    sum += std::abs(predicted / measured - 1);
    ++count;
  }
  void add(const ComparisonGroup& group, const char* quantity) {
    for (const Comparison& row : group.comparisons)
      if (row.quantity == quantity) add(row.predicted, row.measured);
  }
  [[nodiscard]] double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};
using ErrorOf = std::function<Error(const profiles::Profile&)>;

Error on_runs(const profiles::Profile& profile, const std::vector<RunConfiguration>& configurations) {
  Error error;
  const auto predicted = simulated(profile, configurations);
  for (std::size_t i = 0; i < configurations.size(); ++i)
    for (std::size_t j = 0; j < configurations[i].reference_values.size(); ++j)
      error.add(predicted[i][j], configurations[i].reference_values[j].value);
  return error;
}

Error on_contended(const profiles::Profile& profile) {
  Error error;
  error.add(compare_contended(profile, "graph"), "images/s per process, by rank");
  error.add(compare_eager_repeats(profile), "images/s in total");
  const ComparisonGroup arrivals = compare_open_loop(profile);
  error.add(arrivals, "p50");
  error.add(arrivals, "p99");
  return error;
}

std::optional<profiles::Profile> with_parameter(const profiles::BaseProfile& base, const std::string& path,
                                                const input::Written& value, double ratio) {
  input::Problems problems;
  auto profile = profiles::profile_of(
      base.document, problems,
      {fmt::format("{}={{value: {}, grade: fitted, source: sensitivity}}", path, value.times(ratio))});
  if (profile) profile->factors = base.profile.factors;
  return profile;
}

DeviceSensitivity of_device(const profiles::BaseProfile& base, const ErrorOf& error_of) {
  const Error now = error_of(base.profile);
  DeviceSensitivity found{base.name, now.count, now.mean(), {}, {}};
  struct Candidate {
    const profiles::ProfileParameter* parameter;
    input::Written value;
  };
  std::vector<Candidate> candidates;
  for (const profiles::ProfileParameter& parameter : base.profile.figures) {
    const auto value = input::quantity(parameter.value);
    if (value && parameter.from.grade != profiles::ParameterGrade::datasheet)
      candidates.push_back({&parameter, *value});
  }
  std::vector<SensitivityRow> rows(candidates.size());
  scenarios::parallel_for(candidates.size(), [&](std::size_t i) {
    const auto& [parameter, value] = candidates[i];
    rows[i] = {parameter->path,
               parameter->value,
               profiles::to_string(parameter->from.grade),
               parameter->from.source,
               {},
               {}};
    for (const double ratio : {1 / step, step}) {
      const auto profile = with_parameter(base, parameter->path, value, ratio);
      if (profile) (ratio < 1 ? rows[i].smaller : rows[i].larger) = error_of(*profile).mean();
    }
  });
  const auto effect = [&](const SensitivityRow& row) {
    return std::max(std::abs(row.smaller.value_or(found.error) - found.error),
                    std::abs(row.larger.value_or(found.error) - found.error));
  };
  for (SensitivityRow& row : rows) {
    if (effect(row) < min_effect)
      found.without_effect.push_back(row.path);
    else
      found.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(found.rows, std::greater{}, effect);
  return found;
}

}  // namespace

std::vector<DeviceSensitivity> one_at_a_time_sensitivity(const std::function<void(double)>& progress) {
  const std::vector<RunConfiguration> all = shipped_run_configurations();
  std::vector<std::string> boards;
  for (const RunConfiguration& configuration : all)
    if (std::ranges::find(boards, configuration.device) == boards.end())
      boards.push_back(configuration.device);
  std::vector<DeviceSensitivity> found{
      of_device(profiles::shipped_base_profile("nvidia-h200"), on_contended)};
  for (const std::string& board : boards) {
    if (progress) progress(static_cast<double>(found.size()) / static_cast<double>(boards.size() + 1));
    std::vector<RunConfiguration> own;
    std::ranges::copy_if(all, std::back_inserter(own),
                         [&](const RunConfiguration& s) { return s.device == board; });
    found.push_back(of_device(profiles::shipped_base_profile(board),
                              [&own](const profiles::Profile& profile) { return on_runs(profile, own); }));
  }
  return found;
}

}  // namespace jostle::calibration
