// The same models in ns-3, with its default scheduler (a std::map) and its calendar queue.
//
// Simulator::Cancel leaves the event in the scheduler until it is due; Simulator::Remove takes it out. The
// calendar queue is left out where it takes minutes (10^6 pending, cancelling), and HeapScheduler altogether:
// its Remove breaks its order in 3.37.
#include <ns3/core-module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/google.hpp"

namespace {

enum class Undo { none, cancel, remove };

template <Undo undo>
class Ns3 {
 public:
  Ns3(std::size_t n, const std::string& scheduler)
      : increments_(bench::increments()), victims_(bench::victims(n)), events_of_(n) {
    ns3::ObjectFactory factory;
    factory.SetTypeId(scheduler);
    ns3::Simulator::SetScheduler(factory);
    for (std::size_t i = 0; i < n; ++i) set(i);
  }
  ~Ns3() { ns3::Simulator::Destroy(); }
  void advance(std::int64_t ticks) {
    ns3::Simulator::Stop(ns3::NanoSeconds(ticks));
    ns3::Simulator::Run();
  }
  [[nodiscard]] std::uint64_t events() const { return fired_; }

 private:
  void set(std::size_t i) {
    events_of_[i] = ns3::Simulator::Schedule(ns3::NanoSeconds(increments_.next()), &Ns3::fire, this, i);
  }
  void fire(std::size_t i) {
    ++fired_;
    set(i);
    if constexpr (undo != Undo::none) {
      const std::size_t victim = victims_.next();
      if constexpr (undo == Undo::cancel) {
        ns3::Simulator::Cancel(events_of_[victim]);
      } else {
        ns3::Simulator::Remove(events_of_[victim]);
      }
      set(victim);
    }
  }

  bench::Drawn<std::int64_t> increments_;
  bench::Drawn<std::size_t> victims_;
  std::vector<ns3::EventId> events_of_;
  std::uint64_t fired_ = 0;
};

template <Undo undo>
struct OnMap : Ns3<undo> {
  explicit OnMap(std::size_t n) : Ns3<undo>(n, "ns3::MapScheduler") {}
};
template <Undo undo>
struct OnCalendar : Ns3<undo> {
  explicit OnCalendar(std::size_t n) : Ns3<undo>(n, "ns3::CalendarScheduler") {}
};

BENCHMARK(bench::run<OnMap<Undo::none>>)->Name("hold/ns3")->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(bench::run<OnCalendar<Undo::none>>)
    ->Name("hold/ns3-calendar")
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(bench::run<OnMap<Undo::cancel>>)->Name("cancel/ns3")->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(bench::run<OnMap<Undo::remove>>)->Name("cancel/ns3-remove")->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
