#include "models/process/host_thread.hpp"

namespace jostle::process {

using sim::Duration;
using sim::Time;

cpu::ThreadSpec thread_spec(const Spec& spec, const Costs& costs) {
  return {.name = spec.name,
          .cpus = spec.cpus,
          .nice = spec.nice,
          .fifo = spec.fifo,
          .container = spec.container,
          .working_set_bytes = costs.runtime.working_set_bytes,
          .return_loss = costs.runtime.return_loss,
          .cached_bytes = spec.host.cached_bytes};
}

HostThread::HostThread(const BoardParts& board, const Spec& spec, const Costs& costs,
                       const sim::RandomStream& random, TimeAccount& account)
    : cpu_(board.cpu),
      traffic_(board.traffic),
      costs_(costs),
      sync_(spec.sync),
      variation_(random, costs.runtime.variation),
      account_(account) {
  cpu::ThreadSpec thread = thread_spec(spec, costs);
  thread.listener = {.changed =
                         [](void* self, cpu::State state, Time now, Duration done, double rate) {
                           static_cast<HostThread*>(self)->changed(state, {now, done, rate});
                         },
                     .context = this};
  thread_ = cpu_.create_thread(thread);
  account_.follow(cpu_, thread_, !spec.launches_at_once() || costs.runtime.memory_bytes_per_s > 0);
}

void HostThread::set_phase(Phase phase) {
  phase_ = phase;
  note_traffic();
  account_.set_phase(phase);
}

void HostThread::changed(cpu::State state, const gpu::HostProgress& progress) {
  account_.set_thread(state, progress.since);
  on_core_ = state == cpu::State::on_core || state == cpu::State::refilling;
  note_traffic();
  listener_.progressed(listener_.context, progress);
}

// Waiting reads a register or a cache; only enqueuing and computing move data.
void HostThread::note_traffic() {
  const double bytes = !on_core_                    ? 0
                       : phase_ == Phase::enqueuing ? costs_.runtime.memory_bytes_per_s
                       : phase_ == Phase::computing ? computing_bytes_per_s_
                                                    : 0;
  if (!traffic_ || bytes == demanded_) return;
  if (demanded_ > 0) traffic_->core_demands(-demanded_, demanded_by_);
  demanded_by_ = phase_ == Phase::computing ? team_ : memory::TeamId{};
  if (bytes > 0) traffic_->core_demands(bytes, demanded_by_);
  demanded_ = bytes;
}

}  // namespace jostle::process
