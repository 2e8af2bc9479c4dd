#include "models/dnn/batch_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "models/dnn/kernel_class.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

constexpr double product_start_us = 4.4;
constexpr double waves_of_start = 0.3;
constexpr std::uint32_t alike_at_every_batch = 2;  // blocks

double waves_of(const gpu::Spec& gpu, const gpu::Kernel& kernel) {
  return static_cast<double>(kernel.blocks) /
         (static_cast<double>(std::max(gpu.sm_count, 1)) * gpu::blocks_per_sm(gpu, kernel));
}

double sum_us(const std::vector<sim::Duration>& times) {
  double sum = 0;
  for (const sim::Duration time : times) sum += sim::to_us(time);
  return sum;
}

// The time after up to `fixed` us of it stay, and the rest grows by `ratio`.
sim::Duration grown(sim::Duration time, double fixed, double ratio) {
  const double us = sim::to_us(time), start = std::min(fixed, us);
  return sim::microseconds(start + (us - start) * ratio);
}

}  // namespace

// The ratio for each product of the table; empty: there are no layers.
std::vector<double> BatchLaw::ratios_of_products(const MeasuredBatch& table, std::int64_t batch) const {
  if (!products_) return {};
  const std::vector<sim::Duration> here = products_(table.batch), there = products_(batch);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      table.names, [](const auto& name) { return classify_kernel(name) == KernelClass::compute; }));
  if (here.empty() || here.size() != there.size() || sum_us(here) <= 0) return {};
  std::vector<double> ratios(count, sum_us(there) / sum_us(here));
  if (count == here.size())
    for (std::size_t i = 0; i < count; ++i) ratios[i] = sim::to_us(there[i]) / sim::to_us(here[i]);
  return ratios;
}

std::vector<gpu::Kernel> BatchLaw::at_batch(const MeasuredBatch& table, std::int64_t batch) const {
  if (batch == table.batch) return table.kernels;
  const double images = static_cast<double>(batch) / static_cast<double>(table.batch);
  const std::vector<double> ratios = ratios_of_products(table, batch);
  std::vector<gpu::Kernel> kernels = table.kernels;
  std::size_t product = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    gpu::Kernel& kernel = kernels[i];
    const bool is_product = classify_kernel(table.names[i]) == KernelClass::compute;
    const double own = is_product && !ratios.empty() ? ratios[product] : images;
    product += is_product ? 1 : 0;
    if (kernel.blocks <= alike_at_every_batch) continue;
    const double before = waves_of(gpu_, kernel);
    if (is_product) {
      kernel.duration = grown(kernel.duration, ratios.empty() ? product_start_us : 0, own);
    } else {
      kernel.duration = grown(kernel.duration, sim::to_us(kernel_floor()),
                              (waves_of_start + before * images) / (waves_of_start + before));
    }
    kernel.blocks = static_cast<std::uint32_t>(std::clamp(std::round(kernel.blocks * images), 1.0, 4e9));
    kernel.blocks = gpu::grid_on(gpu_, kernel, gpu_.sm_count);
  }
  return kernels;
}

}  // namespace jostle::dnn
