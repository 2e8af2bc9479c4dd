#include "input/cursor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "input/counted.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"

namespace jostle::input {
namespace {

std::string join(const std::string& path, const std::string& step) {
  return path.empty() ? step : path + "." + step;
}

thread_local AskedKeys* collector = nullptr;

std::string with_stars(const std::string& path) {
  std::string stars, step;
  for (std::istringstream steps(path); std::getline(steps, step, '.');) {
    const bool index =
        !step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
    if (!stars.empty()) stars += '.';
    stars += index ? "*" : step;
  }
  return stars;
}

}  // namespace

void Cursor::expected(std::string_view what, std::string hint) const {
  const std::string found =
      is(Kind::scalar) ? fmt::format("'{}'", printable(value().text)) : to_string(value().kind);
  problem(fmt::format("expected {}, found {}", what, found), std::move(hint));
}

Cursor Cursor::descend(const std::string& path) const {
  Cursor at = *this;
  std::size_t from = 0;
  while (from < path.size()) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string step = path.substr(from, dot - from);
    Node child;
    bool overflow = false;
    if (at.is(Kind::mapping)) {
      child = at.value().find(step);
    } else if (const auto index = parse_integer(step, overflow);
               at.is(Kind::sequence) && index && *index >= 0 &&
               *index < static_cast<std::int64_t>(at.value().children.size())) {
      child = at.value().children[static_cast<std::size_t>(*index)];
    }
    if (!child) return at;
    at = Cursor(std::move(child), join(at.path(), step), *problems_);
    from = dot + 1;
  }
  return at;
}

const std::string* Cursor::scalar(std::string_view what) const {
  if (is(Kind::scalar)) return &node_->text;
  expected(what);
  return nullptr;
}

std::vector<Cursor> Cursor::items(const std::string& what, std::size_t most, std::size_t least) const {
  std::vector<Cursor> result;
  if (!is(Kind::sequence)) {
    expected(what);
    return result;
  }
  const std::vector<Node>& children = node_->children;
  if (children.size() > most) {
    problem(fmt::format("{} entries, but at most {} are allowed", children.size(), most));
    return result;
  }
  if (children.size() < least) problem("the list is empty", "at least one entry is needed");
  result.reserve(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    result.emplace_back(children[i], join(path_, std::to_string(i)), *problems_);
  }
  return result;
}

Mapping::Mapping(Cursor cursor, const std::string& what)
    : cursor_(std::move(cursor)), good_(cursor_.is(Kind::mapping)) {
  if (!good_) cursor_.expected(what);
}

void Mapping::refuse(const std::string& key, std::string message, std::string hint) {
  if (!has(key)) return;
  cursor_.problems().add(cursor_.value().find(key)->location, join(cursor_.path(), printable(key)),
                         std::move(message), std::move(hint));
  refused_.push_back(key);
}

void Mapping::keep_one(const std::string& key, const std::vector<std::string>& others) {
  for (const std::string& other : others)
    if (has(key) && has(other))
      find(other)->problem(fmt::format("cannot be combined with {}", key), "keep one of the two");
}

void Mapping::needs(const std::string& key, const std::vector<std::string>& others, std::string hint) {
  if (has(key) && std::ranges::none_of(others, [this](const std::string& other) { return has(other); }))
    find(key)->problem(fmt::format("`{}` needs `{}`", key, fmt::join(others, "` or `")), std::move(hint));
}

bool Mapping::exactly_one(const std::vector<std::string>& keys) {
  const bool one = std::ranges::count_if(keys, [this](const std::string& key) { return has(key); }) == 1;
  if (good_ && !one) cursor_.problem(fmt::format("exactly one of {} is needed", listed(keys)));
  return one;
}

std::optional<Cursor> Mapping::find(const std::string& key) {
  if (std::ranges::find(refused_, key) != refused_.end()) return std::nullopt;
  if (std::ranges::find(asked_, key) == asked_.end()) asked_.push_back(key);
  if (!good_) return std::nullopt;
  Node child = cursor_.value().find(key);
  if (!child) return std::nullopt;
  return Cursor(std::move(child), join(cursor_.path(), key), cursor_.problems());
}

std::optional<Cursor> Mapping::require(const std::string& key) {
  std::optional<Cursor> found = find(key);
  if (!found && good_) {
    cursor_.problems().add(cursor_.location(), join(cursor_.path(), key), "missing required key");
  }
  return found;
}

bool Mapping::has(const std::string& key) const {
  return good_ && std::ranges::find(refused_, key) == refused_.end() && cursor_.value().find(key) != nullptr;
}

void Mapping::report_unknown_keys() const {
  if (!good_) return;
  note_asked(cursor_.path(), asked_);
  // An unknown key more likely means a key that is not given yet than one that is present.
  std::vector<std::string> free;
  for (const std::string& name : asked_) {
    if (!has(name)) free.push_back(name);
  }
  for (const Key& key : cursor_.value().keys) {
    if (std::find(asked_.begin(), asked_.end(), key.name) != asked_.end()) continue;
    if (std::ranges::find(refused_, key.name) != refused_.end()) continue;
    const bool kept = cursor_.problems().count() < Problems::max_kept;  // a hint costs time
    cursor_.problems().add(key.location, join(cursor_.path(), printable(key.name)), "unknown key",
                           kept ? unknown_key_hint(key.name, free) : "");
  }
}

std::string Mapping::unknown_key_hint(const std::string& name, const std::vector<std::string>& free) const {
  if (!nearest(name, free).empty()) return spelling_hint(name, free);
  // {source: one, two}: YAML reads the second half as a key without a value.
  if (cursor_.value().find(name)->kind == Kind::nothing) return "a text that contains a comma needs quotes";
  return spelling_hint(name, nearest(name, asked_).empty() && !free.empty() ? free : asked_);
}

AskedKeys::AskedKeys() {
  collector = this;
}

AskedKeys::~AskedKeys() {
  collector = nullptr;
}

void note_asked(const std::string& path, const std::vector<std::string>& keys) {
  if (collector != nullptr) collector->by_path_[with_stars(path)].insert(keys.begin(), keys.end());
}

}  // namespace jostle::input
