#include "calibration/probe/gpu/cuda.hpp"

#include <dlfcn.h>

namespace jostle::calibration::probe {
namespace {

template <class Function>
void find(void* library, const char* name, Function*& function, bool needed = true) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr && needed)
    throw GpuError(std::string("libcuda.so.1 has no ") + name + ": the driver is too old");
}

}  // namespace

const Cuda& cuda_library() {
  static const Cuda library = [] {
    void* const opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw GpuError(dlerror());
    Cuda cuda;
#define ROW(member, name, parameters) find(opened, name, cuda.member);
#include "calibration/probe/gpu/cuda_functions.inc"
#undef ROW
    find(opened, "cuGraphInstantiateWithFlags", cuda.instantiate_with_flags_, false);
    find(opened, "cuGraphInstantiate_v2", cuda.instantiate_with_log_,
         cuda.instantiate_with_flags_ == nullptr);
    cuda.check("cuInit", cuda.init(0));
    int devices = 0;
    cuda.check("cuDeviceGetCount", cuda.device_count(&devices));
    if (devices < 1) throw GpuError("the driver finds no GPU");
    return cuda;
  }();
  return library;
}

cuda::Result Cuda::instantiate(cuda::GraphExec* exec, cuda::Graph graph) const {
  return instantiate_with_flags_ != nullptr ? instantiate_with_flags_(exec, graph, 0)
                                            : instantiate_with_log_(exec, graph, nullptr, nullptr, 0);
}

void Cuda::check(const char* call, cuda::Result result) const {
  if (result == 0) return;
  const char* name = nullptr;
  if (error_name == nullptr || error_name(result, &name) != 0 || name == nullptr) name = "unknown error";
  throw GpuError(std::string(call) + ": " + name);
}

}  // namespace jostle::calibration::probe
