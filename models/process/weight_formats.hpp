// Formats of a language model's weights by runtime and GPU.
#pragma once

#include "models/llm/weights.hpp"
#include "models/process/runtimes.hpp"

namespace jostle::gpu {
struct Spec;
}

namespace jostle::process {

// The runtime has files in the format, and kernels for the GPU: for FP8 from compute capability 8.9 on, for
// NVFP4 from 10.0. llama.cpp and ollama read GGUF (ggml-common.h), MLC its own q4f16_1, the others what their
// quantisers write; all read fp16.
[[nodiscard]] bool reads(Runtime runtime, const llm::WeightTraits& format, const gpu::Spec& gpu);

}  // namespace jostle::process
