// A server with dynamic batching as measured on an H100 (calibration/evidence/h100-serve), from its rates
// alone at batch 1 to 8.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

// The profile predicts the rates of the rows of kind `alone` within 0.3 %; no parameter but the loop's own
// cost was chosen on these rows.
TEST(BatchingServers, on_an_h100_answer_as_measured_from_rates_alone) {
  double p50 = 0, p99 = 0, batch = 0, runs = 0;
  for (const Row& row : rows_of(JOSTLE_SOURCE_DIR "/calibration/evidence/h100-serve/serve.csv")) {
    if (row.at("kind") != "serve") continue;
    const Result result = testing::run_text(
        "device: nvidia-h100\n"
        "processes:\n  - {model: resnet50, precision: fp16, batch: 8, "
        "runtime: cuda-graph, sync: spin, streams: " +
        row.at("lanes") + ", max_queue_delay: " + row.at("delay_ms") + " ms, arrivals: {poisson: " +
        row.at("rate_per_s") + " /s}}\nrun: {duration: 10 s, warmup: 500 ms}\n");
    const ProcessResult& server = result.processes.front();
    const auto error = [&](double value, const char* column) {
      return std::abs(value / std::stod(row.at(column)) - 1);
    };
    p50 += error(*server.latency_ms.p50, "latency_p50_ms");
    p99 += error(*server.latency_ms.p99, "latency_p99_ms");
    batch += error(*server.mean_batch, "mean_batch");
    ++runs;
  }
  ASSERT_EQ(runs, 14);
  EXPECT_LT(p50 / runs, 0.03);
  EXPECT_LT(p99 / runs, 0.03);
  EXPECT_LT(batch / runs, 0.03);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
