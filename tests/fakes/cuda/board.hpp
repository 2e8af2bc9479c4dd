// The made-up GPUs that libcuda.so.1 and libnvidia-ml.so.1 of this folder play, and the constants that a
// probe of them should find.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace jostle::fakes {

struct Board {
  std::string_view word;  // the value of FAKE_CUDA_BOARD
  const char* name;
  int sms, major, minor;
  bool integrated;
  int clock_khz, memory_khz, bus_bits;  // memory with two transfers a clock
  std::uint64_t memory_bytes;
  int l2_bytes, threads_per_sm, blocks_per_sm, shared_per_sm, shared_per_block;
  std::uint64_t timer_step_ns;  // of globaltimer
  double dram_gb_s, l2_gb_s;
};

inline constexpr std::array boards{
    Board{"orin_nano", "Orin", 8, 8, 7, true, 1'020'000, 3'199'000, 128, 7'990'000'000, 2 << 20, 1536, 16,
          164 << 10, 163 << 10, 1024, 82, 250},
    Board{"l4", "NVIDIA L4", 58, 8, 9, false, 2'040'000, 6'251'000, 192, 23'600'000'000, 48 << 20, 1536, 24,
          100 << 10, 99 << 10, 32, 250, 900},
    Board{"tx2", "NVIDIA Tegra X2", 2, 6, 2, true, 1'300'000, 1'600'000, 128, 8'230'000'000, 512 << 10, 2048,
          32, 64 << 10, 48 << 10, 4096, 38, 90}};

inline const Board& board(std::string_view word) {
  for (const Board& one : boards)
    if (one.word == word) return one;
  return boards[1];
}

// Processes take turns by the clock: each has the GPU for `slice_ns`, after a switch in which nobody has it.
inline constexpr std::uint64_t slice_ns = 2'000'000, switch_ns = 100'000;
inline constexpr std::uint64_t launch_ns = 4'000;    // from the call of an idle stream to the start
inline constexpr std::uint64_t apart_ns = 1'000;     // from the end of a kernel to the start of the next
inline constexpr std::uint64_t start_ns = 500;       // of a kernel, beside its work
inline constexpr std::uint64_t turnover_ns = 2'000;  // from a block to the next in its place
// A GPU that has idled for so long is asleep, and wakes up for so long: longer than a busy host delays a
// call.
inline constexpr std::uint64_t sleeps_after_ns = 2'400'000, wake_ns = 4'000'000;
inline constexpr std::size_t launches_in_flight = 1024;
// Kernels that run at once, with 32 connections and by default.
inline constexpr std::size_t resident_grids = 128, default_grids = 32;
inline constexpr double copy_gb_s = 6, copy_ns = 8'000;
inline constexpr double fp32_flop_per_clock = 256, tensor_flop_per_clock = 2048;  // of an SM
inline constexpr double l2_cycles = 220, dram_cycles = 520;                       // of a load that waits
inline constexpr double idle_w = 20, swing_w = 10, limit_w = 72;                  // power, by NVML

}  // namespace jostle::fakes
