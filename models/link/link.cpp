#include "models/link/link.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jostle::link {

using sim::Duration;
using sim::Time;

Link::Link(sim::Engine& engine, const Spec& spec) : engine_(engine), spec_(spec) {
  if (!(spec.bandwidth_bytes_per_s > 0)) throw std::invalid_argument("link: the bandwidth must be positive");
  if (!(spec.loss >= 0 && spec.loss < 1))
    throw std::invalid_argument("link: the loss must be at least 0 and below 1");
  if (std::min({spec.rtt, spec.jitter, spec.retry_after}) < Duration::zero())
    throw std::invalid_argument("link: times must not be negative");
}

StreamId Link::open(double bytes, const sim::RandomStream& random, const StreamListener& listener) {
  if (!(bytes >= 0)) throw std::invalid_argument("link: the size of a request must not be negative");
  streams_.push_back({.bytes = bytes,
                      .duration = sim::seconds(bytes / spec_.bandwidth_bytes_per_s),
                      .random = random,
                      .listener = listener,
                      .requests = {},
                      .last_arrival = {},
                      .waiting_since = {}});
  return static_cast<StreamId>(streams_.size() - 1);
}

// There is an event at each time at which something is due; everything due at one time is handled at once.
void Link::plan(Due due) {
  due.order = order_++;
  due_.push(due);
  engine_.schedule(due.at, sim::action<&Link::catch_up>(*this));
}

void Link::send(StreamId stream, Time at) {
  ++streams_[stream].sent;
  plan({.at = at, .what = What::capture, .stream = stream, .captured = {}});
}

void Link::answer(StreamId stream) {
  if (answer_time() == Duration::zero()) return;
  move(stream, +1);
  plan({.at = engine_.now() + answer_time(), .what = What::answered, .stream = stream, .captured = {}});
}

void Link::wait(StreamId stream) {
  streams_[stream].waiting_since = waits_++;
}

void Link::catch_up() {
  if (working_) return;
  working_ = true;
  while (!due_.empty() && due_.top().at <= engine_.now()) {
    const Due due = due_.top();
    due_.pop();
    switch (due.what) {
      case What::capture:
        capture(due.stream);
        break;
      case What::retry:
        transmit(due.stream, due.request);
        break;
      case What::delivery:
        deliver(due.stream, due.captured, true);
        break;
      case What::answered:
        move(due.stream, -1);
        break;
    }
  }
  wake_waiting();
  working_ = false;
}

void Link::capture(StreamId id) {
  Stream& stream = streams_[id];
  Request request{.captured = engine_.now(), .late = {}};
  if (spec_.loss > 0)
    while (stream.random.uniform() < spec_.loss) ++request.losses;
  if (spec_.jitter > Duration::zero())
    request.late = sim::work_in(spec_.jitter, stream.random.lognormal_unit_mean(1));
  stream.requests.push_back(request);
  const std::uint64_t number = stream.captured++;
  ++total_.sent;
  transmit(id, number);
  if (stream.arrived <= number) {  // otherwise it took no time
    if (number >= stream.settled) stream.requests[number - stream.settled].moves = true;
    move(id, +1);
  }
  if (stream.listener.captured != nullptr) stream.listener.captured(stream.listener.context);
}

// Makes one attempt, behind all attempts begun before.
void Link::transmit(StreamId id, std::uint64_t number) {
  Stream& stream = streams_[id];
  const Time now = engine_.now();
  const Time start = std::max(now, free_at_);
  // A link this far behind is never free again: no run lasts so long, and the sums stay within a Time.
  constexpr Time beyond{std::int64_t{1} << 60U};
  if (start < beyond) free_at_ = start + stream.duration;
  ++total_.tries;
  total_.bytes += stream.bytes;
  if (start < beyond) total_.busy += stream.duration;
  if (Time::zero() + total_.waited < beyond) total_.waited += start - now;
  while (!starts_.empty() && starts_.front() <= now) starts_.pop_front();
  if (start > now) starts_.push_back(start);
  Request& request = stream.requests[number - stream.settled];
  if (request.losses > 0) {
    --request.losses;
    plan({.at = free_at_ + std::max(spec_.retry_after, spec_.rtt),
          .what = What::retry,
          .stream = id,
          .request = number,
          .captured = {}});
    return;
  }
  request.arrives = free_at_ + (spec_.rtt - answer_time()) + request.late;
  settle(id);
}

// Determines when the first requests of the stream arrive, once that is known: none before its predecessor.
void Link::settle(StreamId id) {
  Stream& stream = streams_[id];
  while (!stream.requests.empty() && stream.requests.front().arrives != Time::never()) {
    const Request request = stream.requests.front();
    stream.requests.pop_front();
    ++stream.settled;
    stream.last_arrival = std::max(stream.last_arrival, request.arrives);
    if (stream.last_arrival <= engine_.now()) {
      deliver(id, request.captured, request.moves);
    } else {
      plan({.at = stream.last_arrival, .what = What::delivery, .stream = id, .captured = request.captured});
    }
  }
}

void Link::deliver(StreamId id, Time captured, bool moved) {
  Stream& stream = streams_[id];
  ++stream.arrived;
  ++total_.delivered;
  if (moved) move(id, -1);
  if (stream.listener.delivered != nullptr) stream.listener.delivered(stream.listener.context, captured);
  if (stream.waiting_since) to_wake_.push_back(id);
}

void Link::move(StreamId id, int change) {
  Stream& stream = streams_[id];
  const bool before = stream.moving > 0;
  stream.moving += change;
  const bool after = stream.moving > 0;
  if (before != after && stream.listener.under_way != nullptr)
    stream.listener.under_way(stream.listener.context, after);
}

void Link::wake_waiting() {
  std::ranges::sort(to_wake_, {}, [this](StreamId id) { return streams_[id].waiting_since; });
  for (const StreamId id : to_wake_) {
    Stream& stream = streams_[id];
    if (!std::exchange(stream.waiting_since, std::nullopt)) continue;  // delivered twice at the same instant
    if (stream.listener.wake != nullptr) stream.listener.wake(stream.listener.context);
  }
  to_wake_.clear();
}

Link::Statistics Link::statistics() const {
  Statistics now = total_;
  // The link's busy time for attempts not yet sent.
  const Duration ahead = std::max(free_at_ - engine_.now(), Duration::zero());
  now.busy -= ahead;
  now.bytes -= sim::to_seconds(ahead) * spec_.bandwidth_bytes_per_s;
  now.queued = std::ranges::count_if(starts_, [this](Time start) { return start > engine_.now(); });
  now.busy -= before_.busy;
  now.waited -= before_.waited;
  now.sent -= before_.sent;
  now.tries -= before_.tries;
  now.delivered -= before_.delivered;
  now.bytes -= before_.bytes;
  return now;
}

void Link::end_warmup() {
  before_ = {};
  before_ = statistics();
}

}  // namespace jostle::link
