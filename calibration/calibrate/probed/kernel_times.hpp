// Fits efficiencies of the cost model (models/dnn/roofline.hpp) to the kernels of the probe's part `kernels`.
//
// Each kernel is the layer that it computes: a product of matrices, a depthwise convolution of 3 x 3, a sum
// of two tensors. The model's time of that layer, less the start of a kernel, which stamps inside it do not
// see, is fitted to the measured one.
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/probe/folder.hpp"
#include "profiles/profile/base_profile.hpp"

namespace jostle::calibration {

// A kernel of the probe: measured, and by the cost model with the base's and with the fitted parameters.
struct KernelTime {
  std::string kind;  // "gemm"
  double size = 0;   // side of a matrix, or elements
  double measured_us = 0, base_us = 0, fitted_us = 0;
};

struct ProbedKernels {
  std::vector<ProbedFigure> figures;  // parameters of the profile
  std::vector<std::string> left_out;  // "path: why", what the kernels tell and a profile does not take
  std::vector<KernelTime> kernels;    // in the order of kernels_by_size.csv
};

// Nothing if the folder has no kernels_by_size.csv, or the base no GPU. Throws input::CsvError for a
// wrong table.
[[nodiscard]] ProbedKernels fit_probed_kernels(const calibration::probe::ProbeFolder& folder,
                                               const profiles::BaseProfile& base);

}  // namespace jostle::calibration
