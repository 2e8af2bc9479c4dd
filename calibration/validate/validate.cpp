#include "calibration/validate/validate.hpp"

#include <algorithm>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/simulated.hpp"

namespace jostle::calibration {
namespace {

// Marks for each value of a quantity whether the interval estimated from the other runs contains it.
void mark_covered(ComparisonGroup& group, const std::string& quantity) {
  const auto inside = covered(held_out_rows(group, quantity, "nvidia-h200", quantity, "measured"));
  std::size_t row = 0;
  for (Comparison& comparison : group.comparisons)
    if (comparison.quantity == quantity) comparison.covered = inside[row++];
}

}  // namespace

std::vector<ComparisonGroup> validate_h200(const profiles::Profile& profile,
                                           const std::function<void(double)>& progress,
                                           const profiles::TraceFiles& files) {
  using profiles::TraceKind;
  struct Part {
    std::vector<profiles::TraceKind> needs;
    std::function<ComparisonGroup()> compare;
  };
  const std::vector<Part> all{
      {{profiles::TraceKind::solo}, [&] { return compare_solo(profile, files); }},
      {{profiles::TraceKind::contended}, [&] { return compare_contended(profile, "graph", files); }},
      {{profiles::TraceKind::eager_repeats}, [&] { return compare_eager_repeats(profile, files); }},
      {{profiles::TraceKind::contended}, [&] { return compare_contended(profile, "eager", files); }},
      {{profiles::TraceKind::open_loop}, [&] { return compare_open_loop(profile, files); }},
      {{profiles::TraceKind::sharing_configs, profiles::TraceKind::sharing_intervals},
       [&] { return compare_sharing_intervals(profile, files); }},
      {{profiles::TraceKind::sparse_launches}, [&] { return compare_sparse_launches(profile, files); }}};
  std::vector<ComparisonGroup> groups(all.size());
  const auto compare = [&](std::size_t i) {
    const Part& part = all[i];
    if (std::ranges::all_of(part.needs, [&files](profiles::TraceKind kind) { return files.has(kind); }))
      groups[i] = part.compare();
    for (const char* quantity : {"images/s per process", "p50", "p99"}) mark_covered(groups[i], quantity);
  };
  simulated_at_once(all.size(), compare, progress);
  std::erase_if(groups, [](const ComparisonGroup& group) { return group.comparisons.empty(); });
  return groups;
}

}  // namespace jostle::calibration
