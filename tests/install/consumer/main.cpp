// A project of its own that uses the installed headers and libraries, as a reader of the README would.
#include <string_view>

#include "profiles/embedded.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

int main() {
  using namespace jostle;
  gpu::KernelSequence sequence;
  sequence.kernels.resize(3);
  for (gpu::Kernel& kernel : sequence.kernels) kernel.duration = sim::microseconds(5);
  sequence.rebuild_finish();
  const bool known = std::string_view(gpu::to_string(sequence.grade)) == "datasheet";
  return sequence.total() == sim::microseconds(15) && known && !profiles::embedded_files().empty() ? 0 : 1;
}
