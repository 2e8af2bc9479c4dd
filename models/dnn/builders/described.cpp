#include "models/dnn/builders/described.hpp"

#include "models/dnn/builders/operations.hpp"

namespace jostle::dnn {
namespace {

class Interpreter {
 public:
  Interpreter(const Book& book, std::string_view network) : book_(&book), draft_{.network = network} {}

  Network run(int input) {
    const std::size_t begin = book_->networks.at(draft_.network);
    const auto [width, height] = sides_of(input);
    draft_.input = input;
    Scope scope{.numbers = {{"input", width}, {"wide", width}, {"tall", height}}};
    block(begin + 1, book_->statements.at(begin).end, scope);
    return draft_.layers.take();
  }

 private:
  void block(std::size_t from, std::size_t to, Scope& scope);
  void step(const Statement& one, Scope& scope);
  void call(const Statement& macro, const Statement& one, Scope& outer);

  const Book* book_;
  Draft draft_;
};

void Interpreter::block(std::size_t from, std::size_t to, Scope& scope) {
  for (std::size_t at = from; at < to; ++at) {
    const Statement& one = book_->statements.at(at);
    const std::string_view word = one.words.front();
    try {
      if (word != "repeat" && word != "if") {
        step(one, scope);
        continue;
      }
      const Call header(draft_, one, scope);
      const int number = header.number(1);
      header.finish();
      const int times = word == "if" ? static_cast<int>(number != 0) : number;
      for (int i = 0; i < times; ++i) {
        if (word == "repeat") entry(scope.numbers, "i") = i;
        block(at + 1, one.end, scope);
      }
      at = one.end;
    } catch (const UnknownWord& error) {
      refuse(one,
             error.word.empty() ? "a word is missing" : "'" + std::string(error.word) + "' is not known");
    }
  }
}

void Interpreter::step(const Statement& one, Scope& scope) {
  if (one.macro > 0) return call(book_->statements.at(one.macro - 1), one, scope);
  const Operation operation = find_operation(one.words.front());
  if (operation == nullptr) unknown(one.words.front());
  const Call of(draft_, one, scope);
  draft_.now = operation(of);
  of.finish();
}

// The parameters of a macro are numbers, or tensors of which names are given.
void Interpreter::call(const Statement& macro, const Statement& one, Scope& outer) {
  const Call caller(draft_, one, outer);
  Scope inside{.outer = &outer, .name = caller.name() + (one.labelled ? "" : ".")};
  inside.numbers.reserve(macro.words.size());
  for (std::size_t i = 1; i + 1 < macro.words.size(); ++i) {
    const std::string_view parameter = macro.words.at(i + 1), name = parameter.substr(0, parameter.find('='));
    std::string_view given = caller.word(i);
    if (given.empty()) given = caller.text_of(name);
    if (given.empty() && name != parameter) given = parameter.substr(name.size() + 1);
    if (const auto* const nodes = look_up(outer, &Scope::nodes, given))
      entry(inside.nodes, name) = *nodes;
    else
      entry(inside.numbers, name) = caller.number(given);
  }
  caller.finish();
  block(one.macro, macro.end, inside);
}

}  // namespace

std::vector<DescribedNetwork> described_networks() {
  std::vector<DescribedNetwork> all;
  for (const auto& [name, at] : book().networks) {
    const Statement& row = book().statements.at(at);
    if (row.words.at(2) == "-") continue;
    const int input = value_of(row.words.at(3), {}, {});
    all.push_back({name, row.words.at(2), input, row.words.at(4), row.rest});
  }
  return all;
}

Network described_network(std::string_view name, int input) {
  return described_network(book(), name, input);
}

Network described_network(const Book& book, std::string_view name, int input) {
  return Interpreter(book, name).run(input);
}

}  // namespace jostle::dnn
