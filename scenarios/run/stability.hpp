// Decides whether a process keeps up with its requests or its backlog grows without bound.
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

// An open load: requests that arrive regardless of service, against the capacity that serves them.
struct OpenLoad {
  double offered = 0;  // images/s: the rate in the window for traces and cascades, else the scenario's rate
  std::optional<bool> stable = true;       // none if it cannot be decided, as during the set-up
  double growth = 0;                       // growth of the backlog, images/s; 0 if stable
  std::optional<double> stable_rate = {};  // if not stable: the highest stable rate, images/s; none: unknown
};

// The offered load of all requests that arrive over a link, as a share of its capacity, lost attempts
// included.
[[nodiscard]] double load_of_link(const link::Spec& link, std::deque<process::Inference>& processes,
                                  const Window& window);

// True if its load varies at random: a stretch with less of it is no transient.
[[nodiscard]] bool varies_at_random(const process::Spec& part);

// True if only whole answers give an unbiased rate, because they come at irregular times: the gap that the
// end of a run cuts is longer than the mean gap, by as much again for random requests, so the part of an
// answer that the mean gap suggests is too large. The same holds of a periodic source without two answers
// each before and in the window.
[[nodiscard]] bool counted_whole(const process::Spec& part, const Window& window);

// The least variance of the images served by a part, or by one of its streams, if it keeps up: that of random
// requests, and half a batch at the ends of the window where whole ones are counted.
[[nodiscard]] double variance_of(const process::Spec& part, const process::Served& served,
                                 const Window& window);

// The images of a request: one where requests gather to batches, else a batch.
[[nodiscard]] double images_of_request(const process::Spec& part);

// The load of each part of a process (process::parts_of()), from open_load(). `waited` has one entry per
// part.
[[nodiscard]] std::vector<std::optional<OpenLoad>> open_loads(process::Inference& process,
                                                              const Window& window,
                                                              const std::vector<std::int64_t>& waited,
                                                              double link_load);
// The load of all parts together; absent if one is a closed loop. The stable rate is the sum after all
// offered rates are reduced by the same factor.
[[nodiscard]] std::optional<OpenLoad> together(const std::vector<std::optional<OpenLoad>>& parts);

// A part of a process, by its index in process::parts_of().
struct PartOfProcess {
  process::Inference& process;
  std::size_t part = 0;
};
// The load of one part; absent for a closed loop. Stable has the meaning of queueing theory: the request rate
// does not exceed the capacity. The capacity is the smaller of two rates. The rate of the server is the
// number of images in full batches over their service times (from the start of a batch until it is done,
// contention included), times the number of streams that share the requests. The rate of the link follows
// from `link_load` (0: there is no link).
//
// With dynamic batching, an overloaded server runs only full batches; a server that keeps up runs them only
// in slow moments. A batch that is not full shows that the backlog was empty, so one in the second half of
// the window makes the part stable. Without dynamic batching every batch counts as full. A queue with a limit
// is stable if the link in front of it is. For traces and cascades, and if nothing was served, the growth of
// the backlog counts too; `waited` is the number of requests that waited at the beginning of the window.
[[nodiscard]] std::optional<OpenLoad> open_load(const PartOfProcess& of, const Window& window,
                                                std::int64_t waited, double link_load);

}  // namespace jostle::scenarios
