#include "models/dnn/builders/description.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace jostle::dnn {
namespace {

constexpr std::string_view descriptions =
#include "models/dnn/builders/networks.inc"
    ;

Statement split(std::string_view line) {
  Statement statement;
  for (std::size_t at = line.find_first_not_of(' '); at != line.npos; at = line.find_first_not_of(' ', at)) {
    if (statement.words.size() == 5) statement.rest = line.substr(at);
    const std::size_t end = std::min(line.find(' ', at), line.size());
    statement.words.push_back(line.substr(at, end - at));
    at = end;
  }
  return statement;
}

bool opens_a_block(std::string_view word) {
  return word == "network" || word == "def" || word == "repeat" || word == "if";
}

Book parse(std::string_view text) {
  Book book;
  std::vector<std::size_t> open;
  const auto read = [&](Statement statement) {
    if (statement.words.empty()) return;
    const std::string_view word = statement.words.front();
    const std::size_t here = book.statements.size();
    if (word == "network") book.networks.emplace(statement.words.at(1), here);
    if (word == "def") book.macros.emplace(statement.words.at(1), here);
    if (opens_a_block(word)) open.push_back(here);
    book.statements.push_back(std::move(statement));
    if (word != "end") return;
    book.statements.at(open.at(open.size() - 1)).end = here;
    open.pop_back();
  };
  const auto each = [](std::string_view from, char sign, auto&& of) {
    for (std::size_t end = 0; !from.empty(); from.remove_prefix(std::min(end + 1, from.size()))) {
      end = std::min(from.find(sign), from.size());
      of(from.substr(0, end));
    }
  };
  each(text, '\n', [&](std::string_view line) {
    each(line.substr(0, line.find('#')), ';', [&](std::string_view part) { read(split(part)); });
  });
  return book;
}

// Evaluates an expression by recursive descent.
class Expression {
 public:
  Expression(std::string_view text, const Scope& scope, Shape shape)
      : rest_(text), scope_(&scope), shape_(shape) {}

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

 private:
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
    if (take("(")) return closed(value());
    if (take("min(")) {
      const int first = value();
      if (!take(",")) unknown(rest_);
      return closed(std::min(first, value()));
    }
    const std::string_view word = rest_.substr(0, std::min(rest_.find_first_of("+-*/%<=(),"), rest_.size()));
    rest_.remove_prefix(word.size());
    int number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{}) return number;
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

const Book& book() {
  static const Book read = parse(descriptions);
  return read;
}

void unknown(std::string_view word) {
  throw std::logic_error("a network is described by '" + std::string(word) + "', which is not known");
}

int value_of(std::string_view expression, const Scope& scope, Shape shape) {
  return Expression(expression, scope, shape).value();
}

}  // namespace jostle::dnn
