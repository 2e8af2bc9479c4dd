#include "models/process/co_runner.hpp"

#include <fmt/format.h>

#include "sim/random.hpp"

namespace jostle::process {

using sim::Duration;
using sim::Time;

// NOLINTNEXTLINE(readability-function-size): the parts of the machine that it uses
CoRunner::CoRunner(sim::Engine& engine, cpu::Cpu& cpu, std::optional<memory::Traffic>& traffic,
                   const LoadSpec& spec, double thread_bytes_per_s, const Identity& identity)
    : engine_(engine), cpu_(cpu), traffic_(traffic), spec_(spec), thread_bytes_per_s_(thread_bytes_per_s) {
  if (spec_.duty <= 0) return;  // there are no threads at all
  if (traffic_ && thread_bytes_per_s_ > 0) stream_ = traffic_->add_stream();
  sim::RandomStream random = identity.random("duty");
  for (int i = 0; i < spec_.threads; ++i) {
    Worker& worker = workers_.emplace_back();
    worker.runner = this;
    const cpu::ThreadSpec thread{.name = fmt::format("{} thread {}", spec_.name, i),
                                 .cpus = spec_.cpus,
                                 .nice = spec_.nice,
                                 .fifo = spec_.fifo,
                                 .container = spec_.container,
                                 .streams = row_of(spec_.kind).moves_memory(),
                                 .listener = {.changed =
                                                  [](void* self, cpu::State state, Time, Duration, double) {
                                                    Worker& own = *static_cast<Worker*>(self);
                                                    own.runner->thread_changed(own, state);
                                                  },
                                              .context = &worker}};
    worker.thread = cpu_.create_thread(thread);
    const Time first =
        spec_.duty < 1 ? engine_.now() + sim::work_in(duty_period, random.uniform()) : engine_.now();
    engine_.spawn(work(worker, first), thread.name, sim::Role::daemon);
  }
}

// The thread wants a core from the beginning of each period until its share of the period is over.
sim::Process CoRunner::work(Worker& worker, Time first) {
  if (spec_.duty >= 1) {
    co_await cpu_.spin(worker.thread, worker.stop, Duration::zero());
    co_return;
  }
  const Duration on = sim::work_in(duty_period, spec_.duty);
  for (Time begin = first;;) {
    co_await cpu_.sleep_until(worker.thread, begin);
    // The thread may have been without a core until now, and may notice late that its time is over.
    if (begin + on > engine_.now()) {
      engine_.schedule(begin + on, sim::action<&Worker::pause>(worker));
      co_await cpu_.spin(worker.thread, worker.stop, Duration::zero());
      worker.stop.reset();
    }
    do {
      begin += duty_period;
    } while (begin <= engine_.now());
  }
}

void CoRunner::thread_changed(Worker& worker, cpu::State state) {
  const bool has_core = state == cpu::State::on_core || state == cpu::State::refilling;
  if (has_core == worker.has_core) return;
  worker.has_core = has_core;
  working_ += has_core ? 1 : -1;
  if (stream_) traffic_->set_stream(*stream_, working_ * thread_bytes_per_s_, working_);
}

double CoRunner::bytes_so_far() const {
  return stream_ ? traffic_->moved(*stream_) : 0;
}

Duration CoRunner::on_cores_so_far() const {
  Duration sum;
  for (const Worker& worker : workers_) {
    const cpu::ThreadStatistics statistics = cpu_.statistics(worker.thread);
    sum += statistics.in(cpu::State::on_core) + statistics.in(cpu::State::refilling);
  }
  return sum;
}

void CoRunner::end_warmup() {
  bytes_before_ = bytes_so_far();
  on_cores_before_ = on_cores_so_far();
}

}  // namespace jostle::process
