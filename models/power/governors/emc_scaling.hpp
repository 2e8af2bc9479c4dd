// The clock of the memory controller (EMC): it follows the memory's activity, is at least what the GPU's
// clock requires, and is the highest while a DLA has power.
//
// The activity monitor requests the average activity over up_threshold, plus a boost that doubles with every
// sample above up_threshold and halves with every sample below down_threshold (tegra30-devfreq.c, and before
// it NVIDIA's actmon): the boost reacts to a load at once, the average then keeps the clock there.
#pragma once

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// The activity of the memory since the last poll.
struct EmcReading {
  double hz = 0;      // its clock
  double busy = 0;    // bandwidth used, relative to what is available at this clock
  double gpu_hz = 0;  // the GPU's clock; 0: the GPU is not powered
  bool dla = false;   // a DLA is powered
};

class EmcScaling {
 public:
  // `gpu_lowest_hz`: lowest clock of the GPU's table, at which the GPU requests no minimum.
  EmcScaling(OppTable table, double gpu_lowest_hz, const EmcSettings& settings);

  // Zero: the clock does not scale.
  [[nodiscard]] sim::Duration interval() const;
  [[nodiscard]] double start() const;
  // The clock to request: an entry of the table, or its upper limit.
  double poll(const EmcReading& reading);
  // The minimum that this GPU clock requires. It applies whenever the GPU's clock changes, also between
  // polls.
  [[nodiscard]] double floor_for(double gpu_hz) const;

 private:
  OppTable table_;
  double gpu_lowest_hz_;
  EmcSettings settings_;
  double average_hz_ = 0, boost_hz_ = 0;
  int above_ = 0, below_ = 0;  // consecutive samples
};

}  // namespace jostle::power
