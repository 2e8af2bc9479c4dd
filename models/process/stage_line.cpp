#include "models/process/stage_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/process/host_thread.hpp"

namespace jostle::process {

using sim::Duration;
using sim::Time;

namespace {

Share share_of(media::JobState job, cpu::State state) {
  if (job != media::JobState::finished)
    return job == media::JobState::running ? Share::engine_running : Share::engine_wait;
  switch (state) {
    case cpu::State::on_core:
      return Share::cpu_compute;
    case cpu::State::refilling:
      return Share::cache_refill;
    case cpu::State::sleeping:
      return Share::idle;
    case cpu::State::switching:
    case cpu::State::runnable:
      break;
  }
  return Share::waiting_for_core;
}

}  // namespace

StageLine::StageLine(const BoardParts& board, const Spec& spec, const Costs& costs, Accounting& accounting,
                     bool after)
    : board_(board),
      spec_(spec),
      costs_(costs),
      accounting_(accounting),
      stages_(after ? spec.after : spec.before),
      first_(after ? spec.before.size() : 0) {}

void StageLine::open(const Identity& identity, const End& end) {
  end_ = end;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Station& station = stations_.emplace_back();
    for (int j = 0; j < stages_[i].threads; ++j) {
      const std::string purpose = fmt::format("stage {} thread {}", first_ + i, j);
      Worker& worker = station.workers.emplace_back(i, identity.random(purpose), costs_.runtime.variation);
      worker.line = this;
      cpu::ThreadSpec thread = thread_spec(spec_, costs_);
      thread.cached_bytes = 0;
      thread.name = fmt::format("{} {} {}", spec_.name, stages_[i].name, j);
      thread.listener = {.changed =
                             [](void* self, cpu::State state, Time, Duration, double) {
                               Worker& worker = *static_cast<Worker*>(self);
                               worker.state = state;
                               worker.line->changed(worker);
                             },
                         .context = &worker};
      worker.thread = board_.cpu.create_thread(thread);
      if (sim::TraceSink* const trace = board_.engine.trace())
        worker.track = trace->track(identity.named(thread.name));
      board_.engine.spawn(work(worker), thread.name, sim::Role::daemon);
    }
  }
}

void StageLine::changed(Worker& worker) {
  const Share share = share_of(worker.job, worker.state);
  if (share != worker.share) accounting_.time().change_stage(std::exchange(worker.share, share), share);
}

void StageLine::put(std::size_t station, Passing passing) {
  if (station == stations_.size()) {
    --inside_;
    return end_.reached(end_.context, passing);
  }
  Station& at = stations_[station];
  at.waiting.push_back(std::move(passing));
  const auto idle = std::ranges::find(at.workers, true, &Worker::idle);
  if (idle == at.workers.end()) return;
  idle->idle = false;
  idle->go.set();
}

sim::Process StageLine::work(Worker& worker) {
  Station& station = stations_[worker.station];
  const HostStage& stage = stages_[worker.station];
  for (;;) {
    while (station.waiting.empty()) {
      worker.go.reset();
      worker.idle = true;
      co_await board_.cpu.block(worker.thread, worker.go, costs_.sync.wake_latency);
    }
    worker.idle = false;
    Passing passing = std::move(station.waiting.front());
    station.waiting.pop_front();
    const Time begun = board_.engine.now();
    const double part = static_cast<double>(passing.images) / static_cast<double>(spec_.batch);
    const Duration time = sim::work_in(stage.work, part);
    if (stage.engine)
      co_await on_engine(worker, *stage.engine, time);
    else
      co_await board_.cpu.run(worker.thread, sim::work_in(time, worker.factors.next()));
    const Duration passed = board_.engine.now() - begun;
    accounting_.in_stage(first_ + worker.station, passed);
    if (sim::TraceSink* const trace = board_.engine.trace())
      trace->slice(worker.track, begun, passed, stage.name);
    put(worker.station + 1, std::move(passing));
  }
}

// The thread sleeps in the call that hands the pictures over, until the engine's interrupt.
sim::Task<> StageLine::on_engine(Worker& worker, media::Kind kind, Duration time) {
  const auto engine = std::ranges::find(board_.engines, kind, &media::Engine::kind);
  worker.engine_done.reset();
  engine->submit(time, {.changed =
                            [](void* self, media::JobState state) {
                              Worker& worker = *static_cast<Worker*>(self);
                              worker.job = state;
                              worker.line->changed(worker);
                              if (state == media::JobState::finished) worker.engine_done.set();
                            },
                        .context = &worker});
  co_await wait_for(board_.cpu, worker.thread, worker.engine_done, Sync::blocking, costs_.sync);
}

cpu::ThreadStatistics StageLine::statistics() const {
  cpu::ThreadStatistics sum;
  for (const Station& station : stations_) {
    for (const Worker& worker : station.workers) {
      const cpu::ThreadStatistics one = board_.cpu.statistics(worker.thread);
      sum.throttled = std::max(sum.throttled, one.throttled);
      sum.migrations += one.migrations;
      sum.involuntary_switches += one.involuntary_switches;
    }
  }
  return sum;
}

}  // namespace jostle::process
