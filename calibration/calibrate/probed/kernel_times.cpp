#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/fit/least_squares.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/roofline.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

using input::CsvTable;

// The parameters of a point, in this order. The last is not the profile's: the time from a kernel's first
// stamp to its last that no work takes.
enum : std::size_t { cuda_efficiency, depthwise_efficiency, stamped_us };
constexpr double stamped_start_us = 0.8, stamped_sd = 0.7, stamped_range = 10;
// Single kernels differ from the model by so much (sd of the logarithm): it was fitted on networks, whose
// kernels a library chooses by shape.
constexpr double kernel_model_sd = 0.2;

struct KernelRow {
  KernelTime time;
  double sd = 0;  // relative
  dnn::FusedLayer layer;
};

int narrowed(double count) {
  return static_cast<int>(std::clamp(count, 1.0, 2e9));
}

// The layer that a kernel computes on one image; none for kernels that no layer is.
std::optional<dnn::FusedLayer> layer_of(const std::string& kind, double size) {
  dnn::FusedLayer layer;
  layer.name = kind;
  const int n = narrowed(size);
  if (kind == "gemm") {
    layer.op = dnn::Op::linear;
    layer.in = layer.out = {.channels = n, .height = n, .width = 1};
    layer.weights = std::int64_t{n} * n;
    layer.macs = layer.weights * n;
    return layer;
  }
  // 64 channels, as the number of them only matters for products.
  constexpr int channels = 64;
  layer.in = layer.out = {.channels = channels, .height = narrowed(size / channels), .width = 1};
  if (kind == "depthwise") {
    layer.depthwise = true;
    layer.groups = channels;
    layer.window_area = 9;
    layer.macs = 9 * layer.out.elements();
    return layer;
  }
  layer.op = dnn::Op::add;
  if (kind == "elementwise") {
    layer.other_elements = layer.in.elements();
    return layer;
  }
  if (kind != "reduction") return std::nullopt;
  layer.out = {.channels = channels, .height = 1, .width = 1};
  return layer;
}

std::vector<KernelRow> kernel_rows(const fs::path& file) {
  constexpr std::array<std::string_view, 4> columns{"kind", "size", "duration_us", "duration_sd_us"};
  const input::CsvTable table = input::CsvTable::read(file, columns);
  std::vector<KernelRow> rows;
  for (const input::CsvTable::Row row : table) {
    const auto number = [&](std::size_t of) { return row.number(table.column(columns[of])); };
    if (!(number(1) > 0) || !(number(2) > 0)) row.fail("size or duration_us is not positive");
    const std::string kind = row.text("kind");
    if (auto layer = layer_of(kind, number(1)))
      rows.push_back({{kind, number(1), number(2), 0, 0}, number(3) / number(2), std::move(*layer)});
  }
  return rows;
}

// Times of the rows by the model, in microseconds.
std::vector<double> times_of(const std::vector<KernelRow>& rows, gpu::Spec gpu,
                             std::span<const double> point) {
  gpu.kernels.cuda_efficiency = point[cuda_efficiency];
  gpu.kernels.depthwise_efficiency = point[depthwise_efficiency];
  gpu.kernel_fixed = {};
  gpu.kernels.start_cycles = 0;
  std::vector<double> found;
  for (const KernelRow& row : rows)
    found.push_back(
        point[stamped_us] +
        1e6 * sim::to_seconds(dnn::roofline_kernel(row.layer, 1, dnn::Precision::fp32, gpu).duration));
  return found;
}

}  // namespace

ProbedKernels fit_probed_kernels(const calibration::probe::ProbeFolder& folder,
                                 const profiles::BaseProfile& base) {
  ProbedKernels found;
  std::error_code error;
  const fs::path file = folder.path / "kernels_by_size.csv";
  const gpu::Spec& gpu = base.profile.spec->gpu;
  if (!base.profile.spec->has_gpu() || !fs::exists(file, error)) return found;
  const std::vector<KernelRow> rows = kernel_rows(file);
  if (rows.empty()) return found;
  const std::array<double, 3> before{gpu.kernels.cuda_efficiency, gpu.kernels.depthwise_efficiency,
                                     stamped_start_us};
  const std::array<calibration::Parameter, 3> parameters{
      calibration::Parameter{"cuda_efficiency", before[0], 0.7, before[0] / 10, 1},
      calibration::Parameter{"depthwise_efficiency", before[1], 1, before[1] / 30, 1},
      calibration::Parameter{"stamped", before[2], stamped_sd, before[2] / stamped_range,
                             before[2] * stamped_range}};
  std::vector<calibration::Measured> measured;
  for (const KernelRow& row : rows)
    measured.push_back({row.time.measured_us, std::hypot(kernel_model_sd, row.sd)});
  const calibration::LogFit fit =
      calibration::fit(parameters, measured, [&](std::span<const std::vector<double>> points) {
        std::vector<std::vector<double>> predicted;
        for (const std::vector<double>& point : points) predicted.push_back(times_of(rows, gpu, point));
        return predicted;
      });
  const std::vector<double> by_base = times_of(rows, gpu, before);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    found.kernels.push_back(rows[i].time);
    found.kernels.back().base_us = by_base[i];
    found.kernels.back().fitted_us = fit.predicted[i];
  }
  const auto sd = [&](std::size_t i) { return std::sqrt(fit.covariance[i * parameters.size() + i]); };
  if (calibration::identified(fit.variance_left[depthwise_efficiency]))
    found.figures.push_back({"gpu.kernels.depthwise_efficiency",
                             {},
                             {},
                             fmt::format("{:.3g} %", 100 * fit.values[depthwise_efficiency]),
                             "fitted",
                             sd(depthwise_efficiency),
                             "jostle probe, kernels: the cost model's times of 3 x 3 convolutions by size"});
  if (calibration::identified(fit.variance_left[cuda_efficiency]))
    found.left_out.push_back(
        fmt::format("gpu.kernels.cuda_efficiency: the probe's own products of matrices, plain code, reach "
                    "{:.0f} % +- {:.0f} %; those of libraries more",
                    100 * fit.values[cuda_efficiency], 100 * sd(cuda_efficiency)));
  return found;
}

}  // namespace jostle::calibration
