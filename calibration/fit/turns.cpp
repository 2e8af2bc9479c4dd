#include "calibration/fit/turns.hpp"

#include <algorithm>
#include <charconv>

namespace jostle::calibration {
namespace {

// The number directly after `key` in `text`.
double number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  double number = 0;
  const std::string_view rest = at == std::string_view::npos ? "" : text.substr(at + key.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc{} || !(number > 0))
    throw input::CsvError(
        "sparse launches", 0,
        "configuration '" + std::string(text) + "': no number after '" + std::string(key) + "'");
  return number;
}

}  // namespace

std::map<std::string, std::vector<Turn>> turns_of(const input::CsvTable& intervals) {
  std::map<std::string, std::vector<Turn>> all;
  const auto config = intervals.column("config"), process = intervals.column("process"),
             start = intervals.column("start_us"), length = intervals.column("length_us"),
             kernels = intervals.column("kernels");
  for (const input::CsvTable::Row row : intervals) {
    const double begin = row.number(start);
    all[row.text(config)].push_back({.process = static_cast<std::uint32_t>(row.integer(process)),
                                     .start_us = begin,
                                     .end_us = begin + row.number(length),
                                     .kernels = static_cast<int>(row.integer(kernels))});
  }
  for (auto& [name, turns] : all) std::ranges::sort(turns, {}, &Turn::start_us);
  return all;
}

std::vector<SharingRun> sharing_runs(const input::CsvTable& configs, const input::CsvTable& intervals) {
  auto turns = turns_of(intervals);
  std::vector<SharingRun> runs;
  for (const input::CsvTable::Row row : configs) {
    const std::string& config = row.text("config");
    if (!turns.contains(config) && (runs.empty() || runs.back().config != config)) continue;
    if (runs.empty() || runs.back().config != config) {
      runs.push_back({config, {}, std::move(turns.extract(config).mapped())});
    }
    const auto count = [&row](const char* column) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(column), 1, 1'000'000'000));
    };
    runs.back().processes.push_back({.kernel_us = row.number("kernel_us"),
                                     .blocks = count("blocks"),
                                     .threads = count("threads"),
                                     .graph = row.text("mode") == "graph"});
  }
  return runs;
}

std::vector<SparseRun> sparse_runs(const input::CsvTable& intervals) {
  std::vector<SparseRun> runs;
  for (auto& [config, turns] : turns_of(intervals)) {
    SparseRun run;
    run.config = config;
    run.beside_dense = config.find("with dense") != std::string::npos;
    run.processes = run.beside_dense ? 2 : static_cast<int>(number_after(config, " P"));
    run.kernel_us = number_after(config, "d");
    run.pace_us = number_after(config, "pace");
    run.blocking = config.find("block") != std::string::npos;
    run.turns = turns;
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace jostle::calibration
