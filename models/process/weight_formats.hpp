// Formats of a language model's weights by runtime and GPU: the one table that checks, proposals and
// documents follow.
#pragma once

#include <string_view>
#include <vector>

#include "models/llm/weights.hpp"
#include "models/process/runtimes.hpp"

namespace jostle::gpu {
struct Spec;
}

namespace jostle::process {

// A format that a runtime reads besides fp16, which all read. `from`: the least compute capability, times
// ten, of a GPU that it has kernels for; 0: any GPU, and none. `cards`: no Jetson has them.
struct RuntimeFormat {
  Runtime runtime;
  llm::WeightFormat format;
  int from = 0;
  bool cards = false;
};

// The row of a runtime and a format; null: the runtime does not read the format.
[[nodiscard]] const RuntimeFormat* find_format(Runtime runtime, llm::WeightFormat format);
// True if the runtime reads the format and has kernels for the GPU.
[[nodiscard]] bool reads(Runtime runtime, llm::WeightFormat format, const gpu::Spec& gpu);
// The formats for which that is true.
[[nodiscard]] std::vector<std::string_view> formats_read(Runtime runtime, const gpu::Spec& gpu);

}  // namespace jostle::process
