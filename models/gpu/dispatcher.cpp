#include "models/gpu/dispatcher.hpp"

#include <algorithm>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/rates.hpp"

namespace jostle::gpu::space {

using sim::Duration;
using sim::Time;

Work work_of(const Spec& gpu, const Kernel& kernel) {
  Work work;
  work.need = need_of(gpu, kernel);
  work.blocks = std::max(kernel.blocks, 1U);
  const std::int64_t count = waves(gpu, kernel);
  work.one_wave = count == 1;
  const auto sms = static_cast<std::uint32_t>(std::max(gpu.sm_count, 1));
  const std::uint32_t spread = (work.blocks + sms - 1) / sms;
  const double held = work.one_wave ? spread : static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel));
  work.demand = demand_of(gpu, kernel, held);
  // At least half of each is execution, whatever start and turnover are.
  const SpaceSharing& law = gpu.space_sharing;
  work.start = std::min(law.kernel_start, kernel.duration / 2);
  const Duration blocks = kernel.duration - work.start;
  work.turnover = std::min(law.block_turnover, blocks / (2 * count));
  work.wave = (blocks - work.turnover * (count - 1)) / count;
  return work;
}

Dispatcher::Dispatcher(const Spec& gpu, Duration per_kernel)
    : gpu_(gpu), per_kernel_(per_kernel), residency_(gpu), slowdown_(residency_.sms()) {}

int Dispatcher::add_stream(const StreamSpec& spec) {
  Stream& stream = streams_.emplace_back();
  stream.spec = spec;
  stream.resident.assign(static_cast<std::size_t>(residency_.sms()), 0);
  return static_cast<int>(streams_.size()) - 1;
}

bool Dispatcher::connection_free(const Stream& stream) const {
  return std::ranges::none_of(streams_, [&](const Stream& other) {
    return &other != &stream && other.spec.connection == stream.spec.connection && other.running;
  });
}

void Dispatcher::ready(int index, const Work& work) {
  Stream& stream = at(index);
  stream.work = work;
  stream.active = true;
  stream.running = stream.waited = false;
  stream.unplaced = work.blocks;
  stream.ended = 0;
  stream.passed = Duration::zero();
  stream.joined = now_;
  const auto behind =
      std::ranges::find_if(line_, [&](int other) { return at(other).spec.priority < stream.spec.priority; });
  line_.insert(behind, index);
}

// Of the blocks that `head` places now, alone.
Duration Dispatcher::time_of(const Stream& head) const {
  constexpr int most_fetching = 2;
  Duration time = head.work.wave + (head.waited ? head.work.turnover : Duration::zero());
  time += std::max(head.joined + head.work.start - now_, Duration::zero());
  if (!head.running) time += per_kernel_ + gpu_.space_sharing.fetch * std::min(running_, most_fetching);
  return time;
}

// Places what fits of the head of the line; true if that is all of it.
bool Dispatcher::place_head(Stream& head) {
  std::uint32_t slot = 0;
  if (free_placements_.empty()) {
    slot = static_cast<std::uint32_t>(placements_.size());
    placements_.emplace_back(head.resident.size(), 0);
  } else {
    slot = free_placements_.back();
    free_placements_.pop_back();
    std::ranges::fill(placements_[slot], 0);
  }
  Placement& placed = placements_[slot];
  const int most = static_cast<int>(std::min<std::uint32_t>(head.unplaced, 1U << 20U));
  const int count = residency_.place(head.work.need, most, head.spec.sms, placed);
  if (count == 0) {
    free_placements_.push_back(slot);
    return false;
  }
  const Duration length = time_of(head);
  if (!head.running) {
    head.running = true;
    head.speed = 1;
    ++running_;
  }
  slowdown_.add(head.work.demand, placed);
  for (std::size_t i = 0; i < placed.size(); ++i)
    head.resident[i] = static_cast<std::uint8_t>(head.resident[i] + placed[i]);
  const Duration end = head.passed + length;
  const auto later = std::ranges::find_if(head.cohorts, [&](const Cohort& other) { return other.end > end; });
  head.cohorts.insert(later, Cohort{end, count, length, slot});
  head.unplaced -= static_cast<std::uint32_t>(count);
  changed_ = true;
  return head.unplaced == 0;
}

// Whether a kernel before `stream` waits for room on an SM that `stream` may use.
bool Dispatcher::behind_blocked(const Stream& stream) const {
  return std::ranges::any_of(
      blocked_, [&](const SmRange& range) { return overlap(range, stream.spec.sms, residency_.sms()); });
}

void Dispatcher::dispatch() {
  blocked_.clear();
  for (std::size_t place = 0; place < line_.size();) {
    Stream& head = at(line_[place]);
    if (!head.running && (running_ >= gpu_.space_sharing.resident_grids || !connection_free(head))) {
      ++place;  // does not stand in the line yet: it is delivered later
      continue;
    }
    if (behind_blocked(head) || !place_head(head)) {
      head.waited = true;
      blocked_.push_back(head.spec.sms);
      ++place;
      continue;
    }
    // Its connection is taken now, and no other has become free.
    line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  if (changed_) set_speeds();
}

void Dispatcher::set_speeds() {
  changed_ = false;
  for (Stream& stream : streams_) {
    if (!stream.running) continue;
    const bool limited = stream.spec.sms.count < residency_.sms();
    const bool alone = running_ == 1 && !limited;
    stream.speed = alone || stream.cohorts.empty()
                       ? 1.0
                       : 1 / slowdown_.of(stream.work.demand, stream.resident,
                                          {.slowest = stream.work.one_wave, .limited = limited});
  }
  set_next();
}

void Dispatcher::set_next() {
  next_ = Time::never();
  for (Stream& stream : streams_) {
    stream.next = Time::never();
    if (!stream.running || stream.cohorts.empty()) continue;
    // Not now, however fast: time must advance.
    stream.next =
        now_ + std::max(sim::time_for(stream.cohorts.front().end - stream.passed, stream.speed), Duration{1});
    next_ = std::min(next_, stream.next);
  }
}

void Dispatcher::run_until(Time now) {
  const Duration passed = now - now_;
  now_ = now;
  if (passed <= Duration::zero()) return;
  for (Stream& stream : streams_) {
    if (!stream.running || stream.cohorts.empty()) continue;
    const Duration end = stream.cohorts.front().end;
    stream.passed =
        stream.next <= now ? end : std::min(stream.passed + sim::work_in(passed, stream.speed), end);
  }
}

void Dispatcher::end(std::vector<int>& done) {
  if (next_ > now_) return;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (!stream.running || stream.next > now_) continue;
    while (!stream.cohorts.empty() && stream.cohorts.front().end <= stream.passed) {
      const Cohort over = stream.cohorts.front();
      stream.cohorts.erase(stream.cohorts.begin());
      const Placement& placed = placements_[over.placed];
      residency_.release(stream.work.need, placed);
      slowdown_.remove(stream.work.demand, placed);
      for (std::size_t sm = 0; sm < placed.size(); ++sm)
        stream.resident[sm] = static_cast<std::uint8_t>(stream.resident[sm] - placed[sm]);
      free_placements_.push_back(over.placed);
      stream.ended += static_cast<std::uint32_t>(over.count);
      changed_ = true;
    }
    if (stream.ended < stream.work.blocks) continue;
    stream.active = stream.running = false;
    --running_;
    done.push_back(static_cast<int>(i));
  }
  if (changed_) set_next();
}

void Dispatcher::skip_until(Time now) {
  now_ = now;
  set_next();
}

void Dispatcher::retime(int index, const Work& work) {
  Stream& stream = at(index);
  if (!stream.active) return;
  const Duration before = std::max(stream.work.wave, Duration{1});
  if (stream.running) {
    for (const Cohort& cohort : stream.cohorts)
      slowdown_.remove(stream.work.demand, placements_[cohort.placed]);
    for (Cohort& cohort : stream.cohorts) {
      const Duration left = cohort.end - stream.passed;
      const Duration now_left = same_fraction(left, before, work.wave);
      cohort.length += now_left - left;
      cohort.end = stream.passed + std::max(now_left, Duration{1});
      slowdown_.add(work.demand, placements_[cohort.placed]);
    }
  }
  stream.work = work;
  changed_ = true;
}

double Dispatcher::fraction(int index) const {
  const Stream& stream = at(index);
  if (!stream.active) return 0;
  double blocks = stream.ended;
  for (const Cohort& cohort : stream.cohorts) {
    const double left = static_cast<double>((cohort.end - stream.passed).ps());
    blocks += cohort.count * (1 - left / static_cast<double>(std::max<std::int64_t>(cohort.length.ps(), 1)));
  }
  return std::clamp(blocks / stream.work.blocks, 0.0, 1.0);
}

}  // namespace jostle::gpu::space
