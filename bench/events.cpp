// The cost of an event in jostle, beside std::priority_queue in the same program.
#include <cstdint>
#include <queue>
#include <vector>

#include "bench/google.hpp"
#include "sim/engine.hpp"

namespace {

namespace sim = jostle::sim;
using sim::Duration;
using sim::Engine;
using sim::EventId;
using sim::Time;

// n coroutine processes, each in a loop of delays: the cost includes the resumption.
class JostleHold {
 public:
  explicit JostleHold(std::size_t n) : increments_(bench::increments()) {
    for (std::size_t i = 0; i < n; ++i) engine_.spawn(timer(), "timer");
  }
  void advance(std::int64_t ticks) { (void)engine_.run(engine_.now() + Duration{ticks}); }
  [[nodiscard]] std::uint64_t events() const { return engine_.steps(); }

 private:
  sim::Process timer() {
    for (;;) co_await engine_.delay(Duration{increments_.next()});
  }

  Engine engine_;
  bench::Drawn<std::int64_t> increments_;
};

// n actions that set themselves again; each also cancels another and sets it anew.
class JostleCancel {
 public:
  explicit JostleCancel(std::size_t n)
      : increments_(bench::increments()), victims_(bench::victims(n)), timers_(n) {
    for (Timer& timer : timers_) {
      timer.model = this;
      timer.set();
    }
  }
  void advance(std::int64_t ticks) { (void)engine_.run(engine_.now() + Duration{ticks}); }
  [[nodiscard]] std::uint64_t events() const { return engine_.steps(); }

 private:
  struct Timer {
    JostleCancel* model = nullptr;
    EventId event;

    void set() {
      event = model->engine_.schedule(model->engine_.now() + Duration{model->increments_.next()},
                                      sim::action<&Timer::fire>(*this));
    }
    void fire() {
      set();
      Timer& victim = model->timers_[model->victims_.next()];
      model->engine_.cancel(victim.event);
      victim.set();
    }
  };

  Engine engine_;
  bench::Drawn<std::int64_t> increments_;
  bench::Drawn<std::size_t> victims_;
  std::vector<Timer> timers_;
};

// The yardstick: (time, sequence) in a binary heap, and nothing done when one is due.
class PriorityQueueHold {
 public:
  explicit PriorityQueueHold(std::size_t n) : increments_(bench::increments()) {
    for (std::size_t i = 0; i < n; ++i) queue_.push({increments_.next(), ++sequence_});
  }
  void advance(std::int64_t ticks) {
    now_ += ticks;
    while (queue_.top().time <= now_) {
      const std::int64_t time = queue_.top().time;
      queue_.pop();
      queue_.push({time + increments_.next(), ++sequence_});
      ++events_;
    }
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  struct Entry {
    std::int64_t time;
    std::uint64_t sequence;
    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::int64_t now_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_ = 0;
  bench::Drawn<std::int64_t> increments_;
};

BENCHMARK(bench::run<JostleHold>)->Name("hold/jostle")->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(bench::run<PriorityQueueHold>)->Name("hold/std")->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(bench::run<JostleCancel>)->Name("cancel/jostle")->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
