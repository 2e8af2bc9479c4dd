// A number and its unit, in the notation of profiles: "6.38 us".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::input {

struct Written {
  double number = 0;
  std::string unit;  // may be empty
  [[nodiscard]] std::string times(double ratio) const;
};

// None if the text does not begin with a positive number; amount() also accepts zero.
[[nodiscard]] std::optional<Written> quantity(std::string_view text);
[[nodiscard]] std::optional<Written> amount(std::string_view text);

// `value` rounded to `digits` significant digits, never with an exponent: 1834 with two is "1800".
[[nodiscard]] std::string decimal(double value, int digits);

}  // namespace jostle::input
