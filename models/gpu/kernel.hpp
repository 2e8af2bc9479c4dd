// The work of a GPU as plain records: the kernels that one inference of a network launches.
//
// kernels_for() (models/dnn/kernels_for.hpp) produces them and the GPU consumes them. The GPU does not know
// whether a record was measured, interpolated or computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/time.hpp"

namespace jostle::gpu {

// The origin of a kernel time, most trustworthy first.
enum class Grade { measured, interpolated, fitted, datasheet };
[[nodiscard]] const char* to_string(Grade grade);

struct Kernel {
  sim::Duration duration;   // alone on the GPU, at the profile's reference clocks
  float compute_share = 1;  // share bound by arithmetic
  float memory_share = 0;   // share bound by memory bandwidth
  float fixed_share = 0;    // share independent of both (the three sum to 1)
  // At other clocks the bound may change: arithmetic and memory overlap, and the longer of them determines
  // the time. hidden_share is the shorter one over the duration; start_share is the part of compute_share
  // that does not overlap with memory (all of it, for a kernel with a memory_share).
  float hidden_share = 0;
  float start_share = 0;
  std::uint32_t blocks = 1;
  std::uint32_t threads_per_block = 128;
  std::uint32_t registers_per_thread = 32;
  std::uint32_t shared_bytes = 0;  // per block
  // A block takes one part of the work after another, and the library launches no more of them than the SMs
  // that the process may use hold at once.
  bool persistent = false;
  // These parts, all of one length; 0: not known. Blocks with a part less end earlier.
  std::uint32_t tiles = 0;
  // The kernel before it in the batch runs the same function, so the SMs hold its instructions.
  bool same_function = false;
  // Means over the duration and over all SMs of the GPU, each from 0 to 1: SMs with a resident warp; issue
  // slots used; tensor pipes used; resident warps over the maximum number.
  float sm_active = 0, issue_slot = 0, tensor_active = 0, occupancy = 0;
  float warp_pipes = 0;  // share of an SM's pipes that a resident warp keeps busy at least; 0: not known
  // Blocks run in waves, and the last one need not use all SMs. The last wave takes `last_wave` of the time
  // in which blocks are resident, and has `in_last_wave` of the activity (both 0 if all waves are alike).
  // Before blocks are resident, in the fixed share, there is no activity.
  float last_wave = 0, in_last_wave = 0;
  // The part of sm_active in which warps make progress, which excludes the time in which blocks start. The
  // number of cycles is the same at all clocks, because waiting longer is not more work.
  float working = 0;
  float dram_bytes = 0;    // bytes read and written
  float moved_bytes = 0;   // bytes to and from L2, and on to DRAM if L2 does not hold them
  std::uint32_t code = 0;  // identifies the function (code_of)
  // Bytes that a repeated batch moves to and from DRAM between two kernels of one function (note_reuse); 0
  // where instruction caches hold its code, or it is fetched while the kernel before runs.
  float reuse_bytes = 0;
};

// The usage of the GPU by kernels while they were executing: sums over their execution time.
struct Usage {
  double compute = 0, memory = 0;  // seconds bound by arithmetic, and by memory
  // Seconds, each weighted with the share of the GPU that was used (see Kernel).
  double sm_active = 0, issue_slot = 0, tensor_active = 0, occupancy = 0, working = 0;
  double dram_bytes = 0;

  // Pipes are busy while their SM is active; sums over kernels that share SMs may be above that.
  [[nodiscard]] double busy(double pipes) const { return std::min(pipes, sm_active); }
  Usage& operator+=(const Usage& other);
  Usage& operator-=(const Usage& other);
  Usage& operator*=(double part);
};

// The usage of `kernel` in the first `done` of its duration. Bytes and bounds are spread evenly over it;
// activity follows the waves (Kernel::last_wave).
[[nodiscard]] Usage usage_of(const Kernel& kernel, sim::Duration done);

// A number for the function that `kernel` runs. Profilers shorten names, so the number also depends on the
// grid and on the resources of a block.
[[nodiscard]] std::uint32_t code_of(std::string_view name, const Kernel& kernel);
// Sets reuse_bytes of the kernels of one batch, from their `code` and dram_bytes.
void note_reuse(std::vector<Kernel>& kernels);
// Sets same_function of the kernels of one batch, which repeats, where `code` is of functions with names.
void note_same_functions(std::vector<Kernel>& kernels);

// Sets `waves` waves of equal length on all SMs, except that the last one uses the share `last` of them (0 <
// last ≤ 1).
void set_waves(Kernel& kernel, double waves, double last);

// The operators that a framework asks for in one batch, outermost ones alone; 0: not known.
struct Operators {
  double launching = 0;  // those that launch a kernel or several
  double views = 0;      // those that launch none: views, permutations, dropout in inference
};

// The kernels of one batch in launch order.
struct KernelSequence {
  std::vector<Kernel> kernels;
  // finish[i]: sum of the durations of kernels 0..i (back to back, no gaps). Same length as `kernels`.
  std::vector<sim::Duration> finish;
  std::vector<Usage> used;  // used[i]: sum over kernels 0..i; same length as `kernels`
  // Time lost between kernels, per batch, if the process has the GPU to itself and batches follow each other
  // without a pause; hidden if other processes use the GPU. (h200: solo batch time - sum of kernels.)
  sim::Duration lone_gap;
  // CUDA launches a graph of kernels only as a whole, but one with memsets in several parts. This determines
  // when the host can refill during a turn. False if memsets are among the graph's last nodes.
  bool launched_whole = true;
  Operators operators;  // of a framework that launches kernel by kernel
  // The name of each kernel on a timeline, after its layer or as a profiler saw it. Null: not known.
  std::shared_ptr<const std::vector<std::string>> names;
  Grade grade = Grade::datasheet;
  std::string provenance;  // one line for the user: which table, which interpolation

  [[nodiscard]] sim::Duration total() const { return finish.empty() ? sim::Duration::zero() : finish.back(); }
  void rebuild_finish();  // call after changing `kernels`
};

// A sequence that its copies share, for equal processes. edit() changes only this copy.
class SharedKernels {
 public:
  SharedKernels() : SharedKernels(KernelSequence{}) {}
  SharedKernels(KernelSequence kernels)  // NOLINT(google-explicit-constructor): it stands for its sequence
      : kernels_(std::make_shared<KernelSequence>(std::move(kernels))) {}

  operator const KernelSequence&() const { return *kernels_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const KernelSequence& operator*() const { return *kernels_; }
  [[nodiscard]] const KernelSequence* operator->() const { return kernels_.get(); }
  [[nodiscard]] KernelSequence& edit() {
    if (kernels_.use_count() > 1) kernels_ = std::make_shared<KernelSequence>(*kernels_);
    return *kernels_;
  }

 private:
  std::shared_ptr<KernelSequence> kernels_;
};

}  // namespace jostle::gpu
