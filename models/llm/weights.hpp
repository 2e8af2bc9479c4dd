// Formats that the weights of a language model are stored in, and keys and values. Activations stay in fp16.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/dnn/precision.hpp"
#include "models/llm/architecture.hpp"

namespace jostle::llm {

enum class WeightFormat { fp16, q4_k_m, q8_0, awq, int4, int8, fp8, q4_0, nvfp4, mxfp4, gptq, w4a8 };

// Bits per weight, scales included: `bits` for the blocks' linear layers, and `head_bits` for the last linear
// layer, for which runtimes often use more. `at_once`: weights of a row that a thread of llama.cpp takes at
// once (ggml-cuda/vecdotq.cuh, VDR); 0: not known. `products`: the numbers that tensor cores multiply in the
// blocks, since activations are quantised too; without one, weights are unpacked to fp16.
struct WeightTraits {
  WeightFormat format;
  std::string_view name;  // used in scenarios and in profiles
  double bits, head_bits;
  std::string_view source;
  int at_once = 0;
  std::optional<dnn::Precision> products = std::nullopt;
};
inline constexpr std::array weight_formats{
    WeightTraits{WeightFormat::fp16, "fp16", 16, 16, "IEEE 754"},
    // Q4_K and Q6_K mixed: 4.5 and 6.5625 bits; a file of Llama 3.1 8B has 4.85 bits per weight.
    WeightTraits{WeightFormat::q4_k_m, "q4_k_m", 4.85, 6.5625, "llama.cpp: docs of quantize; ggml-common.h",
                 16},
    WeightTraits{WeightFormat::q8_0, "q8_0", 8.5, 8.5,
                 "llama.cpp: ggml-common.h, 32 weights and a scale of 16 bits", 8},
    // Groups of 128 have a scale of 16 and a zero of 4 bits; the last layer stays in fp16.
    WeightTraits{WeightFormat::awq, "awq", 4.16, 16, "Lin et al., 2024; TensorRT Edge-LLM's INT4 AWQ"},
    // Groups of 32 have a scale of 16 bits, in all layers: MLC's q4f16_1.
    WeightTraits{WeightFormat::int4, "int4", 4.5, 4.5, "MLC LLM: q4f16_1"},
    WeightTraits{WeightFormat::int8, "int8", 8, 16,
                 "SmoothQuant (Xiao et al., 2023): a scale a channel, activations of 8 bits", 0,
                 dnn::Precision::int8},
    WeightTraits{WeightFormat::fp8, "fp8", 8, 16, "a scale a tensor", 0, dnn::Precision::fp8},
    // The last layer is in Q6_K.
    WeightTraits{WeightFormat::q4_0, "q4_0", 4.5, 6.5625,
                 "llama.cpp: ggml-common.h, 32 weights and a scale of 16 bits", 16},
    WeightTraits{WeightFormat::nvfp4, "nvfp4", 4.5, 16, "NVIDIA: 16 weights share a scale of 8 bits", 0,
                 dnn::Precision::nvfp4},
    // Activations stay in bf16: the model cards of gpt-oss, and kernels of vLLM (Marlin).
    WeightTraits{WeightFormat::mxfp4, "mxfp4", 4.25, 16, "OCP MX: 32 weights share a scale of 8 bits", 16},
    WeightTraits{WeightFormat::gptq, "gptq", 4.16, 16, "Frantar et al., 2022: groups of 128 as in AWQ"},
    WeightTraits{WeightFormat::w4a8, "w4a8", 4.125, 16,
                 "QServe (Lin et al., 2024): groups of 128 have a scale and a zero of 8 bits", 0,
                 dnn::Precision::int8},
};
inline constexpr std::size_t weight_format_count = weight_formats.size();
static_assert([] {
  for (std::size_t i = 0; i < weight_formats.size(); ++i)
    if (weight_formats[i].format != static_cast<WeightFormat>(i)) return false;
  return true;
}());

[[nodiscard]] constexpr const WeightTraits& traits_of(WeightFormat format) {
  return weight_formats[static_cast<std::size_t>(format)];
}

// Bytes that a sequence holds whatever its length: states in fp32, and keys and values of a tower's result.
[[nodiscard]] double state_bytes(const Architecture& of);
// Bytes of keys and values per position, in fp16: the mean of a sequence of so many positions (0: of the
// first), of which a layer with a window keeps those of the window and of one `step` of the runtime
// (llama.cpp, llama-kv-cache-iswa.cpp).
[[nodiscard]] double kv_bytes_per_token(const Architecture& of, std::int64_t positions = 0, int step = 0);
// The same with those of a model that drafts for it; null: none does.
[[nodiscard]] double kv_bytes_per_token(const Architecture& of, const Architecture* draft,
                                        std::int64_t positions = 0, int step = 0);

// The format is of experts alone, and other layers of such a model stay in fp16: as gpt-oss keeps mxfp4.
[[nodiscard]] constexpr bool keeps_others(const Architecture& of, WeightFormat format) {
  return format == WeightFormat::mxfp4 && of.experts.count > 0;
}

// Bits per weight of a linear layer whose rows have `columns` weights, as stored: llama.cpp's blocks of 256
// do not fit all rows.
[[nodiscard]] double bits_of(WeightFormat format, bool head, std::int64_t columns);
// The product of a token with a row of `columns` weights, in a runtime's cycles: those to unpack a weight are
// `unpacking` times those of a format; those to begin and end the row count by the share `begun`. llama.cpp
// gives a row four warps (ggml-cuda/mmvq.cu), and those behind the end of a short one only wait.
struct RowCost {
  WeightFormat unpacked_as;
  double unpacking = 1, begun = 1;
};
[[nodiscard]] RowCost row_cost(WeightFormat format, bool head, std::int64_t columns);

// Bytes of the weights of the blocks' linear layers, as stored in memory.
[[nodiscard]] double block_bytes(const Architecture& of, WeightFormat format);
// Bytes of all experts of one block, those beside them that every token passes through apart.
[[nodiscard]] double expert_bytes(const Architecture& of, WeightFormat format);
// Bytes of all weights as stored in memory, the vision tower in fp16.
[[nodiscard]] double weight_bytes(const Architecture& of, WeightFormat format);

}  // namespace jostle::llm
