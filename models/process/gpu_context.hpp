// The context of a process on the GPU: the kernels that it has run, and the listeners to its state changes
// (the time account, the memory traffic).
#pragma once

#include <cstddef>
#include <optional>

#include "models/gpu/gpu.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/action.hpp"

namespace jostle::process {

class GpuContext {
 public:
  // The board must have a GPU. Its parts and the account must outlive the context. `batch_seen` is called
  // when the oldest unfinished batch is finished and the host can see it.
  GpuContext(const BoardParts& board, const Spec& spec, const Costs& costs, TimeAccount& account,
             sim::Action batch_seen);
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;

  [[nodiscard]] gpu::Gpu& gpu() { return gpu_; }
  [[nodiscard]] gpu::ContextId id() const { return id_; }
  // The time account's number of this context.
  [[nodiscard]] std::size_t number() const { return number_; }

  // Kernels that have run since the warm-up.
  [[nodiscard]] gpu::Running running();
  void end_warmup() { running_before_ = gpu_.running(id_); }

 private:
  void changing(gpu::ContextState next);

  gpu::Gpu& gpu_;
  std::optional<memory::Traffic>& traffic_;
  std::size_t instance_;  // instance of the GPU, for `traffic_`
  TimeAccount& account_;
  sim::Action batch_seen_;
  memory::Demand demand_;  // memory demand of its kernels
  bool owns_gpu_ = false;  // the state last reported to `traffic_`
  gpu::Running running_before_;
  gpu::ContextId id_;
  std::size_t number_ = 0;
};

}  // namespace jostle::process
