// The module that the command loads when it is needed: functions that use the libraries of ONNX and Ceres,
// which take longer to load than a short run takes.
//
// module.cpp is the module. on_demand.cpp, which only the command links, defines the functions as calls into
// it; other programs link the functions directly.
#pragma once

#include "calibration/fit/least_squares.hpp"
#include "calibration/onnx/onnx.hpp"

namespace jostle::cli {

struct OnDemand {
  decltype(&calibration::parse_onnx) parse_onnx;
  decltype(&calibration::fit) fit;
};
inline constexpr const char* on_demand_entry = "jostle_on_demand";  // its function: const OnDemand*()

}  // namespace jostle::cli
