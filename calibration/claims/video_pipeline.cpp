// Statements of the page on a video pipeline with SSD300 on Jetson Nano.
//
// The loop runs one frame, or one batch, after the other. Where the page does not say what a stage does, the
// public program that it profiles does.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "calibration/claims/concurrent_vision.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

// A process in PyTorch, with one batch of one image at a time.
Setup in_pytorch(const char* device, const char* model, const char* precision) {
  return {.device = device,
          .model = model,
          .precision = precision,
          .process = "runtime: eager",
          .board = {},
          .seconds = 20};
}
double halved(Runs& runs, const char* device, const char* model) {
  return runs.images_per_s(in_pytorch(device, model, "fp16")) /
         runs.images_per_s(in_pytorch(device, model, "fp32"));
}

// The steps of the pipeline, each with the changes of those before it.
enum class Step { base, on_cpu, on_gpu, batched, halved };

// The page names the parts of the loop: a frame becomes a tensor, is scaled to -1..1, goes through the
// network, and boxes are chosen. Stages say what each costs; none of their costs was chosen here
// (profiles/stages.csv). At first boxes are chosen on the CPU from tensors on the GPU: the public code of
// this SSD300 selects boxes and scores of each of its 80 classes by a mask, which compares once, and twice
// launches four kernels and copies their count.
std::string pipeline_stages(Step step) {
  constexpr double calls = 80 * (1 + 2 * (4 + 1));
  constexpr double copy_cycles =
      1920 * 1080 * 4 * 0.75;  // RGBA, at the cycles a byte of a copy in stages.csv
  const std::string frame = "{decode: h264, size: 1080p}, {read: gstreamer}, ";
  if (step >= Step::on_gpu)
    return fmt::format(
        "{}{{name: copy to the GPU, cycles: {:.0f}}}, {{normalise: gpu}}, {{resize: 300, on: gpu}}, infer, "
        "{{nms: gpu, boxes: 8732}}",
        frame, copy_cycles);
  input::Problems problems;
  const auto profile = profiles::shipped_profile(nano, problems);
  const double call_ms =
      sim::to_ms(profile.value().spec->runtimes[process::Runtime::eager].value().per_launch);
  return frame + "{normalise: numpy}, {resize: 300}, infer, {nms: numpy, boxes: 8732}" +
         (step == Step::base ? fmt::format(", {{name: tensors on the GPU, time: {} ms}}", calls * call_ms)
                             : "");
}
Setup pipeline(Step step) {
  Setup setup = in_pytorch(nano, "ssd300", step == Step::halved ? "fp16" : "fp32");
  if (step >= Step::batched) setup.batch = 8;
  setup.process += ", stages: [" + pipeline_stages(step) + "]";
  setup.seconds = 60;
  return setup;
}
constexpr std::array pipeline_claims{std::pair{Step::base, 1.09}, std::pair{Step::on_cpu, 1.53},
                                     std::pair{Step::on_gpu, 2.27}, std::pair{Step::batched, 2.57},
                                     std::pair{Step::halved, 1.20}};
constexpr std::array pipeline_names{"at first", "tensors moved to the CPU", "stages on the GPU", "batched",
                                    "the same in fp16"};

void pipeline_steps(Runs& runs, Checks& checks) {
  for (std::size_t i = 0; i < pipeline_claims.size(); ++i)
    checks.near(pipeline_names[i], pipeline_claims[i].second,
                runs.images_per_s(pipeline(pipeline_claims[i].first)), "frames/s");
}

void pipeline_waits(Runs& runs, Checks& checks) {
  const scenarios::Result& result = runs.of(pipeline(Step::base));
  const double gpu = known(result.system.gpu.busy);
  checks.ordered("busy, share of the time", {{"a core", known(result.system.cpu.busy_cores)}, {"GPU", gpu}});
  checks.at_most("GPU busy", 50, 100 * gpu, "%");
  const auto share = result.processes.front().time_share.value_or(scenarios::TimeShare{});
  checks.near("GPU busy over the time in inference", 1, gpu / share[index_of(process::Share::gpu_running)],
              "x");
}

void pipeline_gains(Runs& runs, Checks& checks) {
  constexpr std::array gains{40, 48, 13};
  for (std::size_t i = 0; i < gains.size(); ++i)
    checks.near_points(pipeline_names[i + 1], gains[i],
                       100 * (runs.images_per_s(pipeline(pipeline_claims[i + 1].first)) /
                                  runs.images_per_s(pipeline(pipeline_claims[i].first)) -
                              1));
}

void slower_in_half_precision(Runs& runs, Checks& checks) {
  const auto engine = [&](const char* precision) {
    return known(runs.held(in_pytorch(nano, "ssd300", precision)).processes.front().memory.engine);
  };
  checks.near("weights, fp16 over fp32", 0.5, engine("fp16") / engine("fp32"), "x");
  checks.near("images/s, fp16 over fp32", 1.20 / 2.57, halved(runs, nano, "ssd300"), "x");
}

void depends_on_model_and_device(Runs& runs, Checks& checks) {
  std::vector<double> on_nano, vgg;
  for (const char* model : {"ssd300", "resnet50", "alexnet"}) on_nano.push_back(halved(runs, nano, model));
  for (const char* device : {nano, orin_nano}) vgg.push_back(halved(runs, device, "vgg16"));
  const auto [least, most] = std::ranges::minmax(on_nano);
  checks.is("images/s in fp16 over fp32 on Nano, by network", "differ by a tenth at least",
            fmt::format("{} to {} x", value_text(least), value_text(most)), most > 1.1 * least);
  checks.is("vgg16 on Nano and on Orin Nano", "slower on one, faster on the other",
            fmt::format("{} and {} x", value_text(vgg[0]), value_text(vgg[1])), vgg[0] < 1 && vgg[1] > 1);
}

void ahead_by_its_gpu(Runs& runs, Checks& checks) {
  for (const char* model : {"mobilenet_v2", "resnet18"}) {
    const auto on_cpu = [&](const char* device) {
      return runs.images_per_s({.device = device,
                                .model = model,
                                .precision = "fp32",
                                .process = "placement: cpu",
                                .board = {},
                                .seconds = 20});
    };
    checks.ordered(fmt::format("{}, images/s", model),
                   {{"Nano's GPU", runs.images_per_s({nano, model, "fp32"})},
                    {"its CPU", on_cpu(nano)},
                    {"Raspberry Pi 3B", on_cpu("raspberry-pi-3b")}});
  }
}

constexpr StatementCheck video_pipeline_all[] = {
    {"F01", pipeline_steps},
    {"F03", pipeline_waits},
    {"F04", pipeline_gains},
    {"F05", slower_in_half_precision},
    {"F06", depends_on_model_and_device},
    {"F07", ahead_by_its_gpu},
};

}  // namespace

std::span<const StatementCheck> pipeline_statements() {
  return video_pipeline_all;
}

}  // namespace jostle::calibration
