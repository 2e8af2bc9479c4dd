#include "profiles/profile/renamed_keys.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "input/csv.hpp"
#include "profiles/embedded.hpp"

namespace jostle::profiles {
namespace {

struct Renamed {
  std::string current, first;
};

const std::vector<Renamed>& table() {
  static const std::vector<Renamed> rows = [] {
    constexpr const char* name = "renamed.csv";
    const input::CsvTable csv = input::CsvTable::parse(embedded_file(name).value(), name);
    const std::size_t current = csv.column("current"), first = csv.column("first");
    std::vector<Renamed> found;
    for (std::size_t i = 0; i < csv.rows(); ++i)
      found.push_back({csv.row(i).text(current), csv.row(i).text(first)});
    return found;
  }();
  return rows;
}

std::string_view current_key(std::string_view key) {
  const auto row = std::ranges::find(table(), key, &Renamed::first);
  return row == table().end() ? key : row->current;
}

// Applies `name` to every key of the path before '='.
std::string renamed(std::string_view path, std::string_view (*name)(std::string_view)) {
  std::string found;
  const std::string_view keys = path.substr(0, path.find('='));
  for (std::size_t begin = 0; begin <= keys.size();) {
    const std::size_t end = std::min(keys.find('.', begin), keys.size());
    found += name(keys.substr(begin, end - begin));
    if (end < keys.size()) found += '.';
    begin = end + 1;
  }
  return found += path.substr(keys.size());
}

}  // namespace

std::string_view first_key(std::string_view key) {
  const auto row = std::ranges::find(table(), key, &Renamed::current);
  return row == table().end() ? key : row->first;
}

std::string current_path(std::string_view path) {
  return renamed(path, current_key);
}
std::string first_path(std::string_view path) {
  return renamed(path, first_key);
}

input::Node with_current_keys(const input::Node& document) {
  if (!document || document->children.empty()) return document;
  std::shared_ptr<input::Value> changed;  // a copy, made at the first change
  const auto copy = [&]() -> input::Value& {
    if (!changed) changed = std::make_shared<input::Value>(*document);
    return *changed;
  };
  for (std::size_t i = 0; i < document->children.size(); ++i) {
    input::Node child = with_current_keys(document->children[i]);
    if (child != document->children[i]) copy().children[i] = std::move(child);
  }
  for (std::size_t i = 0; i < document->keys.size(); ++i) {
    const std::string& key = document->keys[i].name;
    if (const std::string_view current = current_key(key); current != key) copy().keys[i].name = current;
  }
  return changed ? std::move(changed) : document;
}

}  // namespace jostle::profiles
