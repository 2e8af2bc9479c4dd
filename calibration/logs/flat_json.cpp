#include "calibration/logs/flat_json.hpp"

#include <fmt/format.h>

#include <utility>

#include "calibration/logs/json_stream.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_objects = 100'000, most_keys = 10'000;

class FlatReading : public json::Handler<FlatReading> {
 public:
  explicit FlatReading(Source& source) : Handler(source) {}

  std::vector<FlatObject> found;

  bool begin_object() {
    if (arrays_ > 0) return true;
    if (path_.empty()) {
      if (found.size() == most_objects) return refuse(fmt::format("more than {} objects", most_objects));
      found.emplace_back();
    }
    path_.push_back(std::exchange(key_, {}));
    return true;
  }
  bool end_object() {
    if (arrays_ == 0 && !path_.empty()) path_.pop_back();
    return true;
  }
  // An array at the top holds the objects; one inside of an object is left out.
  bool begin_array() {
    if (!path_.empty()) ++arrays_;
    return true;
  }
  bool end_array() {
    if (arrays_ > 0) --arrays_;
    return true;
  }
  bool key(std::string_view name) {
    if (arrays_ == 0) key_ = name;
    return true;
  }
  bool text(std::string_view value) { return set(std::string(value)); }
  bool number(double value) { return set(value); }

 private:
  bool set(std::variant<double, std::string> value) {
    if (arrays_ > 0 || path_.empty()) return true;
    if (found.back().keys().size() == most_keys) return refuse(fmt::format("more than {} keys", most_keys));
    std::string name;
    for (std::size_t i = 1; i < path_.size(); ++i) name += path_[i] + '.';
    found.back().set(name + key_, std::move(value));
    return true;
  }

  std::vector<std::string> path_;  // keys of the open objects; that of the outermost is empty
  std::string key_;
  int arrays_ = 0;  // depth inside of an array of an object
};

// True if the first line is an object and another one follows.
bool is_by_line(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \r\n\t");
  const std::size_t end = begin == std::string_view::npos ? begin : head.find('\n', begin);
  if (end == std::string_view::npos || head[begin] != '{') return false;
  const std::size_t next = head.find_first_not_of(" \r\n\t", end);
  return trimmed(head.substr(begin, end - begin)).ends_with('}') && next != std::string_view::npos &&
         head[next] == '{';
}

}  // namespace

std::optional<double> FlatObject::number(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  const auto* const text = std::get_if<std::string>(&found->second);
  return text != nullptr ? parse_number(*text) : std::optional(std::get<double>(found->second));
}

std::string FlatObject::text(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  const auto* const text = std::get_if<std::string>(&found->second);
  return text != nullptr ? *text : fmt::format("{:.15g}", std::get<double>(found->second));
}

void FlatObject::set(const std::string& key, std::variant<double, std::string> value) {
  if (values_.insert_or_assign(key, std::move(value)).second) keys_.push_back(key);
}

std::vector<FlatObject> read_flat_objects(Source& source, input::Problems& problems) {
  if (!is_by_line(source.peek())) {
    FlatReading reading(source);
    if (!json::parse(source, reading, problems)) return {};
    if (reading.found.empty()) source.fail(problems, 0, "JSON without an object");
    return std::move(reading.found);
  }
  std::vector<FlatObject> all;
  for (std::string_view line; source.next_line(line);) {
    if (trimmed(line).empty()) continue;
    const auto one = Source::of_text(std::string(line), source.origin());
    FlatReading reading(*one);
    input::Problems own;
    if (!json::parse(*one, reading, own)) {
      source.fail(problems, source.line(), own.list().front().message);
      return {};
    }
    all.insert(all.end(), reading.found.begin(), reading.found.end());
  }
  if (!source.failure().empty()) {
    source.fail(problems, source.line(), source.failure());
    return {};
  }
  return all;
}

}  // namespace jostle::calibration
