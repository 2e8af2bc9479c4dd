#include "models/power/governors/emc_scaling.hpp"

#include <algorithm>
#include <utility>

namespace jostle::power {

EmcScaling::EmcScaling(OppTable table, double gpu_lowest_hz, const EmcSettings& settings)
    : table_(std::move(table)), gpu_lowest_hz_(gpu_lowest_hz), settings_(settings) {}

sim::Duration EmcScaling::interval() const {
  return settings_.scales ? settings_.interval : sim::Duration::zero();
}

double EmcScaling::start() const {
  return settings_.scales ? table_.lowest() : table_.highest();
}

double EmcScaling::floor_for(double gpu_hz) const {
  return table_.at_least(gpu_hz > gpu_lowest_hz_ ? settings_.gpu_ratio * gpu_hz : 0);
}

double EmcScaling::poll(const EmcReading& reading) {
  if (!settings_.scales) return table_.highest();
  if (reading.dla) return table_.highest();
  const double active_hz = reading.busy * reading.hz;
  average_hz_ += (active_hz - average_hz_) / settings_.average_samples;
  above_ = reading.busy > settings_.up_threshold ? above_ + 1 : 0;
  below_ = reading.busy < settings_.down_threshold ? below_ + 1 : 0;
  if (above_ >= settings_.up_window) {
    boost_hz_ = std::min(boost_hz_ * settings_.boost_up + settings_.boost_step_hz, table_.highest());
    above_ = 0;
  }
  if (below_ >= settings_.down_window) {
    boost_hz_ *= settings_.boost_down;
    if (boost_hz_ < settings_.boost_step_hz / 2) boost_hz_ = 0;
    below_ = 0;
  }
  const double wanted = average_hz_ / settings_.up_threshold + boost_hz_;
  return std::max(table_.at_least(wanted), floor_for(reading.gpu_hz));
}

}  // namespace jostle::power
