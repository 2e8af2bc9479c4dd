// Figures of a profile that a probe determined, and the fits to two of its parts.
#pragma once

#include <string>
#include <vector>

#include "calibration/probe/folder.hpp"
#include "profiles/profile/base_profile.hpp"

namespace jostle::calibration {

// A parameter of a profile that a probe determined.
struct ProbedFigure {
  std::string path;
  std::string before;        // in the base; empty: it has none
  std::string before_grade;  // "assumed"
  std::string value;
  std::string grade;       // measured or fitted
  double relative_sd = 0;  // standard error over value
  std::string source;      // part and experiment, or the table of traces
};

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

// Fits efficiencies of the cost model (models/dnn/roofline.hpp) to the kernels of the probe's part `kernels`.
//
// Each kernel is the layer that it computes: a product of matrices, a depthwise convolution of 3 x 3, a sum
// of two tensors. The model's time of that layer, less the start of a kernel, which stamps inside it do not
// see, is fitted to the measured one.
//
// Nothing if the folder has no kernels_by_size.csv, or the base no GPU. Throws input::CsvError for a
// wrong table.
[[nodiscard]] ProbedKernels fit_probed_kernels(const calibration::probe::ProbeFolder& folder,
                                               const profiles::BaseProfile& base);

// A load with its watts: measured, by the base, and as fitted.
struct LoadWatts {
  std::string load;  // "fma"
  double measured = 0, base = 0, fitted = 0;
  std::string left_out;  // why the fit does not use it; then `base` and `fitted` are 0
};

struct ProbedPower {
  std::vector<ProbedFigure> figures;  // parameters that the loads tell
  std::vector<double> covariance;     // covariance of their logarithms, row by row
  std::vector<LoadWatts> loads;       // in the order of power.csv
};

// Fits the power of a profile to the loads of the probe's part `power`.
//
// Each load is described as the activity of power/energy.hpp: SMs that work, issue slots, tensor pipes,
// bytes, busy cores, at the clocks that were seen. Watts are linear in the parameters, which are fitted
// together with priors around the base (calibration/fit). How a load occupies the parts comes from the folder
// too: bytes of `read` from the bandwidth of the part `gpu_memory`, instructions of `fma` and products of
// `tensor` from the part `kernels`. A load whose rate the folder lacks is left out, with the reason.
//
// Nothing if the folder has no power.csv, or the base no power. Throws input::CsvError for a wrong
// table.
[[nodiscard]] ProbedPower fit_probed_power(const calibration::probe::ProbeFolder& folder,
                                           const profiles::BaseProfile& base);

}  // namespace jostle::calibration
