#include "models/board/gpu_windows.hpp"

#include <utility>

#include "sim/trace.hpp"

namespace jostle::board {
namespace {

void add(GpuWindowShares& to, const std::array<double, gpu_window_names.size()>& shares) {
  for (std::size_t i = 0; i < shares.size(); ++i) to[i].add(shares[i]);
}

}  // namespace

GpuWindows::GpuWindows(sim::Engine& engine, Board& board, sim::Duration interval, double peak_bytes_per_s)
    : engine_(engine),
      board_(board),
      interval_(interval),
      peak_bytes_per_s_(peak_bytes_per_s),
      processes_(board.processes().size()) {
  if (sim::TraceSink* trace = engine.trace()) {
    sm_counter_ = trace->counter("GPU: SM active", "%");
    tensor_counter_ = trace->counter("GPU: tensor active", "%");
  }
  restart();
}

void GpuWindows::restart() {
  begin_ = engine_.now();
  for (sim::ShareHistogram& shares : board_shares_) shares.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i)
    processes_[i] = {.before = board_.processes()[i].running().used, .shares = {}};
  board_before_ = board_.gpu_used();
}

GpuWindows::Shares GpuWindows::shares_of(const gpu::Usage& used) const {
  const double window = sim::to_seconds(interval_);
  return {used.sm_active / window, used.busy(used.issue_slot) / window,
          used.busy(used.tensor_active) / window, used.occupancy / window,
          peak_bytes_per_s_ > 0 ? used.dram_bytes / (window * peak_bytes_per_s_) : 0};
}

void GpuWindows::sample() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const gpu::Usage now = board_.processes()[i].running().used;
    gpu::Usage used = now;
    used -= processes_[i].before;
    processes_[i].before = now;
    add(processes_[i].shares, shares_of(used));
  }
  // Kernels of several processes may share SMs, so the board's is not their sum.
  const gpu::Usage now = board_.gpu_used();
  gpu::Usage all = now;
  all -= std::exchange(board_before_, now);
  add(board_shares_, shares_of(all));
  if (sim::TraceSink* trace = engine_.trace()) {
    const double window = sim::to_seconds(interval_);
    trace->count(sm_counter_, begin_, 100 * all.sm_active / window);
    trace->count(tensor_counter_, begin_, 100 * all.tensor_active / window);
  }
  begin_ = engine_.now();
}

}  // namespace jostle::board
