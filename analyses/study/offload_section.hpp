// The section `offload` of a study: a cloud that could serve the streams, and the links to it
// (docs/offload.md).
//
// Plain data, read and checked by read_offload(). The scenario of the cloud is checked later, by
// offload_question().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyses/study/costs.hpp"
#include "input/cursor.hpp"
#include "input/value.hpp"
#include "scenarios/language/link.hpp"

namespace jostle::analyses {

struct Study;

// Prices in USD. Absent: that of the edge board's or the cloud device's profile, if it has one.
struct OffloadPrices {
  std::optional<double> board;           // per edge board
  std::optional<double> cloud_per_hour;  // rent of the cloud's machine, whether busy or not
  double link_per_gb = 0;                // per 10^9 bytes over the link
};

struct OffloadSection {
  input::Node cloud;
  std::vector<double> bandwidths;    // bytes/s, ascending
  std::vector<sim::Duration> rtts;   // ascending
  scenarios::Link link;              // the other properties
  std::vector<std::int64_t> boards;  // numbers of edge boards over which streams are distributed
  OffloadPrices prices;
  Costs costs;
};

void read_offload(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
