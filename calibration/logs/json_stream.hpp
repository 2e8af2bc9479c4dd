// Connects RapidJSON's pull parser to a Source: JSON of any length, one value at a time, within limits.
//
// Part of the readers of JSON logs; not for use elsewhere.
#pragma once

#include <fmt/format.h>

// RapidJSON 1.1 adds to a null pointer while its stack is empty, which Clang's sanitizer reports.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

#include <cstddef>
#include <cstdint>
#include <string>

#include "calibration/logs/log_text.hpp"
#include "calibration/logs/source.hpp"

namespace jostle::calibration::json {

inline constexpr int deepest = 64;

// The input stream interface that RapidJSON requires.
class Stream {
 public:
  using Ch = char;
  explicit Stream(Source& source) : source_(source) {}
  [[nodiscard]] Ch Peek() const { return source_.peek_byte(); }
  Ch Take() { return source_.take_byte(); }
  [[nodiscard]] std::size_t Tell() const { return static_cast<std::size_t>(source_.taken()); }
  // Required by the interface but only used for output streams.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  Source& source_;
};

// Base of handlers. All numbers are doubles, and the nesting depth is tracked. A handler derives from this
// with itself as `Derived` and hides those of key, text, number, begin_object, end_object, begin_array,
// end_array that it needs. If one of them returns false, the parse ends with the message `wrong`.
template <class Derived>
class Handler {
 public:
  explicit Handler(Source& source) : source_(source) {}

  bool Null() { return note(); }
  bool Bool(bool value) { return note() && self().number(value ? 1 : 0); }
  bool Int(int value) { return note() && self().number(value); }
  bool Uint(unsigned value) { return note() && self().number(value); }
  bool Int64(std::int64_t value) { return note() && self().number(static_cast<double>(value)); }
  bool Uint64(std::uint64_t value) { return note() && self().number(static_cast<double>(value)); }
  bool Double(double value) { return note() && self().number(value); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return true; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return note() && self().text(std::string_view(text, size));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    return note() && self().key(std::string_view(text, size));
  }
  bool StartObject() { return deeper() && self().begin_object(); }
  bool EndObject(rapidjson::SizeType) {
    const bool goes_on = self().end_object();
    --depth;
    return goes_on;
  }
  bool StartArray() { return deeper() && self().begin_array(); }
  bool EndArray(rapidjson::SizeType) {
    const bool goes_on = self().end_array();
    --depth;
    return goes_on;
  }

  // NOLINTBEGIN(readability-convert-member-functions-to-static)
  bool key(std::string_view) { return true; }
  bool text(std::string_view) { return true; }
  bool number(double) { return true; }
  bool begin_object() { return true; }
  bool end_object() { return true; }
  bool begin_array() { return true; }
  bool end_array() { return true; }
  // NOLINTEND(readability-convert-member-functions-to-static)

  int depth = 0;      // nesting depth of the innermost open object or array; 1 at the top
  std::string wrong;  // set when a handler returns false

 protected:
  bool refuse(std::string why) {
    wrong = std::move(why);
    return false;
  }
  Source& source_;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  bool note() {
    source_.mark();
    return true;
  }
  bool deeper() {
    source_.mark();
    if (++depth > deepest) return refuse(fmt::format("nested more than {} levels deep", deepest));
    return true;
  }
};

// Reads the source. Returns false, with a problem, unless it is exactly one JSON value.
template <class Derived>
bool parse(Source& source, Handler<Derived>& handler, input::Problems& problems) {
  constexpr std::uint64_t most_of_a_value = 4 * Source::chunk_bytes;
  source.limit_unmarked(most_of_a_value);
  Stream stream(source);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      reader.Parse<rapidjson::kParseNanAndInfFlag>(stream, static_cast<Derived&>(handler));
  // RapidJSON takes a zero byte for the end.
  if (!result.IsError() && source.failure().empty() && source.at_end()) return true;
  const int line = source.line() + 1;
  if (!source.failure().empty()) {
    source.fail(problems, line, source.failure());
  } else if (!handler.wrong.empty()) {
    source.fail(problems, line, handler.wrong);
  } else if (source.peek_byte() == '\0' && source.at_end()) {
    source.fail(problems, line, "the JSON ends inside a value", "the file is truncated");
  } else if (!result.IsError()) {
    source.fail(problems, line, "not JSON: a zero byte");
  } else {
    source.fail(problems, line, fmt::format("not JSON: {}", rapidjson::GetParseError_En(result.Code())));
  }
  return false;
}

}  // namespace jostle::calibration::json
