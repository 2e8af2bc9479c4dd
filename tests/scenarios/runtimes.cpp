// Sessions of ONNX Runtime, and libraries on the cores.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

const std::string pinned =
    "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\nclocks: {gpu: 918 MHz, emc: 3199 MHz, cpu: ";

ProcessResult run_one(const std::string& process, const std::string& cpu = "1728 MHz") {
  return run_text(pinned + cpu + "}\nprocesses: [{" + process + "}]\nrun: {duration: 2 s, warmup: 500 ms}\n")
      .processes[0];
}
double latency_ms(const std::string& process, const std::string& cpu = "1728 MHz") {
  return run_one(process, cpu).latency_ms.mean.value();
}
std::string errors(const std::string& device, const std::string& process) {
  try {
    (void)scenario_of("device: " + device + "\nprocesses: [{" + process + "}]\n");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Sessions, enqueue_nothing_ahead) {
  for (const std::string runtime : {"onnxruntime", "onnxruntime-tensorrt"}) {
    const ProcessResult one = run_one("model: resnet18, precision: fp16, runtime: " + runtime);
    EXPECT_NEAR(one.throughput.mean.value() * one.latency_ms.mean.value(), 1000, 10) << runtime;
  }
  const ProcessResult ahead = run_one("model: resnet18, precision: fp16");
  EXPECT_GT(ahead.throughput.mean.value() * ahead.latency_ms.mean.value(), 1200);
}

TEST(Sessions, fuse_more_than_pytorch_and_less_than_tensorrt) {
  const std::string paced = ", arrivals: {periodic: 20 /s}";
  for (const std::string model : {"resnet50", "yolov8s"}) {
    const std::string network = "model: " + model + ", precision: fp16";
    const double session = latency_ms(network + ", runtime: onnxruntime" + paced);
    EXPECT_LT(session, latency_ms(network + ", runtime: eager" + paced)) << model;
    EXPECT_GT(session, latency_ms(network + paced)) << model;
    const double engine = latency_ms(network + ", runtime: onnxruntime-tensorrt" + paced);
    EXPECT_GT(engine, latency_ms(network + ", sync: spin" + paced)) << "the session around the engine";
    EXPECT_LT(engine, session) << model;
  }
}

TEST(EngineGraphs, are_one_launch_whose_kernels_begin_sooner) {
  const std::string network = "model: yolo11n, precision: fp16, sync: spin";
  const ProcessResult launched = run_one(network), graph = run_one(network + ", cuda_graph: true");
  EXPECT_LT(graph.latency_ms.mean.value(), launched.latency_ms.mean.value());
  EXPECT_GT(graph.throughput.mean.value(), launched.throughput.mean.value());
  const ProcessResult named = run_one("model: yolo11n, precision: fp16, sync: spin, runtime: tensorrt-graph");
  EXPECT_EQ(named.throughput.mean, graph.throughput.mean);
}

TEST(EngineGraphs, need_an_engine_on_the_gpu) {
  const std::string orin = "jetson-agx-orin-64gb", network = "model: resnet50, precision: fp16, ";
  EXPECT_THAT(errors(orin, network + "runtime: eager, cuda_graph: true"),
              HasSubstr("runtime eager is never a CUDA graph"));
  EXPECT_THAT(errors(orin, network + "runtime: cuda-graph, cuda_graph: false"),
              HasSubstr("runtime cuda-graph is always a CUDA graph"));
  EXPECT_THAT(errors(orin, network + "placement: dla0, cuda_graph: true"),
              HasSubstr("work of a DLA is not in a CUDA graph"));
  EXPECT_THAT(errors(orin, "model: qwen2.5_0.5b, precision: fp16, runtime: tensorrt-graph, bench: {tg: 8}"),
              HasSubstr("runtime tensorrt-graph does not run language models"));
}

TEST(Transfers, take_the_time_of_their_bytes) {
  for (const std::string runtime : {"tensorrt", "tensorrt-graph", "onnxruntime"}) {
    const std::string process =
        "model: resnet50, precision: fp16, batch: 8, runtime: " + runtime + ", arrivals: {periodic: 20 /s}";
    EXPECT_LT(latency_ms(process + ", transfers: none"), latency_ms(process)) << runtime;
  }
  EXPECT_THAT(
      errors("jetson-orin-nano-super", "model: resnet50, precision: fp16, runtime: eager, transfers: none"),
      HasSubstr("runtime eager copies no batches"));
}

// dankang21/jetson-latency-lab: 4.598 ms at 1344 MHz, 4.484 ms at 1728 MHz.
TEST(Sessions, cost_the_host_what_two_clocks_of_its_cores_tell) {
  const std::string request =
      "model: mobilenet_v2, precision: fp32, runtime: onnxruntime, sync: blocking, arrivals: {periodic: 8 "
      "/s}";
  EXPECT_NEAR(latency_ms(request, "1344 MHz") - latency_ms(request), 4.598 - 4.484, 0.03);
}

TEST(Sessions, have_streams_and_networks_on_a_gpu_and_refuse_a_dla_and_training) {
  const std::string session = "runtime: onnxruntime";
  EXPECT_EQ(errors("nvidia-h200", "model: resnet18, precision: fp16, streams: 2, " + session), "");
  EXPECT_EQ(errors("nvidia-h200", "instances: [{model: resnet18, precision: fp16}], " + session), "");
  EXPECT_THAT(errors("jetson-agx-orin-64gb", "model: resnet18, precision: fp16, placement: dla0, " + session),
              HasSubstr("runtime onnxruntime cannot use a DLA (tensorrt)"));
  EXPECT_THAT(errors("nvidia-h200", "model: resnet18, precision: fp16, training: true, " + session),
              HasSubstr("runtime onnxruntime does not train"));
}

TEST(LibrariesOnCores, need_no_placement_and_refuse_another) {
  for (const std::string runtime : {"tflite", "ncnn"}) {
    const std::string process = "model: resnet18, precision: fp32, runtime: " + runtime;
    EXPECT_EQ(errors("jetson-nano", process), "");
    EXPECT_EQ(errors("jetson-nano", process + ", threads: 2"), "");
    EXPECT_THAT(errors("jetson-nano", process + ", placement: gpu"),
                HasSubstr("runtime " + runtime + " needs placement: cpu"));
    EXPECT_THAT(errors("nvidia-h200", process), HasSubstr("nvidia-h200 has no costs for runtime " + runtime));
    EXPECT_THAT(errors("jetson-nano", "model: resnet18, precision: tf32, runtime: " + runtime),
                HasSubstr("tf32 needs the GPU's tensor cores"));
  }
}

double images_per_s(const std::string& device, const std::string& process) {
  return run_text("device: " + device + "\njetson_clocks: true\nprocesses: [{placement: cpu, " + process +
                  "}]\nrun: {duration: 4 s, warmup: 500 ms}\n")
      .system.throughput.value();
}

// Tencent/ncnn, benchmark/README.md, Jetson Nano: 221.6 ms on one thread, 83.4 ms on four; mobilenet_v1 137.6
// and 42.1 ms; in int8 108.1 ms.
TEST(LibrariesOnCores, ncnn_on_a_nano_is_as_published) {
  const auto ms = [](const std::string& process) {
    return 1e3 / images_per_s("jetson-nano", "runtime: ncnn, " + process);
  };
  EXPECT_NEAR(ms("model: resnet18, precision: fp32, threads: 1"), 221.6, 0.15 * 221.6);
  EXPECT_NEAR(ms("model: resnet18, precision: fp32, threads: 4"), 83.4, 0.2 * 83.4);
  EXPECT_NEAR(ms("model: mobilenet_v1, precision: fp32, threads: 1"), 137.6, 0.1 * 137.6);
  EXPECT_NEAR(ms("model: mobilenet_v1, precision: fp32, threads: 4"), 42.1, 0.15 * 42.1);
  EXPECT_NEAR(ms("model: mobilenet_v1, precision: int8, threads: 1"), 108.1, 0.1 * 108.1);
}

TEST(LibrariesOnCores, ncnn_computes_fewer_products_of_three_by_three_windows_than_tflite) {
  const auto ratio = [](const std::string& model) {
    const std::string process = "precision: fp32, threads: 1, model: " + model + ", runtime: ";
    return images_per_s("jetson-orin-nano", process + "ncnn") /
           images_per_s("jetson-orin-nano", process + "tflite");
  };
  EXPECT_GT(ratio("resnet18"), 1.3 * ratio("mobilenet_v1"));
}

TEST(LibrariesOnCores, int8_gains_more_where_cores_have_dot_products) {
  const auto gain = [](const std::string& device) {
    const std::string process = "model: mobilenet_v1, threads: 1, runtime: tflite, precision: ";
    return images_per_s(device, process + "int8") / images_per_s(device, process + "fp32");
  };
  EXPECT_GT(gain("jetson-orin-nano"), 1.5 * gain("jetson-nano"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
