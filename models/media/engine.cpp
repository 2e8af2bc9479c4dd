#include "models/media/engine.hpp"

#include <string>

namespace jostle::media {

Engine::Engine(sim::Engine& engine, Kind kind) : engine_(engine), kind_(kind) {
  if (sim::TraceSink* trace = engine_.trace()) track_ = trace->track(std::string(to_string(kind)));
}

void Engine::submit(sim::Duration time, const JobListener& listener) {
  queue_.push_back({time, listener});
  if (queue_.size() == 1)
    start();
  else
    listener.changed(listener.context, JobState::waiting);
}

void Engine::start() {
  begun_ = engine_.now();
  const Job& job = queue_.front();
  engine_.schedule(begun_ + job.time, sim::action<&Engine::done>(*this));
  if (sim::TraceSink* trace = engine_.trace()) trace->begin(track_, begun_, "picture");
  job.listener.changed(job.listener.context, JobState::running);
}

void Engine::done() {
  const Job finished = queue_.front();
  queue_.pop_front();
  busy_ += finished.time;
  if (sim::TraceSink* trace = engine_.trace()) trace->end(track_, engine_.now());
  if (!queue_.empty()) start();
  finished.listener.changed(finished.listener.context, JobState::finished);
}

sim::Duration Engine::busy() const {
  return queue_.empty() ? busy_ : busy_ + (engine_.now() - begun_);
}

}  // namespace jostle::media
