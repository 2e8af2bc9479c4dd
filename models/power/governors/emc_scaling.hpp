// The memory controller's clock (EMC): as fast as its activity asks for, and never slower than the GPU's
// clock asks for.
//
// The activity monitor asks for the average activity over up_threshold, plus a boost that doubles with every
// sample above up_threshold and halves below down_threshold (tegra30-devfreq.c, and NVIDIA's actmon before
// it): the boost follows a load at once, the average holds the clock once it is there.
#pragma once

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// What the memory did since the last poll.
struct EmcReading {
  double hz = 0;      // its clock
  double busy = 0;    // bandwidth used, over what can be had at this clock
  double gpu_hz = 0;  // the GPU's clock; 0: it has no power
};

class EmcScaling {
 public:
  // `gpu_lowest_hz`: at the lowest clock of its table the GPU asks for nothing.
  EmcScaling(OppTable table, double gpu_lowest_hz, const EmcSettings& settings);

  // Zero: it does not scale.
  [[nodiscard]] sim::Duration interval() const;
  [[nodiscard]] double start() const;
  // The clock to ask for: an entry of the table, or its upper limit.
  double poll(const EmcReading& reading);
  // The least that this clock of the GPU goes with; ask for it when that changes, between polls.
  [[nodiscard]] double floor_for(double gpu_hz) const;

  [[nodiscard]] const OppTable& table() const { return table_; }
  void set_limits(double min_hz, double max_hz);

 private:
  OppTable table_;
  double gpu_lowest_hz_;
  EmcSettings settings_;
  double average_hz_ = 0, boost_hz_ = 0;
  int above_ = 0, below_ = 0;  // samples in a row
};

}  // namespace jostle::power
