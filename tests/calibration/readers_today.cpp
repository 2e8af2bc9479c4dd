// Layouts of logs that tools of 2016 and of 2026 write, and files that are no logs. Figures are made up; the
// layouts are those of published lines (tegrastats of TX1 under L4T 24, of Thor under L4T 38 and 39, nsys of
// 2019 and 2020, perf_client before Triton 2).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string orin_at(int load, int milliwatts) {
  return fmt::format(
      "RAM 2048/7620MB (lfb 9x4MB) CPU [10%@1000,off] GR3D_FREQ {}%@[1016] tj@51C VDD_IN {}mW/9999mW\n", load,
      milliwatts);
}

std::string thor(int gpu_milliwatts, int milliwatts) {
  return fmt::format(
      "07-02-2026 13:45:44 RAM 36529/125749MB (lfb 12x4MB) SWAP 11/4096MB (cached 9MB) CPU "
      "[12%,3%,off,0%]@2601 "
      "VIC 59%@423 PVA0_FREQ off APE 300 cpu@60.5C/61.5C tj@63.25C soc012@58.5C VDD_GPU "
      "{0}mW/{0}mW/99999mW VIN_SYS_5V0 6767mW/6767mW/6767mW VIN {1}mW/43713mW/87426mW\n",
      gpu_milliwatts, milliwatts);
}

TEST(TegrastatsToday, ThorsLineHasOneClockTriplesPairsAndRailsBelowZero) {
  const Imported found = import_text(thor(31'200, 60'000) + thor(-400, 20'000));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("cpu_load"), 5);
  EXPECT_EQ(found.value("cores_online"), 3);
  EXPECT_EQ(found.value("cpu_clock"), 2601);
  EXPECT_EQ(found.value("temperature_cpu"), 60.5);  // now, not the mean behind it
  EXPECT_EQ(found.value("power_gpu"), 15.6);
  EXPECT_EQ(found.value("power"), 40);  // VIN
  EXPECT_EQ(found.value("power_vin_sys_5v0"), 6.767);
  EXPECT_THAT(found.notes(), HasSubstr("below zero"));
  EXPECT_THAT(found.notes(), HasSubstr("no GPU load"));
  const Imported clocks = import_text(
      "RAM 9101/125811MB (lfb 19x4MB) CPU [39%@2160,20%@2160] EMC_FREQ 7%@3200 GR3D_FREQ @[314,1575,314] "
      "NVENC0_FREQ @1556 gpu@35.9C VDD_GPU 4925mW\n");
  ASSERT_EQ(clocks.problems, "");
  EXPECT_EQ(clocks.value("gpu_clock"), 1575);
  EXPECT_EQ(clocks.value("power_gpu"), 4.925);
}

TEST(TegrastatsToday, WithoutALoadTheRailOfTheGpuTellsTheBusyStretch) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += thor(-392, 15'000);
  for (int i = 0; i < 12; ++i) text += thor(40'000 + i, 90'000);
  for (int i = 0; i < 5; ++i) text += thor(4000, 20'000);
  const Imported found = import_text(text);
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("power"), 90);
  EXPECT_EQ(found.row("power").count, 12);
  EXPECT_THAT(found.notes(), HasSubstr("12 of 27 samples, lines 11 to 22"));
  EXPECT_EQ(found.row("power", "whole file").count, 27);
}

TEST(TegrastatsToday, TheFirstBoardsLineIsRead) {
  const Imported found = import_text(
      "RAM 277/3854MB (lfb 700x4MB) SWAP 0/0MB (cached 0MB) cpu [2%,4%,off,0%]@1912 EMC 1%@1600 AVP 5%@115 "
      "VDE 0 "
      "GR3D 7%@76 EDP limit 1912\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("cpu_load"), 2);
  EXPECT_EQ(found.value("cpu_clock"), 1912);
  EXPECT_EQ(found.value("gpu_clock"), 76);
  EXPECT_EQ(found.value("emc_clock"), 1600);
}

TEST(TegrastatsToday, AnyStampMayStandBeforeRam) {
  for (const char* const stamp :
       {"2026-11-26T10:00:00.123456+00:00 ", "[1764153600.123] ", "1764153600.1,", "2026-11-26 10:00:00\t",
        "Nov 26 10:00:00 a-board-with-a-long-name tegrastats-of-the-service[1234]: 11-26-2026 10:00:00 "}) {
    const Imported found = import_text(stamp + orin_at(50, 6000));
    EXPECT_EQ(found.problems, "") << stamp;
    EXPECT_EQ(found.value("power"), 6) << stamp;
  }
}

// An engine build loads the GPU less than the run that follows; half of the run's load is not the run.
TEST(TegrastatsToday, ABusyStretchHasOneLevelOfLoad) {
  for (const int build : {45, 62, 80}) {
    std::string text;
    for (int i = 0; i < 10; ++i) text += orin_at(0, 5000);
    for (int i = 0; i < 60; ++i) text += orin_at(build - i % 5, 8000);
    for (int i = 0; i < 20; ++i) text += orin_at(99 - i % 2, 15'000);
    for (int i = 0; i < 10; ++i) text += orin_at(0, 5000);
    const Imported found = import_text(text);
    EXPECT_EQ(found.value("power"), 15) << build;
    EXPECT_EQ(found.row("power").count, 20) << build;
    EXPECT_THAT(found.notes(), HasSubstr("20 of 100 samples, lines 71 to 90")) << build;
    if (build > 50) {
      EXPECT_THAT(found.notes(), HasSubstr("60 samples beside it at another level")) << build;
    }
  }
  // One that only flickers is not cut.
  std::string text;
  for (int i = 0; i < 60; ++i) text += orin_at(60 + 13 * i % 40, 9000);
  EXPECT_EQ(import_text(text).row("power").count, 60);
}

std::string clocked(int load, int megahertz, int milliwatts) {
  return fmt::format(
      "RAM 3213/15656MB (lfb 2x4MB) CPU [12%@1984,9%@1984] GR3D_FREQ {}%@[{},{}] VDD_IN {}mW/15000mW\n", load,
      megahertz, megahertz, milliwatts);
}

TEST(TegrastatsToday, ABoardThatThrottlesIsReadAtTheHigherClockAndTheRestIsSaid) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += clocked(99, 918, 16'000);
  for (int i = 0; i < 35; ++i) text += clocked(99, 612, 11'000);
  const Imported found = import_text(text);
  EXPECT_EQ(found.value("power"), 16);
  EXPECT_EQ(found.value("gpu_clock"), 918);
  EXPECT_EQ(found.row("power").count, 25);
  EXPECT_EQ(found.row("power", "whole file").count, 60);
  EXPECT_THAT(found.notes(), HasSubstr("at the same load the GPU's clock changed"));
  EXPECT_THAT(found.notes(), HasSubstr("rows are at 918 MHz, 35 samples at 612 MHz are left out"));
}

TEST(TegrastatsToday, AClockThatChangesToAndFroIsOneState) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += clocked(99, i % 3 == 0 ? 816 : 918, 15'000);
  const Imported found = import_text(text);
  EXPECT_EQ(found.row("power").count, 60);
  EXPECT_FALSE(found.has("power", "whole file"));
  EXPECT_EQ(found.notes(), "");
}

TEST(TegrastatsToday, AnAgxOrinsPowerIsTheSumOfItsInputs) {
  const std::string line =
      "RAM 3213/62841MB (lfb 2x4MB) CPU [12%@2201,9%@2201] GR3D_FREQ 99%@[1300,1300] tj@50.2C VDD_GPU_SOC "
      "8120mW/8000mW VDD_CPU_CV 2010mW/2000mW VIN_SYS_5V0 5030mW/5000mW NC 0mW/0mW VDDQ_VDD2_1V8AO "
      "1310mW/1300mW\n";
  const Imported found = import_text(line + line);
  EXPECT_NEAR(found.value("power"), 15.16, 1e-9);
  EXPECT_NEAR(found.value("power_gpu_soc"), 8.12, 1e-9);
  EXPECT_THAT(found.notes(), HasSubstr("power: the sum of VDD_GPU_SOC, VDD_CPU_CV and VIN_SYS_5V0"));
  const Imported xavier = import_text(
      "RAM 1500/31925MB (lfb 9x4MB) CPU [1%@1190,off] GR3D_FREQ 9%@318 GPU 0/0 VDDRQ 450/444 SYS5V "
      "2126/2126\n");
  EXPECT_FALSE(xavier.has("power"));
  EXPECT_THAT(xavier.notes(), HasSubstr("no power: no rail of this board is the module's input"));
}

TEST(TegrastatsToday, ALongLogIsReadInBlocks) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += orin_at(0, 4000);
  for (int i = 0; i < 20'000; ++i) text += orin_at(90, 10'000);
  const Imported found = import_text(text);
  EXPECT_NEAR(found.value("power"), 10, 0.01);
  EXPECT_NEAR(static_cast<double>(found.row("power").count), 20'000, 8);
}

TEST(NsysToday, NumbersMayBeGroupedAndNamesCut) {
  const Imported found = import_text(
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
      " Time (%)  Total Time (ns)  Instances  Avg (ns)  StdDev (ns)       Name     \n"
      " --------  ---------------  ---------  --------  -----------  --------------\n"
      "     75.0       30,000,000      1,000  30,000.0        361.8  a_tile_of_8…  \n"
      "     25.0       10’000’000      1’000  10’000.0        300.0  b             \n\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("kernel_time", "a_tile_of_8…"), 30);
  EXPECT_EQ(found.value("kernel_time", "b"), 10);
  EXPECT_EQ(found.row("kernel_time", "b").count, 1000);
}

TEST(NsysToday, TablesBetweenBarsAndTabsAreRead) {
  const Imported found = import_text(
      "+----------+-----------------+-----------+----------+------+\n"
      "| Time (%) | Total Time (ns) | Instances | Avg (ns) | Name |\n"
      "+----------+-----------------+-----------+----------+------+\n"
      "|    100.0 |       4,000,000 |     2,000 |  2,000.0 | f<a|b> |\n"
      "+----------+-----------------+-----------+----------+------+\n\n"
      "| Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Name |\n|---|---:|---|---|---|\n"
      "| 100.0 | 4,000 | 2 | 2,000.0 | cudaLaunchKernel |\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("kernel_time", "f<a|b>"), 2);
  EXPECT_EQ(found.value("launch_call", "cudaLaunchKernel"), 2);
  const Imported tabs = import_text(
      "Time (%)\tTotal Time (us)\tInstances\tAvg (us)\tMed (us)\tName\n50\t10\t2\t5\t4\tk<a, b>\n");
  ASSERT_EQ(tabs.problems, "");
  EXPECT_EQ(tabs.value("kernel_time", "k<a, b>"), 5);
}

TEST(NsysToday, TheFormsOf2019And2020AreRead) {
  const Imported found = import_text(
      "Exporting data to SQLite...\n\nCUDA API Statistics:\n\n"
      " Time(%)  Total Time (ns)  Num Calls    Average           Name         \n"
      " -------  ---------------  ---------  -----------  --------------------\n"
      "    80.0        4,000,000      1,000      4,000.0  cudaLaunchKernel    \n\n\n"
      "CUDA Memory Operation Statistics (by size in KiB):\n\n"
      "   Total    Operations  Average      Operation     \n"
      " ----------  ----------  -------  ------------------\n"
      " 50,000.000         100  500.000  [CUDA memcpy HtoD]\n\n"
      "Generating CUDA Kernel Statistics...\nCUDA Kernel Statistics (nanoseconds)\n\n"
      "Time(%)  Total Time   Instances  Average  Minimum    Maximum  Name                \n"
      "-------  ----------  ----------  -------  -------  ---------  --------------------\n"
      "   90.0       30000           2  15000.0     1664       1696  conv_kernel         \n"
      "10.0   3000     3       1000.0    1608       1965  short_kernel\n\n\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("launch_call", "cudaLaunchKernel"), 4);
  EXPECT_NEAR(found.value("copy_size", "[CUDA memcpy HtoD]"), 0.512, 1e-9);
  EXPECT_EQ(found.value("kernel_time", "conv_kernel"), 15);
  EXPECT_EQ(found.value("kernel_time", "short_kernel"), 1);
}

TEST(PerfAnalyzerToday, OneFigureOfTheServersComputeIsEnough) {
  const Imported old = import_text(
      "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute,Client "
      "Recv,p50 latency,p99 latency\n1,160,70,1290,40,4790,10,6212,7407\n");
  ASSERT_EQ(old.problems, "");
  EXPECT_EQ(old.value("server_compute", "concurrency 1"), 4.79);
  EXPECT_NEAR(old.value("latency", "concurrency 1"), 6.2, 1e-9);
  const Imported plain = import_text(
      "Batch Size,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute "
      "Input,Server Compute Infer,Server Compute Output,Client Recv,Avg "
      "latency\n8,47,0,100,50,10,5000,10,0,5500\n");
  ASSERT_EQ(plain.problems, "");
  EXPECT_EQ(plain.value("latency"), 5.5);
  EXPECT_EQ(plain.runs[0].setting.batch, 8);
}

TEST(JtopToday, SensorsWithoutPowerAreNoReadings) {
  const Imported found = import_text(
      "time,CPU1,Temp CPU,Temp CV0,Power VDD_GPU,Power VIN,Power TOT,jetson_clocks,nvp model\n"
      "t,12,52,-256,4210,9870,14080,OFF,MAXN\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("temperature_cpu"), 52);
  EXPECT_FALSE(found.has("temperature_cv0"));
  EXPECT_EQ(found.value("power"), 9.87);  // Thor's input; the total has it twice
}

TEST(TrtexecToday, QueriesAndTheirTimeStandInForZeroQps) {
  const auto log = [](const char* trace) {
    return fmt::format(
        "&&&& RUNNING TensorRT.trtexec # trtexec --onnx=net.onnx\n[05/09/2021-17:02:00] [I] Batch: 1\n{}"
        "[05/09/2021-17:02:32] [I] throughput: 0 qps\n[05/09/2021-17:02:32] [I] GPU Compute\n"
        "[05/09/2021-17:02:32] [I] mean: 4.9 ms\n[05/09/2021-17:02:32] [I] total compute time: 3.1 s\n"
        "&&&& PASSED TensorRT.trtexec # trtexec --onnx=net.onnx\n",
        trace);
  };
  const Imported found =
      import_text(log("[05/09/2021-17:02:30] [I] Timing trace has 640 queries over 3.2 s\n"));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("throughput"), 200);
  EXPECT_THAT(found.notes(), HasSubstr("640 queries over 3.2 s"));
  EXPECT_FALSE(import_text(log("")).has("throughput"));
}

TEST(OtherFiles, AreNamedWithWhatToDo) {
  const std::string zeros("\1\0\2\0", 4);
  for (const auto& [text, origin, answer] : {
           std::tuple{std::string("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"),
                      "report1.sqlite", "git lfs pull"},
           std::tuple{zeros, "a/run.nsys-rep", "nsys export --type sqlite"},
           std::tuple{zeros, "run.ncu-rep", "Nsight Compute"},
           std::tuple{std::string("[application]\n[tiled-display]\nenable=1\n"), "app.txt", "DeepStream"},
           std::tuple{std::string("[property]\nnet-scale-factor=0.004\n"), "pgie.txt", "trtexec"},
           std::tuple{std::string("name: \"r\"\nmax_batch_size: 8\n"), "m/config.pbtxt", "perf_analyzer"},
           std::tuple{zeros, "net.engine", "--loadEngine"},
           std::tuple{std::string("\xFF\xFE") + "a\0,\0", "perf.csv", "UTF-8"},
       }) {
    input::Problems problems;
    const auto source = Source::of_text(text, origin);
    EXPECT_TRUE(import_log(*source, nullptr, problems).empty()) << origin;
    EXPECT_THAT(problems.text(), HasSubstr(answer)) << origin;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
