// Numbers in the order in which they come: their mean and quantiles, and the confidence intervals of these.
#pragma once

#include "sim/quantiles.hpp"
#include "sim/series.hpp"

namespace jostle::sim {

class Observations {
 public:
  void add(double x) {
    quantiles_.add(x);
    series_.add(x);
  }
  // Discards the numbers so far (end of the warm-up).
  void clear() {
    quantiles_.clear();
    series_.clear();
  }

  [[nodiscard]] const Quantiles& quantiles() const { return quantiles_; }
  [[nodiscard]] const Series& series() const { return series_; }

 private:
  Quantiles quantiles_;
  Series series_;
};

}  // namespace jostle::sim
