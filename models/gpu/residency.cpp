#include "models/gpu/residency.hpp"

#include <algorithm>
#include <cstddef>

namespace jostle::gpu::space {
namespace {

constexpr int warp = 32;         // threads
constexpr int shared_unit = 16;  // bytes
constexpr int vector_of = 16;    // SMs: arrays are whole numbers of vectors

Count limited(std::int64_t value, std::int64_t least = 0) {
  return static_cast<Count>(std::clamp<std::int64_t>(value, least, 32'767));
}

Count units_of(std::int64_t amount, int unit) {
  return limited((amount + unit - 1) / unit);
}

// Lowers each room to free / need. A quotient of 16 bits by a product of 32: the reciprocal is rounded down,
// so it is right or one too few.
void limit_room(Placement& room, const std::vector<Count>& free, Count need) {
  const std::uint32_t reciprocal = std::min(65'536U / static_cast<std::uint32_t>(need), 65'535U);
  const Count* const from = free.data();
  Count* const to = room.data();
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto x = static_cast<std::uint16_t>(from[i]);
    auto quotient = static_cast<Count>((x * reciprocal) >> 16U);
    const auto rest = static_cast<Count>(from[i] - static_cast<Count>(quotient * need));
    quotient = static_cast<Count>(quotient + (rest >= need ? 1 : 0));
    to[i] = std::min(to[i], quotient);
  }
}

// How many SMs have at least this room.
int sms_with(const Placement& room, Count least) {
  const Count* const of = room.data();
  Count sms = 0;  // at most 32,767 SMs
  for (std::size_t i = 0; i < room.size(); ++i) sms = static_cast<Count>(sms + (of[i] >= least ? 1 : 0));
  return sms;
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

Residency::Residency(const Spec& gpu) {
  const auto n = static_cast<std::size_t>(std::max(gpu.sm_count, 1));
  const std::size_t whole = (n + vector_of - 1) / vector_of * vector_of;
  const auto each = [&](std::vector<Count>& free, Count of_an_sm) {
    free.assign(n, of_an_sm);
    free.resize(whole, 0);
  };
  each(threads_, limited(gpu.max_threads_per_sm, 1));
  each(registers_, limited(gpu.registers_per_sm / warp, 1));
  each(shared_, limited(gpu.shared_bytes_per_sm / shared_unit));
  each(blocks_, std::clamp(limited(gpu.max_blocks_per_sm), Count{1}, most_blocks));
}

void Residency::find_room(const Need& need, Placement& room) const {
  room = blocks_;
  limit_room(room, threads_, need.threads);
  if (need.registers > 0) limit_room(room, registers_, need.registers);
  if (need.shared > 0) limit_room(room, shared_, need.shared);
}

void Residency::take(const Need& need, const Placement& placed, Count sign) {
  const auto change = [&placed](std::vector<Count>& free, int each) {
    Count* const of = free.data();
    const Count* const blocks = placed.data();
    for (std::size_t i = 0; i < placed.size(); ++i)
      of[i] = static_cast<Count>(of[i] - static_cast<Count>(each * blocks[i]));
  };
  change(threads_, sign * need.threads);
  if (need.registers != 0) change(registers_, sign * need.registers);
  if (need.shared != 0) change(shared_, sign * need.shared);
  change(blocks_, sign);
}

// Each block goes where there is most room, so SMs are filled level by level: down to `level` all of them,
// and the first `rest` of those with room for one more.
int Residency::place(const Need& need, int most, Placement& placed) {
  Count level = 0;
  for (const Count room : placed) level = std::max(level, room);
  if (level == 0 || most <= 0) return 0;
  int rest = most;
  int count = 0;
  for (; level > 0; --level) {
    const int sms = sms_with(placed, level);
    if (rest <= sms) break;
    rest -= sms;
    count += sms;
  }
  if (level == 0) rest = 0;
  Count* const blocks = placed.data();
  for (std::size_t i = 0, left = static_cast<std::size_t>(rest); left > 0; ++i) {
    if (blocks[i] < level) continue;
    ++blocks[i];
    --left;
  }
  for (std::size_t i = 0; i < placed.size(); ++i)
    blocks[i] = static_cast<Count>(std::max(blocks[i], level) - level);
  take(need, placed, 1);
  return count + rest;
}

void Residency::release(const Need& need, const Placement& placed) {
  take(need, placed, -1);
}

}  // namespace jostle::gpu::space
