#include "models/process/remote_client.hpp"

namespace jostle::process {
namespace {

ArrivalTimes parts_of(Arrivals arrivals, sim::RandomStream random) {
  arrivals.dynamic_batch = 1;
  return {arrivals, random};
}

}  // namespace

RemoteClient::RemoteClient(sim::Engine& engine, link::Link& link, double bytes, std::uint32_t source,
                           const Arrivals& arrivals, sim::RandomStream random, RequestQueue& queue,
                           const Listener& listener)
    : engine_(engine),
      link_(link),
      times_(parts_of(arrivals, random)),
      dynamic_batch_(arrivals.dynamic_batch),
      queue_(queue),
      listener_(listener),
      stream_(link.open(
          bytes / static_cast<double>(dynamic_batch_), source,
          {.captured = [](void* self) { static_cast<RemoteClient*>(self)->captured(); },
           .delivered = [](void* self, sim::Time made) { static_cast<RemoteClient*>(self)->delivered(made); },
           .wake = [](void* self) { static_cast<RemoteClient*>(self)->wake(); },
           .under_way =
               [](void* self, bool any) {
                 const Listener& told = static_cast<RemoteClient*>(self)->listener_;
                 if (told.under_way != nullptr) told.under_way(told.context, any);
               },
           .context = this})) {
  ask_next();
}

void RemoteClient::ask_next() {
  if (times_.next() == sim::Time::never()) return;
  since_.push_back(times_.since());
  ask(times_.next());
}

void RemoteClient::captured() {
  if (times_.next() == sim::Time::never()) return;
  times_.advance();
  ask_next();
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

// A part alone wakes nobody.
void RemoteClient::wake() {
  if (queue_.next() == sim::Time::never())
    link_.wait(stream_);
  else
    arrived_.set();
}

cpu::Flag& RemoteClient::arrival() {
  arrived_.reset();
  link_.wait(stream_);
  return arrived_;
}

}  // namespace jostle::process
