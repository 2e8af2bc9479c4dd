// The block dispatcher against a reference that places, times and ends each block by itself.
//
// The two must agree to the picosecond: that equal blocks are one cohort and one event changes nothing.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "models/gpu/dispatcher.hpp"
#include "models/gpu/rates.hpp"

namespace jostle::gpu::space {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::Time;

class BlockByBlock {
 public:
  explicit BlockByBlock(const Spec& gpu)
      : gpu_(gpu), free_(static_cast<std::size_t>(gpu.sm_count), Sm{gpu}) {}

  int add_stream(const StreamSpec& spec) {
    streams_.push_back({.spec = spec});
    return static_cast<int>(streams_.size()) - 1;
  }
  void ready(int index, const Work& work) {
    Stream& stream = at(index);
    const StreamSpec spec = stream.spec;
    std::int64_t others = 0;
    for (const Stream& other : streams_)
      if (&other != &stream) others += other.moved;
    const auto reuse = static_cast<double>(others - stream.others_before);
    stream = {.spec = spec,
              .work = work,
              .active = true,
              .unplaced = work.blocks,
              .joined = now_,
              .since = now_,
              .moved = stream.moved,
              .others_before = others};
    stream.work.demand = beside(work.demand, work.demand.use.moved_bytes + reuse);
    stream.work.wave = sim::work_in(work.wave, stream.work.demand.longer);
    stream.work.turnover = sim::work_in(work.turnover, stream.work.demand.longer);
    stream.work.tile = sim::work_in(work.tile, stream.work.demand.longer);
    const auto behind =
        std::ranges::find_if(line_, [&](int other) { return at(other).spec.priority < spec.priority; });
    line_.insert(behind, index);
  }
  void dispatch() {
    std::vector<std::size_t> full;  // clients with all their TPCs, and a kernel that waits
    bool closed = false, placed = false;
    for (std::size_t place = 0; place < line_.size();) {
      Stream& head = at(line_[place]);
      const bool connection_taken = std::ranges::any_of(streams_, [&](const Stream& other) {
        return &other != &head && other.spec.connection == head.spec.connection && other.running();
      });
      const bool first = !head.running();
      if (first && (connection_taken || running() >= gpu_.space_sharing.resident_grids)) {
        ++place;
        continue;
      }
      const Duration time = time_of(head);
      while (!closed && head.unplaced > 0 && place_one(line_[place], time, full)) placed = true;
      if (head.unplaced > 0) {
        head.waited = true;
        if (head.spec.sms < gpu_.sm_count && tpcs_of(head.spec.client) * gpu_.sms_per_tpc >= head.spec.sms)
          full.push_back(head.spec.client);
        else
          closed = true;
        ++place;
        continue;
      }
      line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(place));
    }
    if (placed || ended_) set_speeds();
    ended_ = false;
  }
  [[nodiscard]] Time next() const {
    Time next = Time::never();
    for (const Stream& stream : streams_)
      if (!stream.blocks.empty()) next = std::min(next, stream.next);
    return next;
  }
  void run_until(Time now) { now_ = now; }
  void end(std::vector<int>& done) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Stream& stream = streams_[i];
      if (stream.blocks.empty() || stream.next > now_) continue;
      catch_up(stream);
      for (auto block = stream.blocks.begin(); block != stream.blocks.end();) {
        if (block->end > stream.passed) {
          ++block;
          continue;
        }
        free_[static_cast<std::size_t>(block->sm)].give_back(stream.work.need);
        block = stream.blocks.erase(block);
        stream.moved += std::llround(stream.work.demand.use.moved_bytes / stream.work.blocks);
        ++stream.ended;
        ended_ = true;
      }
      set_next(stream);
      if (stream.ended < stream.work.blocks) continue;
      stream.active = false;
      done.push_back(static_cast<int>(i));
    }
  }

 private:
  struct Sm {
    int threads, registers, shared, blocks;
    explicit Sm(const Spec& gpu)
        : threads(gpu.max_threads_per_sm),
          registers(gpu.registers_per_sm / 32),
          shared(gpu.shared_bytes_per_sm / 16),
          blocks(gpu.max_blocks_per_sm) {}
    [[nodiscard]] int room(const Need& need) const {
      int room = std::min(blocks, threads / need.threads);
      if (need.registers > 0) room = std::min(room, registers / need.registers);
      if (need.shared > 0) room = std::min(room, shared / need.shared);
      return room;
    }
    void give_back(const Need& need) { take(need, -1); }
    void take(const Need& need, int sign = 1) {
      threads -= sign * need.threads;
      registers -= sign * need.registers;
      shared -= sign * need.shared;
      blocks -= sign;
    }
  };
  struct Block {
    int sm;
    Duration end;  // in the stream's own time
  };
  struct Stream {
    StreamSpec spec;
    Work work = {};
    bool active = false, waited = false;
    std::uint32_t unplaced = 0, ended = 0;
    Time joined = {}, since = {};
    Duration passed = {};  // at `since`
    double speed = 1;
    Time next = Time::never();
    std::vector<Block> blocks = {};
    std::int64_t moved = 0,
                 others_before = 0;  // bytes through L2: its own, those of others when it was ready
    [[nodiscard]] bool running() const { return active && (!blocks.empty() || ended > 0); }
  };

  [[nodiscard]] Stream& at(int index) { return streams_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int running() const {
    return static_cast<int>(std::ranges::count_if(streams_, &Stream::running));
  }
  [[nodiscard]] static Duration first_end(const Stream& stream) {
    return std::ranges::min_element(stream.blocks, {}, &Block::end)->end;
  }
  [[nodiscard]] Duration time_of(const Stream& head) const {
    Duration time = head.work.wave + (head.waited ? head.work.turnover : Duration::zero());
    const bool foreign = !head.running() && std::ranges::any_of(streams_, [&](const Stream& other) {
      return &other != &head && other.running() && other.spec.functions != head.spec.functions;
    });
    const Duration before = head.work.start + (foreign ? gpu_.space_sharing.foreign_fetch : Duration::zero());
    time += std::max(head.joined + before - now_, Duration::zero());
    if (!head.running()) time += gpu_.space_sharing.fetch * std::min(running(), 2);
    return time;
  }
  // Blocks of `client` on the TPC of `sm`; of all clients, if none is given.
  [[nodiscard]] int blocks_on_tpc(int sm, std::optional<std::size_t> client) const {
    int blocks = 0;
    for (const Stream& stream : streams_)
      for (const Block& block : stream.blocks)
        if ((!client || stream.spec.client == *client) &&
            block.sm / gpu_.sms_per_tpc == sm / gpu_.sms_per_tpc)
          ++blocks;
    return blocks;
  }
  [[nodiscard]] int tpcs_of(std::size_t client) const {
    int tpcs = 0;
    for (int sm = 0; sm < gpu_.sm_count; sm += gpu_.sms_per_tpc)
      tpcs += blocks_on_tpc(sm, client) > 0 ? 1 : 0;
    return tpcs;
  }
  // Room for blocks of `head` on each SM that its client may use.
  [[nodiscard]] std::vector<int> usable(const Stream& head, const std::vector<std::size_t>& full) const {
    std::vector<int> room;
    for (int sm = 0; sm < gpu_.sm_count; ++sm) {
      const bool closed =
          std::ranges::any_of(full, [&](std::size_t client) { return blocks_on_tpc(sm, client) > 0; });
      room.push_back(closed ? 0 : free_[static_cast<std::size_t>(sm)].room(head.work.need));
    }
    if (head.spec.sms >= gpu_.sm_count) return room;
    std::vector<std::pair<int, int>> others;  // TPCs by rank, the first best
    const auto for_sms_of = [&](int tpc, const auto& function) {
      for (int sm = tpc * gpu_.sms_per_tpc; sm < (tpc + 1) * gpu_.sms_per_tpc && sm < gpu_.sm_count; ++sm)
        function(room[static_cast<std::size_t>(sm)]);
    };
    for (int tpc = 0; tpc * gpu_.sms_per_tpc < gpu_.sm_count; ++tpc) {
      if (blocks_on_tpc(tpc * gpu_.sms_per_tpc, head.spec.client) > 0) continue;
      int most = 0;
      for_sms_of(tpc, [&](int of_sm) { most = std::max(most, of_sm); });
      const bool nobodys = blocks_on_tpc(tpc * gpu_.sms_per_tpc, {}) == 0;
      others.emplace_back(nobodys ? -1000 : -most, tpc);
    }
    std::ranges::sort(others);
    const int left = head.spec.sms / gpu_.sms_per_tpc - tpcs_of(head.spec.client);
    for (std::size_t i = static_cast<std::size_t>(std::max(left, 0)); i < others.size(); ++i)
      for_sms_of(others[i].second, [](int& of_sm) { of_sm = 0; });
    return room;
  }
  bool place_one(int index, Duration time, const std::vector<std::size_t>& full) {
    Stream& head = at(index);
    const std::vector<int> room = usable(head, full);
    const auto at_best = std::ranges::max_element(room);
    const int best = *at_best > 0 ? static_cast<int>(at_best - room.begin()) : -1;
    if (best < 0) return false;
    free_[static_cast<std::size_t>(best)].take(head.work.need);
    catch_up(head);
    if (!head.running()) head.speed = 1;
    const Duration less = head.unplaced <= head.work.early ? head.work.tile : Duration::zero();
    head.blocks.push_back({best, head.passed + time - less});
    set_next(head);
    --head.unplaced;
    return true;
  }
  [[nodiscard]] double slowdown_of(const Stream& own) const {
    std::vector<std::int64_t> pipes(static_cast<std::size_t>(gpu_.sm_count), 0);
    std::int64_t memory = 0, bound = 0;
    double asked = 0, squared = 0;
    for (const Stream& stream : streams_) {
      for (const Block& block : stream.blocks) {
        const double u = stream.work.demand.pipes / 1000.0, of_block = stream.work.demand.pipes_of_block;
        asked += of_block;
        squared += of_block * u;
        pipes[static_cast<std::size_t>(block.sm)] += stream.work.demand.pipes_of_block;
        memory += stream.work.demand.memory_of_block;
        bound += stream.work.demand.bound_of_block;
      }
    }
    const auto cubed = [](double x) { return x * x * x; };
    const Demand& demand = own.work.demand;
    double power = 1;
    if (demand.memory > 0) {
      power = (1 + cubed(static_cast<double>(memory) / 1e6)) / (1 + cubed(demand.memory / 1e6));
      power = std::max(power, 1.0);
    }
    if (own.spec.sms < gpu_.sm_count && bound < demand.bound)
      power = std::min((1 + cubed(static_cast<double>(bound) / 1e6)) / (1 + cubed(demand.bound / 1e6)),
                       cubed_of_part(demand, static_cast<double>(bound) / demand.bound));
    if (demand.pipes > 0) {
      std::int64_t sum = 0, fullest = 0;
      for (const Block& block : own.blocks) {
        sum += pipes[static_cast<std::size_t>(block.sm)];
        fullest = std::max(fullest, pipes[static_cast<std::size_t>(block.sm)]);
      }
      const double of = own.work.waves == 1
                            ? static_cast<double>(fullest) / 1000
                            : static_cast<double>(sum) / 1000 / static_cast<double>(own.blocks.size());
      const double mean = squared / asked, longer = cube_root(1 + std::max(cubed(of) - cubed(mean), 0.0));
      power += cubed(1 + demand.pipes / 1000.0 / mean * (longer - 1)) - 1;
    }
    return power == 1 ? 1.0 : cube_root(power);
  }
  void set_speeds() {
    for (Stream& stream : streams_) {
      if (stream.blocks.empty()) continue;
      const bool alone = running() == 1 && stream.spec.sms >= gpu_.sm_count;
      const double speed = alone ? 1.0 : 1 / slowdown_of(stream);
      if (speed == stream.speed) continue;
      catch_up(stream);
      stream.speed = speed;
      set_next(stream);
    }
  }
  void catch_up(Stream& stream) const {
    if (!stream.blocks.empty()) {
      const Duration end = first_end(stream);
      stream.passed = stream.next <= now_
                          ? end
                          : std::min(stream.passed + sim::work_in(now_ - stream.since, stream.speed), end);
    }
    stream.since = now_;
  }
  void set_next(Stream& stream) const {
    stream.next = Time::never();
    if (stream.blocks.empty()) return;
    stream.next =
        now_ + std::max(sim::time_for(first_end(stream) - stream.passed, stream.speed), Duration{1});
  }

  Spec gpu_;
  std::vector<Sm> free_;
  std::vector<Stream> streams_;
  std::vector<int> line_;
  Time now_;
  bool ended_ = false;
};

struct Loop {
  StreamSpec stream;
  Kernel kernel;
  Duration gap;
};

// When each kernel of each stream ends: closed loops, of `kernels` kernels each.
template <class Engine>
std::vector<std::pair<Time, int>> ends(const Spec& gpu, const std::vector<Loop>& loops, int kernels) {
  Engine engine(gpu);
  std::vector<Time> ready;
  std::vector<int> left(loops.size(), kernels);
  for (const Loop& loop : loops) {
    engine.add_stream(loop.stream);
    ready.push_back(Time{} + loop.gap);
  }
  std::vector<std::pair<Time, int>> seen;
  std::vector<int> done;
  for (Time now; now < Time::never();) {
    done.clear();
    engine.run_until(now);
    engine.end(done);
    for (const int of : done) {
      const auto i = static_cast<std::size_t>(of);
      seen.emplace_back(now, of);
      if (--left[i] > 0) ready[i] = now + loops[i].gap;
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (ready[i] > now) continue;
      ready[i] = Time::never();
      engine.ready(static_cast<int>(i), work_of(gpu, loops[i].kernel, loops[i].stream.sms));
    }
    engine.dispatch();
    Time next = engine.next();
    for (const Time at : ready) next = std::min(next, at);
    now = next;
  }
  return seen;
}

Loop any_loop(int index) {
  Loop loop;
  loop.gap = sim::nanoseconds(100.0 * *rc::gen::inRange(1, 60));
  loop.kernel = {.duration = sim::nanoseconds(*rc::gen::inRange(400, 90'000))};
  loop.kernel.blocks = *rc::gen::inRange(1U, *rc::gen::element(90U, 900U));
  loop.kernel.threads_per_block = 32 * *rc::gen::inRange(1U, 33U);
  loop.kernel.registers_per_thread = *rc::gen::inRange(16U, 129U);
  loop.kernel.shared_bytes = 1024 * *rc::gen::inRange(0U, 100U);
  loop.kernel.sm_active = 1;
  loop.kernel.issue_slot = static_cast<float>(*rc::gen::inRange(0, 100)) / 100;
  loop.kernel.memory_share = static_cast<float>(*rc::gen::inRange(0, 100)) / 100;
  loop.kernel.moved_bytes = static_cast<float>(*rc::gen::inRange(0, 3)) * 1e7F;
  loop.kernel.dram_bytes = loop.kernel.moved_bytes * static_cast<float>(*rc::gen::inRange(0, 11)) / 10;
  loop.kernel.persistent = *rc::gen::inRange(0, 4) == 0;
  if (loop.kernel.persistent) loop.kernel.tiles = *rc::gen::inRange(0U, 500U);
  loop.stream.priority = *rc::gen::element(Priority::low, Priority::normal, Priority::high);
  loop.stream.connection = *rc::gen::inRange(0, index + 1);
  return loop;
}

// Two SMs of one block each: a kernel of three waves, and one of higher priority that comes as the first
// ends.
TEST(BlockDispatcher, gives_the_places_of_a_wave_to_a_higher_priority_that_comes_as_it_ends) {
  Spec gpu;
  gpu.sm_count = 2;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 1;
  gpu.registers_per_sm = 65536;
  gpu.shared_bytes_per_sm = 228 * 1024;
  const auto loop = [](Priority priority, int connection, std::uint32_t blocks, int duration_us, int gap_us) {
    Loop made;
    made.kernel = {.duration = sim::microseconds(duration_us), .blocks = blocks, .threads_per_block = 32};
    made.stream = {.priority = priority, .connection = connection, .sms = 2};
    made.gap = sim::microseconds(gap_us);
    return made;
  };
  const std::vector<Loop> loops{loop(Priority::normal, 0, 6, 3, 1), loop(Priority::high, 1, 2, 1, 2)};
  const auto seen = ends<Dispatcher>(gpu, loops, 1);
  EXPECT_EQ(seen, ends<BlockByBlock>(gpu, loops, 1));
  EXPECT_EQ(seen.front(), std::pair(Time::zero() + sim::microseconds(3), 1));
}

RC_GTEST_PROP(BlockDispatcher, agrees_with_an_event_for_each_block_to_the_picosecond, ()) {
  Spec gpu;
  gpu.sms_per_tpc = *rc::gen::inRange(1, 3);
  gpu.sm_count = gpu.sms_per_tpc * *rc::gen::inRange(2, 9);
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.registers_per_sm = 65536;
  gpu.shared_bytes_per_sm = 228 * 1024;
  gpu.bandwidth_bytes_per_s = 1e12;
  gpu.bandwidth_efficiency = 1;
  gpu.space_sharing.resident_grids = *rc::gen::inRange(1, 9);
  gpu.space_sharing.kernel_start = sim::nanoseconds(*rc::gen::inRange(0, 1000));
  gpu.space_sharing.block_turnover = sim::nanoseconds(*rc::gen::inRange(0, 1000));
  gpu.space_sharing.fetch = sim::nanoseconds(*rc::gen::inRange(0, 500));
  gpu.space_sharing.foreign_fetch = sim::nanoseconds(*rc::gen::inRange(0, 500));
  gpu.space_sharing.compute_load = 1;
  gpu.space_sharing.memory_load = 1;
  gpu.space_sharing.miss_latency = *rc::gen::element(1.0, 2.0);
  std::vector<Loop> loops;
  const int count = *rc::gen::inRange(1, 7);
  for (int i = 0; i < count; ++i) loops.push_back(any_loop(i));
  // Clients have a stream or several, and their shares add up to less than the GPU, or to more.
  const bool limited = *rc::gen::inRange(0, 2) == 1;
  for (Loop& loop : loops) {
    loop.stream.client = *rc::gen::inRange<std::size_t>(0, loops.size());
    loop.stream.functions = *rc::gen::inRange(0U, 2U);
  }
  for (std::size_t client = 0; client < loops.size(); ++client) {
    const double share = limited ? *rc::gen::element(0.1, 0.25, 0.4, 0.6, 1.0) : 1.0;
    for (Loop& loop : loops)
      if (loop.stream.client == client) loop.stream.sms = sms_of_share(gpu, share);
  }
  const auto seen = ends<Dispatcher>(gpu, loops, 6);
  RC_ASSERT(seen.size() == 6 * loops.size());
  RC_ASSERT(seen == ends<BlockByBlock>(gpu, loops, 6));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::space
