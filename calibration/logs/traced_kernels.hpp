// The kernels, memsets and copies within the GPU of a PyTorch profiler's trace, in order, with their
// launches: from them the kernels of one batch.
//
// Part of the reader of Chrome traces; not for use elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

class TracedKernels {
 public:
  // Adds a kernel; times are in us, in any order. Kernels differ if their names or grids do.
  void add(std::string_view name, double start, double duration, Launch launch);

  // The kernels of one batch as `layer_time` rows, medians over the batches; empty if none repeats. Notes say
  // how many batches there are, or why there is no batch.
  void rows(Import& result) const;

 private:
  struct One {
    double start, duration;
    std::int64_t kind;
  };
  struct Kind {
    std::string name;
    Launch launch;
  };
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> ids_;
  std::vector<Kind> kinds_;
  std::vector<One> ones_;
  bool too_many_ = false;
};

}  // namespace jostle::calibration
