// Statements of the page on a video pipeline with SSD300 on Jetson Nano.
//
// The simulation covers the network alone and, if their times follow from published data, the stages on the
// host.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "validation/reproduce/concurrent_vision.hpp"

namespace jostle::validation {
namespace {

using Kind = StatementKind;

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

// The SSD300 pipeline. The host time without the network follows from its first frame rate.
Setup base_pipeline(Runs& runs) {
  Setup setup = in_pytorch(nano, "ssd300", "fp32");
  const double rest_ms = 1e3 / 1.09 - 1e3 / runs.images_per_s(setup);
  // Decoding and scaling take a third, boxes the rest: moving only the former gained half of the possible
  // gain.
  setup.process += fmt::format(
      ", stages: {{before: [{{name: decode, time: {} ms}}], after: [{{name: boxes, time: {} ms}}]}}",
      rest_ms / 3, rest_ms * 2 / 3);
  return setup;
}

// The network limits the batched pipeline and the one in half precision.
void pipeline_steps(Runs& runs, Checks& checks) {
  for (const char* step : {"1.09", "1.53", "2.27"})
    checks.is("a step with its stages", fmt::format("{} frames/s", step), "not stated", false);
  checks.near("batched, all but the network hidden", 2.57,
              runs.images_per_s(in_pytorch(nano, "ssd300", "fp32")), "frames/s");
  checks.near("the same in fp16", 1.20, runs.images_per_s(in_pytorch(nano, "ssd300", "fp16")), "frames/s");
}

void pipeline_waits(Runs& runs, Checks& checks) {
  const scenarios::Result& result = runs.of(base_pipeline(runs));
  const double gpu = known(result.system.gpu.busy);
  checks.ordered("busy, share of the time", {{"a core", known(result.system.cpu.busy_cores)}, {"GPU", gpu}});
  checks.at_most("GPU busy", 50, 100 * gpu, "%");
  const auto share = result.processes.front().time_share.value_or(scenarios::TimeShare{});
  checks.near("GPU busy over the time in inference", 1, gpu / share[index_of(process::Share::gpu_running)],
              "x");
}

void pipeline_gains(Runs& /*runs*/, Checks& checks) {
  for (const char* gain : {"+40", "+48", "+13"})
    checks.is("gain of a step", fmt::format("{} %", gain), "not stated", false);
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

constexpr const char* own_times =
    "The times of the stages are not published. They are taken from the first frame rate (F01), so that the "
    "share of the GPU follows from that and the network's time.";

constexpr const char* no_times =
    "The times of the stages are not published and do not follow from a network. Times fitted to the frame "
    "rates would only reproduce those.";

constexpr std::array video_pipeline_all{
    Statement{"F01", Kind::value, Basis::fitted("fp16_of_fp32"),
              "On Nano a pipeline with SSD300 does 1.09, 1.53, 2.27, 2.57, 1.20 frames/s, step by step",
              no_times, pipeline_steps},
    Statement{"F03", Kind::trend, Basis::not_judged(),
              "At first the CPU is busy and the GPU used only while inferring", own_times, pipeline_waits},
    Statement{"F04", Kind::value, Basis::not_judged(), "The steps gain 40, 48 and 13 %", no_times,
              pipeline_gains},
    Statement{"F05", Kind::trend, Basis::fitted("fp16_of_fp32"),
              "On Nano in PyTorch fp16 halves the weights of SSD300, yet lowers throughput", "",
              slower_in_half_precision},
    Statement{"F06", Kind::trend, Basis::fitted("fp16_of_fp32"),
              "What fp16 changes against fp32 depends on network and device", "",
              depends_on_model_and_device},
    Statement{"F07", Kind::trend, Basis::predicted(),
              "With the same networks Nano is ahead of Raspberry Pi 3B, because of its GPU", "",
              ahead_by_its_gpu},
};

}  // namespace

std::span<const Statement> pipeline_statements() {
  return video_pipeline_all;
}

}  // namespace jostle::validation
