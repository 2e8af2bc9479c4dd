// Any bytes as a text to show, as quantities, as a field of CSV, as an override, as a misspelt name.

#include <cmath>
#include <cstdint>
#include <string>

#include "input/csv.hpp"
#include "input/override.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string shown = input::printable(text, std::string::npos), lines = input::printable_lines(text);
  for (const char c : shown)
    fuzz::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "one line without controls");
  for (const char* const act : {"\xC2\x9B", "\xE2\x80\xAE", "\xE2\x80\x8B", "\xE2\x80\xA8", "\xEF\xBB\xBF"})
    fuzz::require(lines.find(act) == std::string::npos, "nothing acts on a terminal");
  fuzz::require(input::printable(shown, std::string::npos) == shown, "what is printable stays as it is");
  fuzz::require(input::printable_lines(lines) == lines, "and so do lines");
  for (const input::Dimension* dimension : {&input::time_dimension(), &input::rate_dimension(),
                                            &input::size_dimension(), &input::share_dimension()}) {
    const auto result = input::parse_quantity(text, *dimension);
    fuzz::require(result.value.has_value() == result.message.empty(), "a quantity, or a reason");
    fuzz::require(!result.value || std::isfinite(*result.value), "a quantity is finite");
  }
  const std::string field = input::csv_field(text);
  if (text.find('\0') == std::string::npos)
    fuzz::require(input::CsvTable::parse("a,b\n" + field + ",\n", "fuzz").row(0).text(0) == text,
                  "a field of CSV reads back");
  input::Problems problems;
  static const input::Node root = input::parse_yaml("{a: [{b: 1}, 2], c: {d: x}}", "fuzz", problems);
  input::Problems own;
  const input::Node changed = input::with_override(root, text, own);
  fuzz::require((changed != nullptr) == own.empty(), "it is overridden exactly when there is no problem");
  fuzz::require_printable(own.text());
  (void)input::spelling_hint(text, {"processes", "power_mode", "jetson-orin-nano", "jetson-nano"});
  return 0;
}
