// The format: a value is its kind, line and column, then a scalar's text, or a number of children, each after
// its key in a mapping. Numbers are in groups of seven bits, the lowest first; a text is its length and its
// bytes.
#include "input/packed.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "input/file.hpp"

namespace jostle::input {
namespace {

class Packer {
 public:
  void value(const Value& value) {
    number(static_cast<std::size_t>(value.kind));
    location(value.location);
    if (value.kind == Kind::nothing || value.kind == Kind::scalar) {
      number(value.quoted ? 1 : 0);
      text(value.text);
      return;
    }
    number(value.children.size());
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      if (value.kind == Kind::mapping) {
        text(value.keys[i].name);
        location(value.keys[i].location);
      }
      this->value(*value.children[i]);
    }
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::size_t number) {
    for (; number >= 128; number /= 128) bytes_ += static_cast<char>(128 + number % 128);
    bytes_ += static_cast<char>(number);
  }
  void text(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  void location(const Location& at) {
    number(static_cast<std::size_t>(at.line));
    number(static_cast<std::size_t>(at.column));
  }

  std::string bytes_;
};

class Unpacker {
 public:
  Unpacker(std::string_view bytes, const std::string& origin)
      : bytes_(bytes), origin_(std::make_shared<const std::string>(file_name(origin))) {}

  [[nodiscard]] Node value() {
    auto value = std::make_shared<Value>();
    value->kind = static_cast<Kind>(number());
    value->location = location();
    if (value->kind == Kind::nothing || value->kind == Kind::scalar) {
      value->quoted = number() == 1;
      value->text = text();
      return value;
    }
    const std::size_t count = number();
    value->children.reserve(count);
    if (value->kind == Kind::mapping) value->keys.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (value->kind == Kind::mapping) {
        std::string name = text();
        value->keys.push_back({std::move(name), location()});
      }
      value->children.push_back(this->value());
      value->expanded += value->children.back()->expanded;
    }
    return value;
  }

 private:
  [[nodiscard]] std::size_t number() {
    std::size_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto group = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number += static_cast<std::size_t>(group % 128) << shift;
      if (group < 128) return number;
    }
  }
  [[nodiscard]] std::string text() {
    const std::size_t size = number();
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  [[nodiscard]] Location location() {
    const auto line = static_cast<int>(number()), column = static_cast<int>(number());
    return {origin_, line, column};
  }

  std::string_view bytes_;
  std::shared_ptr<const std::string> origin_;
};

}  // namespace

std::string packed(const Value& document) {
  Packer packer;
  packer.value(document);
  return packer.take();
}

Node unpacked(std::string_view bytes, const std::string& origin) {
  return Unpacker(bytes, origin).value();
}

}  // namespace jostle::input
