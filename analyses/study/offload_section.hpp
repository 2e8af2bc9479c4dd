// The section `offload` of a study: a cloud that could serve the streams, and the links to it
// (docs/offload.md).
//
// Plain data, read and checked by read_offload(). The scenario of the cloud is checked later, by
// offload_question().
#pragma once

#include <cstdint>
#include <vector>

#include "input/cursor.hpp"
#include "input/value.hpp"
#include "scenarios/language/link.hpp"

namespace jostle::analyses {

struct Study;

struct OffloadSection {
  input::Node cloud;
  std::vector<double> bandwidths;    // bytes/s, ascending
  std::vector<sim::Duration> rtts;   // ascending
  scenarios::Link link;              // the other properties
  std::vector<std::int64_t> boards;  // numbers of edge boards to spread the streams over
};

void read_offload(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
