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
  compute_until.clear();
  memory_until.clear();
  sim::Duration sum;
  double compute = 0, memory = 0;
  for (const Kernel& kernel : kernels) {
    finish.push_back(sum += kernel.duration);
    compute_until.push_back(compute +=
                            sim::to_seconds(kernel.duration) * static_cast<double>(kernel.compute_share));
    memory_until.push_back(memory +=
                           sim::to_seconds(kernel.duration) * static_cast<double>(kernel.memory_share));
  }
}

}  // namespace jostle::dnn
