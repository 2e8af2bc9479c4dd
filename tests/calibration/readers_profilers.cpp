// Profilers: Chrome's trace JSON, the SQLite export of nsys and its summaries.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <stdexcept>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string event(const std::string& category, const std::string& name, double ts, double dur,
                  int correlation) {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 2, "ts": {}, "dur": {}, "args": {{"correlation": {}, "grid": [1, 2, 3], "note": {{"name": "inner", "dur": 7}}}}}})",
      category, name, ts, dur, correlation);
}
std::string trace(const std::string& events) {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Orin", "totalGlobalMem": 7990000000,
    "computeMajor": 8, "computeMinor": 7, "numSms": 8}], "traceEvents": [)" +
         events + R"(], "traceName": "t"})";
}

TEST(ChromeTrace, KernelsCallsAndTheirLinksAreRead) {
  const Imported found = import_text(
      trace(event("kernel", "gemm", 110, 30, 1) + "," + event("cuda_runtime", "cudaLaunchKernel", 100, 4, 1) +
            "," + event("cuda_runtime", "cudaLaunchKernel", 120, 6, 2) + "," +
            event("kernel", "gemm", 140, 50, 2) + "," + event("kernel", "relu", 195, 10, 9) + "," +
            event("cpu_op", "aten::mm", 90, 50, 0) + "," + event("gpu_memcpy", "Memcpy HtoD", 80, 5, 0) +
            "," + event("cuda_runtime", "cudaStreamSynchronize", 130, 80, 0) +
            R"(,{"ph": "M", "name": "process_name"})"));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("kernel_time", "gemm"), 40);
  EXPECT_EQ(found.row("kernel_time", "gemm").count, 2);
  EXPECT_EQ(found.value("kernel_time"), 30);
  EXPECT_EQ(found.value("launch_call", "cudaLaunchKernel"), 5);
  EXPECT_EQ(found.value("api_call", "cudaStreamSynchronize"), 80);
  EXPECT_EQ(found.value("copy_time", "Memcpy HtoD"), 5);
  EXPECT_EQ(found.value("operator_time", "aten::mm"), 50);
  EXPECT_EQ(found.value("launch_to_start"), 15);  // 10 and 20, in whichever order they come
  const Setting& setting = found.runs[0].setting;
  EXPECT_EQ(setting.compute_capability, "8.7");
  EXPECT_EQ(setting.sms, 8);
  EXPECT_EQ(setting.observer, "pytorch-profiler");
  // What a profiler slows is no launch cost.
  EXPECT_FALSE(found.has("enqueue"));
  EXPECT_THAT(found.notes(), HasSubstr("not used as launch cost"));
}

TEST(ChromeTrace, AnArrayAloneIsATraceAndMayLackItsBracket) {
  const std::string two = "[" + event("kernel", "a", 1, 2, 1) + ",\n" + event("kernel", "a", 5, 4, 2);
  EXPECT_EQ(import_text(two + "]").value("kernel_time", "a"), 3);
  const Imported open = import_text(two + ",\n");
  EXPECT_EQ(open.problems, "");
  EXPECT_EQ(open.value("kernel_time", "a"), 3);
  EXPECT_THAT(open.notes(), HasSubstr("no closing bracket"));
  const Imported other = import_text("[" + event("mine", "step", 1, 2, 1) + "]");
  EXPECT_EQ(other.value("event_time", "step"), 2);
  EXPECT_EQ(other.runs.at(0).setting.observer, "");
}

TEST(ChromeTrace, ACutTraceIsRefusedWhereverItIsCut) {
  const std::string whole = trace(event("kernel", "a", 1, 2, 1) + "," + event("kernel", "b", 5, 4, 2));
  for (std::size_t size = 30; size < whole.size(); size += 11)
    EXPECT_THAT(import_text(whole.substr(0, size), "chrome-trace").problems, HasSubstr("truncated")) << size;
}

TEST(ChromeTrace, WrongAndHostileTracesAreRefused) {
  const auto refused = [](const std::string& text) {
    const Imported found = import_text(text, "chrome-trace");
    EXPECT_TRUE(found.runs.empty());
    return found.problems;
  };
  EXPECT_THAT(refused(trace(event("kernel", "a", 1, -2, 1))), HasSubstr("impossible"));
  EXPECT_THAT(refused(trace(event("kernel", "a", 1, 1e300, 1))), HasSubstr("impossible"));
  EXPECT_THAT(refused(trace(event("kernel", "a", 1e300, 2, 1))), HasSubstr("impossible time stamp"));
  EXPECT_THAT(refused(trace(event("cpu_op", "a", -1e300, 2, 1))), HasSubstr("impossible time stamp"));
  EXPECT_THAT(refused(trace(event("kernel", "a", 1, 0, 1))), HasSubstr("a kernel of 0 us"));
  EXPECT_THAT(refused(trace("")), HasSubstr("none of the trace's 0 events"));
  EXPECT_THAT(refused(R"({"schemaVersion": 1})"), HasSubstr("without traceEvents"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"ph": "X", "dur": "long"}]})"),
              HasSubstr("a time is not a number"));
  EXPECT_THAT(refused(R"({"traceEvents": [)" + std::string(1000, '[')),
              HasSubstr("nested more than 64 levels deep"));
  EXPECT_THAT(refused(R"({"traceEvents": [)" + std::string(1000, '}')), HasSubstr("not JSON"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"name": ")" + std::string(16U << 20U, 'x')),
              HasSubstr("a single value"));
  EXPECT_THAT(refused(trace(event("kernel", "a", 1, 2, 1)) + "]"), HasSubstr("not JSON"));
}

// An event of the GPU as PyTorch 2 writes it (libkineto, ActivityType.h and output_json.cpp name the keys).
std::string traced(const std::string& category, const std::string& name, double ts, double dur,
                   const std::string& more = "") {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": 7, "ts": {}, "dur": {}, "args": {{"device": 0, "stream": 7{}}}}})",
      category, name, ts, dur, more);
}

// Batches of a product of one grid, one of another, a memset, a copy within the GPU and one from the host.
// The first batch is slow.
std::string batches(int count, const std::string& last = "") {
  std::string events = event("cpu_op", "aten::linear", 1, 3, 0);
  for (int i = 0; i < count; ++i) {
    const double at = 1000 * (i + 1), slow = i == 0 ? 5 : 1;
    const auto gemm = [&](int blocks) {
      return fmt::format(
          R"(, "registers per thread": 90, "shared memory": 4096, "grid": [{}, 2, 1], "block": [128, 1, 1])",
          blocks);
    };
    events += "," + traced("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at, 9) + "," +
              traced("kernel", "gemm", at + 10, 20 * slow, gemm(12)) + "," +
              traced("kernel", "gemm", at + 120, 6 + i, gemm(3)) + "," +
              traced("gpu_memset", "Memset (Device)", at + 140, 0.7, R"(, "bytes": 4)") + "," +
              traced("gpu_memcpy", "Memcpy DtoD (Device -> Device)", at + 150, 2);
  }
  return trace(events + last);
}

std::vector<Measurement> layers_of(const Imported& found) {
  std::vector<Measurement> layers;
  for (const Measurement& row : found.runs.at(0).rows)
    if (row.metric == "layer_time") layers.push_back(row);
  return layers;
}

TEST(ChromeTrace, TheKernelsOfABatchAreReadInOrderWithTheirLaunches) {
  const Imported found = import_text(batches(3));
  ASSERT_EQ(found.problems, "");
  const std::vector<Measurement> layers = layers_of(found);
  ASSERT_EQ(layers.size(), 4U);    // without the copy from the host, which is the program's
  EXPECT_EQ(layers[0].value, 20);  // the median, whatever the first batch took
  EXPECT_EQ(layers[0].count, 3);
  EXPECT_EQ(layers[0].launch.grid, "12x2x1");
  EXPECT_EQ(layers[0].launch.block, "128x1x1");
  EXPECT_EQ(layers[0].launch.registers, 90);
  EXPECT_EQ(layers[0].launch.shared_bytes, 4096);
  EXPECT_EQ(layers[1].value, 7);
  EXPECT_EQ(layers[1].launch.grid, "3x2x1");
  EXPECT_EQ(layers[2].of, "Memset (Device)");
  EXPECT_EQ(layers[3].of, "Memcpy DtoD (Device -> Device)");
  EXPECT_EQ(found.runs[0].setting.runtime, "eager");
  EXPECT_THAT(found.notes(),
              HasSubstr("the 4 kernels of a batch in order, 29.7 us, medians of the 3 batches"));
}

// PyTorch up to 2.2 counts from 1970.
TEST(ChromeTrace, TheKernelsOfABatchAreReadFromStampsSince1970) {
  std::string events;
  for (int i = 0; i < 6; ++i)
    events += (i > 0 ? "," : "") + traced("kernel", i % 2 == 0 ? "a" : "b", 1.7e15 + 100 * i, 10 + i % 2);
  const std::vector<Measurement> layers = layers_of(import_text(trace(events)));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].value + layers[1].value, 21);
}

// A machine of two cards; kernels run on those given.
std::string of_two_cards(const std::vector<int>& busy) {
  std::string events;
  for (const int id : busy)
    events += fmt::format(
        R"({}{{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {{"device": {}}}}})",
        events.empty() ? "" : ",", id);
  return R"({"deviceProperties": [{"id": 0, "name": "NVIDIA L4", "computeMajor": 8, "computeMinor": 9, "numSms": 58},
    {"id": 1, "name": "NVIDIA T4", "computeMajor": 7, "computeMinor": 5, "numSms": 40}], "traceEvents": [)" +
         events + "]}";
}

TEST(ChromeTrace, KernelsOfSeveralCardsAreRefusedByName) {
  const Imported found = import_text(of_two_cards({0, 1, 0}));
  EXPECT_TRUE(found.runs.empty());
  EXPECT_THAT(found.problems,
              HasSubstr("kernels of several GPUs in one trace: 0 (NVIDIA L4), 1 (NVIDIA T4)"));
}

TEST(ChromeTrace, TheCardThatKernelsRanOnIsToldFromTheOthers) {
  const Setting setting = import_text(of_two_cards({1, 1})).runs.at(0).setting;
  EXPECT_EQ(setting.gpu, "NVIDIA T4");
  EXPECT_EQ(setting.compute_capability, "7.5");
  EXPECT_EQ(setting.sms, 40);
}

TEST(ChromeTrace, ABatchIsFoundBesideOtherWorkAndNotWithoutARepeat) {
  const Imported after = import_text(batches(3, "," + traced("kernel", "print", 9000, 3)));
  EXPECT_EQ(layers_of(after).size(), 4U);
  const Imported before = import_text(batches(3, "," + traced("kernel", "warm_up", 5, 3)));
  EXPECT_EQ(layers_of(before).size(), 4U);
  const Imported once = import_text(batches(1));
  EXPECT_TRUE(layers_of(once).empty());
  EXPECT_THAT(once.notes(), HasSubstr("profile three or more batches"));
}

TEST(ChromeTrace, WhatItIsUsableForIsSaidAndRowsHoldTheLaunches) {
  SuppliedFields said;
  said.model = "vit_b_16";
  said.precision = "fp16";
  said.batch = 4;
  said.input = 224;
  input::Problems problems;
  std::vector<LogFile> files;
  files.push_back({import_text(batches(3)).runs, said});
  profiles::NetworkFiles networks;
  const std::vector<RunLog> logs = run_logs(std::move(files), networks, problems);
  ASSERT_TRUE(problems.empty()) << problems.text();
  EXPECT_EQ(logs.at(0).import.setting.model, "vit_base");
  EXPECT_THAT(
      logs[0].import.notes,
      ::testing::Contains(HasSubstr("kernel table of batch 4 in fp16 (4 kernels); no rate: add one")));
  const std::string rows = evidence_rows(logs);
  EXPECT_THAT(rows, HasSubstr(",224,12x2x1,128x1x1,90,4096,\n"));
}

TEST(ChromeTrace, ANetworkThatNobodyKnowsIsKnownByItsKernels) {
  SuppliedFields said;
  said.model = "vit_b_61";
  said.precision = "fp16";
  said.batch = 4;
  input::Problems problems;
  std::vector<LogFile> files;
  files.push_back({import_text(batches(3)).runs, said});
  profiles::NetworkFiles networks;
  const auto logs = run_logs(std::move(files), networks, problems);
  EXPECT_THAT(logs.at(0).import.notes, ::testing::Contains(HasSubstr("did you mean vit_b_16")));
  EXPECT_THAT(logs[0].import.notes, ::testing::Contains(HasSubstr("known by its kernels alone")));
}

TEST(ChromeTrace, AbsurdLaunchesAreLeftOut) {
  const std::string more =
      R"(, "registers per thread": -3, "shared memory": 1e30, "grid": [1e99, 2, "x", [4]], "block": 7)";
  std::string events;
  for (int i = 0; i < 3; ++i)
    events +=
        (i > 0 ? "," : "") + traced("kernel", "k", i, 0.5, more) + "," + traced("kernel", "l", i + 0.5, 0.1);
  const Imported found = import_text(trace(events));
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(layers_of(found).size(), 2U);
  EXPECT_FALSE(layers_of(found)[0].launch.registers.has_value());
  EXPECT_FALSE(layers_of(found)[0].launch.shared_bytes.has_value());
}

// Names beyond the limit are kept together: what is held does not grow with the file.
TEST(ChromeTrace, ManyNamesAreKeptWithinALimit) {
  std::string events = event("kernel", "k", 1, 1, 1);
  for (int i = 0; i < 20'500; ++i)
    events += fmt::format(R"(,{{"ph":"X","cat":"kernel","name":"k{}","ts":1,"dur":1}})", i);
  const Imported found = import_text(trace(events));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.row("kernel_time").count, 20'501);
  EXPECT_EQ(found.row("kernel_time", "(others)").count, 501);
}

// A database in memory, as a file would hold it.
std::string database(const std::string& sql) {
  sqlite3* handle = nullptr;
  sqlite3_open(":memory:", &handle);
  char* message = nullptr;
  if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
    throw std::runtime_error(message);
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(handle, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(handle);
  return text;
}

constexpr const char* names = R"(CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
  INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaDeviceSynchronize_v3020'),
    (4, 'poll');)";
constexpr const char* kernels = R"(CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,
    correlationId INT, globalPid INT, demangledName INT, shortName INT);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20000, 50000, 0, 7, 16777216, 1, 1), (90000, 100000, 0, 8, 16777216, 1, 1);)";
constexpr const char* calls = R"(CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
    correlationId INT, nameId INT);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10000, 14000, 16777217, 7, 2), (60000, 66000, 16777217, 8, 2),
    (70000, 99000, 16777217, 9, 3);)";

TEST(NsysSqlite, KernelsCallsLinksAndTheSchedulerAreRead) {
  const Imported found = import_text(database(std::string(names) + kernels + calls + R"(
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, copyKind INT, bytes INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 3000, 1, 64);
    CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);
    INSERT INTO OSRT_API VALUES (0, 9000, 1, 4);
    CREATE TABLE SCHED_EVENTS (start INT, cpu INT, isSchedIn INT, globalTid INT);
    INSERT INTO SCHED_EVENTS VALUES (0, 1, 1, 16777217), (5000, 1, 0, 16777217), (7000, 1, 1, 16777217),
      (8000, 1, 1, 99);
    CREATE TABLE TARGET_INFO_GPU (name TEXT, smCount INT, computeMajor INT, computeMinor INT, totalMemory INT);
    INSERT INTO TARGET_INFO_GPU VALUES ('Orin', 8, 8, 7, 7990000000);)"));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.runs[0].format, "nsys-sqlite");
  EXPECT_EQ(found.value("kernel_time", "gemm"), 20);
  EXPECT_EQ(found.row("kernel_time", "gemm").count, 2);
  EXPECT_EQ(found.value("launch_call", "cudaLaunchKernel"), 5);
  EXPECT_EQ(found.value("api_call", "cudaDeviceSynchronize"), 29);
  EXPECT_EQ(found.value("launch_to_start"), 20);
  EXPECT_EQ(found.value("copy_time", "Host-to-Device"), 3);
  EXPECT_EQ(found.value("os_call", "poll"), 9);
  EXPECT_EQ(found.value("sched_run"), 5);
  EXPECT_EQ(found.value("sched_off"), 2);
  EXPECT_EQ(found.runs[0].setting.observer, "nsys");
  EXPECT_EQ(found.runs[0].setting.compute_capability, "8.7");
  EXPECT_FALSE(found.has("enqueue"));
}

// A warm-up, then five batches of three kernels, two of one name, with a pause between batches.
TEST(NsysSqlite, TheKernelsOfABatchAreReadInOrder) {
  std::string rows = "(0, 100, 1), (200, 900, 2)";
  int at = 10'000;
  for (int batch = 0; batch < 9; ++batch, at += 100'000)
    rows += fmt::format(", ({}, {}, 2), ({}, {}, 1), ({}, {}, 2)", at, at + 2000, at + 2000, at + 5000,
                        at + 5000, at + 9000);
  const auto of = [](const std::string& kernels_in_order) {
    return import_text(
        database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                 "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'relu');"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, shortName INT);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " +
                 kernels_in_order));
  };
  const Imported found = of(rows);
  ASSERT_EQ(found.problems, "");
  std::vector<std::pair<std::string, double>> batch;
  for (const Measurement& row : found.runs[0].rows)
    if (row.metric == "layer_time") batch.emplace_back(row.of, row.value);
  EXPECT_THAT(batch,
              ::testing::ElementsAre(std::pair("relu", 2.0), std::pair("gemm", 3.0), std::pair("relu", 4.0)));
  // Work of something else in between: no order to go by.
  EXPECT_FALSE(of(rows + ", (5000000, 5000100, 1), (5000200, 5000300, 1)").has("layer_time", "relu"));
}

TEST(NsysSqlite, TablesThatAreMissingAreDoneWithout) {
  const Imported found = import_text(database(std::string(names) + kernels));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("kernel_time", "gemm"), 20);
  EXPECT_FALSE(found.has("launch_to_start"));
  // Names that are not there either.
  EXPECT_EQ(import_text(database(kernels)).value("kernel_time", "(unnamed)"), 20);
  // An older layout: no correlation, the name as text.
  EXPECT_EQ(import_text(database("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, name TEXT);"
                                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 4000, 'old')"))
                .value("kernel_time", "old"),
            4);
}

TEST(NsysSqlite, OtherDamagedAndHostileDatabasesAreRefused) {
  const auto refused = [](const std::string& bytes) {
    const Imported found = import_text(bytes, "nsys-sqlite");
    EXPECT_TRUE(found.runs.empty());
    return found.problems;
  };
  EXPECT_THAT(refused(database("CREATE TABLE songs (title TEXT)")), HasSubstr("not an export of nsys"));
  const std::string whole = database(std::string(names) + kernels + calls);
  EXPECT_THAT(refused(whole.substr(0, whole.size() / 2)), HasSubstr("the database cannot be read"));
  std::string damaged = whole;
  for (std::size_t i = 4096; i < damaged.size(); i += 3) damaged[i] = '\x55';
  EXPECT_THAT(refused(damaged), HasSubstr("my.log: "));
  // A view in a table's place could compute for ever.
  EXPECT_THAT(refused(database(
                  "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE x(start) AS (SELECT 1 UNION ALL "
                  "SELECT start FROM x) SELECT start, start AS end FROM x; CREATE TABLE t (a)")),
              HasSubstr("not an export of nsys"));
  EXPECT_THAT(refused(database("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, shortName INT);"
                               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 1, 1)")),
              HasSubstr("ends before it starts"));
}

constexpr const char* api_csv =
    "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "90.0,900000,3,300000.0,290000.0,1,2,1000.0,cudaDeviceSynchronize\n"
    "10.0,100000,20,5000.0,4000.0,1,2,500.0,cudaLaunchKernel\n";

TEST(NsysStats, ASummaryIsToldByItsColumns) {
  const Imported api = import_text(api_csv);
  ASSERT_EQ(api.problems, "");
  EXPECT_EQ(api.value("launch_call", "cudaLaunchKernel"), 5);
  EXPECT_EQ(api.row("launch_call", "cudaLaunchKernel").median, 4);
  EXPECT_EQ(api.row("launch_call", "cudaLaunchKernel").count, 20);
  EXPECT_EQ(api.value("api_call", "cudaDeviceSynchronize"), 300);
  EXPECT_THAT(api.notes(), HasSubstr("not used as launch cost"));
  const Imported kernel = import_text(
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "74.9,100,2,50000.0,40.0,1,2,10.0,\"void k<int, \"\"x\"\">(int)\"\n");
  EXPECT_EQ(kernel.value("kernel_time", "void k<int, \"x\">(int)"), 50);
}

TEST(NsysStats, TheWholeTextIsReadSummaryBySummary) {
  const Imported found = import_text(
      "Processing [a.sqlite] with [cuda_api_sum.py]...\n\n"
      " ** CUDA API Summary (cuda_api_sum):\n\n"
      " Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)        "
      "Name      \n"
      " --------  ---------------  ---------  --------  --------  --------  --------  -----------  "
      "----------------\n"
      "     60.0           100000         20    5000.0    4000.0         1         2        500.0  "
      "cudaLaunchKernel\n"
      "     40.0           100000          1  100000.0  100000.0         1         2          0.0  cudaFree  "
      "      \n"
      "\nProcessing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
      " Time (%)  Total Time (ns)  Instances  Avg (ns)  Name                 \n"
      " --------  ---------------  ---------  --------  ---------------------\n"
      "    100.0             4000          2    2000.0  void k<int, int>(int)\n"
      "\n Total (MB)  Count  Avg (MB)           Operation          \n"
      " ----------  -----  --------  ----------------------------\n"
      "     33.000     22     1.500  [CUDA memcpy Host-to-Device]\n\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("launch_call", "cudaLaunchKernel"), 5);
  EXPECT_EQ(found.value("api_call", "cudaFree"), 100);
  EXPECT_EQ(found.value("kernel_time", "void k<int, int>(int)"), 2);
  EXPECT_EQ(found.row("copy_size", "[CUDA memcpy Host-to-Device]").unit, "MB");
}

TEST(NsysStats, CutAndOtherReportsAreRefused) {
  const std::string whole = api_csv;
  EXPECT_THAT(import_text(whole.substr(0, whole.size() - 30)).problems, HasSubstr("my.log:3: "));
  EXPECT_THAT(import_text(whole.substr(0, whole.size() - 3)).problems, HasSubstr("no newline"));
  EXPECT_THAT(import_text("Time (%),Total Time (ns),What\n1,2,3\n").problems, HasSubstr("has no columns"));
  EXPECT_THAT(import_text("Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,2,x,3,n\n").problems,
              HasSubstr("has no count or mean"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
