// The time of a made-up GPU: which kernel runs when, on the host's monotonic clock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "tests/fakes/cuda/board.hpp"
#include "tests/fakes/cuda/faults.hpp"

namespace jostle::fakes {

using Ns = std::uint64_t;

[[nodiscard]] Ns now();
// Sleeps until then.
void wait_until(Ns time);
// The board of FAKE_CUDA_BOARD.
[[nodiscard]] const Board& this_board();

// What the kernels of kernels.cu take, each its own.
union Arguments {
  struct {
    std::uint64_t amount, stamps;
    std::uint32_t capacity;
    std::uint64_t state, data, words;
  } common;
  struct {
    std::uint64_t for_ns, least_ns;
    std::int64_t least_cycles;
    std::uint64_t gaps;
    std::uint32_t capacity;
    std::uint64_t found;
  } watch;
  struct {
    std::uint64_t for_ns, every_ns, pairs;
    std::uint32_t capacity;
    std::uint64_t found;
  } watch_clock;
  struct {
    std::uint64_t word;
    std::uint32_t value;
  } flag;
};

struct Kernel {
  std::string name;
  unsigned blocks = 1, threads = 1, shared_bytes = 0;
  Arguments arguments{};
};
// The kernel with the arguments that cuLaunchKernel points to.
[[nodiscard]] Kernel kernel(const std::string& name, void** parameters);

struct Stream {
  Ns tail = 0;               // the end of what was launched
  std::deque<Ns> in_flight;  // ends of launches
};

// The kernels of this process.
class Timeline {
 public:
  Timeline();
  // Puts a kernel at the end of a stream, writes what it writes, and returns its end. The word of `flag`, for
  // which hosts look, is written when its time has come.
  Ns run(Stream& stream, const Kernel& kernel);
  Ns copy(Stream& stream, std::size_t bytes);

 private:
  struct Span {
    Ns start, end;
  };
  // The time that `work` takes from `earliest` on in the turns of this process.
  [[nodiscard]] static Span in_turns(Ns earliest, Ns work, const Place& here);
  static Ns watch(Ns start, const Kernel& kernel);

  std::priority_queue<Ns, std::vector<Ns>, std::greater<>> resident_;  // ends, one for each grid that may run
  Ns busy_until_ = 0;
  Ns full_until_ = 0;  // the end of the last kernel that fills the GPU
};

}  // namespace jostle::fakes
