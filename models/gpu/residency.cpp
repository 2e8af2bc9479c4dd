#include "models/gpu/residency.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace jostle::gpu::space {
namespace {

constexpr int warp = 32;         // threads
constexpr int shared_unit = 16;  // bytes

Count limited(std::int64_t value, std::int64_t least = 0) {
  return static_cast<Count>(std::clamp<std::int64_t>(value, least, 32'767));
}

Count units_of(std::int64_t amount, int unit) {
  return limited((amount + unit - 1) / unit);
}

using Vector [[gnu::vector_size(16)]] = Count;
constexpr std::size_t vector_of = sizeof(Vector) / sizeof(Count);

constexpr std::size_t whole_vectors(std::size_t counts) {
  return (counts + vector_of - 1) & ~(vector_of - 1);
}

// Lowers each room to free / need. A quotient of 16 bits by a product of 32: the reciprocal is rounded down,
// so it is right or one too few. The loop has no branches, and its arrays do not meet, so that the compiler
// makes vectors of it.
void limit_room(Count* __restrict room, const Count* __restrict free, Count need, std::size_t classes) {
  const std::uint32_t reciprocal = std::min(65'536U / static_cast<std::uint32_t>(need), 65'535U);
  for (std::size_t i = 0; i < whole_vectors(classes); ++i) {
    const auto x = static_cast<std::uint16_t>(free[i]);
    auto quotient = static_cast<Count>((x * reciprocal) >> 16U);
    const auto rest = static_cast<Count>(free[i] - static_cast<Count>(quotient * need));
    quotient = static_cast<Count>(quotient + (rest >= need ? 1 : 0));
    room[i] = std::min(room[i], quotient);
  }
}

// The part of a block of kernel `number` in the key of a class: a step of SplitMix64.
Word key_of(std::size_t number) {
  Word key = (number + 1) * 0x9E37'79B9'7F4A'7C15ULL;
  key = (key ^ (key >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
  key = (key ^ (key >> 27U)) * 0x94D0'49BB'1331'11EBULL;
  return key ^ (key >> 31U);
}

}  // namespace

Need need_of(const Spec& gpu, const Kernel& kernel) {
  const auto threads = static_cast<std::int64_t>(std::clamp(kernel.threads_per_block, 1U, 1024U));
  const std::int64_t warps = (threads + warp - 1) / warp;
  const auto registers = static_cast<std::int64_t>(std::min(kernel.registers_per_thread, 255U));
  const std::int64_t shared =
      std::min<std::int64_t>(kernel.shared_bytes, std::max(gpu.shared_bytes_per_sm, 0));
  return {.threads = limited(std::min<std::int64_t>(warps * warp, gpu.max_threads_per_sm), 1),
          .registers = limited(std::min<std::int64_t>(warps * registers, gpu.registers_per_sm / warp)),
          .shared = std::min(units_of(shared, shared_unit), limited(gpu.shared_bytes_per_sm / shared_unit))};
}

Residency::Residency(const Spec& gpu)
    : sm_count_(static_cast<std::size_t>(std::max(gpu.sm_count, 1))),
      words_((sm_count_ + word_bits - 1) / word_bits),
      // While SMs move, each class that has some may leave an empty one behind.
      most_classes_(2 * sm_count_ + vector_of),
      keys_(most_classes_, 0),
      sizes_(most_classes_, 0),
      sms_(most_classes_ * words_, 0),
      usable_sizes_(most_classes_, 0),
      usable_(words_, ~Word{0}),
      first_(words_, 0),
      moving_((sm_count_ + 1) * words_, 0) {
  moves_.reserve(sm_count_);
  for (std::vector<Count>* const each : {&threads_, &registers_, &shared_, &blocks_, &pipes_, &room_})
    each->resize(most_classes_, 0);
  threads_.front() = limited(gpu.max_threads_per_sm, 1);
  registers_.front() = limited(gpu.registers_per_sm / warp, 1);
  shared_.front() = limited(gpu.shared_bytes_per_sm / shared_unit);
  blocks_.front() = std::clamp(limited(gpu.max_blocks_per_sm), Count{1}, most_blocks);
  sizes_.front() = static_cast<int>(sm_count_);
  for (std::size_t sm = 0; sm < sm_count_; ++sm) sms_[sm / word_bits] |= Word{1} << (sm % word_bits);
}

std::size_t Residency::enter(const Need& need, Count pipes) {
  if (free_numbers_.empty()) {
    if (residents_.size() == most_kernels_) make_wider();
    free_numbers_.push_back(residents_.size());
    residents_.emplace_back();
  }
  const std::size_t number = free_numbers_.back();
  free_numbers_.pop_back();
  residents_[number] = {.need = need, .pipes = pipes, .key = key_of(number)};
  return number;
}

// For as many kernels again.
void Residency::make_wider() {
  const std::size_t before = most_kernels_;
  most_kernels_ = std::max(2 * before, vector_of);
  std::vector<Count> held(most_classes_ * most_kernels_, 0);
  for (std::size_t i = 0; i < classes_; ++i)
    std::copy_n(held_.data() + i * before, before, held.data() + i * most_kernels_);
  held_ = std::move(held);
  fullest_.resize(most_kernels_, 0);
  moved_held_.resize(most_kernels_, 0);
}

void Residency::set_pipes(std::size_t kernel, Count pipes) {
  const int more = pipes - residents_[kernel].pipes;
  residents_[kernel].pipes = pipes;
  for (std::size_t i = 0; i < classes_; ++i)
    pipes_[i] = static_cast<Count>(pipes_[i] + more * held_in(i)[kernel]);
}

// Sets `room_`, of each class.
void Residency::find_room(const Need& need) {
  std::copy_n(blocks_.data(), classes_, room_.data());
  limit_room(room_.data(), threads_.data(), need.threads, classes_);
  if (need.registers > 0) limit_room(room_.data(), registers_.data(), need.registers, classes_);
  if (need.shared > 0) limit_room(room_.data(), shared_.data(), need.shared, classes_);
}

void Residency::find_room(std::size_t kernel, std::vector<Count>& room) {
  find_room(residents_[kernel].need);
  room.resize(sm_count_);
  for (std::size_t i = 0; i < classes_; ++i)
    for_each_sm(std::span(sms_of(i), words_), [&](std::size_t sm) { room[sm] = room_[i]; });
}

// From now on, only the SMs with `room` may be used, or all if it is empty.
void Residency::limit_to(std::span<const Count> room) {
  std::ranges::fill(usable_, room.empty() ? ~Word{0} : Word{0});
  for (std::size_t word = 0, sm = 0; sm < room.size(); ++word) {
    Word usable = 0;
    for (std::size_t bit = 0; bit < word_bits && sm < room.size(); ++bit, ++sm)
      usable |= Word{room[sm] != 0 ? 1U : 0U} << bit;
    usable_[word] = usable;
  }
  limited_ = !room.empty();
  for (std::size_t i = 0; i < classes_ && limited_; ++i) {
    Word* const usable = moving_.data();
    for (std::size_t word = 0; word < words_; ++word) usable[word] = sms_of(i)[word] & usable_[word];
    usable_sizes_[i] = size_of(usable);
  }
}

// Each block goes where there is most room, so SMs are filled level by level: down to `level` all of them,
// and the first `rest` of those with room for one more.
int Residency::place(std::size_t kernel, int most, std::span<const Count> room, Placement& placed) {
  if (!room.empty() && std::ranges::count(room, 0) == std::ssize(room)) return 0;
  find_room(residents_[kernel].need);
  if (limited_ || !room.empty()) limit_to(room);
  const std::vector<int>& sizes = limited_ ? usable_sizes_ : sizes_;
  std::array<int, most_blocks + 1> with{};  // number of SMs by their room
  int level = 0;
  for (std::size_t i = 0; i < classes_; ++i) {
    with[static_cast<std::size_t>(room_[i])] += sizes[i];
    level = std::max<int>(level, room_[i]);
  }
  int rest = std::max(most, 0);
  for (int sms = 0; level > 0; --level) {
    sms += with[static_cast<std::size_t>(level)];
    if (rest < sms) break;
    rest -= sms;
  }
  const int unplaced = level == 0 ? rest : 0;
  const int one_more = rest - unplaced;  // SMs
  if (one_more > 0) choose_first(level, one_more);
  plan_placement(level, one_more > 0);
  note_moves(placed);
  carry_out(kernel);
  return std::max(most, 0) - unplaced;
}

// Sets `first_` to the first `sms` of the usable SMs with room for `level` blocks.
void Residency::choose_first(int level, int sms) {
  std::ranges::fill(first_, 0);
  for (std::size_t word = 0; sms > 0; ++word) {
    Word chosen = 0;
    for (std::size_t i = 0; i < classes_; ++i)
      if (room_[i] >= level) chosen |= sms_of(i)[word];
    chosen &= usable_[word];
    Word others = chosen;
    for (; others != 0 && sms > 0; --sms) others &= others - 1;
    first_[word] = chosen & ~others;
  }
}

// Plans that all usable SMs are filled down to `level`, and, with `one_more`, those of `first_` take one
// block more.
void Residency::plan_placement(int level, bool one_more) {
  moves_.clear();
  for (std::size_t i = 0; i < classes_; ++i) {
    const int blocks = room_[i] - level;
    if (one_more && blocks >= 0) plan(i, blocks + 1, [&](std::size_t word) { return first_[word]; });
    if (blocks <= 0) continue;
    if (one_more)
      plan(i, blocks, [&](std::size_t word) { return usable_[word] & ~first_[word]; });
    else if (limited_)
      plan(i, blocks, [&](std::size_t word) { return usable_[word]; });
    else
      plan_all(i, blocks);
  }
}

// Plans that the SMs of a class that are in `set(word)` get so many blocks more.
template <typename Set>
void Residency::plan(std::size_t from, int blocks, const Set& set) {
  const std::size_t words = words_;
  const Word* const all = sms_of(from);
  Word* const moving = moving_.data() + moves_.size() * words;
  Word some = 0, others = 0;
  for (std::size_t word = 0; word < words; ++word) {
    moving[word] = all[word] & set(word);
    some |= moving[word];
    others |= all[word] ^ moving[word];
  }
  if (some == 0) return;
  const int sms = others == 0 ? sizes_[from] : size_of(moving);
  moves_.push_back({.from = from, .blocks = blocks, .sms = sms});
}

int Residency::size_of(const Word* sms) const {
  int size = 0;
  for (std::size_t word = 0; word < words_; ++word) size += std::popcount(sms[word]);
  return size;
}

// Sets `placed` to what is planned.
void Residency::note_moves(Placement& placed) const {
  placed.blocks.clear();
  placed.sms.clear();
  const Word* moving = moving_.data();
  for (const Move& move : moves_) {
    std::size_t set = 0;
    while (set < placed.blocks.size() && placed.blocks[set] != move.blocks) ++set;
    if (set == placed.blocks.size()) {
      placed.blocks.push_back(static_cast<Count>(move.blocks));
      placed.sms.insert(placed.sms.end(), moving, moving + words_);
    } else {
      Word* const sms = placed.sms.data() + set * words_;
      for (std::size_t word = 0; word < words_; ++word) sms[word] |= moving[word];
    }
    moving += words_;
  }
}

void Residency::release_all(std::size_t kernel) {
  moves_.clear();
  for (std::size_t i = 0; i < classes_; ++i) {
    const Count held = held_in(i)[kernel];
    if (held > 0) plan_all(i, -held);
  }
  carry_out(kernel);
}

// Plans that all SMs of a class get so many blocks more.
void Residency::plan_all(std::size_t from, int blocks) {
  std::copy_n(sms_of(from), words_, moving_.data() + moves_.size() * words_);
  moves_.push_back({.from = from, .blocks = blocks, .sms = sizes_[from]});
}

void Residency::release(std::size_t kernel, const Placement& placed) {
  moves_.clear();
  for (std::size_t i = 0; i < classes_; ++i) {
    const Count held = held_in(i)[kernel];
    if (held == 0) continue;
    const Word* sms = placed.sms.data();
    for (const Count blocks : placed.blocks) {
      if (blocks <= held) plan(i, -blocks, [&](std::size_t word) { return sms[word]; });
      sms += words_;
    }
  }
  carry_out(kernel);
}

// Moves SMs as planned, all of them for blocks of one kernel.
void Residency::carry_out(std::size_t kernel) {
  bool emptied = false;
  const Word* sms = moving_.data();
  for (const Move& planned : moves_) {
    move(kernel, planned, sms);
    emptied = emptied || sizes_[planned.from] == 0;
    sms += words_;
  }
  for (std::size_t i = classes_; emptied && i-- > 0;) {
    if (sizes_[i] > 0) continue;
    --classes_;
    copy_class(classes_, i);
  }
}

void Residency::move(std::size_t kernel, const Move& move, const Word* sms) {
  const Word key = keys_[move.from] + residents_[kernel].key * static_cast<Word>(move.blocks);
  std::copy_n(held_in(move.from), most_kernels_, moved_held_.data());
  moved_held_[kernel] = static_cast<Count>(moved_held_[kernel] + move.blocks);
  std::size_t to = class_of_moved(key);
  if (to == classes_) {
    if (move.sms == sizes_[move.from]) {
      take(kernel, move.from, move.blocks);
      return;
    }
    ++classes_;
    copy_class(move.from, to);
    take(kernel, to, move.blocks);
    sizes_[to] = 0;
    std::fill_n(sms_of(to), words_, 0);
  }
  sizes_[to] += move.sms;
  sizes_[move.from] -= move.sms;
  Word* const joined = sms_of(to);
  Word* const left = sms_of(move.from);
  for (std::size_t word = 0; word < words_; ++word) {
    joined[word] |= sms[word];
    left[word] ^= sms[word];
  }
}

// The class whose SMs hold what those that move will hold, `moved_held_`; classes_ if there is none.
std::size_t Residency::class_of_moved(Word key) const {
  for (std::size_t to = 0; to < classes_; ++to)
    if (keys_[to] == key && std::ranges::equal(moved_held_, std::span(held_in(to), most_kernels_))) return to;
  return classes_;
}

void Residency::copy_class(std::size_t from, std::size_t to) {
  threads_[to] = threads_[from];
  registers_[to] = registers_[from];
  shared_[to] = shared_[from];
  blocks_[to] = blocks_[from];
  pipes_[to] = pipes_[from];
  keys_[to] = keys_[from];
  sizes_[to] = sizes_[from];
  std::copy_n(sms_of(from), words_, sms_of(to));
  std::copy_n(held_in(from), most_kernels_, held_in(to));
}

// Each SM of the class holds so many blocks more.
void Residency::take(std::size_t kernel, std::size_t of_class, int blocks) {
  const Resident& resident = residents_[kernel];
  const auto add = [&](Count& to, int of_block) { to = static_cast<Count>(to + blocks * of_block); };
  add(threads_[of_class], -resident.need.threads);
  add(registers_[of_class], -resident.need.registers);
  add(shared_[of_class], -resident.need.shared);
  add(blocks_[of_class], -1);
  add(pipes_[of_class], resident.pipes);
  add(held_in(of_class)[kernel], 1);
  keys_[of_class] += resident.key * static_cast<Word>(blocks);
}

void Residency::find_fullest() {
  for (std::size_t first = 0; first < residents_.size(); first += vector_of) {
    Vector fullest{};
    for (std::size_t i = 0; i < classes_; ++i) {
      Vector held;
      std::memcpy(&held, held_in(i) + first, sizeof held);
      const Vector here = (held != 0) & pipes_[i];
      fullest = here > fullest ? here : fullest;
    }
    std::memcpy(fullest_.data() + first, &fullest, sizeof fullest);
  }
}

double Residency::mean_pipes(std::size_t kernel) const {
  std::int64_t blocks = 0, sum = 0;
  for (std::size_t i = 0; i < classes_; ++i) {
    const std::int64_t here = std::int64_t{held_in(i)[kernel]} * sizes_[i];
    blocks += here;
    sum += here * pipes_[i];
  }
  return blocks > 0 ? static_cast<double>(sum) / whole_pipes / static_cast<double>(blocks) : 0.0;
}

}  // namespace jostle::gpu::space
