// What the GPU does in windows of fixed length, as a profiler samples it (Nsight Systems: GPU metrics, 10 kHz
// unless told otherwise): means over each window, and how those are distributed.
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

// Whoever runs the engine stops at end() to sample(), so that windows are no events and change nothing.
class GpuWindows {
 public:
  // The first window begins now. Engine and board must outlive it; `interval` is positive.
  GpuWindows(sim::Engine& engine, Board& board, sim::Duration interval, double peak_bytes_per_s);

  [[nodiscard]] sim::Duration interval() const { return interval_; }
  [[nodiscard]] sim::Time end() const { return begin_ + interval_; }
  // The window that ends now is over.
  void sample();
  // The warm-up ends: forgets the windows so far, begins one now. After Board::end_warmup().
  void restart();

  [[nodiscard]] const GpuWindowShares& of_board() const { return board_shares_; }
  // By its own kernels alone.
  [[nodiscard]] const GpuWindowShares& of_process(std::size_t index) const {
    return processes_[index].shares;
  }

 private:
  struct ProcessWindows {
    gpu::Usage before;  // when the window began
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
  GpuWindowShares board_shares_;
  sim::TrackId sm_counter_ = sim::TrackId::none, tensor_counter_ = sim::TrackId::none;
};

}  // namespace jostle::board
