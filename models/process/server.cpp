#include "models/process/server.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::process {

using sim::Time;

namespace {

constexpr std::uint64_t ahead = 2;  // batches under way on a stream in a closed loop: one runs, one waits

// Number of requests that an image makes.
std::int64_t draw(const FanOut& fan_out, sim::RandomStream& random) {
  if (fan_out.kind == FanOutKind::fixed) return static_cast<std::int64_t>(fan_out.mean);
  // Poisson: the number of arrivals in an interval of length `mean` at rate 1.
  std::int64_t count = 0;
  for (double at = random.exponential(1); at <= fan_out.mean; at += random.exponential(1)) ++count;
  return count;
}

Spec lane_of(const Spec& part, const std::string& name, std::optional<std::uint32_t> group) {
  Spec lane = part;
  lane.name = name;
  lane.instances.clear();
  lane.gpu_group = group;
  return lane;
}

// The name on timelines: "server, 2 classifier", "resnet50 0, stream 1"; for the only stream the name of its
// process.
std::string name_of_lane(const Spec& process, const Spec& part, std::size_t index) {
  if (!serves_instances(process)) return process.name;
  if (process.instances.empty()) return fmt::format("{}, stream {}", process.name, index);
  return fmt::format("{}, {} {}", process.name, index, part.name);
}

}  // namespace

Server::Server(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
               Accounting& accounting)
    : board_(board), engine_(board.engine), spec_(spec), host_(host), accounting_(accounting) {
  const bool several = serves_instances(spec);
  for (const Spec& part : parts_of(spec)) {
    const Costs& own = spec.instances.empty() ? costs : costs.instances[parts_.size()];
    for (std::int64_t i = 0; i < part.streams; ++i) {
      const std::string name = name_of_lane(spec, part, lanes_.size());
      Lane& lane = lanes_.emplace_back(board, lane_of(part, name, spec.gpu_group), own, host, accounting);
      lane.part_ = parts_.size();
      lane.served_ = &accounting.served();
      lane.steps_.stream().also_set(woken_);
      if (!several) continue;
      lane.served_ = &lane.own_.emplace(engine_, part.arrivals, sim::Duration::zero());
      lane.steps_.record_for(*lane.own_);
    }
    parts_.emplace_back().spec = &part;
  }
}

void Server::open(const Identity& identity) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    // The first is named as in a process alone.
    const std::string of = i == 0 ? "" : fmt::format("instance {} ", i);
    if (board_.link)
      part.remote.emplace(board_, *part.spec, identity, accounting_.time());
    else if (part.spec->arrivals.kind != ArrivalKind::closed_loop)
      part.own.emplace(part.spec->arrivals, identity.random(of + "arrivals"));
    if (part.spec->arrivals.kind == ArrivalKind::cascade) part.fan_out = identity.random(of + "fan-out");
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!lane.spec_.generation) continue;
    Part& part = parts_[lane.part()];
    lane.generator_.emplace(*lane.spec_.generation, part.requests(),
                            identity.random(fmt::format("lengths {}", i)),
                            part.remote ? part.remote->answer_time() : sim::Duration::zero());
    if (!part.remote || !lane.closed()) continue;
    for (std::int64_t user = 0; user < lane.spec_.generation->spec.users; ++user) part.remote->ask();
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].own_) lanes_[i].own_->open_track(identity.named(lanes_[i].spec().name));
}

void Server::end_warmup() {
  for (Part& part : parts_)
    if (RequestQueue* const requests = part.requests()) requests->end_warmup();
  for (Lane& lane : lanes_) {
    if (lane.own_) lane.own_->end_warmup();
    if (lane.generator_) lane.generator_->end_warmup();
    lane.context().end_warmup();
  }
}

void Server::deliver(std::size_t part, Time made) {
  const std::int64_t count = draw(parts_[part].spec->arrivals.fan_out, *parts_[part].fan_out);
  for (std::int64_t i = 0; i < count; ++i) parts_[part].own->deliver(made, engine_.now());
  if (count > 0) timer_due();
}

void Server::feed(std::size_t part, const Feed& feed) {
  for (Lane& lane : lanes_)
    if (lane.part() == part) lane.steps_.feed(feed);
}

void Server::hand_on_to(StageLine& line) {
  for (Lane& lane : lanes_) lane.steps_.hand_on_to(line);
}

void Server::serving(bool full) {
  for (Lane& lane : lanes_) lane.steps_.serving(full);
}

std::int64_t Server::drops(std::size_t part) const {
  const Part& of = parts_[part];
  return of.remote ? of.remote->drops() : of.own ? of.own->drops() : 0;
}
std::int64_t Server::delivered(std::size_t part) const {
  return parts_[part].own ? parts_[part].own->delivered() : 0;
}
std::int64_t Server::waiting(std::size_t part) {
  Part& of = parts_[part];
  return of.remote ? of.remote->waiting() : of.own ? of.own->waiting(engine_.now()) : 0;
}

bool Server::may_have_requests(std::size_t part) {
  Part& of = parts_[part];
  return of.remote ? of.remote->waiting() > 0 : of.own && of.own->may_have(engine_.now());
}

RemoteClient* Server::remote_of(const Lane& lane) {
  std::optional<RemoteClient>& remote = parts_[lane.part()].remote;
  return remote ? &*remote : nullptr;
}

// True if the lane may get one more batch, once there is one.
bool Server::takes_more(const Lane& lane) const {
  const std::uint64_t most = lane.closed() && !lane.generator_ && !lane.has_stages() ? ahead : 1;
  return lane.enqueued_ < max_batches(spec_) && lane.in_flight() < most;
}

// True if the lane gets a batch now.
bool Server::ready(Lane& lane) {
  if (!takes_more(lane)) return false;
  if (RemoteClient* const remote = remote_of(lane)) remote->catch_up();
  if (lane.generator_) return lane.generator_->ready(engine_.now());
  if (lane.closed()) return true;
  RequestQueue& requests = *parts_[lane.part()].requests();
  if (lane.spec().arrivals.max_delay) return requests.batch_goes(engine_.now(), lane.spec().batch);
  return requests.may_have(engine_.now());
}

// The first, in the order `before`, of the lanes for which `is` is true; null if there is none.
template <class Before, class Is>
Server::Lane* next_of(std::deque<Server::Lane>& lanes, const Before& before, const Is& is) {
  Server::Lane* next = nullptr;
  for (Server::Lane& lane : lanes)
    if (is(lane) && (next == nullptr || before(lane, *next))) next = &lane;
  return next;
}

Server::Lane* Server::to_enqueue() {
  const auto before = [](const Lane& a, const Lane& b) {
    if (a.spec().priority != b.spec().priority) return a.spec().priority > b.spec().priority;
    if (a.in_flight() != b.in_flight()) return a.in_flight() < b.in_flight();
    return a.turn_ < b.turn_;
  };
  return next_of(lanes_, before, [this](Lane& lane) { return ready(lane); });
}

Server::Lane* Server::to_record() {
  const auto before = [](const Lane& a, const Lane& b) {
    if (a.spec().priority != b.spec().priority) return a.spec().priority > b.spec().priority;
    return a.turn_ < b.turn_;
  };
  return next_of(lanes_, before, [](Lane& lane) { return lane.done(); });
}

bool Server::any_in_flight() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.in_flight() > 0; });
}

bool Server::any_to_come() const {
  return std::ranges::any_of(lanes_, [this](const Lane& lane) {
    if (!takes_more(lane)) return false;
    const Part& part = parts_[lane.part()];
    if (part.remote) return part.remote->expected();
    return part.spec->arrivals.kind == ArrivalKind::cascade || part.own->ask_again() != Time::never();
  });
}

// Chooses the smallest batch with kernels that holds the requests just taken.
void Server::size_batch(Lane& lane) {
  const Spec& spec = lane.spec();
  if (!spec.smaller) return;
  const auto images = static_cast<std::int64_t>(lane.made_.size());
  const auto found = std::ranges::lower_bound(*spec.smaller, images, {}, &SizedBatch::images);
  const bool full = found == spec.smaller->end();
  const std::int64_t held = full ? spec.batch : found->images;
  lane.steps_.stream().size_next(full ? spec.kernels : found->kernels,
                                 static_cast<double>(held) / static_cast<double>(spec.batch));
}

sim::Task<> Server::enqueue(Lane& lane) {
  lane.turn_ = ++turns_;
  Time made = engine_.now();
  bool full = true;
  if (lane.generator_) {
    const gpu::KernelSequence* const step = lane.generator_->begin(engine_.now());
    if (step == nullptr) co_return;  // the request was dropped
    lane.steps_.stream().size_next(*step, 1);
    full = lane.generator_->full();
  } else if (lane.spec().arrivals.max_delay) {
    lane.made_ = parts_[lane.part()].requests()->take_batch(lane.spec().batch);
    made = lane.made_.front();
    full = static_cast<std::int64_t>(lane.made_.size()) == lane.spec().batch;
    size_batch(lane);
  } else if (!lane.closed()) {
    const std::optional<Time> request = parts_[lane.part()].requests()->take(engine_.now());
    if (!request) co_return;  // the request was dropped
    lane.made_.assign(1, made = *request);
  }
  if (!lane.closed() && spec_.overlap == 0) lane.steps_.serving(full);
  if (!lane.spec().before.empty()) co_await lane.steps_.before(lane.images());
  co_await lane.steps_.enqueue(lane.enqueued_, made);
  ++lane.enqueued_;
}

sim::Task<> Server::record(Lane& lane) {
  const std::uint64_t batch = lane.seen_;
  lane.turn_ = ++turns_;
  if (!lane.spec().after.empty()) co_await lane.steps_.after(lane.images());
  ++lane.seen_;
  if (lane.generator_) {
    host_.set_phase(Phase::idle);
    const std::span<const Time> complete = lane.generator_->finish(engine_.now());
    if (!complete.empty()) lane.steps_.record(complete, static_cast<std::int64_t>(complete.size()));
    if (RemoteClient* const remote = remote_of(lane))
      for (std::size_t i = 0; i < complete.size(); ++i) remote->answer();
  } else if (lane.closed())
    lane.steps_.record(batch);
  else if (lane.spec().arrivals.max_delay)
    lane.steps_.record(lane.made_, static_cast<std::int64_t>(lane.made_.size()));
  else
    lane.steps_.record(lane.made_, lane.spec().batch);
}

// Waits until a batch is done, or until there is a request that a free lane can serve.
sim::Task<> Server::wait() {
  if (to_record() == nullptr) {
    woken_.reset();
    set_timer();
  }
  if (any_in_flight()) {
    const Time entered = engine_.now();
    host_.set_phase(Phase::synchronising);
    co_await host_.wait_for_any(woken_, lanes_.size());
    accounting_.synchronised(entered);
  } else {
    host_.set_phase(Phase::idle);
    co_await host_.sleep_until(woken_);
  }
}

void Server::set_timer() {
  engine_.cancel(timer_);
  Time at = Time::never();
  for (Lane& lane : lanes_) {
    if (!takes_more(lane)) continue;
    if (RemoteClient* const remote = remote_of(lane))
      remote->call_at_arrival([](void* self) { static_cast<Server*>(self)->timer_due(); }, this);
    else if (!lane.closed())
      at = std::min(at, parts_[lane.part()].own->ask_again());
  }
  if (at != Time::never())
    timer_ = engine_.schedule(std::max(at, engine_.now()), sim::action<&Server::timer_due>(*this));
}

// Wakes the host if there is something to serve; otherwise sets the timer again.
void Server::timer_due() {
  if (woken_.is_set()) return;
  if (to_enqueue() != nullptr)
    woken_.set();
  else
    set_timer();
}

sim::Task<LoopEnd> Server::run() {
  for (;;) {
    Lane* const next = to_enqueue();
    Lane* const done = to_record();
    const bool overtaken =
        next != nullptr && done != nullptr && done->spec().priority > next->spec().priority;
    if (next != nullptr && !overtaken) {
      co_await enqueue(*next);
      continue;
    }
    if (!any_in_flight() && !any_to_come()) break;
    co_await wait();
    if (Lane* const finished = to_record()) co_await record(*finished);
  }
  const bool all =
      std::ranges::all_of(lanes_, [this](const Lane& lane) { return lane.enqueued_ == max_batches(spec_); });
  co_return all ? LoopEnd::all_batches_done : LoopEnd::no_more_requests;
}

}  // namespace jostle::process
