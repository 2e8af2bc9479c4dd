#include "models/gpu/steady_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sim/contract.hpp"

namespace jostle::gpu {
namespace {
constexpr std::size_t parts = 8;
constexpr std::size_t transient = 2;    // half of the records
constexpr double chance = 2;            // the square of an error by eight parts over its mean, in 95 of 100
constexpr double between_tests = 1.25;  // ratio of the numbers of records
constexpr std::int64_t busy_share = 5;  // a pause is at most a fifth of the batch after it
constexpr std::int64_t ahead = 8;       // a host is late that launches in the last eighth of a batch
constexpr std::int64_t few_late = 16;   // one batch in so many may be late of a host that is ahead
constexpr std::int64_t late_busy_share = 50;      // pauses of a late host are at most a fiftieth
constexpr sim::Duration longer_pause{5'000'000};  // beyond twice the longest that was recorded
constexpr std::int64_t most_made_up = 20;         // a batch makes up for a twentieth of its time at most
constexpr std::int64_t alike = 100;  // times differ by a hundredth of a batch; fitted to one random mix
constexpr std::size_t least_of_each = 4;
constexpr std::size_t most_records = 1U << 15U;

bool is_late(const BatchRecord& record) {
  return ahead * (record.time - record.launched) < record.time;
}

// The slope of a regression of the times on the ends of launches: an end of launches delays no batch by more
// than itself. None where the host is ahead: there both may follow a third, such as copies.
double following_in(std::span<const BatchRecord> records) {
  if (few_late * std::ranges::count_if(records, is_late) <= std::ssize(records)) return 0;
  double launched = 0, time = 0, variance = 0, covariance = 0;
  for (const BatchRecord& record : records) {
    launched += sim::to_seconds(record.launched) / static_cast<double>(records.size());
    time += sim::to_seconds(record.time) / static_cast<double>(records.size());
  }
  for (const BatchRecord& record : records) {
    const double later = sim::to_seconds(record.launched) - launched;
    variance += later * later;
    covariance += later * (sim::to_seconds(record.time) - time);
  }
  return variance > 0 ? std::clamp(covariance / variance, 0.0, 1.0) : 0;
}

// Standard error of the mean of the times, without what follows launches, over the mean time.
double error_of_mean(std::span<const BatchRecord> records) {
  const double following = following_in(records);
  std::array<double, parts> means{};
  double mean = 0, mean_time = 0;
  const std::size_t each = records.size() / parts;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const BatchRecord& record : records.subspan(part * each, each)) {
      means.at(part) += sim::to_seconds(record.time) - following * sim::to_seconds(record.launched);
      mean_time += sim::to_seconds(record.time) / parts;
    }
    mean += means.at(part) / parts;
  }
  double squares = 0;
  for (const double of_part : means) squares += (of_part - mean) * (of_part - mean);
  return std::sqrt(squares / (parts * (parts - 1))) / mean_time;
}

// Batches of the first part that are longer than all later ones are of a start that the mean no longer shows:
// streams that have come into step since.
bool starts(std::span<const BatchRecord> records) {
  const auto longest = [](std::span<const BatchRecord> of) {
    return std::ranges::max_element(of, {}, &BatchRecord::time)->time;
  };
  const sim::Duration later = longest(records.subspan(records.size() / parts));
  return longest(records.first(records.size() / parts)) > later + later / alike;
}

}  // namespace

std::size_t SteadyLoops::find_kind(const LoopKind& kind) {
  const auto same = std::ranges::find(kinds_, kind, &Kind::kind) - kinds_.begin();
  if (same == std::ssize(kinds_)) kinds_.emplace_back().kind = kind;
  return static_cast<std::size_t>(same);
}

void SteadyLoops::add(std::size_t context, const LoopKind& kind, const BatchRecord& record) {
  if (context >= members_.size()) members_.resize(context + 1);
  const std::size_t found = find_kind(kind);
  if (members_[context].kind != none && members_[context].kind != found)
    return distrust();  // its batches differ
  Member& member = members_[context];
  Kind& of = kinds_[found];
  if (member.kind == none) member.kind = found;
  if (member.records++ > 0) {
    of.longest_pause = std::max(of.longest_pause, record.pause);
    paused_ = paused_ || record.pause > record.time / busy_share;
    if (is_late(record)) {
      of.late += record.time;
      of.before_late += record.pause;
    }
  }
  steady_ = steady_ && !paused_;
  if (paused_) return;
  of.records.push_back(record);
  of.contexts.push_back(context);
  const auto records = [](const Kind& each) { return each.records.size(); };
  const std::size_t least = records(*std::ranges::min_element(kinds_, {}, records));
  if (least < (kinds_.size() == 1 ? std::max(test_at_, alone.fewest) : test_at_)) return;
  steady_ = test();
  test_at_ = static_cast<std::size_t>(between_tests * static_cast<double>(least));
}

void SteadyLoops::end_turn(std::size_t context) {
  if (paused_) return;
  if (context >= members_.size()) members_.resize(context + 1);
  members_[context].turns.push_back(members_[context].records);
}

bool SteadyLoops::test() const {
  const std::size_t needed = std::clamp(precision_.of_all / std::max<std::size_t>(members_.size(), 1),
                                        least_of_each, precision_.of_each);
  for (const Member& member : members_)
    if (member.kind != none && member.records < needed) return false;
  // How many are enough was fitted to two recordings of eight equal streams: means 0.24 % from that of all.
  const bool drifts = kinds_.size() > 1 || kinds_.front().records.size() >= precision_.enough;
  const double most = drifts ? precision_.of_mix : precision_.error;
  double squares = 0;
  for (const Kind& kind : kinds_) {
    const auto settled = std::span(kind.records).subspan(kind.records.size() / transient);
    const double error = error_of_mean(settled), square = error * error;
    if (kind.before_late > kind.late / late_busy_share || square > chance * most * most || starts(settled))
      return false;
    squares += square;
  }
  return squares <= most * most * static_cast<double>(kinds_.size());
}

// True if the members of a kind take times that differ by more than their batches do: loops in step, of which
// one always follows the other. Ten times as much between them is no chance, however few records there are.
bool SteadyLoops::differ(const Kind& kind) const {
  constexpr double no_chance = 10;
  struct Sums {
    double count = 0, time = 0, squares = 0;
  };
  std::vector<Sums> sums(members_.size() + 1);  // by context; of all
  for (std::size_t i = kind.records.size() / transient; i < kind.records.size(); ++i)
    for (const std::size_t of : {kind.contexts[i], members_.size()}) {
      const double time = sim::to_us(kind.records[i].time);
      sums[of].count += 1;
      sums[of].time += time;
      sums[of].squares += time * time;
    }
  double members = 0, squares = 0;  // squares of the members' means
  for (const Sums& one : sums)
    if (&one != &sums.back() && one.count > 0) {
      members += 1;
      squares += one.time * one.time / one.count;
    }
  const Sums& all = sums.back();
  const double between = (squares - all.time * all.time / all.count) / std::max(members - 1, 1.0);
  const double within = (all.squares - squares) / std::max(all.count - members, 1.0);
  return between > no_chance * std::max(within, 1e-9 * all.squares / all.count);
}

// The records of a kind, those of each member in their order, since the times of successive batches depend on
// each other. Each member begins with its own, and has no others if members differ.
void SteadyLoops::take_shares(std::size_t index) {
  Kind& kind = kinds_[index];
  const bool apart = differ(kind);
  const std::vector<BatchRecord> all = std::move(kind.records);
  kind.records.clear();
  for (std::size_t context = 0; context < members_.size(); ++context) {
    Member& member = members_[context];
    if (member.kind != index) continue;
    if (member.own.empty()) member.next = kind.records.size();
    for (std::size_t i = all.size() / transient; i < all.size(); ++i)
      if (kind.contexts[i] == context) kind.records.push_back(all[i]);
    if (apart && member.own.empty())
      member.own.assign(kind.records.begin() + static_cast<std::ptrdiff_t>(member.next), kind.records.end());
    if (!member.own.empty() || member.next == kind.records.size()) member.next = 0;
  }
  kind.contexts.clear();
  kind.following = following_in(kind.records);
}

// The member's batches between the ends of two turns.
bool SteadyLoops::take_turns(Member& member) {
  const std::size_t from = member.turns[member.turns.size() / transient], to = member.turns.back();
  const Kind& kind = kinds_[member.kind];
  const auto context = static_cast<std::size_t>(&member - members_.data());
  member.own.clear();
  member.next = 0;
  for (std::size_t i = 0, number = 0; i < kind.records.size(); ++i)
    if (kind.contexts[i] == context && number++ >= from && number <= to)
      member.own.push_back(kind.records[i]);
  return !member.own.empty();
}

bool SteadyLoops::begin_repeats() {
  for (Member& member : members_) {
    if (member.kind == none || member.turns.empty() || take_turns(member)) continue;
    distrust();
    return false;
  }
  for (std::size_t index = 0; index < kinds_.size(); ++index) take_shares(index);
  double asked = 0;  // time of the kernels that loops ask for in a second, one after another
  for (Member& member : members_) {
    if (member.kind == none) continue;
    member.cycle = member.early = {};
    for (const BatchRecord& of : records_of(member))
      member.cycle += (of.pause + of.time) / std::ssize(records_of(member));
    asked += sim::to_seconds(kinds_[member.kind].kind.kernels->total()) / sim::to_seconds(member.cycle);
  }
  full_ = members_.size() > 1 && members_.front().turns.empty() && asked > 1;
  return true;
}

void SteadyLoops::forget() {
  kinds_.clear();
  members_.clear();
  steady_ = paused_ = false;
  test_at_ = fewest_;
}

void SteadyLoops::distrust() {
  fewest_ = std::min(2 * fewest_, most_records);
  forget();
}

bool SteadyLoops::repeats(std::size_t context, const LoopKind& kind) const {
  return !unknown(context) && kinds_[members_[context].kind].kind == kind;
}

// The next of its records in their order that began after such a pause, or the one that came closest: where
// inputs of several clients are copied one after another, a batch that waited for its own meets other
// kernels. Hosts that repeat fall out of step, and their copies wait less for each other than in the records.
// Where the GPU always has kernels these wait for as much longer, so ends of batches keep their pace.
BatchRecord SteadyLoops::next(std::size_t context, sim::Duration pause) {
  sim::contract(steady_ && !unknown(context), "batches are repeated in steady loops only");
  Member& member = members_[context];
  const std::vector<BatchRecord>& records = records_of(member);
  const auto apart = [&](std::size_t at) {
    return std::max(records[at].pause - pause, pause - records[at].pause);
  };
  std::size_t closest = member.next;
  for (std::size_t i = 1; i < records.size() && apart(closest) > records[closest].time / alike; ++i)
    if (const std::size_t at = (member.next + i) % records.size(); apart(at) < apart(closest)) closest = at;
  member.next = (closest + 1) % records.size();
  BatchRecord record = records[closest];
  if (!full_ || following(context) > 0) return record;
  const auto over = static_cast<std::int64_t>(precision_.fewest);
  const sim::Duration most = record.time / most_made_up * over;
  member.early = std::clamp(member.early + member.cycle - pause - record.time, -most, most);
  record.time += member.early / over;
  record.ran = std::min(record.ran, record.time);
  member.early -= member.early / over;
  return record;
}

bool SteadyLoops::may_pause(std::size_t context, sim::Duration pause) const {
  return pause <= 2 * kinds_[members_[context].kind].longest_pause + longer_pause;
}

}  // namespace jostle::gpu
