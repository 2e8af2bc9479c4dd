#include "models/process/arrivals.hpp"

#include <cmath>

namespace jostle::process {

RequestQueue::RequestQueue(const Arrivals& arrivals, sim::RandomStream random)
    : arrivals_(arrivals), random_(random) {
  if (arrivals_.kind == ArrivalKind::periodic)
    phase_ = arrivals_.phase ? *arrivals_.phase : sim::seconds(random_.uniform() / arrivals_.rate_per_s);
  count_ = -1;
  advance();
}

void RequestQueue::advance() {
  ++count_;
  switch (arrivals_.kind) {
    case ArrivalKind::closed_loop:
      next_ = sim::Time::never();
      return;
    case ArrivalKind::periodic:  // from the count, so that rounding does not add up
      next_ = sim::Time::zero() + phase_ + sim::seconds(static_cast<double>(count_) / arrivals_.rate_per_s);
      return;
    case ArrivalKind::poisson:
      next_ += sim::seconds(random_.exponential(1 / arrivals_.rate_per_s));
      return;
    case ArrivalKind::trace:
      next_ = static_cast<std::size_t>(count_) < arrivals_.times.size()
                  ? arrivals_.times[static_cast<std::size_t>(count_)]
                  : sim::Time::never();
      return;
  }
}

std::optional<sim::Time> RequestQueue::take(sim::Time now) {
  std::optional<sim::Time> served;
  for (; next_ <= now; advance()) {
    if (free_) {  // it went straight into service, whatever the queue holds
      free_ = false;
      served = next_;
    } else if (arrivals_.queue_limit &&
               static_cast<std::int64_t>(waiting_.size()) >= *arrivals_.queue_limit) {
      ++drops_;
    } else {
      waiting_.push_back(next_);
    }
  }
  if (served) return served;
  free_ = waiting_.empty();
  if (free_) return std::nullopt;
  const sim::Time first = waiting_.front();
  waiting_.pop_front();
  return first;
}

}  // namespace jostle::process
