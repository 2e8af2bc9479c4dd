#include "models/gpu/dispatcher.hpp"

#include <algorithm>
#include <cmath>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/rates.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu::space {

using sim::Duration;
using sim::Time;

namespace {

// The blocks of a kernel on the SM that has most of them.
struct OnSm {
  std::uint32_t all = 1, at_once = 1;
};

OnSm on_sm(const Spec& gpu, const Kernel& kernel, int sms) {
  const auto count = static_cast<std::uint32_t>(std::max(sms, 1));
  const std::uint32_t all = (grid_on(gpu, kernel, sms) + count - 1) / count;
  return {.all = all, .at_once = std::min(all, static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel)))};
}

// The sum of wave(blocks) over the waves of `all` blocks of which `at_once` run at one time.
template <typename Wave>
double sum_of_waves(std::uint32_t all, std::uint32_t at_once, const Wave& wave) {
  const std::uint32_t full = all / at_once, rest = all % at_once;
  return full * wave(at_once) + (rest > 0 ? wave(rest) : 0.0);
}

// The time that an SM takes for its blocks, wave after wave, over that of a wave of `of_unit` blocks which
// keep the pipes busy for the share `pipes`. A wave of fewer blocks is shorter, and one of more is longer, as
// far as the pipes bound it (slowdown.hpp).
double time_of_blocks(const OnSm& blocks, std::uint32_t of_unit, double pipes) {
  const auto wave = [&](std::uint32_t count) {
    const double busy = pipes * count / of_unit;
    return cube_root(std::max(1 - pipes * pipes * pipes, 0.0) + busy * busy * busy);
  };
  return sum_of_waves(blocks.all, blocks.at_once, wave);
}

// Rounds in which `blocks` take `tiles`.
std::uint32_t rounds(std::uint32_t tiles, std::uint32_t blocks) {
  return (tiles + blocks - 1) / blocks;
}

// The work of a block of a persistent kernel on some SMs, over that on all: the blocks share that of those
// that are not launched. A grid that does not fill the GPU has a block for each tile of the result, and tiles
// stay whole: a convolution of 98 blocks on 132 SMs takes 1.4 to 1.5 times as long on 54, 72 and 90
// (evidence/h100-shares/kernels.csv). A grid that does has more of them than blocks.
double longer_by_grid(const Spec& gpu, const Kernel& kernel, int sms) {
  const std::uint32_t all = grid_on(gpu, kernel, gpu.sm_count), some = grid_on(gpu, kernel, sms);
  const bool fills = all >= static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel) * gpu.sm_count);
  const double work = static_cast<double>(all) / some;
  return fills ? work : std::ceil(work);
}

// The time of a kernel that reads DRAM, over that of its blocks in waves: they drift apart, so the GPU has as
// many of them until the end. `at_once`: its blocks that fit on its SMs.
double gain_of_drift(const Demand& demand, std::uint32_t blocks, std::uint32_t at_once) {
  const double share = std::min({demand.use.dram_share, demand.use.waiting, 1.0});
  if (share <= 0 || blocks <= at_once) return 1;
  const auto wave = [&](std::uint32_t count) {
    return cube_root(cubed_of_part(demand, std::min(count / demand.use.blocks, 1.0)));
  };
  const double drifting = static_cast<double>(blocks) / at_once * wave(at_once);
  return 1 - share + share * std::min(drifting / sum_of_waves(blocks, at_once, wave), 1.0);
}

}  // namespace

Work work_of(const Spec& gpu, const Kernel& kernel, int its_sms) {
  Work work;
  work.need = need_of(gpu, kernel);
  work.blocks = grid_on(gpu, kernel, its_sms);
  const std::int64_t count = waves(gpu, kernel, its_sms);
  work.waves = static_cast<std::uint32_t>(count);
  const OnSm on_all = on_sm(gpu, kernel, gpu.sm_count);
  work.demand = demand_of(gpu, kernel, on_all.at_once);
  work.cold_code = static_cast<double>(kernel.reuse_bytes) > gpu.l2_bytes;
  work.same_function = kernel.same_function;
  // At least half of each is execution, whatever start and turnover are.
  const SpaceSharing& law = gpu.space_sharing;
  work.start = std::min(law.kernel_start, kernel.duration / 2);
  Duration blocks = kernel.duration - work.start;
  if (its_sms < gpu.sm_count) {
    const OnSm on_its = on_sm(gpu, kernel, its_sms);
    const double pipes = std::min(pipes_used(kernel), 1.0);
    const double fixed = static_cast<double>(kernel.fixed_share);
    const double longer = longer_by_grid(gpu, kernel, its_sms) *
                          time_of_blocks(on_its, on_all.at_once, pipes) /
                          time_of_blocks(on_all, on_all.at_once, pipes);
    const std::uint32_t at_once = on_its.at_once * static_cast<std::uint32_t>(std::max(its_sms, 1));
    const double drift = gain_of_drift(work.demand, work.blocks, at_once);
    blocks = sim::work_in(blocks, fixed + (1 - fixed) * longer * drift);
    hold(work.demand, on_its.at_once);
  }
  work.turnover = std::min(law.block_turnover, blocks / (2 * count));
  work.wave = (blocks - work.turnover * (count - 1)) / count;
  if (kernel.persistent && kernel.tiles > work.blocks) {
    const std::uint32_t of_block = rounds(kernel.tiles, work.blocks);
    work.early = of_block * work.blocks - kernel.tiles;
    work.tile = work.wave / static_cast<std::int64_t>(of_block);
  }
  return work;
}

Duration launch_gap(const KernelSequence& kernels, std::size_t kernel) {
  const auto count = static_cast<std::int64_t>(kernels.kernels.size());
  const auto before = static_cast<std::int64_t>(kernel);
  return kernels.lone_gap * (before + 1) / count - kernels.lone_gap * before / count;
}

Dispatcher::Dispatcher(const Spec& gpu, const Longer& longer)
    : gpu_(gpu), longer_(longer), residency_(gpu), shares_(gpu) {}

int Dispatcher::add_stream(const StreamSpec& spec) {
  Stream& stream = streams_.emplace_back();
  stream.spec = spec;
  shares_.limit(spec.client, spec.sms);
  stream.limited = shares_.limited(spec.client);
  const auto connection = static_cast<std::size_t>(spec.connection);
  if (connection >= connections_.size()) connections_.resize(connection + 1);
  return static_cast<int>(streams_.size()) - 1;
}

// `work`, as far as L2 still holds what it reads.
void Dispatcher::take_work(Stream& stream, const Work& work) const {
  stream.work = work;
  stream.work.demand = beside(work.demand, stream.reuse);
  stream.work.wave = sim::work_in(work.wave, stream.work.demand.longer);
  stream.work.turnover = sim::work_in(work.turnover, stream.work.demand.longer);
  stream.work.tile = sim::work_in(work.tile, stream.work.demand.longer);
}

// Bytes of `blocks` blocks.
void Dispatcher::note_moved(Stream& stream, const Work& work, std::uint32_t blocks) {
  const std::int64_t moved = std::llround(work.demand.use.moved_bytes / work.blocks) * blocks;
  stream.own_moved += moved;
  moved_ += moved;
}

void Dispatcher::note_ended(Stream& stream, std::uint32_t blocks) {
  note_moved(stream, stream.work, blocks);
  stream.ended += blocks;
}

void Dispatcher::pass_over(int index, const Work& work) {
  sim::contract(!at(index).active, "a kernel comes and goes on a stream that has no other");
  note_moved(at(index), work, work.blocks);
}

void Dispatcher::ready(int index, const Work& work) {
  Stream& stream = at(index);
  sim::contract(!stream.active, "a stream has one kernel at a time");
  sim::contract(work.blocks > 0 && work.wave >= Duration::zero(), "a kernel has blocks, which take time");
  if (running_.size() == 1) {  // only then are there waves
    Stream& other = at(running_.front());
    if (other.spec.priority < stream.spec.priority)
      break_waves(other);
    else
      note_waves(other);
  }
  const std::int64_t others = moved_ - stream.own_moved;
  stream.reuse = work.demand.use.moved_bytes + static_cast<double>(others - stream.others_before);
  stream.others_before = others;
  take_work(stream, work);
  stream.active = true;
  stream.running = stream.waited = false;
  stream.no_room_since = 0;
  stream.unplaced = work.blocks;
  stream.ended = 0;
  stream.passed = Duration::zero();
  stream.joined = stream.since = now_;
  auto place = line_.end();
  while (place != line_.begin() && at(*(place - 1)).spec.priority < stream.spec.priority) --place;
  line_.insert(place, index);
  count_new(stream, 1);
}

// The time that the blocks take that `head` places now, alone.
Duration Dispatcher::time_of(const Stream& head) const {
  constexpr int most_fetching = 2;
  Duration time = head.work.wave + (head.waited ? head.work.turnover : Duration::zero());
  // Code that a kernel of another network displaced is fetched while the kernel waits for room.
  const auto is_foreign = [&](int other) { return at(other).spec.functions != head.spec.functions; };
  const bool fetches = !head.running && !head.work.same_function && std::ranges::any_of(running_, is_foreign);
  const Duration fetch = fetches ? gpu_.space_sharing.foreign_fetch : Duration::zero();
  time += std::max(head.joined + head.work.start + fetch - now_, Duration::zero());
  if (!head.running) {
    time += longer_.each;
    if (!head.work.same_function) time += gpu_.space_sharing.fetch * std::min(running(), most_fetching);
    if (head.work.cold_code) time += longer_.cold_code;
  }
  return time;
}

// Places what fits of the head of the line; true if that is all of it.
bool Dispatcher::place_head(int index) {
  Stream& head = at(index);
  const Duration length = time_of(head);
  const std::uint32_t early = head.work.early;
  if (head.unplaced > early && !place(index, head.unplaced - early, length)) return false;
  return head.unplaced == 0 || place(index, head.unplaced, length - head.work.tile);
}

// Places up to `blocks` blocks of the head of the line that take `length`; true if these are all.
bool Dispatcher::place(int index, std::uint32_t blocks, Duration length) {
  Stream& head = at(index);
  if (free_placements_.empty()) {
    free_placements_.push_back(static_cast<std::uint32_t>(placements_.size()));
    placements_.emplace_back();
  }
  const std::uint32_t slot = free_placements_.back();
  Placement& placed = placements_[slot];
  const int most = static_cast<int>(std::min<std::uint32_t>(blocks, 1U << 20U));
  if (!head.running) head.resident = residency_.enter(head.work.need, head.work.demand.pipes_of_block);
  const int count = place_blocks(head, most, placed);
  sim::contract(count >= 0 && count <= most, "no more blocks are placed than wait");
  if (count < most && full_.empty()) head.no_room_since = releases_;
  if (count == 0) {
    if (!head.running) residency_.leave(head.resident);
    return false;
  }
  free_placements_.pop_back();
  if (!head.running) start(index);
  slowdown_.add(head.work.demand, count);
  shares_.add(head.spec.client, placed);
  changed_ = true;
  catch_up(head);
  const Duration end = head.passed + length;
  const auto later = std::ranges::find_if(head.cohorts, [&](const Cohort& other) { return other.end > end; });
  head.unplaced -= static_cast<std::uint32_t>(count);
  Cohort cohort{.end = end, .count = count, .length = length, .placed = slot};
  const bool alone = running_.size() == 1 && head.cohorts.empty() && !head.limited;
  if (alone && head.unplaced > 0 && head.work.early == 0)
    cohort.waves = static_cast<std::int32_t>((head.unplaced - 1) / static_cast<std::uint32_t>(count));
  head.cohorts.insert(later, cohort);
  note_first(head);
  return count == static_cast<int>(blocks);
}

// Places up to `most` blocks on the SMs that its client may use; returns their number.
int Dispatcher::place_blocks(Stream& head, int most, Placement& placed) {
  const std::size_t client = head.spec.client;
  if (full_.empty() && !head.limited) return residency_.place(head.resident, most, {}, placed);
  residency_.find_room(head.resident, room_);
  for (const std::size_t other : full_) shares_.leave_others(other, room_);
  if (head.limited) shares_.leave_usable(client, room_);
  return residency_.place(head.resident, most, room_, placed);
}

// Its first blocks are placed.
void Dispatcher::start(int index) {
  Stream& stream = at(index);
  stream.running = true;
  stream.speed = stream.cubed = 1;
  connection_of(stream).taken = true;
  new_in_line_ -= connection_of(stream).new_streams;
  running_.insert(std::ranges::lower_bound(running_, index), index);
}

// In the kernel's own time: of its last wave.
Duration Dispatcher::end_of(const Stream& stream, const Cohort& cohort) {
  return cohort.end + later_wave(stream.work) * cohort.waves;
}

// Waves that ended before `passed`, of those that others of the cohort follow.
std::int32_t Dispatcher::waves_over(const Stream& stream, const Cohort& cohort, Duration passed) {
  if (cohort.waves == 0 || passed <= cohort.end) return 0;
  const std::int64_t each = std::max<std::int64_t>(later_wave(stream.work).ps(), 1);
  const std::int64_t over = ((passed - cohort.end).ps() - 1) / each + 1;
  return static_cast<std::int32_t>(std::min<std::int64_t>(over, cohort.waves));
}

// The next `over` waves of the cohort have ended, and as many blocks have taken their places.
void Dispatcher::end_waves(Stream& stream, Cohort& cohort, std::int32_t over) {
  if (over == 0) return;
  const auto blocks = static_cast<std::uint32_t>(over) * static_cast<std::uint32_t>(cohort.count);
  note_ended(stream, blocks);
  stream.unplaced -= blocks;
  cohort.length = later_wave(stream.work);
  cohort.end += cohort.length * over;
  cohort.waves -= over;
}

// Counts the waves that have ended, also one that ends now.
void Dispatcher::note_waves(Stream& stream) {
  if (!in_waves(stream)) return;
  catch_up(stream);
  Cohort& cohort = stream.cohorts.front();
  end_waves(stream, cohort, waves_over(stream, cohort, stream.passed));
  if (in_waves(stream) && cohort.end == stream.passed) end_waves(stream, cohort, 1);
}

// From now on, each wave is placed when the one before it has ended.
void Dispatcher::break_waves(Stream& stream) {
  if (!in_waves(stream)) return;
  catch_up(stream);
  Cohort& cohort = stream.cohorts.front();
  end_waves(stream, cohort, waves_over(stream, cohort, stream.passed));
  cohort.waves = 0;
  if (cohort.end == stream.passed) {  // it ends now
    const Cohort last = cohort;
    stream.cohorts.clear();
    remove_resident(stream, last);
  }
  note_first(stream);
  find_next();
}

// The cohort is no longer among the stream's.
void Dispatcher::remove_resident(Stream& stream, const Cohort& cohort) {
  const Placement& placed = placements_[cohort.placed];
  if (stream.cohorts.empty())
    residency_.release_all(stream.resident);
  else
    residency_.release(stream.resident, placed);
  shares_.remove(stream.spec.client, placed);
  slowdown_.remove(stream.work.demand, cohort.count);
  free_placements_.push_back(cohort.placed);
  note_ended(stream, static_cast<std::uint32_t>(cohort.count));
  changed_ = true;
  ++releases_;
}

bool Dispatcher::has_resident_blocks() const {
  return std::ranges::any_of(running_, [&](int index) { return !at(index).cohorts.empty(); });
}

void Dispatcher::dispatch(Places places) {
  if (places == Places::none) {
    for (const int index : running_) break_waves(at(index));
  } else {
    serve_line(places);
  }
  if (changed_) set_speeds();
}

void Dispatcher::serve_line(Places places) {
  full_.clear();
  const int most_running = gpu_.space_sharing.resident_grids;
  bool closed = false;  // a kernel waits that may use any SM
  for (std::size_t place = 0; place < line_.size();) {
    if (closed && (new_in_line_ == 0 || running() >= most_running)) break;  // all others wait already
    const int index = line_[place];
    Stream& head = at(index);
    // One that does not run may not stand in the line yet: it is delivered later.
    if (!head.running &&
        (places == Places::running || running() >= most_running || connection_of(head).taken)) {
      ++place;
      continue;
    }
    const bool no_room = head.no_room_since == releases_ || in_waves(head);
    if (closed || no_room || !place_head(index)) {
      if (!head.waited) count_new(head, -1);
      head.waited = true;
      if (head.limited && shares_.has_all(head.spec.client))
        full_.push_back(head.spec.client);
      else
        closed = true;
      ++place;
      continue;
    }
    // Its connection is taken now, and no other has become free.
    if (!head.waited) count_new(head, -1);
    line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

// `change` is 1 for a stream that joins the line, and -1 once it has waited there or leaves.
void Dispatcher::count_new(const Stream& stream, int change) {
  Connection& connection = connection_of(stream);
  connection.new_streams += change;
  if (!connection.taken) new_in_line_ += change;
}

void Dispatcher::set_speeds() {
  residency_.find_fullest();
  const double mean = slowdown_.mean_use();
  pressures_.clear();
  for (const int index : running_) pressures_.push_back(pressure_on(at(index), mean));
  for (Pressure& on : pressures_) {
    on.cubed = on.by_memory + cubed_by_pipes(on.pipes, mean, on.share);
    on.speed = 1 / cube_root(on.cubed);
  }
  next_ = Time::never();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Stream& stream = at(running_[i]);
    const Pressure& on = pressures_[i];
    if (on.cubed != stream.cubed) {
      catch_up(stream);
      stream.cubed = on.cubed;
      stream.speed = on.cubed == 1 ? 1.0 : on.speed;
      set_next(stream);
    }
    next_ = std::min(next_, stream.next);
  }
  changed_ = false;
}

Dispatcher::Pressure Dispatcher::pressure_on(const Stream& stream, double mean) const {
  if ((running_.size() == 1 && !stream.limited) || stream.cohorts.empty()) return {};
  const Demand& demand = stream.work.demand;
  Pressure on{.by_memory = slowdown_.cubed_by_memory(demand, stream.limited)};
  if (demand.pipes == 0) return on;
  on.share = demand.pipes / whole_pipes / mean;
  on.pipes = stream.work.waves == 1 ? residency_.fullest_pipes(stream.resident)
                                    : residency_.mean_pipes(stream.resident);
  return on;
}

// Where the stream is now in its kernel's own time.
Duration Dispatcher::passed(const Stream& stream) const {
  if (stream.next == Time::never()) return stream.passed;
  if (stream.next <= now_) return stream.first_end;
  return std::min(stream.passed + sim::work_in(now_ - stream.since, stream.speed), stream.first_end);
}

void Dispatcher::catch_up(Stream& stream) const {
  stream.passed = passed(stream);
  stream.since = now_;
}

// Its cohorts have changed.
void Dispatcher::note_first(Stream& stream) const {
  stream.first_end = stream.cohorts.empty() ? Duration::max() : end_of(stream, stream.cohorts.front());
  set_next(stream);
}

void Dispatcher::set_next(Stream& stream) const {
  stream.next = Time::never();
  if (stream.cohorts.empty()) return;
  // Not now, however fast: time must advance.
  stream.next = now_ + std::max(sim::time_for(stream.first_end - stream.passed, stream.speed), Duration{1});
}

void Dispatcher::find_next() {
  next_ = Time::never();
  for (const int index : running_) next_ = std::min(next_, at(index).next);
}

void Dispatcher::end(std::vector<int>& done) {
  if (next_ > now_) return;
  const std::size_t done_before = done.size();
  sim::contract(next_ == now_, "blocks end at the time that was told");
  next_ = Time::never();
  for (const int index : running_) {
    Stream& stream = at(index);
    if (stream.next <= now_) end_cohorts(stream);
    next_ = std::min(next_, stream.next);
    if (!stream.running) done.push_back(index);
  }
  if (done.size() > done_before) std::erase_if(running_, [&](int index) { return !at(index).running; });
}

// Removes those that end now.
void Dispatcher::end_cohorts(Stream& stream) {
  catch_up(stream);
  while (!stream.cohorts.empty() && end_of(stream, stream.cohorts.front()) <= stream.passed) {
    end_waves(stream, stream.cohorts.front(), stream.cohorts.front().waves);
    const Cohort over = stream.cohorts.front();
    stream.cohorts.erase(stream.cohorts.begin());
    remove_resident(stream, over);
  }
  note_first(stream);
  sim::contract(stream.ended <= stream.work.blocks, "no more blocks end than a kernel has");
  if (stream.ended < stream.work.blocks) return;
  stream.active = stream.running = false;
  residency_.leave(stream.resident);
  connection_of(stream).taken = false;
  new_in_line_ += connection_of(stream).new_streams;
}

void Dispatcher::skip_until(Time now) {
  sim::contract(now >= now_, "blocks stand still until a later time");
  for (const int index : running_) catch_up(at(index));
  now_ = now;
  for (const int index : running_) {
    at(index).since = now;
    set_next(at(index));
  }
  find_next();
}

void Dispatcher::retime(int index, const Work& work) {
  Stream& stream = at(index);
  if (!stream.active) return;
  sim::contract(work.blocks == stream.work.blocks, "a kernel keeps its blocks at other clocks");
  break_waves(stream);
  catch_up(stream);
  const Duration before = std::max(stream.work.wave, Duration{1});
  for (const Cohort& cohort : stream.cohorts) slowdown_.remove(stream.work.demand, cohort.count);
  take_work(stream, work);
  if (stream.running) residency_.set_pipes(stream.resident, stream.work.demand.pipes_of_block);
  for (Cohort& cohort : stream.cohorts) {
    const Duration left = cohort.end - stream.passed;
    const Duration now_left = same_fraction(left, before, stream.work.wave);
    cohort.length += now_left - left;
    cohort.end = stream.passed + std::max(now_left, Duration{1});
    slowdown_.add(stream.work.demand, cohort.count);
  }
  note_first(stream);
  changed_ = true;
}

double Dispatcher::fraction(int index) const {
  const Stream& stream = at(index);
  if (!stream.active) return 0;
  double blocks = stream.ended;
  const Duration done = passed(stream);
  for (const Cohort& cohort : stream.cohorts) {
    const std::int32_t over = waves_over(stream, cohort, done);
    const Duration length = over > 0 ? later_wave(stream.work) : cohort.length;
    const auto left = static_cast<double>((cohort.end + later_wave(stream.work) * over - done).ps());
    blocks += cohort.count * (over + 1 - left / static_cast<double>(std::max<std::int64_t>(length.ps(), 1)));
  }
  return std::clamp(blocks / stream.work.blocks, 0.0, 1.0);
}

}  // namespace jostle::gpu::space
