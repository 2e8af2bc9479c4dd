#include "models/gpu/readings.hpp"

#include <algorithm>

namespace jostle::gpu {

std::size_t Readings::add(std::optional<std::uint32_t> group) {
  const auto same =
      std::ranges::find_if(processes_, [&](const Process& process) { return group && process.id == group; });
  const auto number = static_cast<std::size_t>(same - processes_.begin());
  if (same == processes_.end()) processes_.push_back({.id = group, .activity = {}});
  ++processes_[number].contexts;
  accounts_.emplace_back().process = number;
  return number;
}

void Readings::execute(std::size_t context, bool executing, const Resident& resident, sim::Time at) {
  Account& account = accounts_[context];
  const int more = static_cast<int>(executing) - static_cast<int>(account.executing);
  activities_of(context,
                [&](Activity& activity) { activity.change_kernels(more, account.resident, resident, at); });
  account.executing = executing;
  account.resident = resident;
}

Running Readings::share(std::size_t context, Running total, sim::Time now) const {
  const Process& process = processes_[accounts_[context].process];
  const Resident seconds = process.activity.until(now).seconds;
  total.used.sm_active = seconds.sms / process.contexts;
  total.used.occupancy = seconds.warps / process.contexts;
  return total;
}

// Processes that take turns execute one after another.
ActiveTimes Readings::active(sim::Time now) const {
  if (space_ == SpaceOf::all_processes) return together_.until(now);
  ActiveTimes sum;
  for (const Process& process : processes_) {
    const ActiveTimes times = process.activity.until(now);
    sum.kernels += times.kernels;
    sum.seconds.sms += times.seconds.sms;
    sum.seconds.warps += times.seconds.warps;
  }
  return sum;
}

}  // namespace jostle::gpu
