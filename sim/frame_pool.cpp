// Free lists of coroutine frames, carved out of slabs.
//
// A frame may be freed by another thread than the one that allocated it, and may outlive that thread.
// Therefore slabs are never returned to the system, and when a thread ends, its free frames go to a depot for
// other threads. Frames start on cache lines and slabs request huge pages, because with a million processes
// page tables dominate the cost.
#include "sim/frame_pool.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace jostle::sim {
namespace {

// AddressSanitizer must see each frame being allocated and freed.
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

constexpr std::size_t line_bytes = 64;
constexpr std::size_t classes = 32;  // frames up to 2 KiB
constexpr std::size_t first_slab_bytes = std::size_t{64} << 10U;
constexpr std::size_t largest_slab_bytes = std::size_t{2} << 20U;  // a huge page

[[nodiscard]] constexpr std::size_t class_of(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes;
}

struct FreeFrame {
  FreeFrame* next;
};
using Lists = std::array<FreeFrame*, classes + 1>;

// Free frames of threads that have ended, and all slabs.
class Depot {
 public:
  [[nodiscard]] static Depot& instance() {
    static auto& depot = *new Depot;  // outlives the last thread
    return depot;
  }
  [[nodiscard]] std::byte* new_slab(std::size_t bytes) {
    auto* const slab = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{bytes}));
#if defined(__linux__)
    if (bytes == largest_slab_bytes) (void)madvise(slab, bytes, MADV_HUGEPAGE);
#endif
    const std::lock_guard lock{mutex_};
    slabs_.push_back(slab);
    return slab;
  }
  void put(Lists& lists) {
    const std::lock_guard lock{mutex_};
    for (std::size_t c = 0; c < lists.size(); ++c) {
      while (lists[c] != nullptr) {
        FreeFrame* const frame = lists[c];
        lists[c] = frame->next;
        frame->next = lists_[c];
        lists_[c] = frame;
      }
    }
  }
  void put(std::size_t size_class, FreeFrame* frame) {
    const std::lock_guard lock{mutex_};
    frame->next = lists_[size_class];
    lists_[size_class] = frame;
  }
  [[nodiscard]] FreeFrame* take_all(std::size_t size_class) {
    const std::lock_guard lock{mutex_};
    return std::exchange(lists_[size_class], nullptr);
  }

 private:
  std::mutex mutex_;
  Lists lists_{};
  std::vector<std::byte*> slabs_;
};

// The free lists of one thread.
class FreeLists {
 public:
  FreeLists() = default;
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;
  ~FreeLists() {
    Depot::instance().put(lists_);
    closed_ = true;
  }

  [[nodiscard]] void* take(std::size_t size_class) {
    FreeFrame*& first = lists_[size_class];
    if (first == nullptr) first = Depot::instance().take_all(size_class);
    if (first == nullptr) return cut(size_class * line_bytes);
    FreeFrame* const frame = first;
    first = frame->next;
    return frame;
  }
  void put(std::size_t size_class, void* memory) {
    auto* const frame = ::new (memory) FreeFrame{lists_[size_class]};
    if (closed_) {  // the thread is ending
      Depot::instance().put(size_class, frame);
    } else {
      lists_[size_class] = frame;
    }
  }

 private:
  [[nodiscard]] void* cut(std::size_t bytes) {
    if (left_ < bytes) {  // the rest of the old slab, less than a frame, is wasted
      next_ = Depot::instance().new_slab(slab_bytes_);
      left_ = slab_bytes_;
      slab_bytes_ = std::min(2 * slab_bytes_, largest_slab_bytes);
    }
    void* const frame = next_;
    next_ += bytes;
    left_ -= bytes;
    return frame;
  }

  Lists lists_{};
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t slab_bytes_ = first_slab_bytes;
  bool closed_ = false;
};

thread_local FreeLists free_lists;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (!pooled || size_class > classes) return ::operator new(bytes);
  return free_lists.take(size_class);
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (!pooled || size_class > classes) {
    ::operator delete(frame);
  } else {
    free_lists.put(size_class, frame);
  }
}

}  // namespace jostle::sim
