// Anybody's measurements against anybody's profile, split as people ask, beside what naive rules would have
// said.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"
#include "analyses/interval/interval.hpp"
#include "analyses/validate/validate.hpp"

namespace jostle::analyses {

// Groups in this order; those that would hold nothing are left out, and a split with one value only:
//   all; by number of processes; by mix (what runs on which accelerator); by network; by power mode; by
//   device; equal share: of what one process was measured to do, the k-th part for each of k; nearest
//   neighbour: the measured run that is most alike; latency and throughput scaled by the batch; roofline:
//   operations and bytes of the network over what the GPU peaks at in that mode; repeats: how far repeated
//   measurements of a setting are from their mean.
// `device`: as scenarios name the profile's device, for the roofline.
// Of simulated figures it is said whether their 90 % interval holds what was measured.
[[nodiscard]] std::vector<ComparisonGroup> validate_evidence(const UncertainProfile& profile,
                                                             const std::string& device,
                                                             const std::vector<RunConfiguration>& settings,
                                                             const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::analyses
