// What an offload study asks, checked: streams, and the two boards that could serve them.
//
// A stream is one of the edge scenario's processes, counts expanded. The i-th process of the cloud serves the
// streams of the edge's i-th, a single one all; they keep their arrivals, counts and batches.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "analyses/study/profiles.hpp"
#include "analyses/study/study.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

struct OffloadQuestion {
  scenarios::Scenario edge,
      cloud;  // with an entry of the cloud for each of the edge, arrivals and counts as there
  std::shared_ptr<const calibration::Profile> edge_profile, cloud_profile;
  OffloadSection section;

  [[nodiscard]] std::size_t streams() const { return scenarios::expand(edge).size(); }
};

// None if `problems` grew; they tell the place in the study.
[[nodiscard]] std::optional<OffloadQuestion> offload_question(const Study& study, Profiles& profiles,
                                                              input::Problems& problems);

// `board` (one of the two above) with only these of the streams, in ascending order, their random numbers and
// phases those of the whole. Without any the board idles.
[[nodiscard]] scenarios::Scenario with_streams(const scenarios::Scenario& board,
                                               const std::vector<std::size_t>& streams);

}  // namespace jostle::analyses
