// The action of an event: a function and the object to call it with. It is a plain struct, so scheduling an
// event allocates nothing.
#pragma once

namespace jostle::sim {

struct Action {
  void (*function)(void*) = nullptr;
  void* context = nullptr;

  void operator()() const { function(context); }
};

// Calls object.*Member() : `engine.schedule(at, action<&Gpu::expire>(*this))`. The object must outlive the
// event.
template <auto Member, class T>
[[nodiscard]] constexpr Action action(T& object) {
  return {[](void* context) { (static_cast<T*>(context)->*Member)(); }, static_cast<void*>(&object)};
}

}  // namespace jostle::sim
