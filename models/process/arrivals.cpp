#include "models/process/arrivals.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace jostle::process {

using sim::Time;

namespace {

constexpr auto later = [](const auto& a, const auto& b) { return a.next > b.next; };

constexpr std::size_t most_kept = 1U << 16U;  // requests that wait

// The time `gap` after `begin`; Time::never() for times that no run reaches.
Time after(Time begin, sim::Duration gap) {
  constexpr Time unreachable{std::int64_t{1} << 62U};
  return begin < unreachable ? begin + gap : Time::never();
}

}  // namespace

sim::Duration think_time(sim::Duration mean, bool at_random, sim::RandomStream& random) {
  const double mean_s = sim::to_seconds(mean);
  return at_random && mean_s > 0 ? sim::seconds(random.exponential(mean_s)) : mean;
}

ArrivalTimes::ArrivalTimes(const Arrivals& arrivals, sim::RandomStream random)
    : arrivals_(arrivals), random_(random), queries_(arrivals.burst) {
  if (arrivals_.kind == ArrivalKind::periodic) open_sources();
  if (arrivals_.kind == ArrivalKind::clients)
    thinking_.assign(static_cast<std::size_t>(arrivals_.clients), Time::zero());
  count_ = -1;
  advance();
}

void ArrivalTimes::open_sources() {
  // Each source takes two draws, needed or not, so that one more source or a given phase changes no other
  // draw.
  for (std::int64_t i = 0; i < arrivals_.streams; ++i) {
    const double rate = arrivals_.rate_per_s, turn = random_.uniform(), fast = 2 * random_.uniform() - 1;
    const sim::Duration phase = arrivals_.phase ? *arrivals_.phase : sim::seconds(turn / rate);
    sources_.push_back(
        {.phase = phase, .rate_per_s = rate / (1 + arrivals_.drift * fast), .next = Time::zero() + phase});
  }
  std::ranges::make_heap(sources_, later);
}

Time ArrivalTimes::next_of_sources() {
  std::ranges::pop_heap(sources_, later);
  Source& source = sources_.back();
  const Time next = source.next;
  // The time is computed from the count, so that rounding errors do not add up.
  source.next = after(Time::zero() + source.phase,
                      sim::seconds(static_cast<double>(++source.count) / source.rate_per_s));
  std::ranges::push_heap(sources_, later);
  return next;
}

void ArrivalTimes::advance() {
  if (left_ > 0) {
    --left_;
    return;
  }
  left_ = arrivals_.burst - 1;
  advance_one();
  const auto request = static_cast<std::size_t>(count_);
  since_ = request < arrivals_.since.size() ? arrivals_.since[request] : next_;
  for (std::int64_t i = 1; i < arrivals_.dynamic_batch; ++i) advance_one();
}

void ArrivalTimes::advance_one() {
  ++count_;
  switch (arrivals_.kind) {
    case ArrivalKind::closed_loop:
    case ArrivalKind::cascade:  // others' results make the requests
      next_ = Time::never();
      return;
    case ArrivalKind::periodic:
      next_ = next_of_sources();
      return;
    case ArrivalKind::clients:
      next_ = Time::never();
      if (thinking_.empty()) return;
      std::ranges::pop_heap(thinking_, std::greater());
      next_ = thinking_.back();
      thinking_.pop_back();
      return;
    case ArrivalKind::poisson:
      next_ = after(next_, sim::seconds(random_.exponential(1 / arrivals_.rate_per_s)));
      return;
    case ArrivalKind::trace:
      next_ = static_cast<std::size_t>(count_) < arrivals_.times.size()
                  ? arrivals_.times[static_cast<std::size_t>(count_)]
                  : Time::never();
      return;
  }
}

bool ArrivalTimes::answered(Time made, Time now) {
  if (arrivals_.kind != ArrivalKind::clients || !queries_.answered(made)) return false;
  Time asks = after(now, think_time(arrivals_.think, arrivals_.think_at_random, random_));
  if (asks < next_) std::swap(asks, next_);
  since_ = next_;
  if (asks == Time::never()) return true;
  thinking_.push_back(asks);
  std::ranges::push_heap(thinking_, std::greater());
  return true;
}

RequestQueue::RequestQueue(const Arrivals& arrivals, sim::RandomStream random)
    : limit_(arrivals.queue_limit),
      drop_(arrivals.drop),
      max_delay_(arrivals.max_delay),
      next_{Time::never(), Time::never()},
      free_(!arrivals.max_delay) {
  if (arrivals.kind == ArrivalKind::cascade) return;
  times_.emplace(arrivals, random);
  next_ = {times_->since(), times_->next()};
}

RequestQueue::RequestQueue(std::optional<std::int64_t> limit, Drop drop)
    : limit_(limit), drop_(drop), next_{Time::never(), Time::never()} {}

void RequestQueue::deliver(Time since, Time at) {
  ++told_;
  if (next_.at == Time::never())
    next_ = {since, at};
  else
    delivered_.push_back({since, at});
}

void RequestQueue::answered(Time made, Time now) {
  if (times_ && times_->answered(made, now)) next_ = {times_->since(), times_->next()};
}

void RequestQueue::advance() {
  if (times_) {
    times_->advance();
    next_ = {times_->since(), times_->next()};
  } else if (delivered_.empty()) {
    next_ = {Time::never(), Time::never()};
  } else {
    next_ = delivered_.front();
    delivered_.pop_front();
  }
}

// Adds the next request to the queue, or drops one.
void RequestQueue::enqueue() {
  if (limit_ && static_cast<std::int64_t>(waiting_.size()) >= *limit_) {
    ++drops_;
    if (drop_ == Drop::newest || waiting_.empty()) return;
    waiting_.pop_front();
  }
  if (remade_ > 0 || (waiting_.size() == most_kept && !limit_ && times_ && times_->repeatable())) {
    if (remade_++ == 0) behind_ = times_;
    return;
  }
  waiting_.push_back(next_);
}

// Takes the request that has waited longest (there is one), and returns when it was made.
Time RequestQueue::take_first() {
  const Time first = waiting_.front().since;
  waiting_.pop_front();
  if (!waiting_.empty()) return first;
  for (; remade_ > 0 && waiting_.size() < most_kept; --remade_, behind_->advance())
    waiting_.push_back({behind_->since(), behind_->next()});
  return first;
}

// Handles all requests that came by `now`, in their order.
void RequestQueue::arrive(Time now) {
  for (; next_.at <= now; advance()) {
    if (std::exchange(free_, false))
      straight_ = next_.since;  // it bypasses the queue
    else
      enqueue();
  }
}

std::int64_t RequestQueue::waiting(Time now) {
  arrive(now);
  return static_cast<std::int64_t>(waiting_.size()) + remade_ + (straight_ ? 1 : 0);
}

std::optional<Time> RequestQueue::take(Time now) {
  arrive(now);
  if (straight_) return std::exchange(straight_, std::nullopt);
  free_ = waiting_.empty();
  return free_ ? std::nullopt : std::optional(take_first());
}

bool RequestQueue::batch_goes(Time now, std::int64_t most) {
  for (; next_.at <= now; advance()) enqueue();
  if (waiting_.empty()) return false;
  return static_cast<std::int64_t>(waiting_.size()) + remade_ >= most ||
         after(waiting_.front().at, *max_delay_) <= now;
}

Time RequestQueue::ask_again() const {
  if (!max_delay_ || waiting_.empty()) return next_.at;
  return std::min(next_.at, after(waiting_.front().at, *max_delay_));
}

std::vector<Time> RequestQueue::take_batch(std::int64_t most) {
  std::vector<Time> batch;
  while (!waiting_.empty() && static_cast<std::int64_t>(batch.size()) < most) batch.push_back(take_first());
  return batch;
}

}  // namespace jostle::process
