#include "input/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/file.hpp"
#include "input/printable.hpp"

namespace jostle::input {

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
  // Each text may contain parts of the input: keys, names, an exception's message.
  for (std::string* text : {&path, &message, &hint}) *text = printable(*text, std::string::npos);
  list_.push_back({std::move(location), std::move(path), std::move(message), std::move(hint)});
}

void Problems::add_file(const std::string& file, std::string message, std::string hint) {
  add({std::make_shared<const std::string>(file_name(file)), 0, 0}, {}, std::move(message), std::move(hint));
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
