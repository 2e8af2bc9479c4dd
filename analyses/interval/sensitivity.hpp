// Which inputs a figure depends on: first-order Sobol indices from a sample that was drawn anyway.
//
// The figure is written as a sum of Legendre polynomials of single inputs (a sparse polynomial chaos
// expansion, Blatman and Sudret 2011), chosen one after another by orthogonal matching pursuit for as long as
// the next explains more than noise would. The index of an input is the variance of its polynomials over
// that of all and of what they leave. What is left is interaction, chance and many small effects.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace jostle::analyses {

// Inputs with their indices, greatest first; inputs that cannot be told from noise are absent. `inputs`:
// [input][sample], uniform in (0, 1) and independent. `values`: [sample].
[[nodiscard]] std::vector<std::pair<std::size_t, double>> first_order_indices(
    const std::vector<std::vector<double>>& inputs, const std::vector<double>& values);

}  // namespace jostle::analyses
