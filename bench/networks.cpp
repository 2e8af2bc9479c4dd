// Measures the cost of building a network, and of turning it into the kernels of one batch on a board without
// measurements.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::dnn {
namespace {

void build(benchmark::State& state, const char* name) {
  const Model& model = *find_model(name);
  for (auto _ : state) benchmark::DoNotOptimize(model.build(model.default_input));
}

// Lowers a network from its name, as `jostle run` does.
void lower(benchmark::State& state, const char* name) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile("jetson-orin-nano", problems);
  if (!profile) throw std::runtime_error(problems.text());
  const Request request{.model = name, .precision = Precision::fp16, .lowering = Lowering::optimised};
  for (auto _ : state) benchmark::DoNotOptimize(kernels_for(request, {}, profile->spec->gpu));
}

BENCHMARK_CAPTURE(build, resnet50, "resnet50")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(build, yolov8x, "yolov8x")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lower, resnet50, "resnet50")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lower, yolov8x, "yolov8x")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace jostle::dnn
