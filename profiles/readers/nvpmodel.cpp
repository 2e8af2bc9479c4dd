#include "profiles/readers/nvpmodel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "input/file.hpp"
#include "input/hash.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::profiles {
namespace {

using input::Location;
using input::printable;

struct Token {
  std::string text;
  Location location;
};

// Splits one line without its comment into words; '<' and '>' are separate words.
std::vector<Token> words_of(std::string_view line, const Location& start) {
  std::vector<Token> words;
  bool open = false;  // the last word continues
  for (std::size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
    const char c = line[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      open = false;
    } else if (open && c != '<' && c != '>') {
      words.back().text += c;
    } else {
      words.push_back({std::string(1, c), {start.origin, start.line, static_cast<int>(i) + 1}});
      open = c != '<' && c != '>';
    }
  }
  return words;
}

std::optional<std::int64_t> whole(const std::string& text) {
  bool overflow = false;
  return input::parse_integer(text, overflow);
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& origin, input::Problems& problems)
      : text_(text), origin_(std::make_shared<const std::string>(origin)), problems_(problems) {}

  NvpFile run() {
    std::string_view rest = text_;
    for (int line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto words = words_of(rest.substr(0, end), {origin_, line, 1});
      if (!words.empty()) read_line(words);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    finish();
    return std::move(file_);
  }

 private:
  enum class Section { none, parameter, mode, passed_over };

  void problem(const Location& location, std::string message, std::string hint = {}) {
    problems_.add(location, {}, std::move(message), std::move(hint));
  }

  void read_line(const std::vector<Token>& words) {
    if (words[0].text == "<") {
      read_header(words);
      return;
    }
    switch (section_) {
      case Section::none:
        problem(words[0].location, fmt::format("'{}' before any section", printable(words[0].text)),
                "a section begins with < POWER_MODEL ID=0 NAME=MAXN >");
        return;
      case Section::passed_over:
        return;
      case Section::parameter:
        if (words.size() < 2)
          problem(words[0].location, fmt::format("'{}' has no path", printable(words[0].text)));
        else
          file_.parameters.back().arguments.emplace_back(words[0].text, words[1].text);
        return;
      case Section::mode:
        if (words.size() == 3) {
          file_.modes.back().settings.push_back(
              {words[0].text, words[1].text, words[2].text, words[2].location});
        } else {
          problem(words[0].location, fmt::format("a setting has {} fields", words.size()),
                  "expected three, as in CPU_ONLINE CORE_0 1");
        }
        return;
    }
  }

  // Reads a section header: < KIND KEY=VALUE ... >
  void read_header(const std::vector<Token>& words) {
    section_ = Section::passed_over;
    const Location& at = words[0].location;
    if (words.size() < 3 || words.back().text != ">") {
      problem(at, "a section header is not closed on its line", "< POWER_MODEL ID=0 NAME=MAXN >");
      return;
    }
    keys_.clear();
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
      const std::size_t equals = words[i].text.find('=');
      if (equals == std::string::npos || equals == 0) {
        problem(words[i].location,
                fmt::format("unexpected '{}' in a section header", printable(words[i].text)),
                "KEY=VALUE is needed");
        return;
      }
      keys_.push_back(
          {words[i].text.substr(0, equals), {words[i].text.substr(equals + 1), words[i].location}});
    }
    const std::string& kind = words[1].text;
    if (kind == "POWER_MODEL") {
      begin_mode(at);
    } else if (kind == "PARAM") {
      begin_parameter(at);
    } else if (kind == "PM_CONFIG") {
      read_default(at);
    } else {
      file_.passed_over.push_back(kind);
    }
  }

  // The value of a key in the section header read last; a problem if it is missing.
  const Token* required(const char* kind, const char* key, const Location& at) {
    for (const auto& [name, value] : keys_) {
      if (name == key && !value.text.empty()) return &value;
    }
    problem(at, fmt::format("{} has no {}", kind, key));
    return nullptr;
  }

  void begin_parameter(const Location& at) {
    const Token* const name = required("PARAM", "NAME", at);
    if (name == nullptr) return;
    file_.parameters.push_back({name->text, {}});
    section_ = Section::parameter;
  }

  void begin_mode(const Location& at) {
    const Token* const id = required("POWER_MODEL", "ID", at);
    const Token* const name = required("POWER_MODEL", "NAME", at);
    if (id == nullptr || name == nullptr) return;
    const auto number = whole(id->text);
    if (!number || *number < 0) {
      problem(id->location, fmt::format("'{}' is not an id", printable(id->text)), "a whole number");
      return;
    }
    for (const NvpMode& mode : file_.modes) {
      if (mode.id == *number) problem(id->location, fmt::format("duplicate id {}", *number));
      if (plain_mode_name(mode.name) == plain_mode_name(name->text))
        problem(name->location, fmt::format("duplicate mode {}", printable(name->text)));
    }
    if (file_.modes.size() == max_nvpmodel_modes)
      problem(at, fmt::format("more than {} modes", max_nvpmodel_modes));
    if (file_.modes.size() >= max_nvpmodel_modes) return;
    file_.modes.push_back({*number, name->text, {}});
    section_ = Section::mode;
  }

  void read_default(const Location& at) {
    const Token* const id = required("PM_CONFIG", "DEFAULT", at);
    if (id == nullptr) return;
    default_ = *id;
    file_.default_id = whole(id->text);
    if (!file_.default_id)
      problem(id->location, fmt::format("'{}' is not an id", printable(id->text)), "a whole number");
  }

  void finish() {
    if (file_.modes.empty() && problems_.empty())
      problem({origin_, 0, 0}, "no POWER_MODEL", "is it an nvpmodel.conf?");
    const auto known = [this](const NvpMode& mode) { return mode.id == file_.default_id; };
    if (file_.default_id && std::ranges::none_of(file_.modes, known))
      problem(default_.location, fmt::format("no mode has the id {}", *file_.default_id));
    file_.hash = input::fnv1a(text_);
  }

  const std::string& text_;
  std::shared_ptr<const std::string> origin_;
  input::Problems& problems_;
  NvpFile file_;
  Section section_ = Section::none;
  std::vector<std::pair<std::string, Token>> keys_;
  Token default_;
};

}  // namespace

std::optional<NvpFile> parse_nvpmodel(const std::string& text, const std::string& origin,
                                      input::Problems& problems) {
  input::Problems own;
  NvpFile file = Parser(text, origin, own).run();
  own.sort();
  problems.append(own);
  return own.empty() ? std::optional(std::move(file)) : std::nullopt;
}

std::optional<NvpFile> read_nvpmodel(const std::string& path, input::Problems& problems) {
  const auto text = input::read_text_file(path, max_nvpmodel_bytes, problems);
  return text ? parse_nvpmodel(*text, path, problems) : std::nullopt;
}

std::string plain_mode_name(std::string name) {
  if (const std::size_t bracket = name.find('('); bracket != std::string::npos) name.resize(bracket);
  while (name.ends_with(' ')) name.pop_back();
  return name.starts_with("MODE_") ? name.substr(5) : name;
}

const NvpMode* find_mode(const NvpFile& file, const std::string& name) {
  const std::string plain = plain_mode_name(name);
  for (const NvpMode& mode : file.modes) {
    if (plain_mode_name(mode.name) == plain) return &mode;
  }
  const auto id = whole(name);
  for (const NvpMode& mode : file.modes) {
    if (id == mode.id) return &mode;
  }
  return nullptr;
}

}  // namespace jostle::profiles
