// What a network link is: requests of several streams go over it one after another, answers come back.
#pragma once

#include "sim/time.hpp"

namespace jostle::link {

//   transfer = wait for the link + bytes / bandwidth + rtt / 2 + jitter, and as often as a try is lost
//              max(retry_after, rtt), the wait and the bytes again
//   answer   = rtt / 2: it is small
struct Spec {
  double bandwidth_bytes_per_s = 0;  // > 0; towards the board
  sim::Duration rtt;
  sim::Duration jitter;  // mean, and standard deviation, of a lognormal delay that each transfer has on top
  double loss = 0;       // probability that a try of a whole request does not arrive; each try anew; < 1
  // From the last bit of a try that was lost to the next try: the least retransmission time-out of Linux
  // (TCP_RTO_MIN), but never before an acknowledgement could have come.
  sim::Duration retry_after = sim::milliseconds(200);
  double energy_per_bit_j = 0;  // of the sender, for every try
};

}  // namespace jostle::link
