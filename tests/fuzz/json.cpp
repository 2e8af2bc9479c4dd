// Any bytes as JSON: the streaming reader and nlohmann's take the same texts and find the same values in
// them.
//
// Left out is what the streaming reader takes on purpose: NaN and Inf, text in other encodings than UTF-8,
// halves of surrogate pairs; and its limit of depth.

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "calibration/logs/json_stream.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace jostle;

// What was found: brackets, keys, texts, and numbers in their order. Numbers beside, as they are compared
// less strictly.
struct Found {
  std::string shape;
  std::vector<double> numbers;
};

class Streamed : public calibration::json::Handler<Streamed> {
 public:
  Streamed(calibration::Source& source, Found& found) : Handler(source), found_(found) {}
  bool key(std::string_view name) { return add('k', name); }
  bool text(std::string_view words) { return add('t', words); }
  bool number(double value) {
    found_.numbers.push_back(value);
    return add('n', {});
  }
  bool begin_object() { return add('{', {}); }
  bool end_object() { return add('}', {}); }
  bool begin_array() { return add('[', {}); }
  bool end_array() { return add(']', {}); }

 private:
  bool add(char kind, std::string_view words) {
    found_.shape.append(1, kind).append(words).append(1, '\n');
    return true;
  }
  Found& found_;
};

class Expected : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Expected(Found& found) : found_(found) {}
  bool null() override { return true; }
  bool boolean(bool value) override { return number(value ? 1 : 0); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& words) override { return add('t', words); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return add('{', {}); }
  bool key(string_t& name) override { return add('k', name); }
  bool end_object() override { return add('}', {}); }
  bool start_array(std::size_t) override { return add('[', {}); }
  bool end_array() override { return add(']', {}); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool number(double value) {
    found_.numbers.push_back(value);
    return add('n', {});
  }
  bool add(char kind, std::string_view words) {
    found_.shape.append(1, kind).append(words).append(1, '\n');
    return true;
  }
  Found& found_;
};

bool left_out(const std::string& text) {
  for (const char* const word : {"NaN", "Inf", "\\u"})
    if (text.find(word) != std::string::npos) return true;
  if (text.starts_with("\x1F\x8B")) return true;  // gzip
  try {
    (void)nlohmann::json(text).dump();  // throws unless it is UTF-8
  } catch (const nlohmann::json::exception&) {
    return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Found found, expected;
  input::Problems problems;
  const auto source = calibration::Source::of_text(text, "fuzz.json");
  Streamed handler(*source, found);
  const bool read = calibration::json::parse(*source, handler, problems);
  fuzz::require(read == problems.empty(), "it is JSON exactly when there is no problem");
  fuzz::require_printable(problems.text());
  if (left_out(text) || !handler.wrong.empty()) return 0;
  Expected other(expected);
  bool good = false;
  try {
    // To nlohmann's a zero byte is the end.
    good = nlohmann::json::sax_parse(text, &other) && text.find('\0') == std::string::npos;
  } catch (const nlohmann::json::exception&) {  // a number out of range
  }
  fuzz::require(read == good, "both readers take the same texts");
  if (!read) return 0;
  fuzz::require(found.shape == expected.shape, "and find the same in them");
  fuzz::require(found.numbers.size() == expected.numbers.size(), "as many numbers");
  for (std::size_t i = 0; i < found.numbers.size(); ++i) {
    const double a = found.numbers[i], b = expected.numbers[i];
    fuzz::require(std::abs(a - b) <= 1e-14 * std::abs(b) + 1e-300, "the same numbers");
  }
  return 0;
}
