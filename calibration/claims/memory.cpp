// Statements on GPU memory: the memory that the driver allocates for the GPU (`gpu_mb` of a process,
// `gpu_share` of the board).
#include <fmt/format.h>

#include <algorithm>

#include "calibration/claims/concurrent_vision.hpp"

namespace jostle::calibration {
namespace {

double percent_of_board(const Runs& runs, const Setup& setup) {
  return 100 * known(runs.held(setup).system.memory.gpu_share);
}

int max_that_fit(const Runs& runs, Setup setup) {
  while (runs.fit(setup)) ++setup.count;
  return setup.count - 1;
}

void fp32_over_int8(Runs& runs, Checks& checks) {
  const auto add = [&](const char* model, double claimed) {
    checks.near(fmt::format("{}, fp32 over int8", model), claimed,
                runs.gpu_mb({orin_nano, model, "fp32"}) / runs.gpu_mb({orin_nano, model, "int8"}));
  };
  add("resnet50", 2);
  add("fcn_resnet50", 2);
  add("yolov8n", 1.25);
}

void busy_in_little_memory(Runs& runs, Checks& checks) {
  for (const int batch : batches) {
    const Setup setup{orin_nano, "resnet50", "fp16", batch};
    checks.at_least(fmt::format("GPU utilisation, batch {}", batch), 98,
                    100 * known(runs.of(setup).system.gpu.reported_load), "%");
    checks.at_most(fmt::format("GPU memory, batch {}", batch), 3, percent_of_board(runs, setup), "%");
  }
}

// Takes the largest batch at which sixteen processes fit, because the paper gives none.
void sixteen_processes(Runs& runs, Checks& checks) {
  Setup sixteen{orin_nano, "yolov8n", "int8", 1, 16};
  while (sixteen.batch < 8 && runs.fit({orin_nano, "yolov8n", "int8", sixteen.batch + 1, 16}))
    ++sixteen.batch;
  checks.at_most("1 process, batch 8", 10, percent_of_board(runs, {orin_nano, "yolov8n", "int8", 8}), "%");
  checks.at_least(fmt::format("16 processes, batch {}", sixteen.batch), 35, percent_of_board(runs, sixteen),
                  "%");
  checks.near("16 processes over 1", 3.5,
              percent_of_board(runs, sixteen) / percent_of_board(runs, {orin_nano, "yolov8n", "int8", 8}),
              "x");
}

void max_processes_on_nano(Runs& runs, Checks& checks) {
  checks.equal("resnet50 fp16", 4, max_that_fit(runs, {nano, "resnet50", "fp16"}), "processes");
  const int fcn = max_that_fit(runs, {nano, "fcn_resnet50", "fp16"});
  checks.is("fcn_resnet50 fp16", "fewer than 4 processes", fmt::format("{} processes", fcn), fcn < 4);
}

void model_and_two_batches(Runs& runs, Checks& checks) {
  for (const char* device : {orin_nano, nano}) {
    const auto add = [&](const char* model, const char* precision, double mb_per_image) {
      const std::string name = fmt::format("{} {} {}: ", device, model, precision);
      const Setup one{device, model, precision, 1, 1}, three{device, model, precision, 1, 3};
      checks.near(name + "3 processes over 1", 3, runs.gpu_mb(three) / runs.gpu_mb(one));
      const auto at = [&](int batch) {
        return runs.held({device, model, precision, batch}).processes.front().memory;
      };
      checks.near(name + "inputs and outputs at batch 16", 2 * 16 * mb_per_image, known(at(16).io), "MB");
      // The part that grows with the batch size is the two batches, the constant part is the model.
      const double mb = known(at(1).gpu);
      const double batches = known(at(2).gpu) - mb;
      checks.ordered(name + "MB at batch 1", {{"model", mb - batches}, {"batches", batches}});
    };
    add("resnet50", "fp16", 4e-6 * (3 * 224 * 224 + 1000));
    add("yolov8n", "fp16", 4e-6 * (3 * 640 * 640 + 84 * 8400));
  }
}

void rises_with_precision(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const auto mb = [&](const char* precision) { return runs.gpu_mb({orin_nano, model, precision}); };
    checks.rises(fmt::format("{}, MB in int8, fp16, fp32", model), {mb("int8"), mb("fp16"), mb("fp32")});
    checks.at_most(fmt::format("{}, tf32 over fp32", model), 1, mb("tf32") / mb("fp32"));
  }
}

void grows_with_batch_and_processes(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const auto mb = [&](int batch) { return runs.gpu_mb({orin_nano, model, "fp16", batch}); };
    checks.rises(fmt::format("{}, MB over batch", model), over(batches, mb));
    checks.near(fmt::format("{}, MB added from batch 8 to 16 over 4 to 8", model), 2,
                (mb(16) - mb(8)) / (mb(8) - mb(4)));
    checks.near(fmt::format("{}, 8 processes over 1", model), 8,
                runs.gpu_mb({orin_nano, model, "fp16", 1, 8}) / mb(1));
  }
}

constexpr StatementCheck memory_all[] = {
    {"C07", fp32_over_int8},
    {"C21", busy_in_little_memory},
    {"C22", sixteen_processes},
    {"C23", max_processes_on_nano},
    {"C24", model_and_two_batches},
    {"C43", rises_with_precision},
    {"C53", grows_with_batch_and_processes},
};

}  // namespace

std::span<const StatementCheck> memory_statements() {
  return memory_all;
}

}  // namespace jostle::calibration
