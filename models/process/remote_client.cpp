#include "models/process/remote_client.hpp"

namespace jostle::process {
namespace {

ArrivalTimes parts_of(Arrivals arrivals, sim::RandomStream random) {
  arrivals.dynamic_batch = 1;
  return {arrivals, random};
}

}  // namespace

RemoteClient::RemoteClient(const BoardParts& board, const Spec& spec, const Identity& identity,
                           TimeAccount& account)
    : engine_(board.engine),
      link_(*board.link),
      times_(parts_of(spec.arrivals, arrivals_random(identity))),
      dynamic_batch_(spec.arrivals.dynamic_batch),
      left_to_ask_(spec.arrivals.closed_loop() ? max_batches(spec) : 0),
      queue_(spec.arrivals.queue_limit, spec.arrivals.drop),
      account_(account),
      stream_(link_.open(
          spec.payload_bytes / static_cast<double>(dynamic_batch_), identity.random("link"),
          {.captured = [](void* self) { static_cast<RemoteClient*>(self)->captured(); },
           .delivered = [](void* self, sim::Time made) { static_cast<RemoteClient*>(self)->delivered(made); },
           .wake = [](void* self) { static_cast<RemoteClient*>(self)->wake(); },
           .under_way = [](void* self,
                           bool any) { static_cast<RemoteClient*>(self)->account_.set_link(any); },
           .context = this})) {
  send_next();
}

void RemoteClient::ask(sim::Time at) {
  if (left_to_ask_ == 0) return;
  --left_to_ask_;
  link_.send(stream_, at);
}

void RemoteClient::answer() {
  link_.answer(stream_);
  ask(engine_.now() + link_.answer_time());
}

// Sends the next part, with arrivals that are made by themselves.
void RemoteClient::send_next() {
  if (times_.next() == sim::Time::never()) return;
  since_.push_back(times_.since());
  link_.send(stream_, times_.next());
}

void RemoteClient::captured() {
  if (times_.next() == sim::Time::never()) return;
  times_.advance();
  send_next();
}

// Requests of a stream arrive in the order in which they were sent.
void RemoteClient::delivered(sim::Time sent) {
  if (!since_.empty()) {
    sent = since_.front();
    since_.pop_front();
  }
  if (parts_ == 0) first_ = sent;
  if (++parts_ < dynamic_batch_) return;
  parts_ = 0;
  queue_.deliver(first_, engine_.now());
}

// A part that does not complete a request wakes nobody.
void RemoteClient::wake() {
  if (queue_.next() == sim::Time::never())
    link_.wait(stream_);
  else if (call_ != nullptr)
    call_(context_);
  else
    arrived_.set();
}

std::optional<sim::Time> RemoteClient::take() {
  catch_up();
  return queue_.take(engine_.now());
}

std::int64_t RemoteClient::waiting() {
  catch_up();
  const std::int64_t parts = parts_ + (since_.empty() ? 0 : static_cast<std::int64_t>(since_.size()) - 1);
  return parts / dynamic_batch_ + queue_.waiting(engine_.now());  // the last part is not made yet
}

void RemoteClient::call_at_arrival(void (*call)(void* context), void* context) {
  call_ = call;
  context_ = context;
  link_.wait(stream_);
}

cpu::Flag& RemoteClient::arrival() {
  arrived_.reset();
  link_.wait(stream_);
  return arrived_;
}

}  // namespace jostle::process
