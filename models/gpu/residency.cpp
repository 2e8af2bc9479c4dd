#include "models/gpu/residency.hpp"

#include <algorithm>
#include <array>

namespace jostle::gpu::space {
namespace {

constexpr int warp = 32;                // threads
constexpr std::int32_t max_room = 255;  // blocks of a kernel on one SM; the hardware has 32 at most

// For each room, how many SMs have it, in four counters, so that an increment need not wait for the last.
using Levels = std::array<std::array<int, 4>, max_room + 1>;

// Down to which room SMs are filled by `most` blocks, and how many blocks are left for SMs of that room.
struct Level {
  int room = 0, rest = 0;
};

Level level_for(const Levels& levels, int highest, int most) {
  int sms = 0;  // with this room or more
  for (int room = highest; room > 0; --room) {
    const auto& counters = levels[static_cast<std::size_t>(room)];
    sms += counters[0] + counters[1] + counters[2] + counters[3];
    if (most <= sms) return {room, most};
    most -= sms;
  }
  return {0, 0};
}

}  // namespace

Need need_of(const Spec& gpu, const Kernel& kernel) {
  const auto threads = static_cast<std::int32_t>(std::clamp(kernel.threads_per_block, 1U, 1024U));
  const std::int32_t warps = (threads + warp - 1) / warp;
  const auto registers = static_cast<std::int32_t>(std::min(kernel.registers_per_thread, 255U));
  const auto shared = static_cast<std::int32_t>(
      std::min(kernel.shared_bytes, static_cast<std::uint32_t>(std::max(gpu.shared_bytes_per_sm, 0))));
  return {.threads = std::min(warps * warp, std::max(gpu.max_threads_per_sm, 1)),
          .registers = std::min(warps * warp * registers, std::max(gpu.registers_per_sm, 1)),
          .shared_bytes = shared};
}

bool overlap(const SmRange& a, const SmRange& b, int sms) {
  if (a.count >= sms || b.count >= sms) return true;
  const int from_a = (b.first - a.first + sms) % sms, from_b = (a.first - b.first + sms) % sms;
  return from_a < a.count || from_b < b.count;
}

Residency::Residency(const Spec& gpu) : sms_(std::max(gpu.sm_count, 1)) {
  const auto n = static_cast<std::size_t>(sms_);
  threads_.assign(n, std::max(gpu.max_threads_per_sm, 1));
  registers_.assign(n, std::max(gpu.registers_per_sm, 1));
  shared_.assign(n, std::max(gpu.shared_bytes_per_sm, 0));
  blocks_.assign(n, std::clamp(gpu.max_blocks_per_sm, 1, max_room));
  room_.assign(n, 0);
}

// Sets room_ and returns the largest. Quotients by reciprocals: exact for operands below 2^20 with the half
// added, and the compiler makes vectors of them.
int Residency::find_room(const Need& need, SmRange range) {
  const float per_thread = 1 / static_cast<float>(need.threads);
  const float per_register = 1 / static_cast<float>(std::max(need.registers, 1));
  const float per_byte = 1 / static_cast<float>(std::max(need.shared_bytes, 1));
  std::int32_t highest = 0;
  for (std::size_t i = 0; i < room_.size(); ++i) {
    const float by_threads = (static_cast<float>(threads_[i]) + 0.5F) * per_thread;
    const float by_registers = (static_cast<float>(registers_[i]) + 0.5F) * per_register;
    const float by_bytes = need.shared_bytes == 0 ? static_cast<float>(max_room)
                                                  : (static_cast<float>(shared_[i]) + 0.5F) * per_byte;
    const float least = std::min(std::min(by_threads, by_registers), by_bytes);
    room_[i] = std::min(static_cast<std::int32_t>(least), blocks_[i]);
    highest = std::max(highest, room_[i]);
  }
  if (range.count >= sms_) return highest;
  highest = 0;
  for (int i = 0; i < sms_; ++i) {
    const int from_first = i >= range.first ? i - range.first : i - range.first + sms_;
    std::int32_t& room = room_[static_cast<std::size_t>(i)];
    if (from_first >= range.count) room = 0;
    highest = std::max(highest, room);
  }
  return highest;
}

// Takes what `count` blocks on each SM need; gives it back with `sign` -1.
template <class Count>
void Residency::take(const Need& need, std::span<const Count> count, std::int32_t sign) {
  const auto change = [&](std::vector<std::int32_t>& free, std::int32_t each) {
    std::int32_t* const of = free.data();
    for (std::size_t i = 0; i < count.size(); ++i) of[i] -= each * count[i];
  };
  change(threads_, sign * need.threads);
  change(registers_, sign * need.registers);
  if (need.shared_bytes != 0) change(shared_, sign * need.shared_bytes);
  change(blocks_, sign);
}

int Residency::place(const Need& need, int most, SmRange range, std::span<std::uint8_t> placed) {
  const int highest = find_room(need, range);
  if (highest == 0 || most <= 0) return 0;
  Levels levels;  // up to the highest
  std::fill_n(levels.begin(), highest + 1, std::array<int, 4>{});
  for (std::size_t i = 0; i < room_.size(); ++i) ++levels[static_cast<std::size_t>(room_[i])][i % 4];
  // Each block goes where there is most room, so SMs are filled level by level.
  auto [level, rest] = level_for(levels, highest, most);
  int done = rest;
  for (std::size_t i = 0; i < room_.size(); ++i) {
    const std::int32_t own = room_[i];
    room_[i] = std::max(own - level, 0);  // from here on: blocks that go there
    done += room_[i];
    if (rest > 0 && own >= level) {
      ++room_[i];
      --rest;
    }
  }
  for (std::size_t i = 0; i < room_.size(); ++i) placed[i] = static_cast<std::uint8_t>(placed[i] + room_[i]);
  take<std::int32_t>(need, room_, 1);
  return done;
}

void Residency::release(const Need& need, std::span<const std::uint8_t> placed) {
  take<std::uint8_t>(need, placed, -1);
}

}  // namespace jostle::gpu::space
