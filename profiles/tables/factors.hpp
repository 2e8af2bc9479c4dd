// Fitted factors of the cost model: profiles/factors.csv, written by `jostle validate --fit`.
#pragma once

#include <string_view>
#include <vector>

#include "models/dnn/factors.hpp"

namespace jostle::profiles {

// Reads the columns architecture, sms, model, family, precision, batch, factor, basis; the factors apply to
// TensorRT's lowering. Throws input::CsvError for an unknown precision, a factor that is not positive, a
// negative batch, a GPU without a model, and a model without a GPU.
[[nodiscard]] std::vector<dnn::Factor> parse_factors(std::string_view csv, std::string_view name);

// The factors that ship with this build.
[[nodiscard]] const std::vector<dnn::Factor>& shipped_factors();

// The basis of factors that come from the profile itself.
inline constexpr const char* own_factor_basis = "the profile's own";

}  // namespace jostle::profiles
