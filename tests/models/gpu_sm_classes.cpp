// Residency, whose SMs are classes of equal ones, against a reference that keeps each SM by itself.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "models/gpu/residency.hpp"

namespace jostle::gpu::space {
namespace JOSTLE_FILE {

// Blocks on each SM.
using Blocks = std::vector<int>;

Spec of_sms(int sms) {
  Spec gpu;
  gpu.sm_count = sms;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.registers_per_sm = 65'536;
  gpu.shared_bytes_per_sm = 228 * 1024;
  return gpu;
}

Blocks on_each_sm(const Placement& placed, int sms) {
  Blocks blocks(static_cast<std::size_t>(sms), 0);
  for_each_sm(placed, [&](std::size_t sm, int count) { blocks[sm] += count; });
  return blocks;
}

struct Resident {
  std::size_t number;
  Need need;
  Count pipes;
  std::vector<Placement> placements;
  Blocks blocks;
};

class EachSm {
 public:
  explicit EachSm(const Spec& gpu) : gpu_(gpu) {}

  [[nodiscard]] int room(const std::vector<Resident>& residents, std::size_t sm, const Need& need) const {
    int threads = gpu_.max_threads_per_sm, registers = gpu_.registers_per_sm / 32,
        shared = gpu_.shared_bytes_per_sm / 16, blocks = gpu_.max_blocks_per_sm;
    for (const Resident& resident : residents) {
      threads -= resident.need.threads * resident.blocks[sm];
      registers -= resident.need.registers * resident.blocks[sm];
      shared -= resident.need.shared * resident.blocks[sm];
      blocks -= resident.blocks[sm];
    }
    int room = std::min(blocks, threads / need.threads);
    if (need.registers > 0) room = std::min(room, registers / need.registers);
    if (need.shared > 0) room = std::min(room, shared / need.shared);
    return room;
  }

 private:
  Spec gpu_;
};

// One block after the other, each where there is most room.
Blocks one_by_one(Blocks room, int most) {
  Blocks placed(room.size(), 0);
  for (; most > 0; --most) {
    const auto best = std::ranges::max_element(room);
    if (*best <= 0) break;
    --*best;
    ++placed[static_cast<std::size_t>(best - room.begin())];
  }
  return placed;
}

int pipes_of(const std::vector<Resident>& residents, std::size_t sm) {
  int pipes = 0;
  for (const Resident& resident : residents) pipes += resident.pipes * resident.blocks[sm];
  return pipes;
}

// The demand for pipes where each kernel is, and the number of classes.
void check(Residency& residency, const std::vector<Resident>& residents, std::size_t sms) {
  residency.find_fullest();
  std::set<Blocks> different;
  for (std::size_t sm = 0; sm < sms; ++sm) {
    Blocks held;
    for (const Resident& resident : residents) held.push_back(resident.blocks[sm]);
    different.insert(held);
  }
  RC_ASSERT(residency.classes() == different.size());
  for (const Resident& resident : residents) {
    int fullest = 0, sum = 0, blocks = 0;
    for (std::size_t sm = 0; sm < sms; ++sm) {
      const int pipes = pipes_of(residents, sm);
      if (resident.blocks[sm] > 0) fullest = std::max(fullest, pipes);
      sum += resident.blocks[sm] * pipes;
      blocks += resident.blocks[sm];
    }
    RC_ASSERT(residency.fullest_pipes(resident.number) == fullest / whole_pipes);
    RC_ASSERT(residency.mean_pipes(resident.number) == (blocks > 0 ? sum / whole_pipes / blocks : 0.0));
  }
}

void place(Residency& residency, std::vector<Resident>& residents, Resident& resident, const Spec& gpu) {
  const EachSm each(gpu);
  const auto sms = static_cast<std::size_t>(gpu.sm_count);
  Blocks room;
  for (std::size_t sm = 0; sm < sms; ++sm) room.push_back(each.room(residents, sm, resident.need));
  std::vector<Count> usable;
  if (*rc::gen::arbitrary<bool>()) {
    residency.find_room(resident.number, usable);
    RC_ASSERT(std::ranges::equal(usable, room));
    const std::size_t from = *rc::gen::inRange<std::size_t>(0, sms), step = *rc::gen::inRange(1U, 5U);
    for (std::size_t sm = from; sm < sms; sm += step) {
      usable[sm] = 0;
      room[sm] = 0;
    }
  }
  const int most = *rc::gen::inRange(1, *rc::gen::element(40, 4000));
  const Blocks expected = one_by_one(room, most);
  Placement placed;
  int sum = 0;
  for (const int blocks : expected) sum += blocks;
  RC_ASSERT(residency.place(resident.number, most, usable, placed) == sum);
  if (sum == 0) return;
  RC_ASSERT(on_each_sm(placed, gpu.sm_count) == expected);
  for (std::size_t sm = 0; sm < sms; ++sm) resident.blocks[sm] += expected[sm];
  resident.placements.push_back(placed);
}

// One of its placements ends, or all that it has.
void end_some(Residency& residency, Resident& resident, const Spec& gpu) {
  if (resident.placements.empty()) return;
  if (*rc::gen::inRange(0, 4) == 0) {
    residency.release_all(resident.number);
    resident.placements.clear();
    std::ranges::fill(resident.blocks, 0);
    return;
  }
  const std::size_t which = *rc::gen::inRange<std::size_t>(0, resident.placements.size());
  const Blocks over = on_each_sm(resident.placements[which], gpu.sm_count);
  residency.release(resident.number, resident.placements[which]);
  resident.placements.erase(resident.placements.begin() + static_cast<std::ptrdiff_t>(which));
  for (std::size_t sm = 0; sm < over.size(); ++sm) resident.blocks[sm] -= over[sm];
}

RC_GTEST_PROP(ResidencyInClasses, places_blocks_where_each_sm_by_itself_has_most_room, ()) {
  const Spec gpu = of_sms(*rc::gen::element(1, 2, 16, 63, 64, 65, 132, 200));
  Residency residency(gpu);
  std::vector<Resident> residents(*rc::gen::inRange<std::size_t>(1, 20));
  for (Resident& resident : residents) {
    resident.need = {.threads = static_cast<Count>(32 * *rc::gen::inRange(1, 33)),
                     .registers = static_cast<Count>(*rc::gen::inRange(0, 2049)),
                     .shared = static_cast<Count>(*rc::gen::element(0, 1, 100, 7000))};
    resident.pipes = static_cast<Count>(*rc::gen::inRange(0, 1000));
    resident.number = residency.enter(resident.need, resident.pipes);
    resident.blocks.assign(static_cast<std::size_t>(gpu.sm_count), 0);
  }
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    Resident& resident = residents[*rc::gen::inRange<std::size_t>(0, residents.size())];
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
      case 1:
        place(residency, residents, resident, gpu);
        break;
      case 2:
      case 3:
        end_some(residency, resident, gpu);
        break;
      default:
        resident.pipes = static_cast<Count>(*rc::gen::inRange(0, 1000));
        residency.set_pipes(resident.number, resident.pipes);
    }
    check(residency, residents, static_cast<std::size_t>(gpu.sm_count));
  }
}

TEST(ResidencyInClasses, kernels_that_leave_give_their_numbers_to_others_and_the_sms_are_one_class_again) {
  Residency residency(of_sms(132));
  Placement first, second;
  const std::size_t a = residency.enter({.threads = 128, .registers = 64}, 10);
  EXPECT_EQ(residency.place(a, 100, {}, first), 100);
  EXPECT_EQ(residency.classes(), 2);
  EXPECT_EQ(residency.place(a, 32, {}, second), 32);
  EXPECT_EQ(residency.classes(), 1);  // a block on each
  residency.release(a, first);
  EXPECT_EQ(residency.classes(), 2);
  residency.release(a, second);
  EXPECT_EQ(residency.classes(), 1);
  residency.leave(a);
  EXPECT_EQ(residency.enter({}, 20), a);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::space
