#include "input/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "input/units.hpp"

namespace jostle::input {

std::string Written::times(double ratio) const {
  return fmt::format("{:.6g}{}{}", number * ratio, unit.empty() ? "" : " ", unit);
}

std::optional<Written> quantity(std::string_view text) {
  auto found = amount(text);
  return found && found->number > 0 ? std::move(found) : std::nullopt;
}

std::optional<Written> amount(std::string_view text) {
  const auto found = leading_number(text);
  if (!found || found->number < 0) return std::nullopt;
  return Written{found->number, std::string(found->rest.substr(found->rest.starts_with(' ') ? 1 : 0))};
}

std::string decimal(double value, int digits) {
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t mark = rounded.find('e');
  const auto number = parse_real(rounded);
  if (!number || mark == std::string::npos) return rounded;  // not finite
  const int exponent = std::stoi(rounded.substr(mark + 1));
  std::string text = fmt::format("{:.{}f}", *number, std::max(digits - 1 - exponent, 0));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace jostle::input
