// The hold model on SimGrid's timers, run by its engine. SimGrid counts in seconds of type double; one engine
// a program, so ask for one size at a time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "bench/google.hpp"

namespace {

using simgrid::kernel::timer::Timer;

constexpr double seconds_per_tick = 1e-9;

class SimGridHold {
 public:
  explicit SimGridHold(std::size_t n) : increments_(bench::increments()) {
    for (std::size_t i = 0; i < n; ++i) set();
  }
  void advance(std::int64_t ticks) {
    until_ += static_cast<double>(ticks) * seconds_per_tick;
    engine().run_until(until_);
  }
  [[nodiscard]] std::uint64_t events() const { return fired_; }

 private:
  static simgrid::s4u::Engine& engine() {
    static int argc = 1;
    static char name[] = "bench_simgrid";
    static char* argv[] = {name, nullptr};
    static simgrid::s4u::Engine instance(&argc, argv);
    static auto* const zone = simgrid::s4u::create_full_zone("zone");
    static auto* const host = zone->create_host("host", 1e9);
    (void)host;
    return instance;
  }
  void set() {
    const double at = engine().get_clock() + static_cast<double>(increments_.next()) * seconds_per_tick;
    Timer::set(at, [this] {
      ++fired_;
      set();
    });
  }

  bench::Drawn<std::int64_t> increments_;
  double until_ = simgrid::s4u::Engine::get_clock();
  std::uint64_t fired_ = 0;
};

BENCHMARK(bench::run<SimGridHold>)->Name("hold/simgrid")->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::fflush(stdout);
  std::_Exit(0);  // timers are still pending: SimGrid 3.32 does not survive its own destruction then
}
