// The law of the pipes against kernels of fp32 networks on few SMs of an H200, whose blocks share an SM.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "calibration/evidence/measured_run.hpp"
#include "models/dnn/activity.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/gpu/occupancy.hpp"
#include "models/gpu/slowdown.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::gpu::space {
namespace JOSTLE_FILE {

using calibration::EvidenceRow;
using calibration::number;

Kernel kernel_of(const EvidenceRow& row, double seconds) {
  Kernel kernel;
  kernel.duration = sim::seconds(seconds);
  kernel.blocks = static_cast<std::uint32_t>(number(row, "blocks"));
  kernel.threads_per_block = static_cast<std::uint32_t>(number(row, "threads_per_block"));
  kernel.registers_per_thread = static_cast<std::uint32_t>(number(row, "registers"));
  kernel.shared_bytes = static_cast<std::uint32_t>(number(row, "shared_bytes"));
  dnn::split_shares(kernel, dnn::classify_kernel(row.at("kernel")));
  dnn::note_warp_pipes(kernel);
  return kernel;
}

double times_as_long(const Spec& gpu, const Kernel& kernel, double sms) {
  const double alone = std::ceil(kernel.blocks / static_cast<double>(gpu.sm_count));
  const double here = std::ceil(kernel.blocks / sms);
  const Demand demand = demand_of(gpu, kernel, alone);
  const double pipes = demand.pipes_of_block * here / whole_pipes;
  return std::cbrt(1 + std::max(cubed(pipes) - cubed(demand.pipes / whole_pipes), 0.0));
}

TEST(PipesOfWarps, products_on_cuda_cores_slow_each_other_on_one_sm_as_was_measured) {
  input::Problems problems;
  const Spec gpu = profiles::shipped_profile("nvidia-h200", problems).value().spec->gpu;
  std::map<std::string, double> on_all;
  double error = 0, ignored = 0;
  int count = 0;
  for (const EvidenceRow& row : calibration::evidence_rows("evidence/h200-pairs/shares.csv")) {
    if (row.at("precision") != "fp32" || !row.at("kernel").starts_with("sm80_xmma")) continue;
    const std::string key =
        calibration::filled("<model> <kernel> <blocks> <threads_per_block> <registers>", row);
    const double sms = number(row, "sms"), us = number(row, "duration_us");
    if (sms == gpu.sm_count) on_all[key] = us;
    const Kernel kernel = kernel_of(row, us * 1e-6);
    const double here = std::ceil(kernel.blocks / sms);
    if (here > blocks_per_sm(gpu, kernel) || here <= std::ceil(kernel.blocks / 132.0)) continue;
    const double measured = us / on_all.at(key);
    error += std::abs(times_as_long(gpu, kernel, sms) / measured - 1);
    ignored += std::abs(1 / measured - 1);
    ++count;
  }
  EXPECT_GE(count, 10);
  EXPECT_LE(error / count, 0.16);
  EXPECT_GE(ignored / count, 0.25) << "blocks that share an SM were measured to slow each other";
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::space
