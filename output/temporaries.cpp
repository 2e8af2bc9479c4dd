#include "output/temporaries.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

namespace jostle::output {
namespace {

enum State : int { unused, being_changed, listed };

struct Slot {
  std::atomic<int> state{unused};
  std::array<char, PATH_MAX> path{};
};

// The memory is fixed, because a signal handler must neither allocate nor wait for a lock.
constexpr std::size_t slot_count = 12;
std::array<Slot, slot_count> slots;
std::atomic<int> committing{0};

}  // namespace

Temporary::Temporary(const std::string& path) {
  for (std::size_t i = 0; i < slots.size() && slot_ < 0 && path.size() < PATH_MAX; ++i) {
    int expected = unused;
    if (slots[i].state.compare_exchange_strong(expected, being_changed)) slot_ = static_cast<int>(i);
  }
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
  slot.state = listed;
}

Temporary::~Temporary() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = unused;
}

Committing::Committing() {
  ++committing;
}

Committing::~Committing() {
  --committing;
}

bool Committing::any() {
  return committing > 0;
}

void remove_temporaries() {
  for (Slot& slot : slots) {
    if (slot.state == listed) ::unlink(slot.path.data());
  }
}

}  // namespace jostle::output
