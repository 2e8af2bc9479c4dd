// `offload` of a study: where else its streams could be served, and over which links (docs/offload.md).
//
// Plain data, as read and checked by read_offload(). The cloud's scenario is only checked by
// offload_question(), which knows the devices.
#pragma once

#include <cstdint>
#include <vector>

#include "input/cursor.hpp"
#include "input/value.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct Study;

struct OffloadSection {
  input::Node cloud;
  std::vector<double> bandwidths;    // bytes/s, ascending
  std::vector<sim::Duration> rtts;   // ascending
  scenarios::Link link;              // all else of it
  std::vector<std::int64_t> boards;  // edge boards that the streams could be spread over
};

void read_offload(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
