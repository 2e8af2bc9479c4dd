#include "models/dla/dla.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jostle::dla {

using sim::Duration;

Dla::Dla(sim::Engine& engine, std::string name, const Spec& spec)
    : engine_(engine), name_(std::move(name)), submit_(spec.submit) {
  if (sim::TraceSink* trace = engine_.trace()) track_ = trace->track(name_);
}

void Dla::submit(const Task& task, const TaskListener& listener) {
  on_their_way_.push_back({&task, listener});
  notify(on_their_way_.back(), TaskState::submitted);
  // Every task takes the same submission time, so tasks arrive in the order of submission.
  engine_.schedule(engine_.now() + submit_, sim::action<&Dla::arrived>(*this));
}

void Dla::arrived() {
  queue_.push_back(on_their_way_.front());
  on_their_way_.pop_front();
  if (running_) {
    notify(queue_.back(), TaskState::waiting);
  } else {
    start();
  }
}

void Dla::start() {
  const Task& task = *queue_.front().task;
  running_ = true;
  left_ = task.duration;
  rate_ = rate_of(task);
  accrued_until_ = engine_.now();
  end_ = engine_.schedule(engine_.now() + sim::time_for(left_, rate_), sim::action<&Dla::done>(*this));
  if (sim::TraceSink* trace = engine_.trace()) trace->begin(track_, engine_.now(), "subgraph");
  notify(queue_.front(), TaskState::running);
  ask_for_memory();
}

void Dla::done() {
  accrue();
  const Entry finished = queue_.front();
  queue_.pop_front();
  running_ = false;
  bytes_ += finished.task->dram_bytes;
  operations_ += finished.task->operations;
  if (sim::TraceSink* trace = engine_.trace()) trace->end(track_, engine_.now());
  notify(finished, TaskState::finished);
  if (queue_.empty()) {
    ask_for_memory();
  } else {
    start();
  }
}

void Dla::accrue() {
  const Duration elapsed = engine_.now() - accrued_until_;
  busy_ += elapsed;
  left_ -= sim::work_in(elapsed, rate_);
  accrued_until_ = engine_.now();
}

double Dla::rate_of(const Task& task) const {
  const double memory = sim::to_seconds(task.memory), all = sim::to_seconds(task.duration);
  if (all <= 0) return 1;
  return all / ((all - memory) / clock_ + memory / (memory_ * memory_share_));
}

void Dla::set_memory_share(double share) {
  if (share <= 0 || share > 1)
    throw std::invalid_argument("dla: the memory share must be above 0 and at most 1");
  memory_share_ = share;
  retime();
}

void Dla::set_rates(double clock, double memory) {
  if (clock <= 0 || memory <= 0) throw std::invalid_argument("dla: rates must be positive");
  if (clock == clock_ && memory == memory_) return;
  clock_ = clock;
  memory_ = memory;
  retime();
  ask_for_memory();
}

void Dla::retime() {
  if (!running_) return;
  accrue();
  rate_ = rate_of(*queue_.front().task);
  left_ = std::max(left_, Duration::zero());
  engine_.reschedule(end_, engine_.now() + sim::time_for(left_, rate_));
}

Duration Dla::busy() const {
  return running_ ? busy_ + (engine_.now() - accrued_until_) : busy_;
}

double Dla::part_done() const {
  if (!running_) return 0;
  const Duration left = left_ - sim::work_in(engine_.now() - accrued_until_, rate_);
  return 1 - sim::to_seconds(left) / sim::to_seconds(running().duration);
}

void Dla::share_memory(memory::Arbiter& arbiter) {
  arbiter_ = &arbiter;
  client_ = arbiter.add(
      {.changed = [](void* self, double speed) { static_cast<Dla*>(self)->set_memory_share(speed); },
       .context = this});
}

void Dla::ask_for_memory() {
  if (arbiter_ == nullptr) return;
  memory::Demand demand;
  if (running_) {
    const Task& task = *queue_.front().task;
    const double by_memory = sim::to_seconds(task.memory) / memory_;
    const double seconds = sim::to_seconds(task.duration - task.memory) / clock_ + by_memory;
    if (seconds > 0) {
      demand.bytes_per_s = task.dram_bytes / seconds;
      demand.bound = by_memory / seconds;
    }
  }
  arbiter_->set_demand(client_, demand);
}

}  // namespace jostle::dla
