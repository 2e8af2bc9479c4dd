#include "calibration/fit/looped_streams.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace jostle::calibration {
namespace {

using sim::Duration;
using sim::Time;

// Streams do not start at the same instant: a host enqueues them one after the other.
constexpr Duration between_starts = sim::Duration{10'000'000};

struct Place {
  std::size_t kernel = 0;  // index in the loop: the kernel on the GPU, or the next one
  int loops = 0;           // number of complete loops
  Time ready;              // arrival of the next kernel; never: the kernel is on the GPU
  Time counted_from = {}, counted_to = {};
};

class Loops {
 public:
  Loops(const gpu::Spec& gpu, std::span<const LoopedStream> streams, int skipped, int counted)
      : dispatcher_(gpu), streams_(streams), skipped_(skipped), counted_(counted) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      dispatcher_.add_stream({.connection = static_cast<int>(i), .sms = gpu.sm_count});
      places_.push_back({.ready = Time{} + between_starts * static_cast<std::int64_t>(i)});
    }
  }
  std::vector<double> run() {
    for (Time now; counting_ < places_.size();) now = step(now);
    std::vector<double> rates;
    for (const Place& place : places_)
      rates.push_back(counted_ / sim::to_seconds(place.counted_to - place.counted_from));
    return rates;
  }

 private:
  // Processes the events at `now`; returns the time of the next event.
  Time step(Time now) {
    done_.clear();
    dispatcher_.run_until(now);
    dispatcher_.end(done_);
    for (const int stream : done_) kernel_over(static_cast<std::size_t>(stream), now);
    join(now);
    dispatcher_.dispatch();
    Time next = dispatcher_.next();
    for (const Place& place : places_) next = std::min(next, place.ready);
    if (next == Time::never()) throw std::invalid_argument("a GPU without SMs runs no kernel");
    return next;
  }
  void kernel_over(std::size_t index, Time now) {
    Place& place = places_[index];
    const LoopedStream& stream = streams_[index];
    if (++place.kernel == stream.kernels.size()) {
      place.kernel = 0;
      ++place.loops;
      if (place.loops == skipped_) place.counted_from = now;
      if (place.loops == skipped_ + counted_) {
        place.counted_to = now;
        ++counting_;
      }
    }
    place.ready = now + stream.gaps[place.kernel];
  }
  // Ready kernels join the queue, in the order in which they became ready.
  void join(Time now) {
    for (;;) {
      const auto first = std::ranges::min_element(places_, {}, &Place::ready);
      if (first->ready > now) return;
      first->ready = Time::never();
      const auto index = static_cast<std::size_t>(first - places_.begin());
      dispatcher_.ready(static_cast<int>(index), streams_[index].kernels[first->kernel]);
    }
  }

  gpu::space::Dispatcher dispatcher_;
  std::span<const LoopedStream> streams_;
  int skipped_, counted_;
  std::size_t counting_ = 0;  // number of streams with a complete count
  std::vector<Place> places_;
  std::vector<int> done_;  // streams whose kernel ended in this step; a member only to keep its storage
};

}  // namespace

LoopedStream looped(const gpu::Spec& gpu, const gpu::KernelSequence& kernels) {
  LoopedStream stream;
  for (std::size_t i = 0; i < kernels.kernels.size(); ++i) {
    stream.kernels.push_back(gpu::space::work_of(gpu, kernels.kernels[i], gpu.sm_count));
    stream.gaps.push_back(gpu::space::launch_gap(kernels, i));
  }
  return stream;
}

std::vector<double> loops_per_s(const gpu::Spec& gpu, std::span<const LoopedStream> streams, int skipped,
                                int counted) {
  return Loops(gpu, streams, std::max(skipped, 1), counted).run();
}

}  // namespace jostle::calibration
