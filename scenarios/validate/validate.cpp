#include "scenarios/validate/validate.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "scenarios/interval/coverage.hpp"
#include "scenarios/parallel.hpp"

namespace jostle::scenarios {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The least value that nine in ten do not exceed.
double p90(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(9 * values.size() + 9) / 10 - 1];
}

// Whether what other runs ask for would have held each row of a quantity.
void mark_covered(ComparisonGroup& group, const std::string& quantity) {
  const auto inside = covered(unseen_rows(group, quantity, {}, quantity, {}));
  std::size_t row = 0;
  for (Comparison& comparison : group.comparisons)
    if (comparison.quantity == quantity) comparison.covered = inside[row++];
}

}  // namespace

std::vector<ErrorSummary> summarise(const ComparisonGroup& group) {
  std::vector<ErrorSummary> summaries;
  std::vector<std::vector<double>> magnitudes;
  for (const Comparison& comparison : group.comparisons) {
    ErrorSummary* summary = nullptr;
    for (ErrorSummary& known : summaries)
      if (known.quantity == comparison.quantity) summary = &known;
    if (summary == nullptr) {
      summary = &summaries.emplace_back();
      magnitudes.emplace_back();
      summary->quantity = comparison.quantity;
      for (const Bound& bound : group.bounds)
        if (bound.quantity == comparison.quantity) summary->bound = bound;
    }
    const double error = comparison.error();
    ++summary->count;
    magnitudes[static_cast<std::size_t>(summary - summaries.data())].push_back(std::abs(error));
    if (summary->bound && std::abs(error) > summary->bound->limit) ++summary->beyond;
    if (comparison.covered) {
      ++summary->with_interval;
      if (*comparison.covered) ++summary->covered;
    }
    summary->mean_absolute += std::abs(error);
    summary->bias += error;
    if (std::abs(error) > std::abs(summary->worst)) {
      summary->worst = error;
      summary->worst_run = comparison.run;
    }
  }
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    ErrorSummary& summary = summaries[i];
    summary.median_absolute = median(magnitudes[i]);
    summary.p90_absolute = p90(magnitudes[i]);
    summary.mean_absolute /= static_cast<double>(summary.count);
    summary.bias /= static_cast<double>(summary.count);
  }
  return summaries;
}

std::vector<ComparisonGroup> validate_h200(const calibration::Profile& profile,
                                           const std::function<void(double)>& progress,
                                           const calibration::TraceFiles& files) {
  using calibration::TraceKind;
  struct Question {
    std::vector<TraceKind> needs;
    std::function<ComparisonGroup()> answer;
  };
  const std::vector<Question> all{
      {{TraceKind::solo}, [&] { return compare_solo(profile, files); }},
      {{TraceKind::contended}, [&] { return compare_contended(profile, "graph", files); }},
      {{TraceKind::eager_repeats}, [&] { return compare_eager_repeats(profile, files); }},
      {{TraceKind::contended}, [&] { return compare_contended(profile, "eager", files); }},
      {{TraceKind::open_loop}, [&] { return compare_open_loop(profile, files); }},
      {{TraceKind::sharing_configs, TraceKind::sharing_intervals},
       [&] { return compare_sharing_intervals(profile, files); }},
      {{TraceKind::sparse_launches}, [&] { return compare_sparse_launches(profile, files); }}};
  std::vector<ComparisonGroup> groups(all.size());
  std::size_t done = 0;
  std::mutex guard;
  parallel_for(all.size(), [&](std::size_t i) {
    const Question& question = all[i];
    if (std::ranges::all_of(question.needs, [&files](TraceKind kind) { return files.has(kind); }))
      groups[i] = question.answer();
    for (const char* quantity : {"images/s per process", "p50"}) mark_covered(groups[i], quantity);
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(all.size()));
  });
  std::erase_if(groups, [](const ComparisonGroup& group) { return group.comparisons.empty(); });
  return groups;
}

}  // namespace jostle::scenarios
