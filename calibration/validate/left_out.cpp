#include "calibration/validate/left_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "calibration/evidence/evidence_files.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/factors.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace {

using FactorsOf = std::map<std::string, std::vector<dnn::Factor>>;  // by laboratory

FactorsOf factors_without_each(const Evidence& evidence, const Fit& fit,
                               const std::function<void(double)>& progress) {
  const auto begun = [&progress](double) {
    if (progress) progress(0);  // may throw to stop the fit
  };
  FactorsOf found;
  for (const RunConfiguration& configuration : evidence.configurations) {
    const std::string& lab = configuration.lab;
    if (found.contains(lab)) continue;
    const std::vector<RunConfiguration> others = without_lab(fit.fitted_on, lab);
    found[lab] = others.size() == fit.fitted_on.size() ? fit.factors : fit_board_factors(others, begun);
  }
  return found;
}

std::string architecture_of(const RunConfiguration& configuration, const profiles::Profile& profile) {
  if (configuration.placement == "cpu") return "cores";
  const bool dla = configuration.placement.find("dla") != std::string::npos;
  return profile.spec->gpu.architecture + (dla ? " with DLA" : "");
}

JudgedValue judged(const RunConfiguration& configuration, const ReferenceValue& reference,
                   const scenarios::Result& result, const profiles::Profile& profile) {
  const double value = predicted(result, reference.metric, configuration);
  if (!(value > 0))
    throw std::runtime_error(fmt::format("run {} ({}): no prediction of {}", reference.run,
                                         configuration.text(), reference.metric));
  return {.lab = configuration.lab,
          .run = reference.run,
          .configuration = configuration.text(),
          .metric = reference.metric,
          .architecture = architecture_of(configuration, profile),
          .model = configuration.model,
          .family = configuration.family(),
          .precision = configuration.precision,
          .placement = configuration.placement,
          .runtime = configuration.runtime,
          .batch = configuration.batch,
          .presumed = !configuration.presumed.empty(),
          .measured = reference.value,
          .predicted = value};
}

bool is_marked(const ReferenceValue& value) {
  return !value.mark.empty();
}

// Judges the values of a configuration that have no mark.
std::vector<JudgedValue> judged(const RunConfiguration& configuration,
                                const std::vector<dnn::Factor>& factors) {
  if (std::ranges::all_of(configuration.reference_values, is_marked)) return {};
  profiles::Profile profile = profiles::shipped_base_profile(configuration.device).profile;
  profile.factors = factors;
  const scenarios::Result result = simulated(*configuration.scenario, profile);
  std::vector<JudgedValue> values;
  for (const ReferenceValue& reference : configuration.reference_values)
    if (!is_marked(reference)) values.push_back(judged(configuration, reference, result, profile));
  return values;
}

std::string batches_of(std::int64_t batch) {
  return batch == 1 ? "1" : batch <= 8 ? "2 to 8" : batch <= 64 ? "9 to 64" : "65 and more";
}

constexpr const char* all_files = "boards/solo.csv, published";

ComparisonGroup group_of(const LeftOut& left_out, const char* by, bool only_times,
                         const std::function<std::string(const JudgedValue&)>& quantity) {
  ComparisonGroup group{fmt::format("boards: without the laboratory, {}", by), all_files, "", {}, {}};
  group.is_view = only_times;
  for (const JudgedValue& value : left_out.values) {
    if (only_times && (kind_of(value.metric) != MetricKind::time || value.metric == "enqueue")) continue;
    group.comparisons.push_back({fmt::format("{} {}, {}", value.run, value.configuration, value.metric),
                                 quantity(value), value.measured, value.predicted});
  }
  std::ranges::stable_sort(group.comparisons, {}, [](const Comparison& comparison) {
    const std::string& name = comparison.quantity;
    return std::pair(std::strtol(name.c_str(), nullptr, 10), name);  // sorts "9 to 64" before "65 and more"
  });
  return group;
}

}  // namespace

double JudgedValue::off() const {
  return std::abs(std::log(predicted / measured));
}

std::vector<RunConfiguration> without_lab(const std::vector<RunConfiguration>& all, const std::string& lab) {
  std::vector<RunConfiguration> others;
  std::ranges::copy_if(all, std::back_inserter(others),
                       [&](const RunConfiguration& configuration) { return configuration.lab != lab; });
  return others;
}

Fit shipped_fit() {
  return {shipped_run_configurations(), profiles::shipped_factors()};
}

LeftOut judge_left_out(const Evidence& evidence, const Fit& fit,
                       const std::function<void(double)>& progress) {
  const std::vector<RunConfiguration>& all = evidence.configurations;
  const FactorsOf factors = factors_without_each(evidence, fit, progress);
  std::vector<std::vector<JudgedValue>> found(all.size());
  simulated_at_once(
      all.size(), [&](std::size_t i) { found[i] = judged(all[i], factors.at(all[i].lab)); }, progress);
  LeftOut left_out{{}, 0, evidence.not_yet};
  for (std::size_t i = 0; i < all.size(); ++i) {
    left_out.marked += static_cast<std::size_t>(std::ranges::count_if(all[i].reference_values, is_marked));
    std::ranges::move(found[i], std::back_inserter(left_out.values));
  }
  return left_out;
}

std::vector<ComparisonGroup> grouped_errors(const LeftOut& left_out) {
  const auto times = [&](const char* by, const std::function<std::string(const JudgedValue&)>& quantity) {
    return group_of(left_out, by, true, quantity);
  };
  return {group_of(left_out, "by quantity", false,
                   [](const JudgedValue& value) { return quantity_of(value.metric); }),
          times("times by architecture", [](const JudgedValue& value) { return value.architecture; }),
          times("times by family", [](const JudgedValue& value) { return value.family; }),
          times("times by precision", [](const JudgedValue& value) { return value.precision; }),
          times("times by runtime", [](const JudgedValue& value) { return value.runtime; }),
          times("times by batch", [](const JudgedValue& value) { return batches_of(value.batch); }),
          times("times by laboratory", [](const JudgedValue& value) { return value.lab; }),
          times("times by conditions",
                [](const JudgedValue& value) { return value.presumed ? "some presumed" : "all stated"; })};
}

std::vector<JudgedValue> worst_of(const LeftOut& left_out, std::size_t count) {
  std::vector<const JudgedValue*> order;
  for (const JudgedValue& value : left_out.values) order.push_back(&value);
  std::ranges::stable_sort(order, std::ranges::greater{}, &JudgedValue::off);
  std::vector<JudgedValue> worst;
  std::set<std::string> shown;
  for (const JudgedValue* value : order) {
    if (worst.size() == count) break;
    const std::string kind = fmt::format("{} {} {} {} {} {}", value->lab, value->architecture, value->model,
                                         value->precision, value->placement, value->runtime);
    if (shown.insert(kind).second) worst.push_back(*value);
  }
  return worst;
}

bool Lesson::is_of(const JudgedValue& value) const {
  const auto fits = [](const std::string& wanted, const std::string& has) {
    return wanted.empty() || wanted == has;
  };
  return fits(lab, value.lab) && fits(model, value.model) && fits(precision, value.precision) &&
         fits(placement, value.placement) && fits(runtime, value.runtime) && fits(metric, value.metric);
}

std::vector<Lesson> parse_lessons(std::string_view csv, std::string_view name) {
  constexpr std::array<std::string_view, 7> columns{"lab",     "model",  "precision", "placement",
                                                    "runtime", "metric", "teaches"};
  const input::CsvTable table = input::CsvTable::parse(csv, name, columns);
  std::vector<Lesson> lessons;
  for (const input::CsvTable::Row row : table) {
    lessons.push_back({row.text("lab"), row.text("model"), row.text("precision"), row.text("placement"),
                       row.text("runtime"), row.text("metric"), row.text("teaches")});
    if (lessons.back().teaches.empty()) row.fail("teaches nothing");
  }
  return lessons;
}

const std::vector<Lesson>& shipped_lessons() {
  static const std::vector<Lesson> lessons =
      parse_lessons(evidence_file("teaches.csv").value_or(""), "teaches.csv");
  return lessons;
}

std::string taught_by(const std::vector<Lesson>& lessons, const JudgedValue& value) {
  const auto found = std::ranges::find_if(lessons, [&](const Lesson& lesson) { return lesson.is_of(value); });
  return found == lessons.end() ? "" : found->teaches;
}

}  // namespace jostle::calibration
