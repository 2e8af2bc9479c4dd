#include "models/dnn/builders/description.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace jostle::dnn {
namespace {

constexpr std::string_view networks =
#include "models/dnn/builders/networks.inc"
    ;
constexpr std::string_view convolutional =
#include "models/dnn/builders/convolutional.inc"
    ;
constexpr std::string_view detectors =
#include "models/dnn/builders/detectors.inc"
    ;
constexpr std::string_view transformers =
#include "models/dnn/builders/transformers.inc"
    ;
constexpr std::array descriptions{Text{"networks.inc", networks}, Text{"convolutional.inc", convolutional},
                                  Text{"detectors.inc", detectors}, Text{"transformers.inc", transformers}};

std::string_view key_of(std::string_view word) {
  const std::size_t sign = word.find('=');
  return sign == word.npos || word.substr(sign + 1).starts_with('=') ? "" : word.substr(0, sign);
}

Statement split(std::string_view line) {
  Statement statement;
  statement.words.reserve(8);
  for (std::size_t at = line.find_first_not_of(' '); at != line.npos; at = line.find_first_not_of(' ', at)) {
    if (statement.words.size() == 5) statement.rest = line.substr(at);
    const std::size_t end = std::min(line.find(' ', at), line.size());
    statement.words.push_back(line.substr(at, end - at));
    at = end;
  }
  statement.labelled = !statement.words.empty() && statement.words.front().ends_with(':');
  if (statement.labelled) {
    statement.label = statement.words.front().substr(0, statement.words.front().size() - 1);
    statement.words.erase(statement.words.begin());
  }
  statement.keys.reserve(statement.words.size());
  for (const std::string_view word : statement.words) statement.keys.push_back(key_of(word));
  return statement;
}

bool opens_a_block(std::string_view word) {
  return word == "network" || word == "def" || word == "repeat" || word == "if";
}

template <typename Function>
void for_each_part(std::string_view text, char between, Function&& function) {
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(between), text.size());
    function(text.substr(0, end));
  }
}

// Evaluates an expression by recursive descent.
class Expression {
 public:
  Expression(std::string_view text, const Scope& scope, Shape shape)
      : rest_(text), scope_(&scope), shape_(shape) {}

  int whole() {
    const int result = value();
    if (!rest_.empty()) unknown(rest_);
    return result;
  }

 private:
  int value() {
    int left = sum();
    while (true) {
      if (take("=="))
        left = static_cast<int>(left == sum());
      else if (take("<"))
        left = static_cast<int>(left < sum());
      else
        return left;
    }
  }
  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  int sum() {
    int left = product();
    while (true) {
      if (take("+"))
        left += product();
      else if (take("-"))
        left -= product();
      else
        return left;
    }
  }
  int product() {
    int left = atom();
    while (true) {
      if (take("*"))
        left *= atom();
      else if (take("/"))
        left /= atom();
      else if (take("%"))
        left %= atom();
      else
        return left;
    }
  }
  int atom() {
    if (take("-")) return -atom();
    if (take("(")) return closed(value());
    if (const bool least = take("min("); least || take("max(")) {
      const int first = value();
      if (!take(",")) unknown(rest_);
      const int second = value();
      return closed(least ? std::min(first, second) : std::max(first, second));
    }
    const std::string_view word = rest_.substr(0, std::min(rest_.find_first_of("+-*/%<=(),"), rest_.size()));
    rest_.remove_prefix(word.size());
    int number = 0;
    const char* const end = word.data() + word.size();
    if (std::from_chars(word.data(), end, number) == std::from_chars_result{end, std::errc{}}) return number;
    if (const int* known = look_up(*scope_, &Scope::numbers, word)) return *known;
    if (word == "c") return shape_.channels;
    if (word == "h") return shape_.height;
    if (word == "w") return shape_.width;
    unknown(word);
  }
  int closed(int inside) {
    if (!take(")")) unknown(rest_);
    return inside;
  }

  std::string_view rest_;
  const Scope* scope_;
  Shape shape_;
};

}  // namespace

Book parse(std::span<const Text> texts) {
  Book book;
  std::vector<std::size_t> open;
  const auto read = [&](Statement statement) {
    if (statement.words.empty()) return;
    const std::string_view word = statement.words.front();
    const std::size_t here = book.statements.size();
    if (word == "network" || word == "def") {
      const std::string_view name = statement.words.at(1);
      if (!(word == "def" ? book.macros : book.networks).emplace(name, here).second)
        refuse(statement, "a second '" + std::string(name) + "'");
    }
    if (opens_a_block(word)) open.push_back(here);
    if (word == "end" && open.empty()) refuse(statement, "nothing ends here");
    book.statements.push_back(std::move(statement));
    if (word != "end") return;
    book.statements.at(open.back()).end = here;
    open.pop_back();
  };
  for (const Text& of : texts) {
    int number = 0;
    for_each_part(of.text, '\n', [&](std::string_view line) {
      ++number;
      const char between = line.starts_with("network ") ? '\n' : ';';  // a description may have the sign
      for_each_part(line.substr(0, line.find('#')), between, [&](std::string_view part) {
        Statement statement = split(part);
        statement.file = of.file;
        statement.line = number;
        read(std::move(statement));
      });
    });
  }
  if (!open.empty()) refuse(book.statements.at(open.back()), "this has no end");
  for (Statement& one : book.statements)
    if (const auto macro = book.macros.find(one.words.front()); macro != book.macros.end())
      one.macro = macro->second + 1;
  return book;
}

const Book& book() {
  static const Book read = parse(descriptions);
  return read;
}

void unknown(std::string_view word) {
  throw UnknownWord{word};
}

void refuse(const Statement& statement, const std::string& problem) {
  throw std::logic_error(std::string(statement.file) + ", line " + std::to_string(statement.line) + ": " +
                         problem);
}

int value_of(std::string_view expression, const Scope& scope, Shape shape) {
  return Expression(expression, scope, shape).whole();
}

}  // namespace jostle::dnn
