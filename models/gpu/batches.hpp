// The unfinished batches of a context, and the progress of the host that launches the newest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/gpu/advance.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/contract.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

class Batches {
 public:
  [[nodiscard]] bool empty() const { return batches_.empty(); }
  [[nodiscard]] std::size_t size() const { return batches_.size(); }
  [[nodiscard]] Batch& operator[](std::size_t index) { return batches_[index]; }  // oldest first
  [[nodiscard]] Batch& front() { return batches_.front(); }
  [[nodiscard]] const Batch& front() const { return batches_.front(); }
  [[nodiscard]] const HostProgress& host() const { return host_; }

  // The calls of the same names of gpu::Gpu.
  void enqueue(const KernelSequence& kernels, bool gated) {
    Batch& batch = add(kernels, gated);
    batch.launched = static_cast<std::uint32_t>(kernels.kernels.size());
  }
  void begin_launches(const KernelSequence& kernels, const LaunchPlan& plan, bool gated, sim::Time now) {
    sim::contract(batches_.empty() || batches_.back().launched == batches_.back().kernels->kernels.size(),
                  "a host launches a batch after it has launched the one before");
    sim::contract(plan.first >= sim::Duration::zero() && plan.each >= sim::Duration::zero(),
                  "launches follow one another");
    Batch& batch = add(kernels, gated);
    batch.kernel_by_kernel = true;
    batch.plan = plan;
    host_ = {now, sim::Duration::zero(), 0};
  }
  void open() {
    const auto gated = std::ranges::find(batches_, true, &Batch::gated);
    sim::contract(gated != batches_.end(), "input is copied for a batch that waits for it");
    gated->gated = false;
  }
  void host_progress(const HostProgress& progress) {
    sim::contract(progress.rate >= 0 && progress.since >= host_.since, "a host's progress never falls");
    if (!batches_.empty())  // launches up to now were at the old pace
      batches_.back().launched = launched_by(batches_.back(), host_, progress.since);
    host_ = progress;
  }
  void finish_launches() {
    if (!batches_.empty())
      batches_.back().launched = static_cast<std::uint32_t>(batches_.back().kernels->kernels.size());
    host_.rate = 0;
  }

  // The host has not launched all kernels of the oldest batch yet.
  [[nodiscard]] bool launching() const {
    return !empty() && front().launched < front().kernels->kernels.size();
  }

  // The oldest batch is finished.
  void pop() {
    sim::contract(!batches_.empty(), "a batch that ends had been enqueued");
    batches_.erase(batches_.begin());
  }
  // The earliest start of the oldest batch's kernel that the host allows; never: none is known.
  [[nodiscard]] sim::Time ready(std::uint32_t kernel) const {
    return batches_.empty() ? sim::Time::never() : ready_time(batches_.front(), host_, kernel);
  }

 private:
  Batch& add(const KernelSequence& kernels, bool gated) {
    sim::contract(!kernels.kernels.empty() && kernels.finish.size() == kernels.kernels.size(),
                  "a batch has kernels, and the sums of their times");
    Batch& batch = batches_.emplace_back();
    batch.given = batch.kernels = &kernels;
    batch.gated = gated;
    return batch;
  }

  std::vector<Batch> batches_;  // one or two
  HostProgress host_;
};

}  // namespace jostle::gpu
