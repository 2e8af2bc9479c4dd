// GPU activity in windows of fixed length, sampled in the way of a profiler (Nsight Systems: GPU metrics, 10
// kHz by default): the mean over each window, and the distribution of these means.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "models/board/board.hpp"
#include "sim/engine.hpp"
#include "sim/share_histogram.hpp"

namespace jostle::board {

// Shares of the whole GPU (gpu::Kernel), and of the peak bandwidth of its DRAM.
inline constexpr std::array<std::string_view, 5> gpu_window_names{"sm_active", "issue_slot", "tensor_active",
                                                                  "occupancy", "dram_bandwidth"};
using GpuWindowShares = std::array<sim::ShareHistogram, gpu_window_names.size()>;

// The caller that runs the engine stops at end() and calls sample(). So windows are not events and change
// nothing.
class GpuWindows {
 public:
  // The first window begins now. Engine and board must outlive it; `interval` is positive.
  GpuWindows(sim::Engine& engine, Board& board, sim::Duration interval, double peak_bytes_per_s);

  [[nodiscard]] sim::Duration interval() const { return interval_; }
  [[nodiscard]] sim::Time end() const { return begin_ + interval_; }
  // Records the window that ends now.
  void sample();
  // Ends the warm-up: discards the windows so far and begins one now. Call after Board::end_warmup().
  void restart();

  [[nodiscard]] const GpuWindowShares& of_board() const { return board_shares_; }
  // The shares caused by the process's own kernels only.
  [[nodiscard]] const GpuWindowShares& of_process(std::size_t index) const {
    return processes_[index].shares;
  }

 private:
  struct ProcessWindows {
    gpu::Usage before;  // at the begin of the window
    GpuWindowShares shares;
  };
  using Shares = std::array<double, gpu_window_names.size()>;
  [[nodiscard]] Shares shares_of(const gpu::Usage& used) const;

  sim::Engine& engine_;
  Board& board_;
  sim::Duration interval_;
  double peak_bytes_per_s_;
  sim::Time begin_;
  std::vector<ProcessWindows> processes_;
  gpu::Usage board_before_;  // at the begin of the window
  GpuWindowShares board_shares_;
  sim::TrackId sm_counter_ = sim::TrackId::none, tensor_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
