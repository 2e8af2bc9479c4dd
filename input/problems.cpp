#include "input/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jostle::input {
namespace {

// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string printable(const std::string& text, std::size_t most) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (result.size() >= most) return result + "...";
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_length(text, at);
    if (byte == '\n') {
      result += "\\n";
      ++at;
    } else if (byte == '\t') {
      result += "\\t";
      ++at;
    } else if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02X}", byte);
      ++at;
    } else {
      result.append(text, at, length);
      at += length;
    }
  }
  return result;
}

std::string Problem::text() const {
  std::string result;
  if (location.origin) result += *location.origin + ": ";
  if (location.origin && location.line > 0) {
    result = fmt::format("{}:{}: ", *location.origin, location.line);
  }
  if (!path.empty()) result += path + ": ";
  result += message;
  if (!hint.empty()) result += " (" + hint + ")";
  return result;
}

void Problems::add(Location location, std::string path, std::string message, std::string hint) {
  if (list_.size() >= max_kept) {
    ++dropped_;
    return;
  }
  // Whatever an input holds may have found its way into any of them: keys, names, an exception's text.
  for (std::string* text : {&path, &message, &hint}) *text = printable(*text, std::string::npos);
  list_.push_back({std::move(location), std::move(path), std::move(message), std::move(hint)});
}

void Problems::add_file(const std::string& file, std::string message, std::string hint) {
  const std::string name = file.empty() ? "''" : printable(file, 400);
  add({std::make_shared<const std::string>(name), 0, 0}, {}, std::move(message), std::move(hint));
}

void Problems::append(const Problems& others) {
  for (const Problem& problem : others.list_)
    add(problem.location, problem.path, problem.message, problem.hint);
  dropped_ += others.dropped_;
}

void Problems::sort() {
  const auto before = [](const Problem& a, const Problem& b) {
    const auto& x = a.location;
    const auto& y = b.location;
    if (x.origin != y.origin && x.origin && y.origin && *x.origin != *y.origin) return *x.origin < *y.origin;
    return x.line < y.line;
  };
  std::stable_sort(list_.begin(), list_.end(), before);
}

std::string Problems::text() const {
  std::string result;
  for (const Problem& problem : list_) result += problem.text() + "\n";
  if (dropped_ > 0) result += fmt::format("... and {} more\n", dropped_);
  return result;
}

}  // namespace jostle::input
