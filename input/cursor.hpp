// A value in a document together with its path, and strict reading of a mapping.
//
//   Mapping run(cursor);                                   // reports a problem if it is not a mapping
//   run.required("duration", scenario.duration, Span{...});
//   run.optional("seed", scenario.seed, Integer{0, max});  // unchanged if absent
//   // at the end of its scope: every key that was not read is a problem, with the nearest key that was read
//
// A reader is any callable with the signature std::optional<T>(const Cursor&). It returns none after adding a
// problem.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/value.hpp"

namespace jostle::input {

class Cursor {
 public:
  Cursor(Node node, std::string path, Problems& problems)
      : node_(std::move(node)), path_(std::move(path)), problems_(&problems) {}

  [[nodiscard]] const Value& value() const { return *node_; }
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Location& location() const { return node_->location; }
  [[nodiscard]] Problems& problems() const { return *problems_; }
  [[nodiscard]] bool is(Kind kind) const { return node_->kind == kind; }

  // Reports a problem at this value.
  void problem(std::string message, std::string hint = {}) const {
    problems_->add(node_->location, path_, std::move(message), std::move(hint));
  }
  // Reports that `what` was expected at this value.
  void expected(std::string_view what, std::string hint = {}) const;

  // The value at a dotted path ("processes.0.batch"), or the deepest value on that path that exists.
  [[nodiscard]] Cursor descend(const std::string& path) const;

  // The text of a scalar. Reports a problem ("expected `what`") for any other kind.
  [[nodiscard]] const std::string* scalar(std::string_view what) const;

  // The items of a list. Reports a problem and returns none if it is not a list or has less than `least` or
  // more than `most` items.
  [[nodiscard]] std::vector<Cursor> items(const std::string& what, std::size_t most,
                                          std::size_t least = 0) const;

 private:
  Node node_;
  std::string path_;
  Problems* problems_;
};

class Mapping {
 public:
  // `what` names the mapping in messages: "a process".
  Mapping(Cursor cursor, const std::string& what);
  ~Mapping() { report_unknown_keys(); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] const Cursor& cursor() const { return cursor_; }

  // The value under `key`, if present.
  [[nodiscard]] std::optional<Cursor> find(const std::string& key);
  // The value under `key`; reports a problem if the key is absent.
  [[nodiscard]] std::optional<Cursor> require(const std::string& key);
  // Reports a problem with `key`, which is taken as absent from here on.
  void refuse(const std::string& key, std::string message, std::string hint = {});
  // Report a problem with keys that do not go together: with each of `others` that is given beside `key`;
  // with `key` if it is given without any of `others`.
  void keep_one(const std::string& key, const std::vector<std::string>& others);
  void needs(const std::string& key, const std::vector<std::string>& others, std::string hint = {});
  // Reports a problem with the mapping unless exactly one of `keys` is given; returns whether it is.
  bool exactly_one(const std::vector<std::string>& keys);
  // True if `key` is present. The key is not marked as read.
  [[nodiscard]] bool has(const std::string& key) const;

  // Reads `key` into `target`. True if the key is present and valid.
  template <class T, class Reader>
  bool optional(const std::string& key, T& target, const Reader& read) {
    return take(find(key), target, read);
  }
  template <class T, class Reader>
  bool required(const std::string& key, T& target, const Reader& read) {
    return take(require(key), target, read);
  }

 private:
  template <class T, class Reader>
  static bool take(const std::optional<Cursor>& at, T& target, const Reader& read) {
    if (!at) return false;
    auto value = read(*at);
    if (!value) return false;
    target = std::move(*value);
    return true;
  }
  void report_unknown_keys() const;
  [[nodiscard]] std::string unknown_key_hint(const std::string& name,
                                             const std::vector<std::string>& free) const;

  Cursor cursor_;
  bool good_;
  std::vector<std::string> asked_, refused_;
};

// For tests of schemas: the keys that readers request from mappings, which are the keys that they accept.

// Collects, while it lives, the keys that readers request on this thread. Only one may live at a time.
class AskedKeys {
 public:
  AskedKeys();
  ~AskedKeys();
  AskedKeys(const AskedKeys&) = delete;
  AskedKeys& operator=(const AskedKeys&) = delete;

  // The keys by the path of the mapping, with `*` for every index: "processes.*.arrivals".
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& by_path() const { return by_path_; }

 private:
  friend void note_asked(const std::string& path, const std::vector<std::string>& keys);
  std::map<std::string, std::set<std::string>> by_path_;
};

// Notes that a mapping at this path has been read with these keys. It has no effect while no AskedKeys lives.
void note_asked(const std::string& path, const std::vector<std::string>& keys);

}  // namespace jostle::input
