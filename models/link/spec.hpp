// Parameters of a network link: requests of several streams are sent one after another, answers come back.
#pragma once

#include "sim/time.hpp"

namespace jostle::link {

// Time of a request and of its answer:
//   transfer = wait for the link + bytes / bandwidth + rtt / 2 + jitter; for each lost attempt in addition
//              max(retry_after, rtt), the wait for the link and bytes / bandwidth again
//   answer   = rtt / 2, because it is small
struct Spec {
  double bandwidth_bytes_per_s = 0;  // > 0; towards the board
  sim::Duration rtt;
  sim::Duration jitter;  // mean, and standard deviation, of a lognormal delay that is added to each transfer
  // Probability that one attempt to send a request fails; attempts are independent; < 1.
  double loss = 0;
  // Time from the last bit of a lost attempt to the next attempt: the minimum retransmission time-out of
  // Linux (TCP_RTO_MIN), but never before an acknowledgement could have arrived.
  sim::Duration retry_after = sim::milliseconds(200);
  double energy_per_bit_j = 0;  // energy of the sender, for every attempt
};

}  // namespace jostle::link
