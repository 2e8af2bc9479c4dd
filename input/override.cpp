#include "input/override.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::input {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> steps;
  std::size_t from = 0;
  while (true) {
    const std::size_t dot = path.find('.', from);
    steps.emplace_back(path.substr(from, dot - from));
    if (dot == std::string_view::npos) return steps;
    from = dot + 1;
  }
}

// An override of one value. A value of Kind::nothing removes the value at the end of the path.
class Override {
 public:
  Override(std::vector<std::string> steps, Node value, Problems& problems)
      : steps_(std::move(steps)), value_(std::move(value)), problems_(problems) {}

  // A copy of `node` with the value inserted below it. Only the values along the path are copied.
  [[nodiscard]] Node apply(const Node& node, std::size_t depth) const {
    if (depth == steps_.size()) return value_;
    const std::string& step = steps_[depth];
    if (node && node->kind == Kind::sequence) return in_sequence(*node, step, depth);
    if (node && node->kind == Kind::scalar) {
      return wrong(depth, fmt::format("'{}' has no sub-keys", printable(node->text)));
    }
    Value copy;
    copy.location = value_->location;
    if (node && node->kind == Kind::mapping) copy = *node;
    copy.kind = Kind::mapping;
    std::size_t index = 0;
    while (index < copy.keys.size() && copy.keys[index].name != step) ++index;
    const bool is_new = index == copy.keys.size();
    if (removes(depth)) {
      if (is_new) return wrong(depth, fmt::format("there is no '{}' to remove", printable(step)));
      copy.keys.erase(copy.keys.begin() + static_cast<std::ptrdiff_t>(index));
      copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(index));
      return counted(std::move(copy));
    }
    Node child = apply(is_new ? nullptr : copy.children[index], depth + 1);
    if (!child) return nullptr;
    if (is_new) {
      copy.keys.push_back({step, value_->location});
      copy.children.push_back(std::move(child));
    } else {
      copy.children[index] = std::move(child);
    }
    return counted(std::move(copy));
  }

 private:
  [[nodiscard]] bool removes(std::size_t depth) const {
    return depth + 1 == steps_.size() && value_->kind == Kind::nothing;
  }

  [[nodiscard]] Node in_sequence(const Value& sequence, const std::string& step, std::size_t depth) const {
    bool overflow = false;
    if (step == "*") return in_every_entry(sequence, depth);
    const std::optional<std::int64_t> index = parse_integer(step, overflow);
    const auto size = static_cast<std::int64_t>(sequence.children.size());
    if (!index || *index < 0 || *index > size) {
      return wrong(depth, fmt::format("'{}' is not an index of its {} entries", printable(step), size),
                   size > 0 ? fmt::format("the last is {}", size - 1) : "");
    }
    const auto at = static_cast<std::size_t>(*index);
    Value copy = sequence;
    if (removes(depth)) {
      if (at == copy.children.size()) return wrong(depth, fmt::format("there is no entry {} to remove", at));
      copy.children.erase(copy.children.begin() + *index);
      return counted(std::move(copy));
    }
    Node child = apply(at < copy.children.size() ? copy.children[at] : nullptr, depth + 1);
    if (!child) return nullptr;
    if (at < copy.children.size())
      copy.children[at] = std::move(child);
    else
      copy.children.push_back(std::move(child));
    return counted(std::move(copy));
  }

  [[nodiscard]] Node in_every_entry(const Value& sequence, std::size_t depth) const {
    Value copy = sequence;
    if (removes(depth)) copy.children.clear();
    for (Node& child : copy.children) {
      child = apply(child, depth + 1);
      if (!child) return nullptr;
    }
    return counted(std::move(copy));
  }

  [[nodiscard]] static Node counted(Value value) {
    value.expanded = 1;
    for (const Node& child : value.children) value.expanded += child->expanded;
    return std::make_shared<const Value>(std::move(value));
  }

  [[nodiscard]] Node wrong(std::size_t depth, std::string message, std::string hint = {}) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) {
      if (i) path += '.';
      path += printable(steps_[i]);
    }
    problems_.add(value_->location, path, std::move(message), std::move(hint));
    return nullptr;
  }

  std::vector<std::string> steps_;
  Node value_;
  Problems& problems_;
};

// A copy of the value with `location` everywhere: line numbers inside an option mean nothing to a user.
Node moved_to(const Node& node, const Location& location) {
  Value copy = *node;
  copy.location = location;
  for (Key& key : copy.keys) key.location = location;
  for (Node& child : copy.children) child = moved_to(child, location);
  return std::make_shared<const Value>(std::move(copy));
}

}  // namespace

Node with_override(const Node& root, const std::string& assignment, Problems& problems,
                   const std::string& typed) {
  constexpr std::size_t longest_path = 200;
  const std::string origin = printable(typed.empty() ? "--set " + assignment : typed, 106);
  const Location location{std::make_shared<const std::string>(origin), 0, 0};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0 || equals > longest_path) {
    problems.add(location, {}, "expected KEY=VALUE", "for example --set processes.0.batch=4");
    return nullptr;
  }
  const std::string text = assignment.substr(equals + 1);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    problems.add(location, printable(assignment.substr(0, equals), longest_path), "the value is empty");
    return nullptr;
  }
  if (text == "null" || text == "~") {
    Value nothing;
    nothing.location = location;
    return with_value(root, assignment.substr(0, equals), std::make_shared<const Value>(std::move(nothing)),
                      problems);
  }
  const Node value = parse_yaml(text, origin, problems);
  if (!value) return nullptr;
  return with_value(root, assignment.substr(0, equals), moved_to(value, location), problems);
}

Node with_value(const Node& root, const std::string& path, const Node& value, Problems& problems) {
  std::vector<std::string> steps = split(path);
  for (const std::string& step : steps) {
    if (step.empty()) {
      problems.add(value->location, {}, fmt::format("an empty name in the path '{}'", printable(path)));
      return nullptr;
    }
  }
  return Override(std::move(steps), value, problems).apply(root, 0);
}

}  // namespace jostle::input
