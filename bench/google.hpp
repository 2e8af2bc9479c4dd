// Registration shared by the Google Benchmark programs: one iteration is a window of simulated time in which
// about 200 000 events happen, reported as ns per event.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "bench/workload.hpp"

namespace bench {

// Model(n) sets up n timers; advance(window) runs that much time; events() counts from the start.
template <class Model>
void run(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto model = std::make_unique<Model>(n);
  // Past the start: every timer has fired about twice, pools have grown.
  model->advance(window(n, static_cast<std::int64_t>(2 * n) + events_per_window));
  const std::int64_t ticks = window(n, events_per_window);
  const std::uint64_t before = model->events();
  for (auto _ : state) model->advance(ticks);
  const auto events = static_cast<double>(model->events() - before);
  state.counters["ns_per_event"] =
      benchmark::Counter(events * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace bench
