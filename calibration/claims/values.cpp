#include "calibration/claims/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "calibration/claims/check.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::calibration {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(std::string_view what, std::string_view text) {
  throw scenarios::RunError(fmt::format("{} in '{}'", what, text));
}

// The rows of calibration/settings.csv: what follows from a setting.
const std::map<std::pair<std::string, std::string>, std::string>& following() {
  static const auto rows = [] {
    constexpr const char* file = "settings.csv";
    const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
    std::map<std::pair<std::string, std::string>, std::string> all;
    for (const input::CsvTable::Row row : table) {
      if (!all.emplace(std::pair(row.text("name"), row.text("value")), row.text("sets")).second)
        row.fail("this setting is there twice");
    }
    return all;
  }();
  return rows;
}
const std::string* follows_from(std::string_view name, std::string_view value) {
  const auto found = following().find({std::string(name), std::string(value)});
  return found == following().end() ? nullptr : &found->second;
}

std::string stripped(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

// The position behind the bracket that closes the one at `at`.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (is_one_of(text[at], "([{")) ++depth;
    if (is_one_of(text[at], ")]}") && --depth == 0) return at + 1;
  }
  fail("a bracket is not closed", text);
}

bool in_name(char c, std::string_view also = "_") {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || is_one_of(c, also);
}

// Adds the numbers at a path of a JSON value.
void add_at(const Json& at, std::string_view path, List& found) {
  if (path.empty()) {
    if (at.is_object() && at.contains("mean")) return add_at(at["mean"], path, found);
    if (!at.is_number()) throw scenarios::RunError("a metric of the statement is not available");
    found.push_back(at.get<double>());
    return;
  }
  const std::string step(path.substr(0, path.find('.')));
  path.remove_prefix(std::min(step.size() + 1, path.size()));
  if (step == "*") {
    for (const Json& entry : at) add_at(entry, path, found);
  } else if (at.is_array()) {
    add_at(at.at(std::stoul(step)), path, found);
  } else {
    add_at(at.is_object() ? at.value(step, Json()) : Json(), path, found);
  }
}
List at_path(const Json& result, std::string_view path) {
  List found;
  add_at(result, path, found);
  return found;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && is_one_of(text[at], "([{")) at = behind_bracket(text, at) - 1;
    if (at < text.size() && text[at] != separator) continue;
    parts.push_back(stripped(text.substr(from, at - from)));
    from = at + 1;
  }
  return parts;
}

// Evaluates an expression while it reads it.
class Parser {
 public:
  Parser(Values& values, std::string_view text, const Settings& settings)
      : values_(values), text_(text), settings_(settings) {}

  List all() {
    List found = joined();
    if (at_ != text_.size()) fail("not understood", text_.substr(at_));
    return found;
  }

 private:
  char next() {
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    return at_ == text_.size() ? '\0' : text_[at_];
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  List joined() {
    List found = level(0);
    while (take(',')) {
      const List more = level(0);
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }

  // Operators by precedence: comparisons, sums, products.
  List level(std::size_t precedence) {
    constexpr std::array<std::string_view, 3> operators{"<>", "+-", "*/"};
    if (precedence == operators.size()) return factor();
    List found = level(precedence + 1);
    while (next() != '\0' && is_one_of(next(), operators[precedence])) {
      const char sign = text_[at_++];
      found = combined(sign, found, level(precedence + 1));
    }
    return found;
  }

  List factor() {
    if (take('-')) return combined('*', {-1}, factor());
    if (take('(')) {
      List found = joined();
      if (!take(')')) fail("a bracket is not closed", text_);
      return found;
    }
    const char first = next();
    if (first >= '0' && first <= '9') {
      double number = 0;
      const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number).ptr;
      at_ = static_cast<std::size_t>(end - text_.data());
      return {number};
    }
    return name();
  }

  List name() {
    const std::size_t from = at_;
    while (at_ < text_.size() &&
           (in_name(text_[at_], "_.") || (text_[at_] == '*' && at_ > from && text_[at_ - 1] == '.')))
      ++at_;
    const std::string name(text_.substr(from, at_ - from));
    if (name.empty()) fail("a value is missing", text_);
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      std::vector<List> arguments{level(0)};
      while (take(',')) arguments.push_back(level(0));
      if (!take(')')) fail("a bracket is not closed", text_);
      return function_of(name, arguments);
    }
    if (at_ == text_.size() || text_[at_] != '[') return values_.named(name, settings_);
    const std::size_t open = at_;
    at_ = behind_bracket(text_, open);
    return values_.in_brackets(name, text_.substr(open + 1, at_ - open - 2), settings_);
  }

  Values& values_;
  std::string_view text_;
  const Settings& settings_;
  std::size_t at_ = 0;
};

void Values::set(Settings& settings, std::string_view name, std::string_view value) {
  settings.insert_or_assign(std::string(name), std::string(value));
  const std::string* follows = follows_from(name, value);
  if (follows == nullptr) follows = follows_from(name, "*");
  if (follows == nullptr) return;
  for (const std::string& one : split(*follows, ';')) {
    const std::size_t equals = one.find('=');
    set(settings, one.substr(0, equals), stripped(one.substr(equals + 1)));
  }
}

std::vector<std::string> Values::alternatives(std::string_view value, const std::string& name,
                                              const Settings& settings) {
  std::vector<std::string> found;
  const auto add = [&](double number) { found.push_back(fmt::format("{}", number)); };
  const std::string filled = value.starts_with('$') ? text(value, settings) : std::string(value);
  for (const std::string& one : split(filled, '|')) {
    const std::size_t dots = one.find("..");
    if (one.starts_with('(')) {
      for (const double number : list(one, settings)) add(number);
    } else if (one == "all" || one == "highest") {
      const List clocks = clocks_of(text("$device", settings), text("$mode", settings), name);
      for (const double clock : one == "all" ? clocks : List{clocks.back()}) add(clock);
    } else if (dots != std::string::npos && one.find(' ') == std::string::npos) {
      for (int i = std::stoi(one); i <= std::stoi(one.substr(dots + 2)); ++i) add(i);
    } else {
      found.push_back(one);
    }
  }
  return found;
}

std::vector<Settings> Values::combinations(std::string_view text, const Settings& settings) {
  std::vector<Settings> all{settings};
  for (const std::string& one : split(text, ';')) {
    if (one == "fit") {
      std::erase_if(all, [&](const Settings& each) { return !runs_.fit(scenario(each)); });
      continue;
    }
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) fail("a setting lacks its value", text);
    const std::string name = one.substr(0, equals);
    std::vector<Settings> with;
    for (const Settings& each : all)
      for (const std::string& value : alternatives(one.substr(equals + 1), name, each))
        set(with.emplace_back(each), name, value);
    all = std::move(with);
  }
  return all;
}

List Values::in_brackets(const std::string& name, std::string_view brackets, const Settings& settings) {
  const std::vector<Settings> all = combinations(brackets, settings);
  const bool is_run =
      name != "fit" && !name.starts_with("held.") && !all.empty() && !all.front().contains(name);
  if (is_run && brackets.find("=all") != std::string_view::npos) {
    std::vector<std::string> texts;
    for (const Settings& each : all) texts.push_back(scenario(each));
    runs_.prepare(texts);
  }
  List found;
  for (const Settings& each : all)
    for (const double value : named(name, each)) found.push_back(value);
  return found;
}

List Values::named(const std::string& name, const Settings& settings) {
  if (settings.contains(name)) return list(text("$" + name, settings), settings);
  if (const std::string* metric = follows_from("metric", name))
    return list(text(*metric, settings), settings);
  constexpr std::string_view held = "held.", device = "device.";
  if (name == "fit") return {runs_.fit(scenario(settings)) ? 1.0 : 0.0};
  if (name.starts_with(device))
    return {device_constant(text("$device", settings), name.substr(device.size()),
                            settings.contains("mode") ? text("$mode", settings) : "")};
  if (name.starts_with(held))
    return at_path(scenarios::json_of(runs_.held(scenario(settings))), name.substr(held.size()));
  return at_path(runs_.json_of(scenario(settings)), name);
}

List Values::list(std::string_view expression, const Settings& settings) {
  return Parser(*this, expression, settings).all();
}

double Values::one(std::string_view expression, const Settings& settings) {
  const List found = list(expression, settings);
  if (found.empty()) fail("no value", expression);
  return found.front();
}

std::string Values::text(std::string_view text, const Settings& settings) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] != '$' && !text.substr(at).starts_with("#(")) {
      found += text[at];
    } else if (end < text.size() && text[end] == '(') {
      end = behind_bracket(text, end);
      const double value = one(text.substr(at + 2, end - at - 3), settings);
      found += text[at] == '#' ? value_text(value) : fmt::format("{}", value);
    } else {
      while (end < text.size() && in_name(text[end])) ++end;
      const auto setting = settings.find(text.substr(at + 1, end - at - 1));
      if (setting == settings.end()) fail("no such setting", text.substr(at, end - at));
      found += this->text(setting->second, settings);
    }
    at = end;
  }
  return found;
}

}  // namespace jostle::calibration
