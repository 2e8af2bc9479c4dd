#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"

namespace jostle::calibration {
namespace {

constexpr const char* few_cores = "evidence/h200-host/few_cores.csv";
constexpr const char* mixes = "evidence/h200-random/mixes.csv";
constexpr double kept_up_ms = 100;  // the p50 of sources that get on
constexpr const char* as_long = "run: {duration: 2 s, warmup: 500 ms}\n";

enum HostGroup : std::size_t { crowded, beside_loads, enough, eager_mixes, graph_mixes, polling };

std::string loads(const EvidenceRow& row) {
  std::string text;
  for (double i = 0; i < number(row, "hogs"); ++i) text += "  - {load: busy}\n";
  return text;
}

// The throughput that has this rank among those of the first processes of the result, the least first.
std::function<scenarios::Metric(const scenarios::Result&)> by_rank(const std::vector<std::size_t>& among,
                                                                   std::size_t rank) {
  return [=](const scenarios::Result& result) -> scenarios::Metric {
    std::vector<double> rates;
    for (const std::size_t process : among)
      rates.push_back(result.processes[process].throughput.mean.value_or(0));
    std::ranges::sort(rates);
    return rates[rank];
  };
}

// Equal processes on few cores.
std::vector<MeasuredRun> equal_processes() {
  std::vector<MeasuredRun> runs;
  for (const std::vector<EvidenceRow>& rows : by_run(evidence_rows(few_cores))) {
    const EvidenceRow& first = rows.front();
    const bool alone = number(first, "processes") <= number(first, "cores");
    MeasuredRun run{
        filled("device: nvidia-h200\nhost_cores: <cores>\nprocesses:\n  - {model: <model>, precision: "
               "fp16, runtime: <runtime>, sync: <sync>, count: <processes>}\n",
               first) +
            loads(first) + as_long,
        number(first, "hogs") > 0 ? beside_loads
        : alone                   ? enough
                                  : crowded,
        {}};
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rows.size(); ++i) all.push_back(i);
    for (std::size_t i = 0; i < rows.size(); ++i)
      run.values.push_back(
          {filled("<run> <model> <runtime> <sync> x<processes> on <cores> cores, <hogs> loads, rank <rank>",
                  rows[i]),
           "images/s, by rank", number(rows[i], "images_per_s"), "", 1, by_rank(all, i)});
    runs.push_back(std::move(run));
  }
  return runs;
}

// The processes of a run that are equal to one of them and in a closed loop.
std::vector<std::size_t> equal_to(const std::vector<EvidenceRow>& rows, const EvidenceRow& one) {
  const auto same = [&one](const EvidenceRow& other) {
    return std::ranges::all_of(std::array{"model", "precision", "batch", "runtime", "arrivals"},
                               [&](const char* column) { return other.at(column) == one.at(column); });
  };
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (same(rows[i])) found.push_back(i);
  return found;
}

// Mixes that were drawn at random. Which of the measured rates has a rank is told by sorting them, too.
std::vector<MeasuredRun> drawn_mixes() {
  std::vector<MeasuredRun> runs;
  for (const std::vector<EvidenceRow>& rows : by_run(evidence_rows(mixes))) {
    std::string scenario =
        filled("device: nvidia-h200\nsharing: <sharing>\nhost_cores: <cores>\nprocesses:\n", rows.front());
    for (const EvidenceRow& row : rows)
      scenario += filled(
                      "  - {model: <model>, input: <input>, precision: <precision>, batch: <batch>, runtime: "
                      "<runtime>, "
                      "sync: <sync>",
                      row) +
                  (row.at("arrivals").empty()
                       ? ""
                       : filled(", arrivals: {<arrivals>: <per_s> /s, wait: {poll: 100 us}}", row)) +
                  "}\n";
    scenario += loads(rows.front()) + as_long;
    const bool eager =
        std::ranges::any_of(rows, [](const EvidenceRow& row) { return row.at("runtime") == "eager"; });
    MeasuredRun closed{scenario, eager ? eager_mixes : graph_mixes, {}}, open{scenario, polling, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string name =
          filled("<run> <model> <precision> b<batch> <runtime>, process <process>", rows[i]);
      if (!rows[i].at("arrivals").empty()) {
        if (number(rows[i], "p50_ms") > kept_up_ms) continue;
        open.values.push_back({name,
                               "p50",
                               number(rows[i], "p50_ms"),
                               fmt::format("processes.{}.latency_ms.p50", i),
                               1,
                               {},
                               true});
        continue;
      }
      const std::vector<std::size_t> equal = equal_to(rows, rows[i]);
      const auto slower = std::ranges::count_if(equal, [&](std::size_t other) {
        const double rate = number(rows[other], "images_per_s"), own = number(rows[i], "images_per_s");
        return rate < own || (rate == own && other < i);
      });
      closed.values.push_back({name, "images/s, by rank", number(rows[i], "images_per_s"), "", 1,
                               by_rank(equal, static_cast<std::size_t>(slower))});
    }
    for (MeasuredRun* const run : {&closed, &open})
      if (!run->values.empty()) runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace

std::vector<ComparisonGroup> validate_host(const std::function<void(double)>& progress) {
  std::vector<MeasuredRun> runs = equal_processes();
  std::ranges::move(drawn_mixes(), std::back_inserter(runs));
  std::vector<ComparisonGroup> groups = groups_of("host");
  compare_in(groups, runs, progress);
  return groups;
}

}  // namespace jostle::calibration
