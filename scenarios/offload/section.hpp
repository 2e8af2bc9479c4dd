// `offload` of a study: where else its streams could be served, and over which links (docs/offload.md).
//
// Plain data, as read and checked by read_offload(). The cloud's scenario is only checked by
// offload_question(), which knows the devices.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/input/value.hpp"
#include "scenarios/scenario.hpp"

namespace jostle::scenarios {

struct OffloadSection {
  input::Node cloud;
  std::vector<double> bandwidths;    // bytes/s, ascending
  std::vector<sim::Duration> rtts;   // ascending
  Link link;                         // all else of it
  std::vector<std::int64_t> boards;  // edge boards that the streams could be spread over
};

}  // namespace jostle::scenarios
