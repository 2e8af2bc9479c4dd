// Programs on the cores beside one another: bandwidth, and the cache that a cluster shares.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "models/memory/traffic.hpp"
#include "tests/models/cpu_support.hpp"

namespace jostle::memory {
namespace JOSTLE_FILE {

constexpr double rounding = 1e-9;

struct Program {
  double bytes_per_s = 0, bound = 0;  // of a thread
  int threads = 0;
};

struct Board {
  explicit Board(const std::vector<Program>& programs) {
    for (const Program& program : programs) {
      teams.push_back(traffic.add_team());
      traffic.set_bound(teams.back(), program.bound);
      for (int i = 0; i < program.threads && program.bytes_per_s > 0; ++i)
        traffic.core_demands(program.bytes_per_s, teams.back());
    }
  }
  // The time of a program's work relative to that alone.
  [[nodiscard]] double slowdown(std::size_t program, const std::vector<Program>& programs) const {
    return 1 + programs[program].bound * (1 / traffic.core_speed(teams[program]) - 1);
  }
  sim::Engine engine;
  Traffic traffic{engine, {.capacity_bytes_per_s = 10e9, .interference = 0}, {}, 0};
  std::vector<TeamId> teams;
};

rc::Gen<Program> any_program() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 101), rc::gen::inRange(1, 101), rc::gen::inRange(1, 5)),
      [](const std::tuple<int, int, int>& drawn) {
        // All of its threads together are bound by the memory when that gives them all it has.
        const double bound = std::get<0>(drawn) / 100.0, peak = std::get<1>(drawn) * 1e8;
        const int threads = std::get<2>(drawn);
        return Program{bound * peak / threads, bound, threads};
      });
}

RC_GTEST_PROP(ProgramsOnCores, run_as_fast_alone_as_if_there_were_no_memory_to_share, ()) {
  const std::vector<Program> one{*any_program()};
  RC_ASSERT(Board(one).slowdown(0, one) == 1.0);
}

RC_GTEST_PROP(ProgramsOnCores, never_run_faster_because_another_one_begins, ()) {
  const auto programs = *rc::gen::container<std::vector<Program>>(3, any_program());
  const std::vector<Program> two(programs.begin(), programs.begin() + 2);
  const Board before(two), after(programs);
  for (std::size_t i = 0; i < 2; ++i)
    RC_ASSERT(after.slowdown(i, programs) >= before.slowdown(i, two) * (1 - rounding));
}

RC_GTEST_PROP(ProgramsOnCores, move_no_more_together_than_the_memory_gives, ()) {
  const auto programs = *rc::gen::container<std::vector<Program>>(4, any_program());
  const Board board(programs);
  double moved = 0;
  for (std::size_t i = 0; i < programs.size(); ++i)
    moved += programs[i].bytes_per_s * programs[i].threads / board.slowdown(i, programs);
  RC_ASSERT(moved <= 10e9 * (1 + rounding));
}

RC_GTEST_PROP(ProgramsOnCores, that_are_equal_are_slowed_equally, ()) {
  const Program one = *any_program();
  const std::vector<Program> programs{one, *any_program(), one};
  const Board board(programs);
  RC_ASSERT(board.slowdown(0, programs) == board.slowdown(2, programs));
}

TEST(ProgramsOnCores, share_what_all_cores_can_move_with_loads_however_much_the_memory_gives) {
  sim::Engine engine;
  Traffic traffic(engine, {.capacity_bytes_per_s = 60e9, .interference = 0}, {}, 0);
  traffic.limit_cores(24e9);
  const TeamId team = traffic.add_team();
  traffic.set_bound(team, 0.1);  // 20 GB/s for a tenth of the time
  for (int i = 0; i < 2; ++i) traffic.core_demands(1e9, team);
  EXPECT_EQ(traffic.core_speed(team), 1);
  const StreamId load = traffic.add_stream();
  traffic.set_stream(load, 24e9, 2);
  EXPECT_NEAR(traffic.core_speed(team), 12.0 / 20, 1e-9);
  traffic.set_stream(load, 24e9 + 1, 6);
  EXPECT_NEAR(traffic.core_speed(team), 6.0 / 20, 1e-9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::memory

namespace jostle::cpu {
namespace JOSTLE_FILE {

TEST(SharedCache, is_whole_for_one_and_divided_by_size_among_those_that_exceed_it) {
  test::Host host([] {
    Spec spec = test::two_clusters(2, cfs);
    for (ClusterSpec& cluster : spec.clusters) cluster.shared_cache_bytes = 1e6;
    return spec;
  }());
  const ThreadId first = host.spinner({.name = "first", .cpus = {0}, .cached_bytes = 9e6});
  host.run_for(sim::milliseconds(1));
  EXPECT_EQ(host.cpu.cache_share(first), 1) << "it has no more than all of the cache";
  const ThreadId far = host.spinner({.name = "far", .cpus = {2}, .cached_bytes = 9e6});
  host.run_for(sim::milliseconds(1));
  EXPECT_EQ(host.cpu.cache_share(first), 1) << "that is in another cluster";
  const ThreadId second = host.worker(sim::milliseconds(5), sim::milliseconds(5), 1,
                                      {.name = "second", .cpus = {1}, .cached_bytes = 0.25e6});
  host.run_for(sim::milliseconds(1));
  EXPECT_EQ(host.cpu.cache_share(first), 0.8);
  EXPECT_EQ(host.cpu.cache_share(second), 0.8);
  EXPECT_EQ(host.cpu.cache_share(far), 1);
  host.run_for(sim::milliseconds(5));
  EXPECT_EQ(host.cpu.cache_share(first), 1) << "the second sleeps";
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu
