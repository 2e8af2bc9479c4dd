// A stream of batches on the GPU, or on GPU and DLA: the host enqueues a batch, its input is copied to the
// device, it is executed, its output is copied back, and the host waits for that. At most two batches are
// under way.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <utility>

#include "models/cpu/cpu.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/accounting.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/gpu_context.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/launchers.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"

namespace jostle::process {

class Stream {
 public:
  // All arguments must outlive the stream.
  Stream(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
         Accounting& accounting);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // One enqueue call, to be awaited at once. Batches are numbered from 0; the request for this one was made
  // at `made`.
  class Enqueuing;
  [[nodiscard]] Enqueuing enqueue(std::uint64_t batch, sim::Time made);
  // One synchronise call, to be awaited at once: it waits until the host sees that the batch is done.
  class Synchronising;
  [[nodiscard]] Synchronising synchronise(std::uint64_t batch);
  // Time at which the request for a batch was made. The batch must be under way or just done.
  [[nodiscard]] sim::Time made(std::uint64_t batch) { return slot(batch).made; }

  [[nodiscard]] bool is_done(std::uint64_t batch) { return slot(batch).done.is_set(); }

  // Sets the kernels of the batches that are enqueued from now on, and the share of the spec's bytes that
  // each copies. `kernels` must outlive the board's GPU.
  void size_next(const gpu::KernelSequence& kernels, double share);
  // Sets the bytes that each of them copies to the device and back.
  void copy_next(double input_bytes, double output_bytes) {
    input_bytes_ = input_bytes;
    output_bytes_ = output_bytes;
  }
  // The same for kernels that go on with a batch after the host has worked between them. They count as a
  // batch, but cost no work that the host has once for each.
  void go_on_with(const gpu::KernelSequence& kernels, double input_bytes, double output_bytes) {
    launcher_.launch(kernels, false);
    copy_next(input_bytes, output_bytes);
  }
  // The next batch has no work for the GPU: it is done at once. None may be under way.
  void pass(std::uint64_t batch, sim::Time made);
  // Also sets `flag` whenever a batch is done, so that one host can wait for several streams.
  void also_set(cpu::Flag& flag) { also_ = &flag; }

  [[nodiscard]] GpuContext& context() { return context_; }

 private:
  // A batch under way.
  struct Slot {
    cpu::Flag done;
    sim::Time made;
    double output_bytes = 0;
  };
  [[nodiscard]] Slot& slot(std::uint64_t batch) { return slots_[batch % slots_.size()]; }

  [[nodiscard]] sim::Duration begin_enqueuing(std::uint64_t batch, sim::Time made);
  void enqueued();
  void bring_input();
  void input_copied();
  void gpu_done() { launcher_.gpu_done(); }
  void batch_executed();
  void output_copied();
  void batch_done();
  void note_copies(int change);

  sim::Engine& engine_;
  HostThread& host_;
  Accounting& accounting_;
  gpu::CopyEngine& copies_;
  std::optional<memory::Traffic>& traffic_;
  double all_input_bytes_, all_output_bytes_;  // bytes of a full batch
  double input_bytes_, output_bytes_;          // bytes of the next batch
  GpuContext context_;
  Launcher launcher_;
  std::array<Slot, 2> slots_;
  std::uint64_t executed_ = 0, done_ = 0;  // numbers of batches
  cpu::Flag* also_ = nullptr;
};

// Both are single requests to the host thread, and need no tasks of their own.
class Stream::Enqueuing {
 public:
  Enqueuing(Stream& stream, std::uint64_t batch, sim::Time made)
      : stream_(stream), call_(stream.host_.run(stream.begin_enqueuing(batch, made))) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <sim::ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> waiter) {
    return call_.await_suspend(waiter);
  }
  void await_resume() { stream_.enqueued(); }

 private:
  Stream& stream_;
  decltype(std::declval<HostThread&>().run({})) call_;
};

class Stream::Synchronising {
 public:
  Synchronising(Stream& stream, std::uint64_t batch)
      : stream_(stream), entered_(stream.engine_.now()), call_(stream.host_, stream.slot(batch).done) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <sim::ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> waiter) {
    return call_.await_suspend(waiter);
  }
  void await_resume() {
    call_.await_resume();
    stream_.accounting_.synchronised(entered_);
  }

 private:
  Stream& stream_;
  sim::Time entered_;
  HostThread::Waiting call_;
};

inline Stream::Enqueuing Stream::enqueue(std::uint64_t batch, sim::Time made) {
  return {*this, batch, made};
}
inline Stream::Synchronising Stream::synchronise(std::uint64_t batch) {
  host_.set_phase(Phase::synchronising);
  return {*this, batch};
}

}  // namespace jostle::process
