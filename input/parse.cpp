#include "input/parse.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "input/file.hpp"
#include "input/printable.hpp"

namespace jostle::input {
namespace {

// Thrown to end the parse. The problem is already recorded.
struct Stop {};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> origin, Problems& problems, const Limits& limits)
      : origin_(std::move(origin)), problems_(problems), limits_(limits) {}

  [[nodiscard]] Node root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(mark, anchor, Kind::nothing, {}, false);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_tag(mark, tag);
    // The tag that yaml-cpp reports: "?" for a plain scalar, "!" for a scalar in quotes or a block.
    const bool quoted = tag == "!";
    const bool null =
        !quoted && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    add_leaf(mark, anchor, null ? Kind::nothing : Kind::scalar, text, quoted);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias refers to a value that contains it");
    if (awaits_key()) fail(mark, "a key cannot be an alias");
    attach(at(mark), found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    std::optional<Key> key;              // mapping: key that was read and whose value follows
    std::map<std::string, int> line_of;  // mapping: keys so far
  };

  [[nodiscard]] Location at(const YAML::Mark& mark) const {
    return {origin_, mark.line + 1, mark.column + 1};
  }

  [[nodiscard]] std::string path() const {
    std::string result;
    for (const Open& open : open_) {
      std::string step;
      if (open.value.kind == Kind::sequence)
        step = std::to_string(open.value.children.size());
      else if (open.key)
        step = printable(open.key->name);
      else
        continue;
      result += (result.empty() ? "" : ".") + step;
    }
    return result;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, std::string message, std::string hint = {}) {
    problems_.add(at(mark), path(), std::move(message), std::move(hint));
    throw Stop{};
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag != "?" && tag != "!" && !tag.empty()) {
      fail(mark, fmt::format("tags are not supported: {}", printable(tag)), "remove it");
    }
  }

  [[nodiscard]] bool awaits_key() const {
    return !open_.empty() && open_.back().value.kind == Kind::mapping && !open_.back().key;
  }

  void take_key(const YAML::Mark& mark, const std::string& name) {
    Open& open = open_.back();
    const auto [entry, is_new] = open.line_of.emplace(name, mark.line + 1);
    open.key = Key{name, at(mark)};
    if (!is_new) {
      fail(mark, fmt::format("duplicate key in this mapping, first in line {}", entry->second),
           "keep one of them");
    }
  }

  void add_leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Kind kind, const std::string& text,
                bool quoted) {
    if (awaits_key()) {
      if (kind == Kind::nothing && text.empty()) fail(mark, "a key is empty");
      if (text == "<<" && !quoted) fail(mark, "merge keys (<<) are not supported", "write the keys out");
      take_key(mark, text);
      return;
    }
    auto value = std::make_shared<Value>();
    value->kind = kind;
    value->location = at(mark);
    value->text = text;
    value->quoted = quoted;
    finish(anchor, std::move(value));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    refuse_tag(mark, tag);
    if (awaits_key()) fail(mark, "a key must be a single value, not a list or a mapping");
    if (open_.size() >= limits_.depth) {
      fail(mark, fmt::format("nested more than {} levels deep", limits_.depth));
    }
    Open next{{}, anchor, {}, {}};
    next.value.kind = kind;
    next.value.location = at(mark);
    open_.push_back(std::move(next));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    finish(closed.anchor, std::make_shared<Value>(std::move(closed.value)));
  }

  void finish(YAML::anchor_t anchor, Node value) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = value;
    const Location location = value->location;
    attach(location, std::move(value));
  }

  void attach(const Location& location, Node value) {
    ++attached_;
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    // The limit is checked while the tree grows, so that it also bounds the work done here.
    Open& parent = open_.back();
    parent.value.expanded += value->expanded;
    if (parent.value.expanded > limits_.values || attached_ > limits_.values) {
      problems_.add(location, path(),
                    fmt::format("more than {} values after expansion of aliases", limits_.values));
      throw Stop{};
    }
    if (parent.value.kind == Kind::mapping) {
      parent.value.keys.push_back(std::move(*parent.key));
      parent.key.reset();
    }
    parent.value.children.push_back(std::move(value));
  }

  std::shared_ptr<const std::string> origin_;
  Problems& problems_;
  Limits limits_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t attached_ = 0;
  Node root_;
};

// True if the indentation of a line, counted from 1, has a tab.
bool begins_with_tab(const std::string& text, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i)
    if ((at = text.find('\n', at)) != std::string::npos) ++at;
  const std::size_t word = at == std::string::npos ? at : text.find_first_not_of(" \t", at);
  return word != std::string::npos && text.substr(at, word - at).find('\t') != std::string::npos;
}

}  // namespace

Node parse_yaml(const std::string& text, const std::string& origin, Problems& problems,
                const Limits& limits) {
  const auto name = std::make_shared<const std::string>(file_name(origin));
  if (text.size() > limits.bytes) {
    problems.add({name, 0, 0}, {}, fmt::format("larger than {} bytes", limits.bytes));
    return nullptr;
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    problems.add({name, 0, 0}, {}, fmt::format("not a text file: byte {} is zero", zero));
    return nullptr;
  }
  TreeBuilder builder(name, problems, limits);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root()) {
      problems.add({name, 0, 0}, {}, "the file is empty");
      return nullptr;
    }
    TreeBuilder rest(name, problems, limits);
    if (parser.HandleNextDocument(rest)) {
      problems.add({name, 0, 0}, {}, "more than one YAML document",
                   "a file must contain one document: remove everything from --- on");
      return nullptr;
    }
  } catch (const Stop&) {
    return nullptr;
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    problems.add({name, line, error.mark.is_null() ? 0 : error.mark.column + 1}, {},
                 fmt::format("not well-formed YAML: {}", printable(error.msg, 200)),
                 begins_with_tab(text, line) ? "the line begins with a tab: YAML wants spaces" : "");
    return nullptr;
  } catch (const std::exception& error) {
    problems.add({name, 0, 0}, {}, fmt::format("not well-formed YAML: {}", printable(error.what(), 200)));
    return nullptr;
  }
  if (builder.root()->kind == Kind::nothing) {
    problems.add({name, 0, 0}, {}, "the file is empty");
    return nullptr;
  }
  return builder.root();
}

Node parse_yaml_file(const std::string& path, Problems& problems, const Limits& limits) {
  const std::optional<std::string> text = read_text_file(path, limits.bytes, problems);
  return text ? parse_yaml(*text, path, problems, limits) : nullptr;
}

}  // namespace jostle::input
