// A simulated board writes the logs that tools would, and calibration finds what the board is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/run_logs.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "tests/calibration/readers_support.hpp"
#include "tests/sanitized.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using namespace scenarios;

constexpr const char* board = "jetson-orin-nano-super";

// What was measured of a setting, by metric.
double figure(const RunConfiguration& setting, const std::vector<double>& values, const std::string& metric) {
  for (std::size_t i = 0; i < setting.reference_values.size(); ++i)
    if (setting.reference_values[i].metric == metric) return values[i];
  return NAN;
}

std::string trtexec_log(const RunConfiguration& setting, const std::vector<double>& values) {
  const auto of = [&](const char* metric) { return figure(setting, values, metric); };
  const std::string stamp = "[01/02/2026-03:04:05] [I] ";
  const auto times = [&](const char* name, double ms) {
    return fmt::format(
        "{0}{1}: min = {2} ms, max = {2} ms, mean = {2} ms, median = {2} ms, percentile(90%) = {2} ms, "
        "percentile(95%) = {2} ms, percentile(99%) = {2} ms\n",
        stamp, name, ms);
  };
  return fmt::format("&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx={}.onnx --fp16\n",
                     setting.model) +
         stamp + "Precision: FP32+FP16\n" + stamp + "Batch: Explicit\n" + stamp +
         "Input binding for x with dimensions 1x3x224x224 is created.\n" + stamp +
         "Timing trace has 1500 queries over 3 s\n" + stamp + "=== Performance summary ===\n" + stamp +
         fmt::format("Throughput: {} qps\n", of("throughput")) + times("Latency", of("gpu_time")) +
         times("Enqueue Time", of("enqueue")) + times("GPU Compute Time", of("gpu_time")) + stamp +
         "Total GPU Compute Time: 3 s\n&&&& PASSED TensorRT.trtexec [TensorRT v100300] # trtexec\n";
}

std::string trtexec_times(const RunConfiguration& setting, const std::vector<double>& values) {
  const auto of = [&](const char* metric) { return figure(setting, values, metric); };
  const double period = 1e3 / of("throughput");
  std::string text = "[";
  for (int query = 0; query < 200; ++query) {
    const double start = query * period, end = start + of("gpu_time") + 0.1;
    text += fmt::format(
        "{}{{\"startEnqMs\": {}, \"endEnqMs\": {}, \"endComputeMs\": {}, \"computeMs\": {}, \"latencyMs\": "
        "{}}}",
        query > 0 ? ",\n" : "", start, start + of("enqueue"), end, of("gpu_time"), of("gpu_time") + 0.1);
  }
  return text + "]\n";
}

std::string tegrastats(const RunConfiguration& setting, const std::vector<double>& values) {
  const auto mw = [&](const char* metric) { return std::lround(1e3 * figure(setting, values, metric)); };
  std::string text;
  for (int sample = 0; sample < 20; ++sample) {
    text += fmt::format(
        "01-02-2026 03:04:{:02} RAM {}/7620MB (lfb 9x4MB) SWAP 0/3810MB (cached 0MB) CPU "
        "[10%@1728,3%@1728,0%@1728,0%@1728,0%@1728,0%@1728] EMC_FREQ 40%@3199 GR3D_FREQ 99%@[1016] cpu@50C "
        "VDD_IN {}mW/{}mW VDD_CPU_GPU_CV {}mW/{}mW VDD_SOC {}mW/{}mW\n",
        sample, std::lround(figure(setting, values, "ram")), mw("power"), mw("power"), mw("power_cpu_gpu_cv"),
        mw("power_cpu_gpu_cv"), mw("power_soc"), mw("power_soc"));
  }
  return text;
}

std::string jtop(const RunConfiguration& setting, const std::vector<double>& values) {
  const auto mw = [&](const char* metric) { return 1e3 * figure(setting, values, metric); };
  std::string text =
      "time,uptime,CPU1,RAM,GPU,Temp cpu,Power VDD_CPU_GPU_CV,Power VDD_SOC,Power TOT,jetson_clocks,nvp "
      "model\n";
  for (int sample = 0; sample < 20; ++sample)
    text += fmt::format("t,u,10,0.25,99,46.0,{:.1f},{:.1f},{:.1f},True,{}\n", mw("power_cpu_gpu_cv"),
                        mw("power_soc"), mw("power"), setting.mode);
  return text;
}

using Writer = std::function<std::string(const RunConfiguration&, const std::vector<double>&)>;

std::string imported(const std::string& text, const RunConfiguration& setting) {
  input::Problems problems;
  const auto source = calibration::Source::of_text(text, "my.log");
  auto runs = calibration::import_log(*source, nullptr, problems);
  calibration::SuppliedFields said;
  said.run = setting.reference_values.front().run;
  said.device = board;
  said.power_mode = setting.mode;
  said.model = setting.model;
  said.precision = "fp16";
  said.batch = 1;
  said.pinned = true;
  std::string rows = calibration::rows_of(std::move(runs), said, problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  return rows;
}

// Runs of some networks in two modes, their figures still to be measured.
std::vector<RunConfiguration> runs() {
  std::string rows = "run,device,power_mode,pinned,model,precision,batch,metric,value,unit\n";
  for (const char* model : {"resnet50", "mobilenet_v2", "vgg16"})
    for (const char* mode : {"MAXN_SUPER", "15W"})
      for (const char* metric :
           {"throughput", "gpu_time", "enqueue", "power", "power_cpu_gpu_cv", "power_soc", "ram"})
        rows += fmt::format("{0}-{1},{2},{1},1,{0},fp16,1,{3},1,\n", model, mode, board, metric);
  return run_configurations_of(input::CsvTable::parse(rows, "asked.csv"));
}

class CalibrationFromLogs : public ::testing::Test {
 protected:
  CalibrationFromLogs() {
    input::Problems problems;
    base_ = *profiles::base_profile(board, problems);
    const auto set = [](const char* path, const char* value) {
      return fmt::format("{}={{value: {}, grade: assumed, source: made up}}", path, value);
    };
    truth_ = *profiles::profile_of(base_.document, problems,
                                   {set("runtimes.tensorrt.per_launch", "8.5 us"),
                                    set("power.gpu.sm", "2.1 nF"), set("power.soc.base", "1.5 W")});
    for (dnn::Factor& factor : truth_.factors)
      if (factor.precision == dnn::Precision::fp16) factor.value *= 1.15;
  }

  // Every figure that the fit says it knows within some percent is the board's.
  void expect_recovered(const Writer& times, const Writer& powers) const {
    const std::vector<RunConfiguration> asked = runs();
    const auto values = simulated(truth_, asked);
    std::string evidence = calibration::evidence_header();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      evidence += imported(times(asked[i], values[i]), asked[i]);
      evidence += imported(powers(asked[i], values[i]), asked[i]);
    }
    const Calibration found = calibrate(
        base_, run_configurations_of(input::CsvTable::parse(evidence, "evidence.csv")), PriorsFrom::profile);
    std::vector<std::string> known;
    for (const FittedParameter& of : found.parameters) {
      if (of.path.starts_with("factor ") || !of.identified || of.sd > 0.15) continue;
      const auto truth = std::ranges::find(truth_.figures, of.path, &profiles::ProfileParameter::path);
      ASSERT_NE(truth, truth_.figures.end()) << of.path;
      const double value = input::quantity(of.value)->number, is = input::quantity(truth->value)->number;
      EXPECT_NEAR(value, is, 0.05 * is) << of.path << " +- " << of.sd;
      known.push_back(of.path);
    }
    for (const char* path : {"runtimes.tensorrt.per_launch", "power.gpu.sm"})
      EXPECT_NE(std::ranges::find(known, path), known.end()) << path << " is not known well";
    for (const dnn::Factor& of : found.factors) {
      if (of.model.empty()) continue;
      const dnn::Factor* const is = dnn::find_factor(
          truth_.factors,
          {dnn::Chip::of(truth_.spec->gpu), of.model, of.family, of.precision, dnn::Lowering::optimised});
      EXPECT_NEAR(of.value, is != nullptr ? is->value : 1, 0.05) << of.model;
    }
  }

  profiles::BaseProfile base_;
  profiles::Profile truth_;
};

TEST_F(CalibrationFromLogs, of_trtexec_and_tegrastats_recovers_the_board) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  expect_recovered(trtexec_log, tegrastats);
}

TEST_F(CalibrationFromLogs, of_exported_times_and_jtop_recovers_the_board) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  expect_recovered(trtexec_times, jtop);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
