// A parameter of a profile that a probe determined.
#pragma once

#include <string>

namespace jostle::calibration {

struct ProbedFigure {
  std::string path;
  std::string before;        // in the base; empty: it has none
  std::string before_grade;  // "assumed"
  std::string value;
  std::string grade;       // measured or fitted
  double relative_sd = 0;  // standard error over value
  std::string source;      // part and experiment, or the table of traces
};

}  // namespace jostle::calibration
