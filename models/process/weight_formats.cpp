#include "models/process/weight_formats.hpp"

#include <algorithm>
#include <array>

#include "models/gpu/partitions.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::process {
namespace {

using R = Runtime;
using enum llm::WeightFormat;

constexpr RuntimeFormat table[] = {
    // GGUF (llama.cpp: ggml-common.h); its kernels of mxfp4 run on any GPU (ggml-cuda/vecdotq.cuh).
    {R::llama_cpp, q4_k_m},
    {R::llama_cpp, q4_0},
    {R::llama_cpp, q8_0},
    {R::llama_cpp, mxfp4},
    // Cards: "GPUs" in Model Optimizer's support matrix, quantisation in the documentation of TensorRT-LLM,
    // for w4a8 its recipe of QServe. Jetsons: precision notes of TensorRT Edge-LLM 0.11.0, where Orin has
    // int8 and int4 alone.
    {R::tensorrt_llm, awq, 80},
    {R::tensorrt_llm, gptq, 80},
    {R::tensorrt_llm, int8, 80},
    {R::tensorrt_llm, w4a8, 80, true},
    {R::tensorrt_llm, fp8, 89},
    {R::tensorrt_llm, mxfp4, 90, true},
    {R::tensorrt_llm, nvfp4, 100},
    // MLC LLM: q4f16_1 and q4f16_autoawq (python/mlc_llm/quantization/quantization.py).
    {R::mlc, int4},
    {R::mlc, awq},
    // vLLM: "Supported Hardware" of quantisation; "FP8 W8A8", where Turing and Ampere unpack; mxfp4 by
    // Marlin.
    {R::vllm, gptq, 70},
    {R::vllm, awq, 75},
    {R::vllm, int8, 75},
    {R::vllm, fp8, 75},
    {R::vllm, mxfp4, 80},
    {R::vllm, nvfp4, 100},
};

// Compute capabilities of Jetsons; Thor had another name before CUDA 13.
constexpr std::array jetsons{53, 62, 72, 87, 101, 110};

}  // namespace

const RuntimeFormat* find_format(Runtime runtime, llm::WeightFormat format) {
  const Runtime as = runtime == R::ollama ? R::llama_cpp : runtime;
  const auto* const row = std::ranges::find_if(
      table, [&](const RuntimeFormat& each) { return each.runtime == as && each.format == format; });
  return row == std::ranges::end(table) ? nullptr : row;
}

bool reads(Runtime runtime, llm::WeightFormat format, const gpu::Spec& gpu) {
  if (format == fp16) return true;
  const RuntimeFormat* const row = find_format(runtime, format);
  const int own = gpu::capability(gpu.architecture);
  return row != nullptr && row->from <= own &&
         !(row->cards && std::ranges::find(jetsons, own) != jetsons.end());
}

std::vector<std::string_view> formats_read(Runtime runtime, const gpu::Spec& gpu) {
  std::vector<std::string_view> names;
  for (const llm::WeightTraits& row : llm::weight_formats)
    if (reads(runtime, row.format, gpu)) names.push_back(row.name);
  return names;
}

}  // namespace jostle::process
