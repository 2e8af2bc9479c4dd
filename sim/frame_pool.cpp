// Free lists of coroutine frames. A frame may be freed by another thread than the one that allocated it:
// each is a block of the general allocator's, so it simply changes lists.
#include "sim/frame_pool.hpp"

#include <array>
#include <new>

namespace jostle::sim {

namespace {

// Address sanitizer must see each frame live and die.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool pooled = false;
#else
constexpr bool pooled = true;
#endif
#else
constexpr bool pooled = true;
#endif

constexpr std::size_t class_bytes = 64;
constexpr std::size_t classes = 32;  // frames up to 2 KiB

[[nodiscard]] constexpr std::size_t class_of(std::size_t bytes) {
  return (bytes + class_bytes - 1) / class_bytes;
}

struct FreeFrame {
  FreeFrame* next;
};

struct FreeLists {
  std::array<FreeFrame*, classes + 1> of_class{};
  bool closed = false;  // the thread is ending: what is freed from now on goes straight back

  FreeLists() = default;
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;
  ~FreeLists() {
    for (FreeFrame*& first : of_class) {
      while (first != nullptr) {
        FreeFrame* const next = first->next;
        ::operator delete(first);
        first = next;
      }
    }
    closed = true;
  }
};

thread_local FreeLists free_lists;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (!pooled || size_class > classes) return ::operator new(bytes);
  FreeFrame*& first = free_lists.of_class[size_class];
  if (first == nullptr) return ::operator new(size_class* class_bytes);
  FreeFrame* const frame = first;
  first = frame->next;
  return frame;
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (!pooled || size_class > classes || free_lists.closed) {
    ::operator delete(frame);
    return;
  }
  FreeFrame*& first = free_lists.of_class[size_class];
  first = ::new (frame) FreeFrame{first};
}

}  // namespace jostle::sim
