// The link to a board: what a scenario says of the network between who asks and who answers.
//
// Bandwidth in bytes/s, sizes in bytes, shares from 0 to 1.
#pragma once

#include "sim/time.hpp"

namespace jostle::scenarios {

// What a request over a link is made of.
struct Payload {
  static constexpr double jpeg_bytes = 120e3;  // mean of ImageNet's pictures; 640 pixels a side at quality 90
  bool tensor = false;                         // the network's input in the process's precision; else ...
  double bytes = jpeg_bytes;                   // ... an image of this size
};
struct Link {
  double bandwidth = 0;  // bytes/s
  sim::Duration rtt, jitter;
  double loss = 0;
  double energy_per_bit_j = 0;
  Payload payload;
};

}  // namespace jostle::scenarios
