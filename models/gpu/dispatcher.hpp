// The block dispatcher: which kernel's blocks run on the SMs, and until when.
//
// 1. Kernels are served in the order in which they became ready, those of a higher priority first. The first
//    in the line places as many blocks as fit; as long as it has more, no other kernel starts a block, even
//    one that would fit (head-of-line blocking). Nothing is evicted. A kernel of an MPS client that has all
//    the SMs it may have (sm_shares.hpp) keeps others from these only.
// 2. Blocks go to the SM with most room (residency.hpp).
// 3. Blocks that start together end together, after the kernel's time for one wave. A kernel's first blocks
//    take what is left of its start, which passes while it waits; blocks that waited for room, or behind a
//    kernel that did, take `turnover` longer. If the tiles of a persistent kernel are no multiple of its
//    blocks, some of these end a tile earlier, and their SMs are free for others: a small network beside
//    products of 8192 runs in their last round alone (evidence/h200-space/beside_products.csv).
// 4. A kernel's first blocks take `fetch` longer for each kernel beside them, up to two (a third was measured
//    to cost no more), and `foreign_fetch` if one of these is of another network or another batch, of which
//    only what does not pass while the kernel waits for room; neither if the stream's kernel before ran the
//    same function. Alone, a kernel's instructions are fetched while the one before it runs; kernels of other
//    streams that start in between prevent that. A chain of 64 functions of 8 KB pays 0.8 to 1.9 us a kernel
//    beside another chain, 0.4 us at most beside one long kernel of 32 blocks, and a chain of one function
//    0.15 us at most beside other chains (evidence/h200-space/beside_code.csv).
// 5. Kernels that run at the same time slow each other down (slowdown.hpp).
// 6. Streams beyond the number of connections share one; at most `resident_grids` kernels run at a time.
// Sources: calibration/evidence/h200-space (streams_synthetic*.csv); Amert et al., "GPU Scheduling on the
// NVIDIA TX2", RTSS 2017 (G1 to X1, A1, A2); Bakita and Anderson, "Demystifying NVIDIA GPU Internals", RTAS
// 2024 (R2).
//
// Equal blocks that start at one instant are one cohort and one event, however many they are; so are all full
// waves but the last of a kernel that runs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/gpu/residency.hpp"
#include "models/gpu/slowdown.hpp"
#include "models/gpu/sm_shares.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::gpu::space {

// A kernel as the dispatcher sees it.
struct Work {
  Need need;
  Demand demand;
  std::uint32_t blocks = 1;
  std::uint32_t waves = 1;  // in which its blocks run, alone
  std::uint32_t early = 0;  // number of the last blocks, which end `tile` before the others
  // Neither instruction caches nor L2 still hold its code, for which MPS clients wait. Measured with graphs
  // of kernels in turn after a sweep through memory, and with decode steps: calibration/evidence/README.md,
  // mps.
  bool cold_code = false;
  bool same_function = false;  // the stream's kernel before ran the same
  sim::Duration start;         // part of its duration before its first blocks
  sim::Duration wave;          // time of a block, alone
  sim::Duration turnover;      // before a block that waited for room
  sim::Duration tile;          // a part of a persistent kernel
};

// Splits the duration of `kernel` on `sms` SMs into waves, so that alone it takes just that.
[[nodiscard]] Work work_of(const Spec& gpu, const Kernel& kernel, int sms);

// Additional time of each kernel, and of one whose code is cold.
struct Longer {
  sim::Duration each, cold_code;
};

// The time that it takes if no other kernel runs, and none ran since the stream's kernel before.
[[nodiscard]] inline sim::Duration time_alone(const Work& work, const Longer& longer) {
  return work.start + work.wave * work.waves + work.turnover * (static_cast<std::int64_t>(work.waves) - 1) +
         longer.each + (work.cold_code ? longer.cold_code : sim::Duration::zero());
}

// From the end of the kernel before kernel `kernel` of a graph to when it joins the line. The gaps of a graph
// add up to what the profile measured for a lone process.
[[nodiscard]] sim::Duration launch_gap(const KernelSequence& kernels, std::size_t kernel);

struct StreamSpec {
  Priority priority = Priority::normal;
  int connection = 0;           // streams of one connection run one kernel at a time
  std::size_t client = 0;       // under MPS; its streams have the same `sms`
  int sms = 0;                  // on which the client may have blocks at one time
  std::uint32_t functions = 0;  // streams of one network have the same functions (gpu::ContextSpec)
};

class Dispatcher {
 public:
  explicit Dispatcher(const Spec& gpu, const Longer& longer = {});

  int add_stream(const StreamSpec& spec);
  // The stream's next kernel is ready now. The stream must have none.
  void ready(int stream, const Work& work);
  // Places what fits: blocks of all kernels, of those that run already, or none. Call after ready() and
  // end().
  enum class Places : std::uint8_t { all, running, none };
  void dispatch(Places places = Places::all);

  // When the next blocks end; never: none is running.
  [[nodiscard]] sim::Time next() const { return next_; }
  // Runs until `now`, at most next().
  void run_until(sim::Time now) { now_ = now; }
  // Removes the blocks that end now, and appends the streams whose kernels are complete to `done`.
  void end(std::vector<int>& done);
  // A kernel of `stream` has come and gone, alone.
  void pass_over(int stream, const Work& work);

  // Time passes without progress until `now` (another process has its turn).
  void skip_until(sim::Time now);
  // The work of the kernel of `stream` is now `work` at other clocks; what is done keeps its fraction.
  void retime(int stream, const Work& work);

  [[nodiscard]] bool started(int stream) const { return at(stream).running; }  // a block has been placed
  [[nodiscard]] bool has_kernel(int stream) const { return at(stream).active; }
  // Number of kernels with a resident block or between waves.
  [[nodiscard]] int running() const { return static_cast<int>(running_.size()); }
  [[nodiscard]] bool has_resident_blocks() const;
  // The stream that runs, if no other runs or waits, all of its blocks end at next(), and nothing of another
  // ran since its kernel became ready.
  [[nodiscard]] std::optional<int> only_running() const {
    if (running_.size() != 1 || !line_.empty()) return std::nullopt;
    const Stream& stream = at(running_.front());
    const bool alone = stream.cohorts.size() == 1 && moved_ - stream.own_moved == stream.others_before;
    return alone ? std::optional(running_.front()) : std::nullopt;
  }
  [[nodiscard]] double fraction(int stream) const;  // part of its kernel that is done, from 0 to 1

 private:
  struct Cohort {
    sim::Duration end;   // in the kernel's own time (Stream::passed)
    std::int32_t count;  // blocks
    sim::Duration length;
    std::uint32_t placed;  // index of its Placement
    // Further waves of as many blocks in the same places, each `later_wave()` after the one before. Only
    // while no other kernel runs, since nothing can come between them then.
    std::int32_t waves = 0;
  };
  struct Stream {
    StreamSpec spec;
    Work work;
    bool limited = false;  // its client, to some SMs
    bool active = false, running = false;
    bool waited = false;                    // for room: its blocks take the places of others
    std::uint64_t no_room_since = 0;        // the release after which no room was found; 0: not known
    std::uint32_t unplaced = 0, ended = 0;  // blocks; those of further waves are not placed
    std::int64_t own_moved = 0;             // moved_ of its own kernels ...
    std::int64_t others_before = 0;         // ... of others when its kernel became ready
    double reuse = 0;                       // M of its kernel (slowdown.hpp)
    sim::Time joined;                       // the line
    sim::Duration passed;                   // the kernel's own time, as if alone, at the instant `since`
    sim::Time since;
    double speed = 1;
    double cubed = 1;                     // cube of its slowdown, as the speed was set
    std::vector<Cohort> cohorts;          // by end
    std::size_t resident = 0;             // its number in the residency while it runs
    sim::Duration first_end;              // of its first cohort, with all its waves, in the kernel's own time
    sim::Time next = sim::Time::never();  // and in the GPU's
  };

  // The effect of others on a kernel that runs: s^3 by the memory, and by pipes of which blocks ask so much;
  // its u over the mean of all (slowdown.hpp).
  struct Pressure {
    double by_memory = 1, pipes = 0, share = 0;
    double cubed = 1, speed = 1;
  };
  struct Connection {
    bool taken = false;   // by a running stream
    int new_streams = 0;  // in the line, which have not waited for room
  };

  [[nodiscard]] Stream& at(int stream) { return streams_[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] const Stream& at(int stream) const { return streams_[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] Connection& connection_of(const Stream& stream) {
    return connections_[static_cast<std::size_t>(stream.spec.connection)];
  }
  void serve_line(Places places);
  void count_new(const Stream& stream, int change);
  bool place_head(int index);
  bool place(int index, std::uint32_t most, sim::Duration length);
  int place_blocks(Stream& head, int most, Placement& placed);
  void start(int index);
  [[nodiscard]] static sim::Duration later_wave(const Work& work) { return work.wave + work.turnover; }
  [[nodiscard]] static sim::Duration end_of(const Stream& stream, const Cohort& cohort);
  [[nodiscard]] static std::int32_t waves_over(const Stream& stream, const Cohort& cohort,
                                               sim::Duration passed);
  [[nodiscard]] static bool in_waves(const Stream& stream) {
    return !stream.cohorts.empty() && stream.cohorts.front().waves > 0;
  }
  void end_waves(Stream& stream, Cohort& cohort, std::int32_t over);
  void note_waves(Stream& stream);
  void break_waves(Stream& stream);
  void remove_resident(Stream& stream, const Cohort& cohort);
  [[nodiscard]] sim::Duration time_of(const Stream& head) const;
  void take_work(Stream& stream, const Work& work) const;
  void end_cohorts(Stream& stream);
  void note_ended(Stream& stream, std::uint32_t blocks);
  void note_moved(Stream& stream, const Work& work, std::uint32_t blocks);
  void set_speeds();
  [[nodiscard]] Pressure pressure_on(const Stream& stream, double mean) const;
  [[nodiscard]] sim::Duration passed(const Stream& stream) const;
  void catch_up(Stream& stream) const;
  void note_first(Stream& stream) const;
  void set_next(Stream& stream) const;
  void find_next();

  Spec gpu_;
  Longer longer_;
  Residency residency_;
  SmShares shares_;
  Slowdown slowdown_;
  std::vector<Stream> streams_;
  std::vector<int> line_;     // streams with unplaced blocks, first to be served first
  int new_in_line_ = 0;       // number of streams that have not waited there, of free connections
  std::vector<int> running_;  // streams, in the order of their numbers
  std::vector<Connection> connections_;
  // Clients, in dispatch(), that have all their SMs and of which a kernel waits. Kept for its storage.
  std::vector<std::size_t> full_;
  std::vector<Count> room_;          // on each SM, for a kernel of a limited client; kept for its storage too
  std::vector<Pressure> pressures_;  // kept for its storage
  std::vector<Placement> placements_;
  std::vector<std::uint32_t> free_placements_;
  std::int64_t moved_ = 0;  // bytes through L2, as blocks ended
  sim::Time now_, next_ = sim::Time::never();
  bool changed_ = false;        // residency, since the speeds were set
  std::uint64_t releases_ = 1;  // number of times that blocks ended, so far
};

}  // namespace jostle::gpu::space
