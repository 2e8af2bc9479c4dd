#include "models/process/time_account.hpp"

#include <algorithm>

namespace jostle::process {

// Time in which kernels of any of its streams executed, as far as it is not attributed yet and `elapsed` has
// room for it. A phase of the host may be reported after its end: kernels that ran since then belong to the
// next phase.
sim::Duration TimeAccount::ran(sim::Duration elapsed) {
  if (!may_have_run_) return {};
  const Context& any = contexts_.front();
  const sim::Duration all = any.gpu->process_running_time(any.id) - running_, ran = std::min(all, elapsed);
  running_ += ran;
  may_have_run_ = owns_ || all > ran;
  return ran;
}

void TimeAccount::set_context(std::size_t context, gpu::ContextState state) {
  settle();
  contexts_[context].state = state;
  const auto any_is = [this](gpu::ContextState wanted) {
    return std::ranges::any_of(contexts_, [wanted](const Context& each) { return each.state == wanted; });
  };
  owns_ = any_is(gpu::ContextState::owner);
  may_have_run_ = true;
  wait_ = owns_                                     ? GpuWait::none
          : any_is(gpu::ContextState::switching_in) ? GpuWait::switching
          : any_is(gpu::ContextState::waiting)      ? GpuWait::turn
                                                    : GpuWait::none;
  watch();
  if (next_ != nullptr) next_->set_context(context, state);
}

void TimeAccount::set_outstanding(std::size_t context, bool work) {
  change();
  contexts_[context].outstanding = work;
  outstanding_ = std::ranges::any_of(contexts_, &Context::outstanding);
  if (next_ != nullptr) next_->set_outstanding(context, work);
}

void TimeAccount::set_dla(std::size_t context, dla::TaskState state) {
  change();
  contexts_[context].dla = state;
  const auto any_is = [this](dla::TaskState wanted) {
    return std::ranges::any_of(contexts_, [wanted](const Context& each) { return each.dla == wanted; });
  };
  dla_ = any_is(dla::TaskState::running)   ? dla::TaskState::running
         : any_is(dla::TaskState::waiting) ? dla::TaskState::waiting
                                           : dla::TaskState::finished;
  if (next_ != nullptr) next_->set_dla(context, state);
}

void TimeAccount::attribute(sim::Time until) {
  const sim::Duration elapsed = until - since_;
  const sim::Duration ran = this->ran(elapsed);
  since_ = until;
  add(Share::gpu_running, ran);
  if (const sim::Duration rest = elapsed - ran; rest != sim::Duration::zero()) {
    const Share why = cause();
    if (why == Share::launching && phase_ == Phase::enqueuing) {
      const sim::Duration waited = lock_wait_in(rest);
      const sim::Duration inside = sim::work_in(rest - waited, api_share_);
      add(Share::launch_wait, waited);
      add(Share::launching, inside);
      add(Share::cpu_compute, rest - waited - inside);
    } else {
      add(why, rest);
    }
  }
  if (phase_ != Phase::enqueuing) return;
  if (thread_ == cpu::State::on_core) {
    const sim::Duration waited = lock_wait_in(elapsed);
    const sim::Duration inside = sim::work_in(elapsed - waited, api_share_);
    enqueue_.blocking += waited;
    enqueue_.launch += inside;
    enqueue_.compute += elapsed - waited - inside;
  } else if (thread_ == cpu::State::refilling) {
    enqueue_.compute += elapsed;
  } else if (thread_ == cpu::State::sleeping) {
    enqueue_.blocking += elapsed;
  } else {
    enqueue_.reschedule += elapsed;
  }
}

// The first cause that is true. The execution of its own kernels is handled separately.
Share TimeAccount::cause() const {
  if (wait_ == GpuWait::switching) return Share::gpu_switch;
  if (wait_ == GpuWait::turn) return Share::gpu_slice_wait;
  if (dla_ == dla::TaskState::running) return Share::dla_running;
  if (dla_ == dla::TaskState::waiting) return Share::dla_wait;
  if (engine_state_ == media::JobState::running) return Share::engine_running;
  if (engine_state_ == media::JobState::waiting) return Share::engine_wait;
  if (copying_ > 0) return Share::copying;
  if (link_) return Share::link;
  if (thread_ == cpu::State::refilling) return Share::cache_refill;
  const bool off_core = thread_ == cpu::State::runnable || thread_ == cpu::State::switching;
  switch (phase_) {
    case Phase::enqueuing:
      return off_core ? Share::waiting_for_core : Share::launching;
    case Phase::synchronising:
      if (outstanding_) return Share::launching;
      return off_core ? Share::waiting_for_core : Share::sync_wakeup;
    case Phase::computing:
      if (spins_at_barrier()) return Share::barrier_spin;
      if (thread_ == cpu::State::on_core || helped_) return Share::cpu_compute;
      return Share::waiting_for_core;
    case Phase::idle:
      break;
  }
  if (off_core) return Share::waiting_for_core;
  if (thread_ == cpu::State::on_core) return Share::cpu_compute;
  // While this thread has nothing to do, those of the stages may work, or wait.
  for (const Share share : {Share::engine_running, Share::cpu_compute, Share::cache_refill,
                            Share::engine_wait, Share::waiting_for_core})
    if (stage_threads_[index_of(share)] > 0) return share;
  return Share::idle;
}

// Nobody computes, for want of a core, and those that have one spin.
bool TimeAccount::spins_at_barrier() const {
  if (team_ == nullptr || team_->computes) return false;
  const bool on_core = thread_ == cpu::State::on_core;
  const bool lacks = team_->lacks || (!team_->met && !on_core);
  return lacks && (team_->spins || (on_core && team_->met));
}

void TimeAccount::clear() {
  settle();
  spent_ = {};
  enqueue_ = {};
  begun_ = since_;
}

sim::Duration TimeAccount::elapsed() const {
  sim::Duration sum;
  for (const sim::Duration time : spent_) sum += time;
  sim::contract(sum == since_ - begun_, "the shares of a process's time sum to the time that has passed");
  return sum;
}

}  // namespace jostle::process
