// Two ways to take JSON value by value: as text, for whoever prints or stores it, and as a tree, for whoever
// looks into it. Both have the same functions, and JsonText gives the bytes of JsonTree's value when dumped.
//
// key() comes before each value of an object. An absent or non-finite number is null().
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/json.hpp"

namespace jostle::scenarios {

// Appends to a text.
class JsonText {
 public:
  explicit JsonText(std::string& to) : to_(to) {}

  void key(std::string_view name) {
    text(name);
    to_ += ':';
  }
  void null() { raw("null"); }
  void number(double value) {
    if (!std::isfinite(value)) return null();
    // Numbers are written as nlohmann's dump() writes them.
    std::array<char, 64> digits{};
    const char* const end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
    raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  void integer(std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>) {
      raw(value ? "true" : "false");
    } else {
      std::array<char, 24> digits{};
      const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
      raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }
  }
  void text(std::string_view value) {
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || c == '"' || c == '\\' || byte >= 0x7F) return raw(output::json_string(value));
    }
    separate();
    ((to_ += '"') += value) += '"';
  }
  void json(std::string_view document) { raw(document); }
  void begin_object() { raw("{"); }
  void end_object() { to_ += '}'; }
  // Ends an object that is null if nothing is in it.
  void end_group() {
    if (to_.back() != '{') return end_object();
    to_.pop_back();
    to_ += "null";
  }
  void begin_array() { raw("["); }
  void end_array() { to_ += ']'; }

 private:
  void separate() {
    if (!to_.empty() && std::string_view("{[:").find(to_.back()) == std::string_view::npos) to_ += ',';
  }
  void raw(std::string_view value) {
    separate();
    to_ += value;
  }

  std::string& to_;
};

// Builds a value.
class JsonTree {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonTree(Json& root) : root_(root) {}

  void key(std::string_view name) { key_ = name; }
  void null() { next() = nullptr; }
  void number(double value) { next() = std::isfinite(value) ? Json(value) : Json(nullptr); }
  void integer(std::integral auto value) { next() = value; }
  void text(std::string_view value) { next() = value; }
  void json(std::string_view document) { next() = output::parsed_json(document); }
  void begin_object() { begin(Json::object()); }
  void end_object() { open_.pop_back(); }
  void end_group() {
    if (open_.back()->empty()) *open_.back() = nullptr;
    end_object();
  }
  void begin_array() { begin(Json::array()); }
  void end_array() { open_.pop_back(); }

 private:
  Json& next() {
    if (open_.empty()) return root_;
    Json& in = *open_.back();
    return in.is_array() ? in.emplace_back(nullptr) : in[key_];
  }
  void begin(Json empty) {
    Json& json = next();
    json = std::move(empty);
    open_.push_back(&json);
  }

  Json& root_;
  std::vector<Json*> open_;  // objects and arrays that have not ended, the innermost last
  std::string key_;          // key of the value that comes next
};

}  // namespace jostle::scenarios
