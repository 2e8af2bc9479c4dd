#include "models/gpu/advance.hpp"

#include <algorithm>

namespace jostle::gpu {
namespace {

constexpr std::uint32_t worth_a_search = 8;  // kernels

// Advances t by `rest`, but not beyond the limit; true if all of `rest` has passed.
bool pass(sim::Duration& rest, sim::Time& t, sim::Time limit) {
  const sim::Duration step = std::min(rest, limit - t);
  t += step;
  rest -= step;
  return rest == sim::Duration::zero();
}

// Runs the kernels before `launched`, which follow each other without a gap; true if all are done by the
// limit. Their cumulative times are known, so a search finds the last one that is done.
bool run_launched(const Batch& batch, sim::Duration per_launch, std::uint32_t launched, Stretch& stretch) {
  Position& position = stretch.position;
  const std::vector<sim::Duration>& finish = batch.kernels->finish;
  const auto busy = [&](std::uint32_t end) {  // time of the first `end` kernels
    return (end == 0 ? sim::Duration::zero() : finish[end - 1]) + per_launch * end;
  };
  const sim::Duration begun = busy(position.next) + position.into, left = stretch.limit - stretch.from;
  const auto late = [&](std::uint32_t end) { return busy(end) - begun > left; };
  if (!late(launched)) {
    stretch.from += busy(launched) - begun;
    position.next = launched;
    position.into = sim::Duration::zero();
    return true;
  }
  std::uint32_t done = position.next, not_done = launched;
  // Most stretches end after a few kernels, so the search starts with doubling steps.
  for (std::uint32_t step = 1; step < not_done - done; step *= 2) {
    if (late(done + step)) {
      not_done = done + step;
      break;
    }
    done += step;
  }
  while (not_done - done > 1) {
    const std::uint32_t middle = done + (not_done - done) / 2;
    (late(middle) ? not_done : done) = middle;
  }
  position.into = begun + left - busy(done);
  position.next = done;
  return false;
}

}  // namespace

std::uint32_t launched_by(const Batch& batch, const HostProgress& host, sim::Time now) {
  const auto count = static_cast<std::uint32_t>(batch.kernels->kernels.size());
  if (!batch.kernel_by_kernel) return count;
  std::uint32_t launched = batch.launched;
  if (host.rate <= 0 || launched == count) return launched;
  // First estimate the number of kernels by arithmetic, then correct it exactly.
  if (batch.plan.each > sim::Duration::zero()) {
    const sim::Duration work = host.done + sim::work_in(now - host.since, host.rate) - batch.plan.first;
    const std::int64_t guess = std::max(work / batch.plan.each - 1, std::int64_t{0});
    launched = std::max(launched, static_cast<std::uint32_t>(std::min(guess, std::int64_t{count})));
    while (launched > batch.launched && launch_time(batch, host, launched - 1) > now) --launched;
  }
  while (launched < count && launch_time(batch, host, launched) <= now) ++launched;
  return launched;
}

Advance advance(const Batch& batch, const HostProgress& host, sim::Duration per_launch,
                const Stretch& asked) {
  Stretch stretch = asked;
  auto& [position, t, limit, stop_when_idle] = stretch;
  if (!pass(position.launch_gap, t, limit)) return {t, Stop::limit, position};
  if (!pass(position.cache_refill, t, limit)) return {t, Stop::limit, position};
  if (batch.gated) {
    if (stop_when_idle) return {t, Stop::out_of_work, position};
    return {limit, limit == sim::Time::never() ? Stop::starved : Stop::limit, position};
  }
  if (!batch.kernel_by_kernel) {
    sim::Duration rest = batch.kernels->finish.back() - position.into;
    const sim::Duration whole = rest;
    const bool done = pass(rest, t, limit);
    position.into += whole - rest;
    return {t, done ? Stop::batch_done : Stop::limit, position};
  }
  for (std::uint32_t launched; (launched = launched_by(batch, host, t)) >= position.next + worth_a_search;)
    if (!run_launched(batch, per_launch, launched, stretch)) return {limit, Stop::limit, position};
  const std::vector<Kernel>& kernels = batch.kernels->kernels;
  for (const auto count = static_cast<std::uint32_t>(kernels.size()); position.next < count;
       ++position.next, position.into = sim::Duration::zero()) {
    if (position.into == sim::Duration::zero()) {
      const sim::Time launch = launch_time(batch, host, position.next);
      if (launch > t) {
        if (stop_when_idle) return {t, Stop::out_of_work, position};
        if (launch > limit || launch == sim::Time::never())
          return {limit, limit == sim::Time::never() ? Stop::starved : Stop::limit, position};
        t = launch;
      }
    }
    const sim::Duration rest = per_launch + kernels[position.next].duration - position.into;
    if (rest > limit - t) {
      position.into += limit - t;
      return {limit, Stop::limit, position};
    }
    t += rest;
  }
  return {t, Stop::batch_done, position};
}

sim::Duration executed(const Batch& batch, sim::Duration per_launch, const Position& position) {
  if (!batch.kernel_by_kernel) return position.into;
  const sim::Duration before =
      position.next == 0 ? sim::Duration::zero() : batch.kernels->finish[position.next - 1];
  return before + std::max(position.into - per_launch, sim::Duration::zero());
}

Underway underway(const KernelSequence& kernels, sim::Duration executed) {
  const auto found = std::upper_bound(kernels.finish.begin(), kernels.finish.end(), executed);
  const auto index = static_cast<std::uint32_t>(found - kernels.finish.begin());
  return {index, executed - (index == 0 ? sim::Duration::zero() : kernels.finish[index - 1])};
}

Usage usage_until(const KernelSequence& kernels, const Underway& at) {
  Usage usage;
  if (at.kernel > 0) usage += kernels.used[at.kernel - 1];
  if (at.done > sim::Duration::zero()) usage += usage_of(kernels.kernels[at.kernel], at.done);
  return usage;
}

Position retimed(const Batch& batch, sim::Duration per_launch, Position position, const Underway& at,
                 const KernelSequence& next) {
  sim::Duration done;
  if (at.done > sim::Duration::zero())
    done =
        same_fraction(at.done, batch.kernels->kernels[at.kernel].duration, next.kernels[at.kernel].duration);
  if (!batch.kernel_by_kernel) {
    position.into = done + (at.kernel == 0 ? sim::Duration::zero() : next.finish[at.kernel - 1]);
  } else if (at.done > sim::Duration::zero()) {
    position.into = per_launch + done;
  }
  return position;
}

}  // namespace jostle::gpu
