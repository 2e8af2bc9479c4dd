#include "models/gpu/turns.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

Turns::Turns(sim::Engine& engine, const Spec& spec, std::uint64_t seed, bool shown)
    : engine_(engine), spec_(spec), random_(seed, "gpu slices"), trace_(shown ? engine.trace() : nullptr) {
  if (spec.time_slicing.slice <= Duration::zero())
    throw std::invalid_argument("the time slice must be positive");
  if (trace_ == nullptr) return;
  track_ = trace_->track("GPU: process");
  waiting_counter_ = trace_->counter("GPU: processes waiting", "processes");
  trace_->count(waiting_counter_, engine.now(), 0);
}

// Streams of one process are named after it: "resnet50 0, stream 1".
void Turns::add(const ContextSpec& first) {
  sim::contract(!first.slice || *first.slice > Duration::zero(), "the turns of a process take time");
  processes_.push_back({.name = first.group ? first.name.substr(0, first.name.rfind(", ")) : first.name,
                        .slice = first.slice});
  rotation_.add(first.interleave);
}

Duration Turns::switching() const {
  return mode_ == Mode::switching ? switching_ + (engine_.now() - switch_began_) : switching_;
}

void Turns::wait(std::size_t process, bool waits) {
  if (std::exchange(processes_[process].waits, waits) == waits) return;
  sim::contract(mode_ != Mode::idle && owner_ != process, "a process waits only while another has the GPU");
  // An owner without competitors renews its slice.
  if (const Time now = engine_.now(); !contended() && runs() && ends_ <= now)
    ends_ += slice() * ((now - ends_) / slice() + 1);
  count_waiting(waits ? 1 : -1);
}

void Turns::count_waiting(int more) {
  waiting_ += more;
  sim::contract(waiting_ >= 0 && static_cast<std::size_t>(waiting_) < processes_.size(),
                "fewer processes wait than there are, since one has the GPU");
  if (trace_ != nullptr) trace_->count(waiting_counter_, engine_.now(), waiting_);
}

bool Turns::wake_up(std::size_t process) {
  sim::contract(mode_ == Mode::idle && !contended(), "nobody waits for a GPU that is idle");
  if (!owner_ || owner_ == process) {
    owner_ = process;
    return true;
  }
  switch_to(process, std::max(spec_.time_slicing.switch_when_idle, wake()));
  return false;
}

void Turns::switch_to(std::size_t next, Duration cost) {
  owner_ = next;
  mode_ = Mode::switching;
  switch_began_ = engine_.now();
  mode_ends_ = switch_began_ + cost;
  ++switches_;
}

void Turns::begin(Duration refill) {
  sim::contract(owner_ && (mode_ == Mode::switching || mode_ == Mode::idle),
                "a turn begins on a GPU that was idle, or after the switch to its process");
  began_ = engine_.now();
  if (mode_ == Mode::switching) {
    switching_ += began_ - switch_began_;
    if (trace_ != nullptr) trace_->slice(track_, switch_began_, began_ - switch_began_, "switch");
  }
  drains_from_ = Time::never();
  ends_ = began_ + slice();
  if (const Duration jitter = spec_.time_slicing.slice_jitter; jitter > Duration::zero())
    ends_ += sim::work_in(jitter, 2 * random_.uniform() - 1);
  const bool refills = refill > Duration::zero();
  mode_ = refills ? Mode::refilling : Mode::running;
  mode_ends_ = refills ? began_ + refill : Time::never();
  if (trace_ != nullptr) trace_->begin(track_, began_, processes_[*owner_].name);
}

void Turns::resume() {
  sim::contract(has_gpu(), "only the process that has the GPU goes on");
  mode_ = Mode::running;
  mode_ends_ = Time::never();
}

void Turns::check_turn() const {
  sim::contract(owner_ && runs() && began_ <= engine_.now(),
                "a turn that ends had begun, and belongs to the process that holds the GPU");
}

void Turns::rest() {
  check_turn();
  sim::contract(!contended(), "the GPU does not rest while a process waits for it");
  if (trace_ != nullptr) trace_->end(track_, engine_.now());
  mode_ = Mode::idle;
  mode_ends_ = Time::never();
  idle_since_ = engine_.now();
}

bool Turns::hold() {
  sim::contract(runs() && contended(), "the GPU is held only from processes that wait for it");
  mode_ends_ = std::min(engine_.now() + spec_.time_slicing.hold_when_idle, ends_);
  if (mode_ends_ <= engine_.now()) return false;
  mode_ = Mode::holding;
  return true;
}

void Turns::leave(Duration cost) {
  check_turn();
  const auto next = rotation_.next(*owner_, [this](std::size_t process) { return waits(process); });
  sim::contract(next.has_value(), "the GPU is given to a process that waits for it");
  if (trace_ != nullptr) trace_->end(track_, engine_.now());
  processes_[*next].waits = false;
  count_waiting(-1);
  switch_to(*next, cost);
}

void Turns::drain(Duration known) {
  sim::contract(!draining() && known >= Duration::zero(), "a slice expires once, and what runs goes on then");
  drains_from_ = ends_;
  ends_ += known;
}

void Turns::undo_drain() {
  if (draining() && drains_from_ >= engine_.now()) ends_ = std::exchange(drains_from_, Time::never());
}

}  // namespace jostle::gpu
