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
  [[nodiscard]] sim::Time middle() const { return begin + (end - begin) / 2; }
};

// Requests that come by themselves, against what serves them.
struct OpenLoad {
  double offered = 0;                 // images/s; of a trace in the window, else what the scenario asks for
  std::optional<bool> stable = true;  // none while it is being set up
  double growth = 0;                  // of the backlog, images/s; 0 if stable
  std::optional<double> stable_rate = {};  // unless stable: images/s that it could serve; none: unknown
};

// The offered load of all requests that come over a link, as a share of its capacity, lost attempts included.
[[nodiscard]] double load_of_link(const link::Spec& link, std::deque<process::Inference>& processes,
                                  const Window& window);

// Of each part of a process (process::parts_of()), as below. `waited`: by part.
[[nodiscard]] std::vector<std::optional<OpenLoad>> open_loads(process::Inference& process,
                                                              const Window& window,
                                                              const std::vector<std::int64_t>& waited,
                                                              double link_load);
// Of all of them together: none if one is a closed loop. What they could serve is as if all were offered less
// by the same share.
[[nodiscard]] std::optional<OpenLoad> together(const std::vector<std::optional<OpenLoad>>& parts);

// Of one part. None for a closed loop. Stable is what queueing theory calls so: the rate of requests is not
// above the capacity. That is the least of full batches / mean time in service, from when the process turns
// to a batch to when it is done, which holds what contention adds; and of what the link can take
// (`link_load`; 0: there is none). A request that is a batch is full. Requests that gather make full batches
// where they come too fast; where they do not, full batches are those of slow moments, and a batch that was
// not full says that the backlog was gone: one in the second half of the window, and the part is stable. A
// queue with a limit is stable behind a link that is. Where none was served, and for a trace, the backlog
// itself counts: `waited` requests waited at the beginning of the window. Several streams that share requests
// serve as many at a time.
struct PartOfProcess {
  process::Inference& process;
  std::size_t part = 0;
};
[[nodiscard]] std::optional<OpenLoad> open_load(const PartOfProcess& of, const Window& window,
                                                std::int64_t waited, double link_load);

}  // namespace jostle::scenarios
