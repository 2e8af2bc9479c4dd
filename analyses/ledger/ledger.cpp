#include "analyses/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "analyses/calibrate/calibrate.hpp"
#include "analyses/evidence/simulated.hpp"
#include "analyses/validate/validate.hpp"
#include "input/quantity.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::analyses {
namespace {

constexpr double step = 1.2;
constexpr double still_below = 1e-4;

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
using Judge = std::function<Error(const calibration::Profile&)>;

Error on_settings(const calibration::Profile& profile, const std::vector<RunConfiguration>& settings) {
  Error error;
  const auto figures = simulated(profile, settings);
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t j = 0; j < settings[i].figures.size(); ++j)
      error.add(figures[i][j], settings[i].figures[j].value);
  return error;
}

Error on_contended(const calibration::Profile& profile) {
  Error error;
  error.add(compare_contended(profile, "graph"), "images/s per process, by rank");
  error.add(compare_eager_repeats(profile), "images/s in total");
  const ComparisonGroup arrivals = compare_open_loop(profile);
  error.add(arrivals, "p50");
  error.add(arrivals, "p99");
  return error;
}

std::optional<calibration::Profile> moved(const calibration::BaseProfile& base, const std::string& path,
                                          const input::Written& value, double ratio) {
  input::Problems problems;
  auto profile = calibration::profile_of(
      base.document, problems,
      {fmt::format("{}={{value: {}, grade: fitted, source: ledger}}", path, value.times(ratio))});
  if (profile) profile->factors = base.profile.factors;
  return profile;
}

DeviceLedger of_device(const calibration::BaseProfile& base, const Judge& judge) {
  const Error now = judge(base.profile);
  DeviceLedger found{base.name, now.count, now.mean(), {}, {}};
  struct Candidate {
    const calibration::ProfileParameter* figure;
    input::Written value;
  };
  std::vector<Candidate> candidates;
  for (const calibration::ProfileParameter& figure : base.profile.figures) {
    const auto value = input::quantity(figure.value);
    if (value && figure.from.grade != calibration::ParameterGrade::datasheet)
      candidates.push_back({&figure, *value});
  }
  std::vector<LedgerRow> rows(candidates.size());
  scenarios::parallel_for(candidates.size(), [&](std::size_t i) {
    const auto& [figure, value] = candidates[i];
    rows[i] = {figure->path, figure->value, to_string(figure->from.grade), figure->from.source, {}, {}};
    for (const double ratio : {1 / step, step}) {
      const auto profile = moved(base, figure->path, value, ratio);
      if (profile) (ratio < 1 ? rows[i].less : rows[i].more) = judge(*profile).mean();
    }
  });
  const auto moves = [&](const LedgerRow& row) {
    return std::max(std::abs(row.less.value_or(found.error) - found.error),
                    std::abs(row.more.value_or(found.error) - found.error));
  };
  for (LedgerRow& row : rows) {
    if (moves(row) < still_below)
      found.still.push_back(row.path);
    else
      found.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(found.rows, std::greater{}, moves);
  return found;
}

}  // namespace

std::vector<DeviceLedger> ledger(const std::function<void(double)>& progress) {
  const std::vector<RunConfiguration> all = shipped_run_configurations();
  std::vector<std::string> boards;
  for (const RunConfiguration& setting : all)
    if (std::ranges::find(boards, setting.device) == boards.end()) boards.push_back(setting.device);
  std::vector<DeviceLedger> found{of_device(calibration::shipped_base_profile("nvidia-h200"), on_contended)};
  for (const std::string& board : boards) {
    if (progress) progress(static_cast<double>(found.size()) / static_cast<double>(boards.size() + 1));
    std::vector<RunConfiguration> own;
    std::ranges::copy_if(all, std::back_inserter(own),
                         [&](const RunConfiguration& s) { return s.device == board; });
    found.push_back(
        of_device(calibration::shipped_base_profile(board),
                  [&own](const calibration::Profile& profile) { return on_settings(profile, own); }));
  }
  return found;
}

}  // namespace jostle::analyses
