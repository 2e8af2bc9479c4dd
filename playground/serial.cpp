// The twins of what needs threads: loops run one item after the other, and the only thread never ends.
#include "scenarios/run/parallel_backend.hpp"

namespace jostle::scenarios {

void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned /*threads*/) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

}  // namespace jostle::scenarios

// The C++ runtime calls this to register destructors for the end of a thread.
extern "C" int __cxa_thread_atexit(void (* /*destructor*/)(void*), void* /*object*/, void* /*library*/) {
  return 0;
}
