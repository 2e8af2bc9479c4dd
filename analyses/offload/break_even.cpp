// The break-even of cloud and edge latency.
#include "analyses/offload/offload.hpp"

namespace jostle::analyses {

BreakEven break_even(const std::vector<sim::Duration>& rtts, const std::vector<scenarios::Metric>& cloud,
                     scenarios::Metric edge) {
  BreakEven found;
  const auto cloud_is_faster = [&](std::size_t i) { return cloud[i] && (!edge || *cloud[i] < *edge); };
  std::size_t first = 0;  // the first RTT at which the cloud is not faster
  while (first < rtts.size() && cloud_is_faster(first)) ++first;
  if (first == 0) return found;
  if (first == rtts.size()) {
    found.kind = BreakEven::Kind::always;
    return found;
  }
  found.kind = BreakEven::Kind::up_to;
  found.rtt = rtts[first - 1];
  if (!edge || !cloud[first]) return found;  // not interpolated: the last RTT at which the cloud was faster
  const double below = *edge - *cloud[first - 1], above = *cloud[first] - *edge;
  found.rtt += sim::work_in(rtts[first] - rtts[first - 1], below / (below + above));
  return found;
}

}  // namespace jostle::analyses
