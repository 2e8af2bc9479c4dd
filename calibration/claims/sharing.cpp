// Statements on how processes share the board.
#include <fmt/format.h>

#include "calibration/claims/concurrent_vision.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::calibration {
namespace {

void one_at_a_time(Runs& runs, Checks& checks) {
  for (const char* device : {orin_nano, nano}) {
    const scenarios::Result& two = runs.of({device, "resnet50", "fp16", 1, 2});
    double executing = 0;
    for (const scenarios::ProcessResult& process : two.processes)
      executing += process.time_share.value_or(scenarios::TimeShare{})[index_of(process::Share::gpu_running)];
    checks.is(fmt::format("{}: share of time with a kernel, summed over 2 processes", device), "at most 1",
              value_text(executing), executing <= 1 + 1e-9);
    checks.near(
        fmt::format("{}: GPU memory of 2 processes over 1", device), 2,
        runs.gpu_mb({device, "resnet50", "fp16", 1, 2}) / runs.gpu_mb({device, "resnet50", "fp16", 1, 1}));
  }
}

void upper_bound(Runs& runs, Checks& checks) {
  const auto add = [&](const char* device, const char* model, const char* precision) {
    const Setup closed{device, model, precision, 4};
    const double rate = runs.images_per_s(closed);
    const std::string name = fmt::format("{} {} {}", device, model, precision);
    checks.near(name + ": GPU busy", 100, 100 * known(runs.of(closed).system.gpu.busy), "%");
    Setup open = closed;
    for (const double share : {0.5, 0.9, 1.2}) {
      open.process = fmt::format("arrivals: {{periodic: {:.3f} /s, phase: 0 ms, queue: 1}}",
                                 share * rate / closed.batch);
      checks.at_most(fmt::format("{}: requests at {:.0f} % of that rate", name, 100 * share), rate,
                     runs.images_per_s(open), "images/s");
    }
  };
  add(orin_nano, "resnet50", "fp16");
  add(orin_nano, "yolov8n", "int8");
  add(nano, "resnet50", "fp16");
}

void input_shapes(Runs& /*runs*/, Checks& checks) {
  const auto add = [&](const char* name, const char* claimed) {
    const dnn::Model* const model = dnn::find_model(name);
    const dnn::Network network = model->build(model->default_input);
    const dnn::Shape shape = network.layer(0).out;
    const std::string found = fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
    checks.is(name, claimed, found, claimed == found);
  };
  add("resnet50", "3x224x224");
  add("fcn_resnet50", "3x224x224");
  add("yolov8n", "3x640x640");
}

constexpr StatementCheck sharing_all[] = {
    {"C62", one_at_a_time},
    {"C63", upper_bound},
    {"C64", input_shapes},
};

}  // namespace

std::span<const StatementCheck> sharing_statements() {
  return sharing_all;
}

}  // namespace jostle::calibration
