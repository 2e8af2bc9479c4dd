// Number formats a network runs in.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace jostle::dnn {

enum class Precision { fp32, tf32, fp16, int8, fp8, nvfp4 };

inline constexpr std::array all_precisions{Precision::fp32, Precision::tf32, Precision::fp16,
                                           Precision::int8, Precision::fp8,  Precision::nvfp4};

// Floating-point numbers of less than 16 bits, which only tensor cores multiply.
constexpr bool is_short_float(Precision precision) {
  return precision >= Precision::fp8;
}

[[nodiscard]] const char* to_string(Precision precision);
[[nodiscard]] std::optional<Precision> parse_precision(std::string_view text);  // exact spelling, lower case

// Bytes of one element in memory, of nvfp4 with its part of a scale. tf32 is stored as fp32 and only
// multiplied with fewer bits.
[[nodiscard]] double bytes_per_element(Precision precision);

}  // namespace jostle::dnn
