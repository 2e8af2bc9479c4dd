// The checked input of an offload study: the streams and the scenarios of the edge and the cloud.
//
// A stream is a process of the edge scenario, with counts expanded. The i-th process entry of the cloud
// serves the streams of the i-th entry of the edge; a single entry serves all. Arrivals, counts and batches
// are those of the edge.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "analyses/study/profiles.hpp"
#include "analyses/study/study.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

struct OffloadQuestion {
  scenarios::Scenario edge;
  scenarios::Scenario cloud;  // one entry per entry of the edge, with its arrivals and counts
  std::shared_ptr<const profiles::Profile> edge_profile, cloud_profile;
  OffloadSection section;

  [[nodiscard]] std::size_t streams() const { return scenarios::expand(edge).size(); }
};

// None, with problems located in the study file, if the input is invalid.
[[nodiscard]] std::optional<OffloadQuestion> offload_question(const Study& study, Profiles& profiles,
                                                              input::Problems& problems);

// The scenario of `board` (edge or cloud) with only these streams, in ascending order. Each stream keeps the
// random numbers and the phase that it has among all streams. Without streams the board is idle.
[[nodiscard]] scenarios::Scenario with_streams(const scenarios::Scenario& board,
                                               const std::vector<std::size_t>& streams);

}  // namespace jostle::analyses
