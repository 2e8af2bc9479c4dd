// Numbers and quantities in the users' notation: "5 ms", "624.75 MHz", "50 Mbit/s", "1 %".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::input {

struct Unit {
  std::string_view name;
  double factor;  // to the base unit of the dimension
};

// A physical quantity and its allowed units.
struct Dimension {
  std::string_view what;     // "a time"
  std::string_view example;  // "5 ms"
  std::vector<Unit> units;
};

// The dimensions of this project, each with its base unit, in which values are returned.
[[nodiscard]] const Dimension& time_dimension();                 // ps
[[nodiscard]] const Dimension& frequency_dimension();            // Hz
[[nodiscard]] const Dimension& rate_dimension();                 // 1/s
[[nodiscard]] const Dimension& size_dimension();                 // bytes
[[nodiscard]] const Dimension& bandwidth_dimension();            // bytes/s (network links: bits/s)
[[nodiscard]] const Dimension& power_dimension();                // W
[[nodiscard]] const Dimension& voltage_dimension();              // V
[[nodiscard]] const Dimension& current_dimension();              // A
[[nodiscard]] const Dimension& capacitance_dimension();          // F
[[nodiscard]] const Dimension& energy_dimension();               // J
[[nodiscard]] const Dimension& energy_per_byte_dimension();      // J per byte
[[nodiscard]] const Dimension& energy_per_bit_dimension();       // J per bit
[[nodiscard]] const Dimension& power_per_frequency_dimension();  // W/Hz
[[nodiscard]] const Dimension& share_dimension();                // 1, written in %
[[nodiscard]] const Dimension& drift_dimension();               // 1, for the drift of a clock, written in ppm
[[nodiscard]] const Dimension& temperature_dimension();         // degC
[[nodiscard]] const Dimension& temperature_rise_dimension();    // K
[[nodiscard]] const Dimension& thermal_resistance_dimension();  // K/W
[[nodiscard]] const Dimension& price_dimension();               // USD
[[nodiscard]] const Dimension& price_per_time_dimension();      // USD/h
[[nodiscard]] const Dimension& price_per_size_dimension();      // USD per GB of 10^9 bytes
[[nodiscard]] const Dimension& price_per_energy_dimension();    // USD/kWh
[[nodiscard]] const Dimension& service_life_dimension();        // h, for the life of a board

// A finite decimal number; `text` must contain nothing else. No "inf", "nan", hexadecimal or leading '+'.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

// The finite decimal number that `text` begins with, in the syntax of parse_real(), and the rest: "1.8e+03 s"
// is 1800 and " s". None if it does not begin with a number.
struct LeadingNumber {
  double number = 0;
  std::string_view rest;
};
[[nodiscard]] std::optional<LeadingNumber> leading_number(std::string_view text);

// A decimal integer; `text` must contain nothing else. No leading zeros (octal in YAML 1.1), no fraction.
// `overflow` is set if the text is an integer that does not fit 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text, bool& overflow);

// A quantity in `dimension`, or a reason ("5 has no unit") and a hint.
struct QuantityResult {
  std::optional<double> value;  // in the base unit of the dimension; finite
  std::string message, hint;    // set when there is no value
};
[[nodiscard]] QuantityResult parse_quantity(std::string_view text, const Dimension& dimension);

// `value`, given in the base unit, with the most readable unit: "2.091 ms".
[[nodiscard]] std::string format_quantity(double value, const Dimension& dimension);

// A number and its unit, in the notation of profiles: "6.38 us".
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
