// Pieces of a line of a log: numbers, fields, words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration {

// Larger figures are no measurement of anything here: bytes of memory and nanoseconds of a week are below.
inline constexpr double max_figure = 1e15;

// A decimal number, the whole of `text`, of a magnitude up to max_figure.
[[nodiscard]] std::optional<double> figure(std::string_view text);

// The number at the front of `text`, which is then without it.
[[nodiscard]] std::optional<double> take_figure(std::string_view& text);

[[nodiscard]] std::string_view trimmed(std::string_view text);

// `text` after `prefix`, if it begins so.
[[nodiscard]] std::optional<std::string_view> after(std::string_view text, std::string_view prefix);

// A line of comma-separated fields, without the blanks around them; a field in quotes may hold commas and
// doubled quotes. False if a quote is not closed.
[[nodiscard]] bool split_fields(std::string_view line, std::vector<std::string>& fields);

// As part of a metric's name: lower case, with '_' for what is neither letter nor digit.
[[nodiscard]] std::string metric_word(std::string_view text);

// "resnet18" of "models/resnet18.onnx"; without directories and the last ending.
[[nodiscard]] std::string stem(std::string_view path);

// "power" for the rail at the module's input (VDD_IN, POM_5V_IN), else "power_" and the rail without VDD_ or
// POM_5V_.
[[nodiscard]] std::string power_metric(std::string_view rail);

}  // namespace jostle::calibration
