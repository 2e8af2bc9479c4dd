#include "input/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

namespace jostle::input {

std::string Written::times(double ratio) const {
  return fmt::format("{:.6g}{}{}", number * ratio, unit.empty() ? "" : " ", unit);
}

std::optional<Written> quantity(std::string_view text) {
  auto found = amount(text);
  return found && found->number > 0 ? std::move(found) : std::nullopt;
}

std::optional<Written> amount(std::string_view text) {
  Written found;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), found.number);
  if (read.ec != std::errc{} || !(found.number >= 0)) return std::nullopt;
  const std::string_view rest(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  found.unit = rest.starts_with(' ') ? rest.substr(1) : rest;
  return found;
}

}  // namespace jostle::input
