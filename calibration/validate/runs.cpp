// The measured runs of whole networks: alone, in contention, and with open-loop arrivals.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/quantiles.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;
using profiles::TraceFiles;
using profiles::TraceKind;

scenarios::Precision precision_of(const std::string& name) {
  for (const auto& [word, value] : scenarios::precision_names())
    if (word == name) return value;
  throw std::runtime_error("unknown precision " + name);
}

// The common settings of the measured runs, on the cores of this one.
scenarios::Scenario scenario_of(const input::CsvTable::Row& row) {
  scenarios::Scenario scenario;
  scenario.device = "nvidia-h200";
  scenario.host_cores = static_cast<int>(row.integer("host_cores"));
  scenario.run.warmup = sim::seconds(1);
  scenario.run.duration = sim::seconds(10);
  return scenario;
}

scenarios::ProcessEntry entry_of(const input::CsvTable& table, const input::CsvTable::Row& row,
                                 const std::string& mode) {
  scenarios::ProcessEntry entry;
  entry.work.model = scenarios::BuiltInModel{row.text("model")};
  entry.work.precision = precision_of(row.text("precision"));
  entry.work.batch = row.integer("batch");
  if (!input::text_in(table, row, "input").empty())
    entry.work.input = std::clamp<std::int64_t>(row.integer("input"), 1, dnn::largest_input);
  entry.host.runtime = mode == "graph" ? scenarios::Runtime::cuda_graph : scenarios::Runtime::eager;
  entry.host.sync = row.integer("blocking_sync") == 1 ? scenarios::Sync::blocking : scenarios::Sync::spin;
  return entry;
}

// Row indices grouped by run, in order.
std::vector<std::vector<std::size_t>> grouped_by_run(const input::CsvTable& table) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto [found, fresh] = index.emplace(table.row(i).text(table.column("run")), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(i);
  }
  return groups;
}

std::string describe(const input::CsvTable::Row& row) {
  return fmt::format("{} {} {} b{} x{}", row.text("run"), row.text("model"), row.text("precision"),
                     row.text("batch"), row.text("processes"));
}

// Marks for each value of a quantity whether the interval estimated from the other runs contains it.
void mark_covered(ComparisonGroup& group, const std::string& quantity) {
  const auto inside = covered(held_out_rows(group, quantity, "nvidia-h200", quantity, "measured"));
  std::size_t row = 0;
  for (Comparison& comparison : group.comparisons)
    if (comparison.quantity == quantity) comparison.covered = inside[row++];
}

ComparisonGroup compared_repeats(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  ComparisonGroup group = groups_of("repeats").front();
  const input::CsvTable& table = files.table(profiles::TraceKind::eager_repeats);
  for (const input::CsvTable::Row row : table) {
    scenarios::Scenario scenario = scenario_of(row);
    scenarios::ProcessEntry entry = entry_of(table, row, "eager");
    entry.count = row.integer("processes");
    scenario.processes.push_back(entry);
    group.comparisons.push_back({fmt::format("x{} on {} cores", entry.count, *scenario.host_cores),
                                 "images/s in total", row.number("total_images_per_s_median"),
                                 simulated(scenario, profile).system.throughput.value_or(0)});
  }
  return group;
}

// The profile with the host of the session in which the traces were taken: one factor of all costs of eager,
// the median over the repeats of equal processes. Sessions on one type of machine differ by a factor of 1.4.
profiles::Profile of_session(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  profiles::Profile own = profile;
  auto& eager = own.spec->runtimes[process::Runtime::eager];
  if (!eager || !files.has(profiles::TraceKind::eager_repeats)) return own;
  sim::Quantiles faster;
  for (const Comparison& each : compared_repeats(profile, files).comparisons)
    faster.add(each.predicted / each.measured);
  eager->host_time *= faster.quantile(0.5).value_or(1);
  return own;
}

}  // namespace

ComparisonGroup compare_solo(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  ComparisonGroup group = groups_of("one process").front();
  const input::CsvTable& table = files.table(profiles::TraceKind::solo);
  std::map<std::string, Comparison> best;  // slower repeats were disturbed
  std::vector<std::string> order;
  for (const input::CsvTable::Row row : table) {
    const std::string& mode = row.text("mode");
    const std::string key =
        fmt::format("{} {} b{} {}", row.text("model"), row.text("precision"), row.text("batch"), mode);
    const double measured = row.number("images_per_s");
    const auto found = best.find(key);
    if (found != best.end()) {
      found->second.measured = std::max(found->second.measured, measured);
      continue;
    }
    scenarios::Scenario scenario = scenario_of(row);
    scenario.processes.push_back(entry_of(table, row, mode));
    const scenarios::Result result = simulated(scenario, profile);
    best[key] = {key, mode + ", images/s", measured, result.processes[0].throughput.mean.value_or(0)};
    order.push_back(key);
  }
  for (const std::string& key : order) group.comparisons.push_back(best[key]);
  return group;
}

ComparisonGroup compare_eager_repeats(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  return compared_repeats(of_session(profile, files), files);
}

ComparisonGroup compare_contended(const profiles::Profile& profile, const std::string& mode,
                                  const profiles::TraceFiles& files) {
  const bool graph = mode == "graph";
  ComparisonGroup group = groups_of(mode).front();
  const input::CsvTable& table = files.table(profiles::TraceKind::contended);
  const profiles::Profile own = graph ? profile : of_session(profile, files);
  for (const std::vector<std::size_t>& rows : grouped_by_run(table)) {
    const auto first = table.row(rows.front());
    if (first.text("mode") != mode) continue;
    scenarios::Scenario scenario = scenario_of(first);
    scenarios::ProcessEntry entry = entry_of(table, first, mode);
    entry.count = static_cast<std::int64_t>(rows.size());
    scenario.processes.push_back(entry);
    const scenarios::Result result = simulated(scenario, own);
    std::vector<double> measured_rates, predicted_rates;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double measured = table.row(rows[i]).number(table.column("images_per_s"));
      const double predicted = result.processes[i].throughput.mean.value_or(0);
      measured_rates.push_back(measured);
      predicted_rates.push_back(predicted);
      group.comparisons.push_back(
          {fmt::format("{}, process {}", describe(first), i), "images/s per process", measured, predicted});
    }
    // Among equal processes it is random which ones share a core and get less, so that they are compared by
    // rank.
    std::sort(measured_rates.begin(), measured_rates.end());
    std::sort(predicted_rates.begin(), predicted_rates.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      group.comparisons.push_back({fmt::format("{}, rank {}", describe(first), i),
                                   "images/s per process, by rank", measured_rates[i], predicted_rates[i]});
    group.comparisons.push_back({describe(first), "images/s in total",
                                 std::accumulate(measured_rates.begin(), measured_rates.end(), 0.0),
                                 std::accumulate(predicted_rates.begin(), predicted_rates.end(), 0.0)});
  }
  return group;
}

ComparisonGroup compare_open_loop(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  ComparisonGroup group = groups_of("arrivals").front();
  const input::CsvTable& table = files.table(profiles::TraceKind::open_loop);
  for (const std::vector<std::size_t>& rows : grouped_by_run(table)) {
    const auto first = table.row(rows.front());
    scenarios::Scenario scenario = scenario_of(first);
    for (const std::size_t i : rows) {
      const auto row = table.row(i);
      scenarios::ProcessEntry entry = entry_of(table, row, row.text("mode"));
      entry.arrivals = {.kind = process::ArrivalKind::periodic,
                        .rate_per_s = row.number("rate_per_s"),
                        .phase = sim::milliseconds(row.number("phase_ms")),
                        .times = {},
                        .queue_limit = {}};
      scenario.processes.push_back(entry);
    }
    const scenarios::Result result = simulated(scenario, profile);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = table.row(rows[i]);
      const std::string run =
          fmt::format("{} {}/s x{}, process {}", row.text("run"), row.text("rate_per_s"), rows.size(), i);
      const scenarios::Latency& latency = result.processes[i].latency_ms;
      group.comparisons.push_back({run, "p50", row.number("latency_p50_ms"), latency.p50.value_or(0)});
      group.comparisons.push_back({run, "p99", row.number("latency_p99_ms"), latency.p99.value_or(0)});
    }
  }
  return group;
}

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
