// Published rows: each is used or waits for something by name, and none is passed over.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using input::CsvError;
using input::CsvTable;

const std::string true_row =
    "t1,honest,jetson-orin-nano-super,MAXN_SUPER,1,resnet18,fp16,1,gpu,tensorrt,throughput,1318,images/s,\n";

Evidence evidence(const std::string& rows, const std::string& more_columns = "") {
  const input::CsvTable table = input::CsvTable::parse(
      "run,lab,device,power_mode,pinned,model,precision,batch,placement,runtime,metric,value,unit,mark" +
          more_columns + "\n" + rows,
      "rows.csv");
  return published_evidence({&table, 1});
}

TEST(PublishedEvidence, uses_or_counts_every_row_of_many_laboratories) {
  const Evidence found = shipped_evidence();  // throws if a row is neither used nor counted
  std::size_t rows = 0;
  for (const std::size_t used : found.used) rows += used;
  const std::array<std::string, 3> reasons{"device", "runtime", "network"};
  for (const NotYet& waiting : found.not_yet) {
    rows += waiting.rows;
    EXPECT_NE(std::ranges::find(reasons, waiting.what), reasons.end()) << waiting.what;
  }
  EXPECT_GE(rows, 1500U);
  std::set<std::string> labs;
  for (const RunConfiguration& configuration : found.configurations) labs.insert(configuration.lab);
  EXPECT_GE(labs.size(), 8U) << "laboratories with rows that this build can judge";
}

TEST(PublishedEvidence, waits_for_a_device_a_runtime_or_a_network_and_for_nothing_else) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string row = true_row;
    return row.replace(row.find(from), from.size(), to);
  };
  const std::array<std::array<std::string, 3>, 3> waiting{
      {{"jetson-orin-nano-super", "jetson-of-tomorrow", "device"},
       {"tensorrt", "runtime-of-tomorrow", "runtime"},
       {"resnet18", "network_of_tomorrow", "network"}}};
  for (const auto& [from, to, what] : waiting) {
    const Evidence found = evidence(with(from, to));
    EXPECT_TRUE(found.configurations.empty());
    ASSERT_EQ(found.not_yet.size(), 1U);
    EXPECT_EQ(found.not_yet.front().what, what);
    EXPECT_EQ(found.not_yet.front().name, to);
    EXPECT_EQ(found.not_yet.front().rows, 1U);
  }
  const std::array<std::array<std::string, 2>, 7> wrong{{{"fp16", "fp61"},
                                                         {"gpu,", "gpo,"},
                                                         {"throughput", "speed"},
                                                         {"1318", "-1318"},
                                                         {"1318", "many"},
                                                         {"honest", ""},
                                                         {",1,gpu", ",0,gpu"}}};
  for (const auto& [from, to] : wrong) EXPECT_THROW((void)evidence(with(from, to)), input::CsvError) << to;
}

TEST(PublishedEvidence, does_not_let_a_metric_that_no_run_can_tell_pass_in_silence) {
  std::string row = true_row;
  row.replace(row.find("tensorrt,throughput"), 19, "tensorrt,layers_time");
  EXPECT_THROW((void)evidence(row), std::runtime_error);
}

TEST(PublishedEvidence, makes_a_scenario_of_all_columns) {
  std::string row = true_row;
  row.replace(row.size() - 1, 1, ",192,,25,50,800\n");
  const Evidence found = evidence(row, ",input,threads,rate_hz,mps_percent,dla_mhz");
  ASSERT_EQ(found.configurations.size(), 1U);
  const scenarios::Scenario& scenario = *found.configurations.front().scenario;
  const scenarios::ProcessEntry& process = scenario.processes.front();
  EXPECT_EQ(process.work.input, 192);
  EXPECT_EQ(process.arrivals.rate_per_s, 25);
  EXPECT_EQ(process.gpu.mps_threads, 0.5);
  EXPECT_EQ(scenario.sharing, gpu::Sharing::mps);
  EXPECT_EQ(scenario.clocks.dla_hz, 800e6);
  EXPECT_EQ(found.configurations.front().text(),
            "jetson-orin-nano-super MAXN_SUPER dla 800 MHz resnet18 fp16 b1 input 192 25/s MPS 50 %");
}

// Twelve batches as measured, or requests, where they take longer than the usual two seconds.
TEST(PublishedEvidence, slow_runs_are_simulated_for_longer) {
  std::string row = true_row;
  row.replace(row.find("1318"), 4, "2");
  EXPECT_EQ(evidence(row).configurations.front().scenario->run.duration, sim::seconds(6));
  EXPECT_EQ(evidence(true_row).configurations.front().scenario->run.duration, sim::seconds(2));
}

TEST(PublishedEvidence, of_two_laboratories_is_not_mixed) {
  std::string other = true_row;
  other.replace(other.find("honest"), 6, "others");
  const Evidence found = evidence(true_row + other + true_row);
  ASSERT_EQ(found.configurations.size(), 2U);
  EXPECT_EQ(found.configurations[0].lab, "honest");
  EXPECT_EQ(found.configurations[0].reference_values.size(), 2U);
  EXPECT_EQ(found.configurations[1].lab, "others");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
