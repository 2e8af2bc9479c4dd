#include "models/dnn/kernel.hpp"

namespace jostle::dnn {

const char* to_string(Grade grade) {
  switch (grade) {
    case Grade::measured:
      return "measured";
    case Grade::interpolated:
      return "interpolated";
    case Grade::fitted:
      return "fitted";
    case Grade::datasheet:
      return "datasheet";
  }
  return "?";
}

void KernelSequence::rebuild_finish() {
  finish.clear();
  finish.reserve(kernels.size());
  sim::Duration sum;
  for (const Kernel& kernel : kernels) finish.push_back(sum += kernel.duration);
}

}  // namespace jostle::dnn
