// Statements on several accelerators of AGX Orin at once (resnet50).
//
// Set-up as published: CUDA cores run PyTorch in fp32, tensor cores PyTorch with AMP (here fp16), a DLA
// TensorRT in fp16; two instances if one kind works alone, else one process each. The power mode is MAXN, as
// the stated peak power is 60 W.
//
// On this GPU, PyTorch computes fp32 convolutions in tf32 by default (as in E). The published throughput
// confirms it: of the 2.4 ms per image at 415.2 images/s, batch norms, activations and additions take more
// than half for memory traffic, and 8.2 GFLOP in the remaining time exceed the 5.3 TFLOP/s of the CUDA cores.
#include <fmt/format.h>

#include <algorithm>

#include "calibration/claims/concurrent_vision.hpp"

namespace jostle::calibration {
namespace {

constexpr std::array study_batches{1, 2, 4, 8, 16, 32, 64};

constexpr const char* cuda = "precision: tf32, runtime: eager, placement: gpu";
constexpr const char* tensor = "precision: fp16, runtime: eager, placement: gpu";
constexpr const char* dla = "precision: fp16, runtime: tensorrt, placement: dla0";
constexpr const char* cpu = "precision: fp32, placement: cpu";

using Engines = std::vector<const char*>;

const scenarios::Result& result_of(Runs& runs, const Engines& engines, int batch) {
  std::string processes;
  for (const char* engine : engines)
    processes += fmt::format("  - {{model: resnet50, batch: {}, {}}}\n", batch, engine);
  return runs.of("device: jetson-agx-orin-devkit-32gb\npower_mode: MAXN\nprocesses:\n" + processes +
                 "run: {duration: 8 s, warmup: 2 s}\n");
}
double rate(Runs& runs, const Engines& engines, int batch) {
  return known(result_of(runs, engines, batch).system.throughput);
}
double gain_of_dla(Runs& runs, const char* engine, int batch) {
  return rate(runs, {engine, dla}, batch) - rate(runs, {engine}, batch);
}

void cuda_cores(Runs& runs, Checks& checks) {
  const auto rates = over(study_batches, [&](int batch) { return rate(runs, {cuda, cuda}, batch); });
  checks.near("batch 64", 415.2, rates.back(), images);
  checks.at_least("batch 64 over the best batch", 1, rates.back() / std::ranges::max(rates));
}

void processor(Runs& runs, Checks& checks) {
  const auto rates = over(std::array{1, 4, 16}, [&](int batch) { return rate(runs, {cpu, cpu}, batch); });
  checks.near("batch 1", 10.1, rates.front(), images);
  checks.at_most("best of batch 4, 16 over batch 1", 1, std::max(rates[1], rates[2]) / rates[0]);
  // "About 50" in the text, 41 by the numbers in its figures.
  checks.near_range("CUDA cores at batch 64 over CPU", 415.2 / 10.1, 50,
                    rate(runs, {cuda, cuda}, 64) / rates[0], "x");
}

void cuda_and_dla(Runs& runs, Checks& checks) {
  for (const int batch : {1, 2, 4})
    checks.near_range(fmt::format("added by the DLA, batch {}", batch), 40, 50,
                      gain_of_dla(runs, cuda, batch), images);
}

// The source's reason is contention for the CUDA cores, so that the DLA must add fewer images/s at large
// batch.
void diminishing(Runs& runs, Checks& checks) {
  const auto share = [&](int batch) { return gain_of_dla(runs, cuda, batch) / rate(runs, {cuda}, batch); };
  checks.falls("images/s added by the DLA at batch 4, 16, 64",
               over(std::array{4, 16, 64}, [&](int batch) { return gain_of_dla(runs, cuda, batch); }));
  checks.shows("share added by the DLA at batch 4, 16, 64", "not stated",
               fmt::format("{}, {}, {}", value_text(share(4)), value_text(share(16)), value_text(share(64))));
}

// "Pulls ahead as batch grows": at the smallest batches, which are host-bound, it must only not be behind.
void tensor_cores_are_best(Runs& runs, Checks& checks) {
  std::vector<double> ahead;
  for (const int batch : study_batches) {
    const double best = rate(runs, {tensor, tensor}, batch);
    const double others = std::max(rate(runs, {cuda, cuda}, batch), rate(runs, {cuda, dla}, batch));
    checks.at_least(fmt::format("batch {}: tensor over CUDA, CUDA + DLA", batch), 1, best / others, "x");
    if (batch > 1) ahead.push_back(best - others);
  }
  checks.rises("ahead by, over batch 2 to 64", ahead);
}

void dla_beside_tensor_cores(Runs& runs, Checks& checks) {
  checks.near("added by the DLA, batch 64", -29.5,
              rate(runs, {tensor, dla}, 64) - rate(runs, {tensor, tensor}, 64), images);
}

void dla_falls_back(Runs& runs, Checks& checks) {
  const scenarios::Result& result = result_of(runs, {dla}, 1);
  const scenarios::TimeShare share = result.processes.front().time_share.value_or(scenarios::TimeShare{});
  const double on_dla = share.at(index_of(process::Share::dla_running));
  const double on_gpu = share.at(index_of(process::Share::gpu_running));
  checks.is("a process on a DLA: share of time on the DLA", "more than 0", value_text(on_dla), on_dla > 0);
  checks.is("and on the GPU", "more than 0", value_text(on_gpu), on_gpu > 0);
}

void rises_throughout(Runs& runs, Checks& checks) {
  checks.rises("images/s over batch 1 to 64", over(study_batches, [&](int batch) {
                 return rate(runs, {tensor, dla}, batch);
               }));
}

void precision_of_engines(Runs& runs, Checks& checks) {
  const auto tensor_active = [&](const char* engine) {
    return known(result_of(runs, {engine}, 8).processes.front().gpu.tensor_active);
  };
  checks.equal("CUDA cores: tensor cores active", 0, tensor_active(cuda));
  const double active = tensor_active(tensor);
  checks.is("AMP: tensor cores active", "more than 0", value_text(active), active > 0);
  const scenarios::SmArray& array = result_of(runs, {tensor}, 8).processes.front().gpu;
  checks.ordered("AMP still uses CUDA cores",
                 {{"SM active", known(array.sm_active)}, {"tensor active", active}});
}

constexpr StatementCheck multi_accelerator_all[] = {
    {"D01", cuda_cores},
    {"D02", processor},
    {"D03", cuda_and_dla},
    {"D04", diminishing},
    {"D05", tensor_cores_are_best},
    {"D06", dla_beside_tensor_cores},
    {"D07", dla_falls_back},
    {"D08", rises_throughout},
    {"D10", precision_of_engines},
};

}  // namespace

std::span<const StatementCheck> multi_accelerator_statements() {
  return multi_accelerator_all;
}

}  // namespace jostle::calibration
