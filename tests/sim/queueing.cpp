// Queues with known answers: M/M/1, M/D/1 and Little's law, out of nothing but the engine's parts.
#include <gtest/gtest.h>

#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/resource.hpp"
#include "sim/statistics.hpp"
#include "tests/sim/time_weighted.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

struct Queue {
  Engine engine;
  Resource server{engine, "server", 1};
  RandomStream arrivals{11, "arrivals"};
  RandomStream services{11, "services"};
  bool random_service;
  BatchMeans wait;     // seconds before service
  BatchMeans sojourn;  // seconds in the system
  TimeWeighted in_system;
  int served = 0;

  explicit Queue(bool random) : random_service(random) {}

  static constexpr double load = 0.7;
  static constexpr double service_s = 1e-3;

  Process customer() {
    const Time arrived = engine.now();
    in_system.add(engine.now(), 1);
    {
      const auto lease = co_await server.acquire();
      wait.add(to_seconds(engine.now() - arrived));
      co_await engine.delay(seconds(random_service ? services.exponential(service_s) : service_s));
    }
    in_system.add(engine.now(), -1);
    sojourn.add(to_seconds(engine.now() - arrived));
    ++served;
  }
  Process source() {
    for (;;) {
      co_await engine.delay(seconds(arrivals.exponential(service_s / load)));
      engine.spawn(customer(), "customer");
    }
  }
  void run() {
    engine.spawn(source(), "source");
    EXPECT_EQ(engine.run(Time::zero() + seconds(600)), RunEnd::time_reached);
  }
  void expect_wait(double truth) const {
    const Interval interval = wait.ci95().value();
    // The interval says how well the run knows it; one and a half half-widths miss one seed in 300.
    const double half = (interval.high - interval.low) / 2;
    EXPECT_LT(half, 0.1 * truth);
    EXPECT_NEAR(wait.mean().value(), truth, 1.5 * half);
  }
  void expect_little() const {
    const double rate = served / to_seconds(engine.now() - Time::zero());
    EXPECT_NEAR(in_system.mean(engine.now()).value(), rate * sojourn.mean().value(), 1e-3);
  }
};

TEST(Queueing, mean_wait_of_m_m_1_is_as_known) {
  Queue queue(true);
  queue.run();
  queue.expect_wait(Queue::load * Queue::service_s / (1 - Queue::load));
  queue.expect_little();
}

TEST(Queueing, mean_wait_of_m_d_1_is_half_of_it) {
  Queue queue(false);
  queue.run();
  queue.expect_wait(0.5 * Queue::load * Queue::service_s / (1 - Queue::load));
  queue.expect_little();
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
