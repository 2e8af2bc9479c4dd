// What the command loads when it is asked for: functions that need the libraries of ONNX and Ceres, which
// take longer to load than a short run takes.
//
// module.cpp is the module. on_demand.cpp, in the command alone, defines the functions as calls
// into it; other programs link them as they are.
#pragma once

#include "calibration/fit/least_squares.hpp"
#include "calibration/onnx/onnx.hpp"

namespace jostle::cli {

struct OnDemand {
  decltype(&calibration::parse_onnx) parse_onnx;
  decltype(&calibration::fit) fit;
};
inline constexpr const char* on_demand_entry = "jostle_on_demand";  // of the module: const OnDemand*()

}  // namespace jostle::cli
