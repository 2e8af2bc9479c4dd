// Whether a process keeps up with its requests, or its backlog grows without bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/link/link.hpp"
#include "models/process/inference.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

// The measured time of a run.
struct Window {
  sim::Time begin, end;
  [[nodiscard]] double seconds() const { return sim::to_seconds(end - begin); }
};

// Requests that come by themselves, against what serves them.
struct OpenLoad {
  double offered = 0;                 // images/s; of a trace in the window, else what the scenario asks for
  std::optional<bool> stable = true;  // none while it is being set up
  double growth = 0;                  // of the backlog, images/s; 0 if stable
};

// The offered load of all requests that come over a link, as a share of its capacity, lost attempts included.
[[nodiscard]] double load_of_link(const link::Spec& link, std::deque<process::Inference>& processes,
                                  const Window& window);

// Of each part of a process (process::parts_of()), as below. `waited`: by part.
[[nodiscard]] std::vector<std::optional<OpenLoad>> open_loads(process::Inference& process,
                                                              const Window& window,
                                                              const std::vector<std::int64_t>& waited,
                                                              double link_load);
// Of all of them together: none if one is a closed loop.
[[nodiscard]] std::optional<OpenLoad> together(const std::vector<std::optional<OpenLoad>>& parts);

// Of one part. None for a closed loop. Stable is what queueing theory calls so: the rate of requests is not
// above the capacity. That is the least of 1 / mean time in service, from when the process turns to a request
// to when its batch is done, which holds what contention adds; and of what the link can take (`link_load`; 0:
// there is none). The mean of n times is known to their spread / sqrt(n). A queue with a limit is stable
// behind a link that is. Where none was served, and for a trace, the backlog itself counts: `waited` requests
// waited at the beginning of the window. Several streams that share requests serve as many at a time.
struct PartOfProcess {
  process::Inference& process;
  std::size_t part = 0;
};
[[nodiscard]] std::optional<OpenLoad> open_load(const PartOfProcess& of, const Window& window,
                                                std::int64_t waited, double link_load);

}  // namespace jostle::scenarios
