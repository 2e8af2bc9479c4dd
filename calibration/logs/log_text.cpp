#include "calibration/logs/log_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace jostle::calibration {

std::optional<double> take_number(std::string_view& text) {
  // Fast path: nearly all numbers are short, with or without a decimal point.
  constexpr std::size_t max_plain = 15;
  constexpr double powers[]{1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  std::size_t at = 0, point = 0;
  std::int64_t digits = 0;
  bool has_point = false;
  for (; at < text.size() && at <= max_plain; ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      digits = digits * 10 + (c - '0');
    } else if (c == '.' && !has_point) {
      has_point = true;
      point = at;
    } else {
      break;
    }
  }
  const bool plain_end = at == text.size() || (text[at] != 'e' && text[at] != 'E');
  if (at > 0 && at <= max_plain && text[0] != '.' && plain_end) {
    const std::size_t decimals = has_point ? at - point - 1 : 0;
    text.remove_prefix(at);
    return static_cast<double>(digits) / powers[decimals];
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(std::abs(value) <= max_number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

bool split_fields(std::string_view line, std::vector<std::string>& fields) {
  fields.clear();
  for (;;) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    std::string field;
    if (!line.empty() && line.front() == '"') {
      line.remove_prefix(1);
      for (;;) {
        const std::size_t quote = line.find('"');
        if (quote == std::string_view::npos) return false;
        field.append(line.substr(0, quote));
        line.remove_prefix(quote + 1);
        if (line.empty() || line.front() != '"') break;
        field += '"';
        line.remove_prefix(1);
      }
    }
    const std::size_t comma = line.find(',');
    field.append(trimmed(line.substr(0, comma)));
    fields.push_back(std::move(field));
    if (comma == std::string_view::npos) return true;
    line.remove_prefix(comma + 1);
  }
}

std::vector<int> cpu_numbers(std::string_view list) {
  constexpr int most = 4095;
  std::vector<int> numbers;
  const auto begin = std::min(list.find_first_not_of(" \t\r\n"), list.size());
  const char *at = list.data() + begin, *const end = list.data() + list.find_last_not_of(" \t\r\n") + 1;
  while (at < end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    int last = first;
    if (read.ec == std::errc{} && read.ptr < end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    const bool ends = read.ptr == end || (*read.ptr == ',' && read.ptr + 1 < end);
    if (read.ec != std::errc{} || first < 0 || last < first || last > most || !ends) return {};
    for (int i = first; i <= last; ++i) numbers.push_back(i);
    at = read.ptr + 1;
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string metric_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z', other = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    word += upper ? static_cast<char>(c - 'A' + 'a') : (other ? c : '_');
  }
  return word;
}

std::string stem(std::string_view path) {
  if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  if (const std::size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0)
    path = path.substr(0, dot);
  return std::string(path);
}

std::string power_metric(std::string_view rail) {
  if (rail == "VDD_IN" || rail == "POM_5V_IN" || rail == "VIN") return "power";
  for (const std::string_view prefix : {"VDD_", "POM_5V_"}) {
    if (rail.starts_with(prefix) && rail.size() > prefix.size()) rail.remove_prefix(prefix.size());
  }
  return "power_" + metric_word(rail);
}

}  // namespace jostle::calibration
