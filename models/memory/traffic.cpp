#include "models/memory/traffic.hpp"

#include <algorithm>
#include <array>

#include "sim/contract.hpp"

namespace jostle::memory {

Demand demand_of(const gpu::KernelSequence& kernels, double capacity_bytes_per_s) {
  double bytes = 0, moving = 0;  // `moving`: seconds of moving bytes, also hidden behind arithmetic
  for (const gpu::Kernel& kernel : kernels.kernels) {
    const double duration = sim::to_seconds(kernel.duration);
    const double bound = duration * static_cast<double>(kernel.memory_share);
    bytes += kernel.dram_bytes > 0 ? static_cast<double>(kernel.dram_bytes) : bound * capacity_bytes_per_s;
    moving += kernel.memory_share > 0 ? bound : duration * static_cast<double>(kernel.hidden_share);
  }
  const double seconds = sim::to_seconds(kernels.total());
  if (seconds <= 0) return {};
  return {.bytes_per_s = std::min(bytes / seconds, capacity_bytes_per_s),
          .bound = std::clamp(kernels.used.back().memory / seconds, 0.0, 1.0),
          .peak = moving > 0 ? bytes / moving : 0};
}

void Traffic::gpu_runs(const Demand& demand, std::size_t gpu) {
  ++gpus_[gpu].running;
  set_gpu_demand(gpus_[gpu], demand);
}

void Traffic::gpu_rests(std::size_t gpu) {
  sim::contract(gpus_[gpu].running > 0, "kernels that cease to have the GPU had it");
  if (--gpus_[gpu].running == 0) set_gpu_demand(gpus_[gpu], {});
}

void Traffic::set_gpu_demand(Gpu& gpu, const Demand& demand) {
  gpu.demand = demand;
  if (gpu_clock_ == 1 && gpu_memory_ == 1) {
    arbiter_.set_demand(gpu.client, demand);
    return;
  }
  const double by_memory = demand.bound / gpu_memory_;
  const double time = (1 - demand.bound) / gpu_clock_ + by_memory;
  arbiter_.set_demand(gpu.client, {.bytes_per_s = demand.bytes_per_s / time,
                                   .bound = by_memory / time,
                                   .peak = demand.peak * gpu_memory_});
}

void Traffic::set_clocks(double capacity_bytes_per_s, double gpu_clock, double gpu_memory) {
  gpu_clock_ = gpu_clock;
  gpu_memory_ = gpu_memory;
  arbiter_.set_capacity(capacity_bytes_per_s);
  for (Gpu& gpu : gpus_) set_gpu_demand(gpu, gpu.demand);
}

TeamId Traffic::add_team() {
  teams_.push_back({arbiter_.add({})});
  return {teams_.size() - 1};
}

void Traffic::core_demands(double change_bytes_per_s, TeamId id) {
  Team& team = teams_[id.index];
  team.threads += change_bytes_per_s > 0 ? 1 : -1;
  sim::contract(team.threads >= 0, "a thread that ceases to use the memory had used it");
  // Exactly zero if no thread is left, despite rounding of the sums.
  team.bytes_per_s = team.threads > 0 ? std::max(team.bytes_per_s + change_bytes_per_s, 0.0) : 0;
  const int users = id.index == 0 ? 1 : std::max(team.threads, 1);
  arbiter_.set_demand(
      team.client,
      {.bytes_per_s = team.bytes_per_s, .bound = team.bound, .users = static_cast<double>(users)});
}

double Traffic::core_speed(TeamId id) const {
  const Team& own = teams_[id.index];
  const double speed = arbiter_.present_speed(own.client);
  if (own.bytes_per_s <= 0 || own.bound <= 0) return speed;
  std::array demands{own.bytes_per_s / own.bound, 0.0, std::min(demanded_, cores_limit_)};
  std::array users{static_cast<double>(own.threads), 0.0, 0.0};
  for (const Stream& stream : streams_) users[2] += stream.demand > 0 ? stream.threads : 0;
  for (const Team& other : teams_) {
    if (&other == &own) continue;
    demands[1] += other.bytes_per_s;
    users[1] += other.threads;
  }
  demands[0] = std::min(demands[0], cores_limit_);
  std::array<double, 3> grants{};
  share_bandwidth({.capacity_bytes_per_s = cores_limit_}, demands, users, grants);
  return std::min(speed, grants[0] / demands[0]);
}

double Traffic::moved_by_host() const {
  double bytes = arbiter_.moved(copies_) + arbiter_.moved(co_runners_);
  for (const Team& team : teams_) bytes += arbiter_.moved(team.client);
  return bytes;
}

void Traffic::copies_change(int change) {
  const bool before = copying_ > 0;
  copying_ += change;
  sim::contract(copying_ >= 0, "a copy that ends had begun");
  if (before != (copying_ > 0))
    arbiter_.set_demand(copies_, {.bytes_per_s = copying_ > 0 ? copy_bytes_per_s_ : 0, .bound = 1});
}

StreamId Traffic::add_stream() {
  streams_.emplace_back();
  return {streams_.size() - 1};
}

// The stream's part of the bytes moved since the last change, in proportion to the demands.
double Traffic::moved_since(const Stream& stream) const {
  if (demanded_ <= 0) return 0;
  return (arbiter_.moved(co_runners_) - moved_by_streams_) * stream.demand / demanded_;
}

void Traffic::set_stream(StreamId id, double bytes_per_s, int threads) {
  if (streams_[id.index].demand == bytes_per_s) return;
  for (Stream& stream : streams_) stream.moved += moved_since(stream);
  moved_by_streams_ = arbiter_.moved(co_runners_);
  streams_[id.index].demand = bytes_per_s;
  streams_[id.index].threads = threads;
  demanded_ = 0;
  int users = 0;
  for (const Stream& stream : streams_) {
    demanded_ += stream.demand;
    users += stream.threads;
  }
  arbiter_.set_demand(co_runners_, {.bytes_per_s = std::min(demanded_, cores_limit_),
                                    .bound = 1,
                                    .users = static_cast<double>(std::max(users, 1))});
}

double Traffic::moved(StreamId id) const {
  const Stream& stream = streams_[id.index];
  return stream.moved + moved_since(stream);
}

}  // namespace jostle::memory
