// The link to a board: a scenario's description of the network between clients and server.
//
// Bandwidth in bytes/s, sizes in bytes, shares from 0 to 1.
#pragma once

#include "sim/time.hpp"

namespace jostle::scenarios {

// The content of a request over a link.
struct Payload {
  static constexpr double jpeg_bytes = 120e3;  // mean of ImageNet's pictures; 640 pixels a side at quality 90
  bool tensor = false;                         // true: the network's input tensor in the process's precision
  double bytes = jpeg_bytes;                   // size of an image; used unless `tensor`
};
struct Link {
  double bandwidth = 0;  // bytes/s
  sim::Duration rtt, jitter;
  double loss = 0;
  double energy_per_bit_j = 0;
  Payload payload;
};

}  // namespace jostle::scenarios
