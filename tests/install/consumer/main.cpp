// A project of its own that uses the installed headers and libraries, as a reader of the README would.
#include <string_view>

#include "calibration/embedded.hpp"
#include "models/dnn/kernel.hpp"
#include "sim/time.hpp"

int main() {
  using namespace jostle;
  dnn::KernelSequence sequence;
  sequence.kernels.resize(3);
  for (dnn::Kernel& kernel : sequence.kernels) kernel.duration = sim::microseconds(5);
  sequence.rebuild_finish();
  const bool known = std::string_view(dnn::to_string(sequence.grade)) == "datasheet";
  return sequence.total() == sim::microseconds(15) && known && !calibration::embedded_files().empty() ? 0 : 1;
}
