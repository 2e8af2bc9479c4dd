#include "models/process/weight_formats.hpp"

#include "models/gpu/partitions.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::process {

bool reads(Runtime runtime, const llm::WeightTraits& format, const gpu::Spec& gpu) {
  using enum Runtime;
  if (format.format == llm::WeightFormat::fp16) return true;
  if (format.capability > gpu::capability(gpu.architecture)) return false;
  if (format.products == dnn::Precision::int8) return runtime == tensorrt_llm;
  const bool gguf = format.at_once > 0, of_mlc = format.format == llm::WeightFormat::int4;
  if (runtime == llama_cpp || runtime == ollama) return gguf;
  return !gguf && of_mlc == (runtime == mlc);
}

}  // namespace jostle::process
