#include "tests/fakes/cuda/timeline.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/fakes/cuda/faults.hpp"

namespace jostle::fakes {
namespace {

constexpr double warp_gb_s = 1.5;  // of a warp that reads, at most

template <class T>
T* at(std::uint64_t pointer) {
  return reinterpret_cast<T*>(pointer);
}
Ns on_timer(Ns time) {
  return time / this_board().timer_step_ns * this_board().timer_step_ns;
}
double cycles_per_ns() {
  return this_board().clock_khz / 1e6;
}
std::int64_t cycle_at(Ns time) {
  return static_cast<std::int64_t>(static_cast<double>(time) * cycles_per_ns());
}

unsigned resident_blocks(const Kernel& kernel) {
  const Board& board = this_board();
  int most = std::min(board.blocks_per_sm, board.threads_per_sm / static_cast<int>(kernel.threads));
  if (kernel.shared_bytes > 0)
    most = std::min(most, board.shared_per_sm / static_cast<int>(kernel.shared_bytes));
  return static_cast<unsigned>(std::max(1, most));
}

double memory_ns(double bytes, const Kernel& kernel) {
  const Board& board = this_board();
  const double held = static_cast<double>(kernel.arguments.common.words) * 16;
  const double most = held < 0.9 * board.l2_bytes ? board.l2_gb_s : board.dram_gb_s;
  return bytes / std::min(most, warp_gb_s * kernel.blocks * kernel.threads / 32);
}

double load_cycles(const Kernel& kernel) {
  return static_cast<double>(kernel.arguments.common.words) * 16 < this_board().l2_bytes ? l2_cycles
                                                                                         : dram_cycles;
}

// The time of a kernel that has the GPU for itself, in nanoseconds.
double work_ns(const Kernel& kernel) {
  const auto sms = static_cast<unsigned>(this_board().sms);
  const unsigned resident = resident_blocks(kernel);
  const double waves = std::ceil(kernel.blocks / static_cast<double>(sms * resident));
  const double threads = kernel.threads * std::min<double>(resident, std::ceil(kernel.blocks / 1.0 / sms));
  const auto amount = static_cast<double>(kernel.arguments.common.amount);
  const double moved = amount * kernel.blocks * kernel.threads * 16;
  const double turnover = (waves - 1) * static_cast<double>(turnover_ns), per_ns = cycles_per_ns();
  const std::string& name = kernel.name;
  if (name == "spin") return waves * amount / per_ns + turnover;
  if (name == "fma1") return waves * 4 * amount / per_ns + turnover;
  if (name == "fma4")
    return waves * amount * std::max(4.0, 8 * threads / fp32_flop_per_clock) / per_ns + turnover;
  if (name == "mma")
    return waves * amount * std::max(8.0, 8192 * threads / 32 / tensor_flop_per_clock) / per_ns + turnover;
  if (name == "read" || name == "write" || name == "reduction") return memory_ns(moved, kernel);
  if (name == "elementwise") return memory_ns(3 * moved, kernel);
  if (name == "depthwise") return memory_ns(2 * moved, kernel);
  if (name == "gemm") {
    const double busy = std::min<double>(sms, kernel.blocks);
    return 2 * amount * amount * amount / (0.5 * fp32_flop_per_clock * busy) / per_ns;
  }
  if (name == "chase") return amount * load_cycles(kernel) / per_ns;
  return 1000;
}

bool fills(const Kernel& kernel) {
  const Board& board = this_board();
  const double share = static_cast<double>(kernel.blocks) /
                       (static_cast<double>(board.sms) * static_cast<double>(resident_blocks(kernel)));
  return share > 0.5;
}

void write_stamps(const Kernel& kernel, Ns start, Ns end) {
  const auto& arguments = kernel.arguments.common;
  auto* const state = at<std::uint32_t>(arguments.state);
  auto* const stamp = at<Ns>(arguments.stamps) + std::size_t{2} * (state[0] % arguments.capacity);
  stamp[0] = on_timer(start);
  stamp[1] = on_timer(end);
  ++state[0];
  if (kernel.name != "chase") return;
  const double cycles = static_cast<double>(arguments.amount) * load_cycles(kernel);
  *at<std::uint64_t>(arguments.data + (arguments.words - 1) * 16) = static_cast<std::uint64_t>(cycles);
}

void write_clocks(const Kernel& kernel, Ns start) {
  const auto& arguments = kernel.arguments.watch_clock;
  std::uint32_t count = 0;
  for (Ns time = start; time <= start + arguments.for_ns && count < arguments.capacity;
       time += arguments.every_ns, ++count) {
    at<std::uint64_t>(arguments.pairs)[2 * count] = on_timer(time);
    at<std::uint64_t>(arguments.pairs)[2 * count + 1] = static_cast<std::uint64_t>(cycle_at(time));
  }
  *at<std::uint32_t>(arguments.found) = count;
}

}  // namespace

Ns now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Ns>(time.tv_sec) * 1'000'000'000 + static_cast<Ns>(time.tv_nsec);
}

void wait_until(Ns time) {
  const timespec then{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  while (now() < time) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, nullptr);
}

const Board& this_board() {
  static const Board& found = [&]() -> const Board& {
    const char* const word = std::getenv("FAKE_CUDA_BOARD");
    return board(word != nullptr ? word : "");
  }();
  return found;
}

Kernel kernel(const std::string& name, void** parameters) {
  Kernel made{.name = name};
  const auto u64 = [&](int i) { return *static_cast<const std::uint64_t*>(parameters[i]); };
  const auto u32 = [&](int i) { return *static_cast<const std::uint32_t*>(parameters[i]); };
  if (name == "watch")
    made.arguments.watch = {u64(0), u64(1), static_cast<std::int64_t>(u64(2)), u64(3), u32(4), u64(5)};
  else if (name == "watch_clock")
    made.arguments.watch_clock = {u64(0), u64(1), u64(2), u32(3), u64(4)};
  else if (name == "flag")
    made.arguments.flag = {u64(0), u32(1)};
  else
    made.arguments.common = {u64(0), u64(1), u32(2), u64(3), u64(4), u64(5)};
  return made;
}

Timeline::Timeline() {
  const char* const connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const bool most = connections != nullptr && std::atoi(connections) >= 32;
  for (std::size_t i = 0; i < (most ? resident_grids : default_grids); ++i) resident_.push(0);
}

Timeline::Span Timeline::in_turns(Ns earliest, Ns work, const Place& here) {
  if (here.processes < 2) return {earliest, earliest + work};
  const auto processes = static_cast<Ns>(here.processes);
  constexpr Ns turn = slice_ns + switch_ns;
  const Ns round = processes * turn, own = static_cast<Ns>(here.rank) * turn + switch_ns;
  // The turn of this process that ends after `earliest`.
  Ns begin = earliest / round * round + own;
  if (begin + slice_ns <= earliest) begin += round;
  const Ns start = std::max(earliest, begin);
  Ns time = start;
  while (work > begin + slice_ns - time) {
    work -= begin + slice_ns - time;
    begin += round;
    time = begin;
  }
  return {start, time + work};
}

Ns Timeline::watch(Ns start, const Kernel& kernel) {
  struct Gap {
    Ns from, to;
    std::int64_t from_cycle, to_cycle;
  };
  const auto& arguments = kernel.arguments.watch;
  const auto gap = [](Ns from, Ns to) {
    return Gap{on_timer(from), on_timer(to), cycle_at(from), cycle_at(to)};
  };
  auto* const gaps = at<Gap>(arguments.gaps);
  const Place here = place();
  std::uint32_t count = 1;
  // Steps of a microsecond until the turn ends, then one over the gap.
  Ns time = start;
  while (time <= start + arguments.for_ns) {
    const Ns next = in_turns(time, 1'000, here).end;
    if (next - time > arguments.least_ns && count < arguments.capacity) gaps[count++] = gap(time, next);
    time = next;
  }
  gaps[0] = gap(start, time);
  *at<std::uint32_t>(arguments.found) = count;
  return time;
}

Ns Timeline::run(Stream& stream, const Kernel& kernel) {
  Ns earliest = std::max(now() + launch_ns, stream.tail + apart_ns);
  if (earliest > busy_until_ + sleeps_after_ns) earliest += wake_ns;
  earliest = std::max(earliest, resident_.top());
  if (fills(kernel)) earliest = std::max(earliest, full_until_);
  Span span = in_turns(earliest, static_cast<Ns>(work_ns(kernel)) + start_ns, place());
  if (faults(kernel.name)) return stream.tail = span.end;
  if (kernel.name == "watch") {
    span.end = watch(span.start, kernel);
  } else if (kernel.name == "watch_clock") {
    write_clocks(kernel, span.start);
    span.end = span.start + kernel.arguments.watch_clock.for_ns;
  } else if (kernel.name == "flag") {
    wait_until(span.end);
    *at<volatile std::uint32_t>(kernel.arguments.flag.word) = kernel.arguments.flag.value;
  } else {
    write_stamps(kernel, span.start, span.end);
  }
  busy_until_ = std::max(busy_until_, span.end);
  resident_.pop();
  resident_.push(span.end);
  if (fills(kernel)) full_until_ = std::max(full_until_, span.end);
  return stream.tail = span.end;
}

Ns Timeline::copy(Stream& stream, std::size_t bytes) {
  const Ns start = std::max(now(), stream.tail);
  return stream.tail = start + static_cast<Ns>(copy_ns + static_cast<double>(bytes) / copy_gb_s);
}

}  // namespace jostle::fakes
