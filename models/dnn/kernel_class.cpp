#include "models/dnn/kernel_class.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace jostle::dnn {
namespace {

bool contains_any(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [name](auto word) { return name.find(word) != std::string_view::npos; });
}

// Checked first: helper kernels of a convolution and depthwise convolutions are bound by bytes, whatever else
// their names contain.
constexpr std::array<std::string_view, 18> memory_words{
    "memset",      "Memset",     "elementwise", "batch_norm", "bn_fw",       "pool",
    "nchwToNhwc",  "nhwcToNchw", "AddPadding",  "upsample",   "reduce",      "Reduce",
    "flip_filter", "workspace",  "depthwise",   "conv2d_c1",  "scal_kernel", "gemv"};
constexpr std::array<std::string_view, 9> compute_words{"gemm",  "conv",  "xmma",  "cutlass", "nvjet",
                                                        "fprop", "fft2d", "igemm", "Gemm"};

// A convolution of the image ("image_first") has a block for each tile.
constexpr std::array<std::string_view, 6> persistent_words{
    "sdpa_sm90", "nvjet_sm90", "sm90_xmma_gemm", "sm90_xmma_fprop_i", "nhwcAddPadding", "tensorTransform"};

}  // namespace

bool is_persistent(std::string_view name) {
  return contains_any(name, persistent_words) && name.find("image_first") == std::string_view::npos;
}

KernelClass classify_kernel(std::string_view name) {
  if (contains_any(name, memory_words)) return KernelClass::memory;
  return contains_any(name, compute_words) ? KernelClass::compute : KernelClass::memory;
}

void split_shares(gpu::Kernel& kernel, KernelClass kernel_class) {
  const double total = static_cast<double>(kernel.duration.ps());
  const double fixed = total <= 0 ? 1.0 : std::min(1.0, static_cast<double>(kernel_floor().ps()) / total);
  kernel.fixed_share = static_cast<float>(fixed);
  const float rest = 1.0F - kernel.fixed_share;
  kernel.compute_share = kernel_class == KernelClass::compute ? rest : 0.0F;
  kernel.memory_share = kernel_class == KernelClass::memory ? rest : 0.0F;
}

}  // namespace jostle::dnn
