#include "cli/terminal/markup.hpp"

#include "input/printable.hpp"

namespace jostle::cli {

std::string markup_escaped(const std::string& text) {
  std::string safe;
  for (const char c : input::printable(text, 200)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

}  // namespace jostle::cli
