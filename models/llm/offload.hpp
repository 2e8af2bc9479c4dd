// Partial offload of a language model, as llama.cpp's option -ngl N: the GPU has the last N blocks, threads
// on the cores have the others and the embeddings. The output layer counts as one more: the GPU has it from
// N = layers + 1 on (llama.cpp, llama-model.cpp, load_tensors()).
//
// Products of many tokens run on the GPU whichever holds their weights: those of the cores are copied to it
// for each of them, which pays from 32 rows on (ggml-cuda.cu, ggml_backend_cuda_device_offload_op()).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/held.hpp"
#include "models/llm/weights.hpp"

namespace jostle::llm {

// The number of layers that a GPU with the whole model has.
[[nodiscard]] constexpr std::int64_t most_layers(const Architecture& of) {
  return std::int64_t{of.layers} + 1;
}

// The part of a step to which a layer belongs.
struct Part {
  bool at_home_on_gpu = true;  // its weights are there
  bool on_gpu = true;          // it is computed there
  int block = 0;               // the number of its block; that of the output layer is the number of blocks
};

// The part of each layer of a step of `batch` sequences. A norm between two blocks belongs to the first.
[[nodiscard]] std::vector<Part> parts_of(const Architecture& of, std::span<const dnn::FusedLayer> layers,
                                         std::int64_t batch, std::int64_t gpu_layers);

// Bytes of the weights, and share of the keys and values, in the memory of a card of its own. Keys and values
// of a block are where its weights are; the vision tower is on the GPU.
[[nodiscard]] double weights_on_card(const Architecture& of, WeightFormat format, const Serving& by,
                                     std::int64_t gpu_layers);
[[nodiscard]] double cache_on_card(const Architecture& of, std::int64_t gpu_layers);

}  // namespace jostle::llm
