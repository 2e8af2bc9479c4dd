// The JSON object is a contract: its keys, their order, and null for what is undefined.
#include "scenarios/result/result_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenarios/result_samples.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}
using Keys = std::vector<std::string>;

// Keys may be added to the contract; none goes.
bool has_in_order(const Keys& found, const Keys& wanted) {
  auto at = found.begin();
  for (const std::string& key : wanted) {
    at = std::find(at, found.end(), key);
    if (at == found.end()) return false;
  }
  return true;
}

TEST(ResultJson, has_at_least_the_keys_of_the_contract_in_their_order) {
  const Json json = Json::parse(to_json(test::sample_result()));
  EXPECT_EQ(json["schema"], "jostle.result/1");
  EXPECT_PRED2(has_in_order, keys(json),
               (Keys{"schema", "scenario", "device", "profile_hash", "seed", "status", "processes", "system",
                     "scenario_hash", "simulated_s"}));
  const Json& process = json["processes"][0];
  EXPECT_PRED2(
      has_in_order, keys(process),
      (Keys{"index", "entry",      "model",      "precision", "batch",    "runtime",    "status",
            "grade", "throughput", "latency_ms", "ec_ms",     "sync_ms",  "time_share", "gpu_running_by",
            "gpu",   "memory_mb",  "memory",     "drops",     "setup_ms", "finished_ms"}));
  EXPECT_PRED2(has_in_order, keys(process["throughput"]), (Keys{"mean", "ci95", "pi90", "unit"}));
  EXPECT_PRED2(has_in_order, keys(process["latency_ms"]), (Keys{"mean", "p50", "p90", "p95", "p99", "pi90"}));
  EXPECT_PRED2(has_in_order, keys(process["ec_ms"]),
               (Keys{"mean", "launch", "reschedule", "compute", "blocking"}));
  EXPECT_PRED2(has_in_order, keys(process["sync_ms"]), (Keys{"mean"}));
  EXPECT_PRED2(
      has_in_order, keys(process["time_share"]),
      (Keys{"gpu_running", "gpu_switch", "gpu_slice_wait", "dla_running", "copying", "link", "cache_refill",
            "launching", "cpu_compute", "sync_wakeup", "waiting_for_core", "idle", "dla_wait"}));
  EXPECT_PRED2(has_in_order, keys(process["gpu_running_by"]),
               (Keys{"compute", "memory", "fixed", "throttled"}));
  EXPECT_PRED2(has_in_order, keys(process["memory"]),
               (Keys{"context_mb", "engine_mb", "arena_mb", "io_mb", "gpu_mb"}));
  EXPECT_EQ(keys(json["processes"][1]["memory"]), keys(process["memory"]));
  const Json& system = json["system"];
  EXPECT_PRED2(
      has_in_order, keys(system),
      (Keys{"throughput", "power_w", "energy_per_image_mj", "gpu", "dla", "cpu", "memory", "temperature_c",
            "temperature_peak_c", "time_in_state", "limited_by", "limited_share", "stop"}));
  EXPECT_PRED2(has_in_order, keys(system["power_w"]),
               (Keys{"mean", "peak", "rails", "rail_peaks", "parts", "wall"}));
  EXPECT_PRED2(has_in_order, keys(system["gpu"]),
               (Keys{"busy", "reported_load", "sm_active", "issue_slot", "tensor_active", "occupancy",
                     "clock_mhz", "switches_per_s"}));
  EXPECT_PRED2(has_in_order, keys(system["cpu"]),
               (Keys{"busy_cores", "migrations_per_s", "involuntary_switches_per_s", "clock_mhz"}));
  EXPECT_PRED2(has_in_order, keys(system["memory"]),
               (Keys{"used_mb", "capacity_mb", "gpu_share", "bandwidth_gb_s", "clock_mhz"}));
}

TEST(ResultJson, is_one_line_and_says_the_figures) {
  const std::string text = to_json(test::sample_result());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["processes"][0]["throughput"].dump(),
            R"({"mean":2143.4,"ci95":[2139.0,2147.8],"pi90":null,"unit":"images/s"})");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["system"]["power_w"].dump(),
            R"({"mean":null,"peak":null,"rails":{},"rail_peaks":{},"parts":{},"wall":null})");
}

TEST(ResultJson, a_process_that_did_not_fit_has_all_its_keys_and_null_figures) {
  const Json json = Json::parse(to_json(test::sample_result()))["processes"][1];
  EXPECT_EQ(json["status"], "out_of_memory");
  EXPECT_EQ(json["problem"], "does not fit into memory: 12 MB short, at its engine");
  EXPECT_TRUE(json["precision"].is_null());
  EXPECT_TRUE(json["throughput"]["mean"].is_null());
  EXPECT_EQ(json["time_share"].size(), process::share_count);
  EXPECT_TRUE(json["time_share"]["idle"].is_null());
}

TEST(ResultJson, what_is_not_a_number_is_null) {
  Result result = test::sample_result();
  result.processes[0].latency_ms.p99 = std::numeric_limits<double>::quiet_NaN();
  result.system.energy_per_image_mj = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(to_json(result));
  EXPECT_TRUE(json["processes"][0]["latency_ms"]["p99"].is_null());
  EXPECT_TRUE(json["system"]["energy_per_image_mj"].is_null());
}

TEST(ResultJson, numbers_read_back_to_the_same_double) {
  Result result = test::sample_result();
  for (const double value : {0.1 + 0.2, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789}) {
    result.system.throughput = value;
    EXPECT_EQ(Json::parse(to_json(result))["system"]["throughput"]["mean"].get<double>(), value);
  }
}

TEST(ResultJson, text_that_is_not_utf_8_still_gives_valid_json) {
  Result result = test::sample_result();
  result.scenario = "caf\xe9";
  EXPECT_TRUE(Json::accept(to_json(result)));
}

TEST(ResultJson, the_resolved_scenario_is_an_object_not_a_string) {
  Result result = test::sample_result();
  result.resolved = R"({"device":"nvidia-h200"})";
  EXPECT_EQ(Json::parse(to_json(result))["resolved"]["device"], "nvidia-h200");
}

std::size_t cells(const std::string& line) {
  std::size_t count = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++count;
  }
  return count;
}

TEST(ResultCsv, every_row_has_a_cell_for_every_column) {
  const std::string rows = to_csv(test::sample_result());
  const std::size_t end = rows.find('\n');
  EXPECT_EQ(std::ranges::count(rows, '\n'), 2);
  EXPECT_EQ(cells(rows.substr(0, end)), cells(csv_header()));
  EXPECT_EQ(cells(rows.substr(end + 1)), cells(csv_header()));
}

TEST(ResultCsv, streams_follow_their_process_as_rows_with_an_index) {
  Result result = test::sample_result();
  ProcessResult& process = result.processes.front();
  for (const char* const name : {"detector", "classifier"}) {
    InstanceResult& instance = process.instances.emplace_back();
    instance.index = static_cast<std::int64_t>(process.instances.size()) - 1;
    instance.name = instance.model = name;
    instance.priority = "high";
    instance.throughput.mean = 10;
    instance.mean_batch = 2.5;
  }
  EXPECT_TRUE(csv_header().ends_with(
      ",instance,priority,mean_batch,load,threads,bandwidth_gb_s,busy_cores,share_engine_running,"
      "share_engine_wait,share_launch_wait,share_barrier_spin\n"));
  std::vector<std::string> rows;
  std::istringstream lines(to_csv(result));
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4U);
  for (const std::string& row : rows) EXPECT_EQ(cells(row), cells(csv_header()));
  EXPECT_TRUE(rows[0].ends_with(",,,,,,,0,0,0,0"))
      << rows[0];  // the process: whoever sums leaves out rows with an index
  EXPECT_TRUE(rows[1].ends_with(",0,high,2.5,,,,,,,,")) << rows[1];
  EXPECT_TRUE(rows[2].ends_with(",1,high,2.5,,,,,,,,")) << rows[2];
  EXPECT_NE(rows[2].find(",classifier,"), std::string::npos) << rows[2];
}

TEST(ResultCsv, words_with_commas_and_quotes_are_quoted_and_undefined_figures_empty) {
  const std::string rows = to_csv(test::sample_result());
  EXPECT_NE(rows.find(R"(,1,1,"front, ""left""",synthetic,,1,eager,out_of_memory,datasheet,,,,)"),
            std::string::npos)
      << rows;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
