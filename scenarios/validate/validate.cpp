#include "scenarios/validate/validate.hpp"

#include <cmath>

namespace jostle::scenarios {

std::vector<ErrorSummary> summarise(const ComparisonGroup& group) {
  std::vector<ErrorSummary> summaries;
  for (const Comparison& comparison : group.comparisons) {
    ErrorSummary* summary = nullptr;
    for (ErrorSummary& known : summaries)
      if (known.quantity == comparison.quantity) summary = &known;
    if (summary == nullptr) {
      summary = &summaries.emplace_back();
      summary->quantity = comparison.quantity;
      for (const Bound& bound : group.bounds)
        if (bound.quantity == comparison.quantity) summary->bound = bound;
    }
    const double error = comparison.error();
    ++summary->count;
    if (summary->bound && std::abs(error) > summary->bound->limit) ++summary->beyond;
    summary->mean_absolute += std::abs(error);
    summary->bias += error;
    if (std::abs(error) > std::abs(summary->worst)) {
      summary->worst = error;
      summary->worst_run = comparison.run;
    }
  }
  for (ErrorSummary& summary : summaries) {
    summary.mean_absolute /= static_cast<double>(summary.count);
    summary.bias /= static_cast<double>(summary.count);
  }
  return summaries;
}

std::vector<ComparisonGroup> validate_h200(const calibration::Profile& profile,
                                           const std::function<void(double)>& progress) {
  std::vector<ComparisonGroup> groups;
  const auto add = [&](ComparisonGroup group) {
    groups.push_back(std::move(group));
    if (progress) progress(static_cast<double>(groups.size()) / 7);
  };
  add(compare_solo(profile));
  add(compare_contended(profile, "graph"));
  add(compare_eager_repeats(profile));
  add(compare_contended(profile, "eager"));
  add(compare_open_loop(profile));
  add(compare_sharing_intervals(profile));
  add(compare_sparse_launches(profile));
  return groups;
}

}  // namespace jostle::scenarios
