// Parses parts of a log line: numbers, fields, words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration {

// The largest number that can be a measurement: bytes of memory and nanoseconds of a week are below.
inline constexpr double max_number = 1e15;

// A decimal number with an absolute value up to max_number; `text` must contain nothing else.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// Removes the number at the front of `text` and returns it.
[[nodiscard]] std::optional<double> take_number(std::string_view& text);

[[nodiscard]] std::string_view trimmed(std::string_view text);

// The rest of `text` after `prefix`, if it begins with that.
[[nodiscard]] std::optional<std::string_view> after(std::string_view text, std::string_view prefix);

// Splits a line at commas and trims blanks. A field in quotes may contain commas and doubled quotes. Returns
// false if a quote is not closed.
[[nodiscard]] bool split_fields(std::string_view line, std::vector<std::string>& fields);

// Core numbers of a list of the kernel: "0-3,5" is 0, 1, 2, 3 and 5. Empty if the text is no such list.
[[nodiscard]] std::vector<int> cpu_numbers(std::string_view list);

// `text` as a part of a metric's name: lower case, with '_' for all but letters and digits.
[[nodiscard]] std::string metric_word(std::string_view text);

// The file name without directories and the last extension: "resnet18" for "models/resnet18.onnx".
[[nodiscard]] std::string stem(std::string_view path);

// The metric of a rail: "power" for the module's input (VDD_IN, POM_5V_IN, Thor's VIN), otherwise "power_"
// and the rail without VDD_ or POM_5V_.
[[nodiscard]] std::string power_metric(std::string_view rail);

}  // namespace jostle::calibration
