#include "models/dnn/framework_laws.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace jostle::dnn {
namespace {

// Fitted on the kernels of fourteen networks on an H100 (evidence/h100-nets/launches.csv.gz), by
// scripts/fit-framework-laws; the laws that leave out a family are in evidence/h100-nets/laws.csv.
constexpr std::array shipped{
    LawOf{LaunchKind::attention, std::nullopt, {1.263, 19.34, 4.113, 0, 0}},
    LawOf{LaunchKind::average_pool, std::nullopt, {4.343, 0, 0, 0.9146, 3.308}},
    LawOf{LaunchKind::batch_norm, std::nullopt, {3.424, 0, 0, 0.1223, 0.5091}},
    LawOf{LaunchKind::batched, Precision::fp16, {2.848, 0, 0, 0.817, 0}},
    LawOf{LaunchKind::batched, Precision::fp32, {2.848, 0, 0, 0.817, 0}},
    LawOf{LaunchKind::batched, Precision::tf32, {2.848, 0, 0, 0.817, 0}},
    LawOf{LaunchKind::concat, Precision::fp16, {1.869, 0, 0, 1.112, 0}},
    LawOf{LaunchKind::conv, Precision::fp16, {5.389, 0.8126, 1.041, 0.4291, 0.3656}},
    LawOf{LaunchKind::copy, std::nullopt, {1.973, 0, 0, 0.6206, 0}},
    LawOf{LaunchKind::curve, Precision::fp16, {1.709, 0, 0, 0.2228, 0.1452}},
    LawOf{LaunchKind::depthwise, std::nullopt, {0.8479, 1.897, 3.193, 0.05172, 0}},
    LawOf{LaunchKind::depthwise_many, std::nullopt, {4.285, 0.9312, 1.2, 0.1375, 0}},
    LawOf{LaunchKind::depthwise_planar, std::nullopt, {1.938, 0.0001192, 8.948, 0.1585, 0}},
    LawOf{LaunchKind::fill, std::nullopt, {1.118, 0, 0, 0, 0}},
    LawOf{LaunchKind::first_conv, Precision::fp16, {1.482, 99.09, 0, 0.8321, 0}},
    LawOf{LaunchKind::first_conv, Precision::fp32, {3.009, 26.65, 42.27, 0.3636, 0}},
    LawOf{LaunchKind::first_conv, Precision::tf32, {1.805, 69.26, 12.08, 0.6633, 0}},
    LawOf{LaunchKind::gather, std::nullopt, {2.079, 0, 0, 0, 0.5676}},
    LawOf{LaunchKind::gemm, Precision::fp16, {2.65, 0.9935, 0.7963, 0.2365, 0.3405}},
    LawOf{LaunchKind::layer_norm, Precision::fp16, {3.065, 8.69, 0, 0.1326, 1.431}},
    LawOf{LaunchKind::layout, Precision::fp16, {2.277, 0, 0, 0.1977, 0.1547}},
    LawOf{LaunchKind::max_pool, std::nullopt, {18.13, 0, 0, 0.3122, 1.331}},
    LawOf{LaunchKind::max_pool_planar, std::nullopt, {1.914, 0, 0, 0.7951, 0}},
    LawOf{LaunchKind::pointwise, Precision::fp16, {1.319, 0, 0, 0.1354, 0.1758}},
    LawOf{LaunchKind::reduce, Precision::fp16, {4.776, 10.2, 0, 0.5272, 0}},
    LawOf{LaunchKind::resize, std::nullopt, {1.003, 0, 7.938, 0, 0}},
    LawOf{LaunchKind::resize_point, std::nullopt, {1.577, 0, 152.3, 0, 0}},
    LawOf{LaunchKind::softmax, std::nullopt, {2.073, 0, 0, 0.6521, 0}},
    LawOf{LaunchKind::split, std::nullopt, {2.195, 0, 0, 1.441, 0}},
    LawOf{LaunchKind::statistics, std::nullopt, {1.462, 0.9248, 0, 0, 0}},
    LawOf{LaunchKind::strided, Precision::fp16, {2.354, 0, 0, 0.4557, 0.2605}},
    LawOf{LaunchKind::transform, std::nullopt, {9.401, 0, 0, 2.11, 0.0829}},
    // Laws of single precision, from evidence/h200-random: launches.csv.gz and laws.csv.
    LawOf{LaunchKind::batch_norm_planar, std::nullopt, {1.94, 4.599, 0.3016, 0.1238, 0.2616}},
    LawOf{LaunchKind::concat, std::nullopt, {1.242, 5.532, 0, 0.02065, 0.2799}},
    LawOf{LaunchKind::conv, Precision::fp32, {3.197, 31.78, 34.63, 0.4702, 0}},
    LawOf{LaunchKind::conv, Precision::tf32, {7.045, 1.735, 2.059, 0.2179, 0}},
    LawOf{LaunchKind::curve, std::nullopt, {1.305, 0, 0, 0.1414, 0.1584}},
    LawOf{LaunchKind::depthwise_rows, std::nullopt, {3.724, 0, 4.029, 0, 0}},
    LawOf{LaunchKind::fourier_conv, std::nullopt, {0, 0, 14.17, 0, 0}},
    LawOf{LaunchKind::gemm, Precision::fp32, {1.379, 22.39, 22.99, 0.2238, 0}},
    LawOf{LaunchKind::gemm, Precision::tf32, {5.15, 0.4367, 2.046, 0.2154, 0.8347}},
    LawOf{LaunchKind::large_conv, std::nullopt, {14.51, 0, 21.59, 0.331, 0}},
    LawOf{LaunchKind::layer_norm, std::nullopt, {2.523, 12.98, 0, 0.1355, 0.5805}},
    LawOf{LaunchKind::layout, std::nullopt, {1.716, 1.372, 0, 0, 0.1582}},
    LawOf{LaunchKind::planar, std::nullopt, {2.907, 5.841, 2.601, 0.2598, 0}},
    LawOf{LaunchKind::planar_odd, std::nullopt, {3.396, 8.348, 0, 0.7775, 0}},
    LawOf{LaunchKind::pointwise, std::nullopt, {1.065, 0, 0, 0.1296, 0.1841}},
    LawOf{LaunchKind::reduce, std::nullopt, {2.015, 1.138, 0, 1.058, 0}},
    LawOf{LaunchKind::strided, std::nullopt, {1.634, 0, 0, 0.3008, 0.132}},
    LawOf{LaunchKind::tiled_attention, std::nullopt, {2.855, 6.374, 3.657, 0, 0}},
    LawOf{LaunchKind::vector, std::nullopt, {2.401, 1.062, 0, 0, 0.8803}},
};

// Fitted on 220 grouped convolutions of a sweep of shapes on an H200 (evidence/h200-random/products.csv): 10
// % in the mean in tf32, 22 and 26 % otherwise. Kernels of groups run side by side: of what they take one by
// one a fifth of the starts and 0.7 of the work are left in four graphs in fp32
// (evidence/h200-random/streams.csv), 5 to 9 % off. In tf32, where each has copies around it, they run one by
// one: the sweep's 237, 552 and 755 us of five groups at 2, 4 and 8 images. They stay the same whichever
// network is left out.
constexpr std::array swept{LawOf{LaunchKind::grouped, std::nullopt, {6.203, 0, 1.474, 0.5516, 0}},
                           LawOf{LaunchKind::grouped_direct, std::nullopt, {0, 1456, 0, 0, 0}},
                           LawOf{LaunchKind::grouped_each, Precision::fp32, {0, 45.4, 61.4, 0, 0}},
                           LawOf{LaunchKind::grouped_each, Precision::tf32, {0, 466, 392, 0, 0}}};

// Fitted on decode steps of language models on an H100 (evidence/h100-users): 4 us more a kernel behind 512
// positions than behind 128 (qwen2.5_7b), 6.7 us in all behind 512 (qwen2.5_0.5b); bytes as those of a gemm.
constexpr Law thin_attention{1.263, 10.5, 0, 0.2365, 0.3405};

// Fitted on products of language models on an H100 (evidence/h100-users/products.csv), by
// scripts/fit-framework-laws --streamed: 5 % in the mean, 13 % where the sum of the law of gemm is; fitted on
// 7B alone it is 12 % off on 0.5B, on 0.5B alone 5 % on 7B.
constexpr Law streamed{3.32, 0.5867, 0.9114, 0.197, 0.3463};

}  // namespace

const Law& streamed_product() {
  return streamed;
}

std::span<const LawOf> framework_laws() {
  return shipped;
}

const Law& law_of(std::span<const LawOf> laws, LaunchKind kind, Precision precision) {
  if (kind == LaunchKind::thin_attention) return thin_attention;
  for (const LawOf& one : swept)
    if (one.kind == kind && (!one.precision || *one.precision == precision)) return one.law;
  const auto found = std::ranges::find_if(laws, [&](const LawOf& one) {
    return one.kind == kind && (!one.precision || *one.precision == precision);
  });
  if (found == laws.end())
    throw std::invalid_argument("no law for kernels of the kind '" + std::string(to_string(kind)) + "'");
  return found->law;
}

}  // namespace jostle::dnn
