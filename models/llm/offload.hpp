// Partial offload of a language model, as llama.cpp's option -ngl N: the GPU has the last N blocks, threads
// on the cores have the others and the embeddings. The output layer counts as one more: the GPU has it from
// N = layers + 1 on (llama.cpp, llama-model.cpp, load_tensors()). Of the GPU's blocks the cores may have the
// experts of the first M, as with --n-cpu-moe M and --cpu-moe (common/arg.cpp: tensors that are called
// ffn_(up|down|gate|gate_up)_exps): the GPU computes such a block up to its router, the cores the three
// products of the chosen experts and the gate between them, and the GPU the rest.
//
// Products of many tokens run on the GPU whichever holds their weights: those of the cores are copied to it
// for each of them, which pays from 32 rows on (ggml-cuda.cu, ggml_backend_cuda_device_offload_op()). Experts
// count by tokens, and those alone that some token chose are copied (ggml-backend.cpp,
// ggml_backend_sched_compute_splits(); pull request 15346).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"

namespace jostle::llm {

// Memory that a runtime holds for a language model: weights, keys and values, and the buffers of a step.

// The way in which a runtime divides the memory.
struct Serving {
  // KV-cache positions allocated up front, per sequence if `each`, else in total. 0: as many as are needed.
  int positions = 0;
  bool each = false;
  // Number of tables of word vectors, in the bits of the last layer. If embeddings and last layer are one
  // table in the model, a runtime may hold two, or copies.
  int tables = 1;
  // The file is mapped, and a page of it held once it is read: a table of word vectors apart from the last
  // layer's is not.
  bool mapped = false;
  int step = 0;    // maximum number of tokens computed at once; 0: a prompt
  int scored = 0;  // tokens of a step with space for their scores, in fp32; 0: the last of each sequence
};

// The requested load.
struct Load {
  std::int64_t sequences = 1;  // number of sequences at once
  std::int64_t longest = 1;    // maximum number of positions of a sequence
  std::int64_t prompt = 1;  // tokens of a prompt that are computed at once, unless the runtime computes fewer
  std::int64_t context = 0;  // positions allocated per sequence; 0: the runtime's, or the longest
};

// KV-cache positions that are allocated, for all sequences together.
[[nodiscard]] constexpr std::int64_t positions_held(const Serving& by, const Load& of) {
  if (of.context > 0) return of.sequences * of.context;
  if (by.each) return of.sequences * std::max<std::int64_t>(by.positions, of.longest);
  return std::max<std::int64_t>(by.positions, of.sequences * of.longest);
}

// Bytes of all weights, and of further tables of word vectors.
[[nodiscard]] double weights_held(const Architecture& of, WeightFormat format, const Serving& by);
// Bytes of the buffers of a step. They hold the inputs and outputs of the widest part of a block and later,
// in the same place, the scores and their inputs.
[[nodiscard]] double buffers_held(const Architecture& of, const Serving& by, const Load& load);

// The number of layers that a GPU with the whole model has.
[[nodiscard]] constexpr std::int64_t most_layers(const Architecture& of) {
  return std::int64_t{of.layers} + 1;
}

// The parts of a model that the GPU and the cores have.
struct Offload {
  std::int64_t gpu_layers = 0;      // the last ones are the GPU's
  std::int64_t cpu_moe_layers = 0;  // the cores have the experts of so many blocks, the first ones
};

// The part of a step to which a layer belongs.
struct Part {
  bool at_home_on_gpu = true;  // its weights are there
  bool on_gpu = true;          // it is computed there
  int block = 0;               // the number of its block; that of the output layer is the number of blocks
  bool expert_apart = false;   // it belongs to experts that the cores have, in a block that the GPU has

  // True if the cores compute it between kernels of its block.
  [[nodiscard]] bool between_kernels() const { return expert_apart && !on_gpu; }
};

// The part of each layer of a step of `batch` sequences. A norm between two blocks belongs to the first.
[[nodiscard]] std::vector<Part> parts_of(const Architecture& of, std::span<const dnn::FusedLayer> layers,
                                         std::int64_t batch, const Offload& by);

// Bytes of the weights, and share of the keys and values, in the memory of a card of its own. Keys and values
// of a block are where its attention is; the vision tower is on the GPU.
[[nodiscard]] double weights_on_card(const Architecture& of, WeightFormat format, const Serving& by,
                                     const Offload& offload);
[[nodiscard]] double cache_on_card(const Architecture& of, std::int64_t gpu_layers);

}  // namespace jostle::llm
