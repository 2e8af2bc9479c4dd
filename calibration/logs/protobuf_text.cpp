#include "calibration/logs/protobuf_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

constexpr int deepest_message = 64;

class ProtoReader {
 public:
  ProtoReader(const std::string& text, const std::string& origin, input::Problems& problems)
      : text_(text), origin_(std::make_shared<const std::string>(origin)), problems_(problems) {}

  std::optional<ProtoField> read() {
    ProtoField root{.name = {}, .value = {}, .line = 1, .message = true, .fields = {}};
    read_fields(root, '\0', 0);
    return good_ ? std::optional(std::move(root)) : std::nullopt;
  }

 private:
  void fail(const std::string& message, const std::string& hint = {}) {
    if (good_) problems_.add({origin_, line_, 1}, "", message, hint);
    good_ = false;
  }

  void skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#')
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      else if (c == '\n')
        ++line_;
      else if (std::isspace(static_cast<unsigned char>(c)) == 0)
        return;
    }
  }
  [[nodiscard]] char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c || c == '\0') return false;
    ++at_;
    return true;
  }

  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') break;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    if (at_ >= text_.size() || text_[at_] != quote)
      fail("a text without its closing quote");
    else
      ++at_;
    return value;
  }

  // A scalar, or a message; texts beside each other are one.
  void read_value(ProtoField field, ProtoField& into, int depth) {
    const char c = next();
    if (c == '{' || c == '<') {
      ++at_;
      field.message = true;
      read_fields(field, c == '{' ? '}' : '>', depth + 1);
    } else if (c == '"' || c == '\'') {
      while (good_ && (next() == '"' || next() == '\'')) field.value += quoted();
    } else {
      field.value = word();
      if (field.value.empty())
        fail(c == '\0' ? fmt::format("'{}' has no value", input::printable(field.name, 60))
                       : fmt::format("'{}' is no value", input::printable(std::string(1, c))));
    }
    into.fields.push_back(std::move(field));
  }

  void read_fields(ProtoField& into, char end, int depth) {
    if (depth > deepest_message)
      return fail(fmt::format("more than {} messages in each other", deepest_message));
    while (good_) {
      const char c = next();
      if (c == end && c != '\0') {
        ++at_;
        return;
      }
      if (c == '\0') {
        if (end != '\0') fail(fmt::format("the file ends before '{}'", end), "is the file whole?");
        return;
      }
      ProtoField field;
      field.name = word();
      field.line = line_;
      if (field.name.empty())
        return fail(
            fmt::format("expected the name of a field, not '{}'", input::printable(std::string(1, c))));
      const bool colon = take(':');
      if (next() == '[') {
        ++at_;
        while (good_ && !take(']')) {
          read_value(field, into, depth);
          if (!take(',') && next() != ']') fail("expected ',' or ']' in a list");
        }
      } else if (!colon && next() != '{' && next() != '<') {
        return fail(fmt::format("expected ':' or '{{' behind {}", input::printable(field.name, 60)));
      } else {
        read_value(field, into, depth);
      }
      if (!take(',')) (void)take(';');
    }
  }

  const std::string& text_;
  std::shared_ptr<const std::string> origin_;
  input::Problems& problems_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool good_ = true;
};

}  // namespace

const ProtoField* ProtoField::find(const std::string& wanted) const {
  const auto found = std::ranges::find(fields, wanted, &ProtoField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::vector<const ProtoField*> ProtoField::all(const std::string& wanted) const {
  std::vector<const ProtoField*> found;
  for (const ProtoField& field : fields)
    if (field.name == wanted) found.push_back(&field);
  return found;
}

std::string ProtoField::text(const std::string& wanted) const {
  const ProtoField* const field = find(wanted);
  return field == nullptr ? std::string() : field->value;
}

std::optional<ProtoField> parse_protobuf_text(const std::string& text, const std::string& origin,
                                              input::Problems& problems) {
  return ProtoReader(text, origin, problems).read();
}

}  // namespace jostle::calibration
