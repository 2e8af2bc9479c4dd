// Logs of sampling tools: tegrastats in its layouts, jtop, perf_analyzer, nvpmodel.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string orin(int load, int milliwatts, int average = 9999) {
  return fmt::format(
      "01-02-2026 03:04:05 RAM 2048/7620MB (lfb 9x4MB) SWAP 10/3810MB (cached 0MB) CPU "
      "[10%@1000,30%@2000,off,off,off,"
      "off] EMC_FREQ 5%@3199 GR3D_FREQ {}%@[1016,0] NVDEC off VIC off APE 200 cpu@50.5C tj@51C cv0@-256C "
      "VDD_IN "
      "{}mW/{}mW VDD_CPU_GPU_CV 1500mW/1400mW\n",
      load, milliwatts, average);
}

TEST(Tegrastats, AnOrinsLineIsRead) {
  const Imported found = import_text(orin(50, 6000) + orin(52, 8000));
  ASSERT_EQ(found.problems, "");
  // The figure of the moment, not the running mean beside it.
  EXPECT_EQ(found.value("power"), 7);
  EXPECT_EQ(found.row("power").count, 2);
  EXPECT_NEAR(found.row("power").sd.value(), 1.4142, 1e-4);
  EXPECT_EQ(found.row("power").unit, "W");
  EXPECT_EQ(found.value("power_cpu_gpu_cv"), 1.5);
  EXPECT_EQ(found.value("cpu_load"), 20);
  EXPECT_EQ(found.value("cpu_clock"), 1500);
  EXPECT_EQ(found.value("cores_online"), 2);
  EXPECT_EQ(found.value("gpu_load"), 51);
  EXPECT_EQ(found.value("gpu_clock"), 1016);
  EXPECT_EQ(found.value("emc_clock"), 3199);
  EXPECT_EQ(found.value("ram"), 2048);
  EXPECT_EQ(found.value("temperature_cpu"), 50.5);
  EXPECT_FALSE(found.has("temperature_cv0"));  // a sensor without power
  EXPECT_EQ(found.runs[0].setting.cores, 6);
  EXPECT_NEAR(found.runs[0].setting.memory_bytes.value(), 7620.0 * 1024 * 1024, 1);
}

// One line a layout: rails without units, zones in capitals, no clock, one clock, MTS, lower-case cpu.
TEST(Tegrastats, OlderBoardsLinesAreRead) {
  struct Case {
    const char* line;
    double power, gpu_clock, emc_clock;
  };
  for (const Case& layout :
       {Case{"RAM 1000/3964MB (lfb 2x2MB) SWAP 1/1982MB (cached 6MB) IRAM 0/252kB(lfb 252kB) CPU "
             "[5%@1224,4%@1224] "
             "EMC_FREQ 0%@1600 GR3D_FREQ 0%@76 APE 25 PLL@37C CPU@40C PMIC@50C POM_5V_IN 2750/1628 "
             "POM_5V_GPU 0/0\n",
             2.75, 76, 1600},
        Case{"RAM 896/7859MB (lfb 26x4MB) SWAP 0/3929MB (cached 0MB) CPU [4%@2035,4%@345] EMC_FREQ 0% "
             "GR3D_FREQ 7% "
             "PLL@34.5C Tboard@29C VDD_SYS_GPU 153/153 VDD_4V0_WIFI 0/0 VDD_IN 1840/1725\n",
             1.84, -1, -1},
        Case{"RAM 1892/7851MB (lfb 1x4MB) cpu [0%@345,off,off,0%@345] EMC 7%@408 APE 150 GR3D 15%@1122\n", -1,
             1122, 408},
        Case{"RAM 1500/31925MB (lfb 9x4MB) SWAP 0/1MB (cached 0MB) CPU [1%@1190,off] EMC_FREQ 3%@665 "
             "GR3D_FREQ 9%@318 "
             "APE 150 MTS fg 0% bg 0% AO@38C GPU 0/0 VDDRQ 450/444 SYS5V 2126/2126\n",
             -1, 318, 665},
        Case{"10-01-2025 20:05:55 RAM 2274/6834MB (lfb 27x4MB) SWAP 542/3417MB (cached 2MB) CPU "
             "[99%@1189,off] EMC_FREQ "
             "0% GR3D_FREQ 22% AUX@36.5C VDD_IN 5542mW/5542mW\n",
             5.542, -1, -1}}) {
    const Imported found = import_text(layout.line);
    ASSERT_EQ(found.problems, "") << layout.line;
    EXPECT_EQ(found.value("power"), layout.power) << layout.line;
    EXPECT_EQ(found.value("gpu_clock"), layout.gpu_clock) << layout.line;
    EXPECT_EQ(found.value("emc_clock"), layout.emc_clock) << layout.line;
    EXPECT_TRUE(found.has("gpu_load")) << layout.line;
  }
}

TEST(Tegrastats, TheBusyStretchIsToldFromTheRest) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += orin(0, 4000);
  for (int i = 0; i < 10; ++i) text += orin(90 + i, 10'000);
  for (int i = 0; i < 10; ++i) text += orin(40, 5000);
  const Imported found = import_text(text);
  EXPECT_EQ(found.value("power"), 10);
  EXPECT_EQ(found.row("power").count, 10);
  EXPECT_DOUBLE_EQ(found.value("power", "whole file"), 5.4);
  EXPECT_EQ(found.row("power", "whole file").count, 50);
  EXPECT_THAT(found.notes(), HasSubstr("10 of 50 samples, lines 31 to 40"));
  // A steady load has one set of rows.
  EXPECT_FALSE(import_text(orin(90, 1) + orin(92, 2)).has("power", "whole file"));
}

// An engine's build loads the GPU now and then; the run does so at a stretch.
TEST(Tegrastats, TheLongestStretchCountsAndGapsOfTwoDoNotEndIt) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += orin(95, 6000) + orin(95, 6000) + orin(95, 6000) + orin(0, 4000) + orin(0, 4000) + orin(3, 4000);
  for (int i = 0; i < 20; ++i) text += orin(95, 10'000) + (i % 5 == 0 ? orin(0, 9000) + orin(0, 9000) : "");
  const Imported found = import_text(text);
  EXPECT_EQ(found.value("power"), 10);
  EXPECT_EQ(found.row("power").count, 20);
}

TEST(Tegrastats, ASpikeIsNoBusyStretch) {
  std::string text = orin(99, 20'000);
  for (int i = 0; i < 99; ++i) text += orin(10 + i % 2, 5000);
  EXPECT_EQ(import_text(text).row("power").count, 100);
}

TEST(Tegrastats, ALoadThatOnlyFlickersHasNoBusyStretch) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += orin(20, 5000) + orin(21, 5000) + orin(20, 5000) + orin(0, 4000) + orin(0, 4000);
  EXPECT_EQ(import_text(text).row("power").count, 100);
  EXPECT_FALSE(import_text(text).has("power", "whole file"));
}

TEST(Tegrastats, LinesOfOtherProgramsArePassedOver) {
  const Imported found = import_text("Tue Jan 26 18:22:31 UTC 2021\n" + orin(5, 6000) + "\n" + orin(5, 8000));
  EXPECT_EQ(found.value("power"), 7);
  EXPECT_THAT(found.notes(), HasSubstr("ignored 1 line that is not a sample"));
}

TEST(Tegrastats, ALastLineThatWasCutIsLeftOut) {
  const std::string line = orin(50, 6000);
  for (std::size_t size = 5; size + 1 < line.size(); ++size) {
    const Imported found = import_text(line + line.substr(0, size));
    ASSERT_EQ(found.problems, "") << line.substr(0, size);
    EXPECT_EQ(found.value("power"), 6) << line.substr(0, size);
    // A cut in the running mean at the end takes nothing away.
    if (size + 14 < line.size()) {
      EXPECT_EQ(found.row("power").count, 1) << line.substr(0, size);
    }
  }
}

TEST(Tegrastats, BrokenAndMixedLinesAreRefusedWithTheirNumber) {
  std::string broken = orin(50, 6000);
  broken.insert(broken.find("GR3D"), "RAM 20");  // two writers
  EXPECT_THAT(import_text(orin(50, 6000) + broken + orin(50, 6000)).problems,
              HasSubstr("my.log:2: a sample is incomplete"));
  std::string other = orin(50, 6000);
  other.replace(other.find(",off"), 4, "");
  EXPECT_THAT(import_text(orin(50, 6000) + other).problems,
              HasSubstr("my.log:2: 5 cores where lines before have 6"));
  std::string endless = orin(50, 6000);
  endless.pop_back();
  for (int i = 0; i < 400; ++i) endless += fmt::format(" z{}@1C", i);
  EXPECT_THAT(import_text(endless + "\n").problems, HasSubstr("more than 200 kinds of readings"));
  EXPECT_THAT(import_text(std::string(2U << 20U, 'x'), "tegrastats").problems,
              HasSubstr("a line longer than"));
  EXPECT_THAT(import_text("nothing\n", "tegrastats").problems, HasSubstr("no line of tegrastats"));
}

TEST(Jtop, ItsOwnColumnsAreRead) {
  const Imported found = import_text(
      "time,uptime,jetson_clocks,nvp model,CPU1,CPU2,GPU,RAM,Temp CPU,Temp GPU,power cur,power avg\n"
      "2020-09-03 10:28:30,1:00:00,ON,MAXN,10,20,40,1048576,46.0,45.0,4000,3000\n"
      "2020-09-03 10:28:31,1:00:01,ON,MAXN,30,OFF,60,2097152,48.0,45.0,6000,3000\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("cpu_load"), 22.5);
  EXPECT_EQ(found.value("gpu_load"), 50);
  EXPECT_EQ(found.value("ram"), 1536);
  EXPECT_EQ(found.value("temperature_cpu"), 47);
  EXPECT_EQ(found.value("power"), 5);
  EXPECT_EQ(found.runs[0].setting.power_mode, "MAXN");
  EXPECT_EQ(found.runs[0].setting.pinned, true);
}

TEST(Jtop, SharesAndSingleRailsOfJtop4AreRead) {
  const Imported found = import_text(
      "time,uptime,CPU1,RAM,GPU,Temp cpu,Power VDD_GPU_SOC,Power TOT,jetson_clocks,nvp model\n"
      "t,u,10,0.25,40,46.0,1500,6000,False,30W\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("ram_load"), 25);
  EXPECT_EQ(found.value("power_gpu_soc"), 1.5);
  EXPECT_EQ(found.value("power"), 6);
  EXPECT_EQ(found.runs[0].setting.pinned, false);
}

TEST(Jtop, KeysAndValuesAndScriptsHeadersAreRead) {
  const Imported keys =
      import_text("<key>, <value>\nnvp model, MAXN\njetson_clocks, OFF\nCPU1, 5\nGPU, 7\nTemp AO, 44.5\n");
  ASSERT_EQ(keys.problems, "");
  EXPECT_EQ(keys.value("gpu_load"), 7);
  EXPECT_EQ(keys.value("temperature_ao"), 44.5);
  const Imported script = import_text(
      "Timestamp, RAM_Usage, CPU_Util_Core_0, CPU_Util_Core_1, GPU_Utilization, GPU_Temperature, "
      "GPU_Power_Inst, x\n"
      "2025-05-01 17:06:56, 1000/62841MB, 0,10, 50%, , 2800, \n");
  ASSERT_EQ(script.problems, "");
  EXPECT_EQ(script.value("ram"), 1000);
  EXPECT_EQ(script.value("cpu_load"), 5);
  EXPECT_EQ(script.value("gpu_load"), 50);
  EXPECT_EQ(script.value("power_gpu"), 2.8);
  EXPECT_FALSE(script.has("temperature_gpu"));  // an empty cell is no reading
}

TEST(Jtop, WrongRowsAreRefused) {
  const std::string header = "time,nvp model,CPU1,GPU\n";
  EXPECT_THAT(import_text(header + "t,MAXN,1\nt,MAXN,1,2\n").problems,
              HasSubstr("my.log:2: 3 fields where the header has 4"));
  EXPECT_THAT(import_text(header + "t,MAXN,1,many\n").problems, HasSubstr("'many' is not a number"));
  EXPECT_THAT(import_text(header).problems, HasSubstr("no sample"));
  // The row that was being written is left out.
  EXPECT_EQ(import_text(header + "t,MAXN,1,2\nt,MAX").row("gpu_load").count, 1);
  EXPECT_EQ(import_text(header + "t,MAXN,1,20\nt,MAXN,1,2").value("gpu_load"), 20);
}

TEST(PerfAnalyzer, ARowIsARunOfItsLevelOfLoad) {
  const Imported found = import_text(
      "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute "
      "Input,Server "
      "Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency\n"
      "1,20,500,1000,300,100,40000,90,10,41000,43000,44000,45000\n"
      "2,30,500,1000,30000,100,40000,90,10,70000,73000,74000,75000\n");
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.value("throughput", "concurrency 1"), 20);
  EXPECT_EQ(found.value("latency", "concurrency 1"), 42);
  EXPECT_EQ(found.row("latency", "concurrency 1").p99, 45);
  EXPECT_EQ(found.row("server_queue", "concurrency 2", 1).value, 30);
  EXPECT_THAT(import_text("Concurrency,Inferences/Second\n1\n").problems, HasSubstr("my.log:2: 1 fields"));
  EXPECT_THAT(import_text("Concurrency,Inferences/Second\n1,2").problems, HasSubstr("no newline"));
  EXPECT_THAT(import_text("Concurrency,Inferences/Second\n1,fast\n").problems,
              HasSubstr("has no throughput"));
}

TEST(NvpmodelImport, IsRefusedWithWhereItIsTaken) {
  EXPECT_THAT(import_text("< POWER_MODEL ID=0 NAME=MAXN >\nGPU MAX_FREQ -1\n").problems,
              HasSubstr("hold no measurement"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
