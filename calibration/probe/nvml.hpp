// NVIDIA's management library, opened at run time, and its first GPU: names and numbers are those of the NVML
// API (https://docs.nvidia.com/deploy/nvml-api).
#pragma once

#include <dlfcn.h>

#include <string>

namespace jostle::calibration::probe {

struct Nvml {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  struct Device* device = nullptr;
  std::string problem;  // why it has no GPU; empty: it has one

  Nvml() { problem = open(); }
  ~Nvml() {
    if (device != nullptr && shutdown_ != nullptr) shutdown_();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Null where the library lacks the function.
  template <class F>
  void find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(library != nullptr ? dlsym(library, name) : nullptr);
  }

 private:
  std::string open() {
    if (library == nullptr) return dlerror();
    int (*init)() = nullptr;
    int (*by_index)(unsigned, Device**) = nullptr;
    find("nvmlInit_v2", init);
    find("nvmlShutdown", shutdown_);
    find("nvmlDeviceGetHandleByIndex_v2", by_index);
    if (init == nullptr || by_index == nullptr) return "libnvidia-ml.so.1 lacks its first functions";
    if (const int result = init(); result != 0) return "nvmlInit fails: error " + std::to_string(result);
    const int result = by_index(0, &device);
    return result == 0 ? "" : "NVML finds no GPU: error " + std::to_string(result);
  }

  int (*shutdown_)() = nullptr;
};

}  // namespace jostle::calibration::probe
