// The inputs on which a metric depends: first-order Sobol indices from an existing sample.
//
// The metric is written as a sum of Legendre polynomials of single inputs (a sparse polynomial chaos
// expansion, Blatman and Sudret 2011). Orthogonal matching pursuit chooses them one after another as long as
// the next one explains more than noise would. The index of an input is the variance of its polynomials over
// the variance of all polynomials and of the residual. The residual contains interactions, chance and many
// small effects.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace jostle::analyses {

// Inputs with their indices, greatest first, without inputs that are indistinguishable from noise. `inputs`:
// [input][sample], uniform in (0, 1) and independent. `values`: [sample].
[[nodiscard]] std::vector<std::pair<std::size_t, double>> first_order_indices(
    const std::vector<std::vector<double>>& inputs, const std::vector<double>& values);

}  // namespace jostle::analyses
