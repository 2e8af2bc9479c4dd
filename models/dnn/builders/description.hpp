// The texts of the files *.inc: their statements, and what their names and expressions mean.
//
// Statements are one a line, or have `;` between them; `#` begins a comment. The language:
//
//     network NAME FAMILY INPUT SOURCE DESCRIPTION   INPUT is the usual one; FAMILY `-`: it is not listed
//     def NAME PARAMETER[=VALUE] ...                 a macro
//     repeat EXPRESSION                              so many times; i is the round, from 0
//     if EXPRESSION                                  unless 0
//     end                                            of one of these four
//     set NAME EXPRESSION                            a number
//     let NAME ACTIVATION                            a name for `act`, whose own is `usual`
//     keep NAME, keep NAME+                          names the current tensor; adds it to those of a name
//     from NAME                                      makes it the current one again
//     multiple N, at_most N UNIT, square             refuse other inputs
//     image CHANNELS                                 the input, whose sides are `tall` and `wide`
//     next views=N inside=N                          LayerBuilder::Host of the next layer
//     [LABEL:] OPERATION ARGUMENT ... KEY=VALUE ...  adds a layer behind the current tensor, or uses a macro
//
// The operations are those of the table in operations.cpp, which LayerBuilder's members are. The tensors and
// numbers of a macro are its own; it sees those of the statement that uses it, and may use itself. A layer is
// called by its label behind that of the macro around, in which {EXPRESSION} is a number and nothing is the
// macro's own name; without a label by the operation and a number. `.` is the current tensor. Expressions are
// of integers, without blanks: + - * / % < == () min(a,b) max(a,b), in which c, h and w are the shape of the
// current tensor, and `input` is the network's input: the width of an image.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

using Words = std::vector<std::string_view>;

struct Statement {
  Words words, keys;      // of each word, KEY of KEY=VALUE; empty for any other
  std::string_view rest;  // behind the fifth word: the description of a network
  std::string_view label, file;
  bool labelled = false;
  int line = 0;           // counted from 1
  std::size_t end = 0;    // of a block: the statement that ends it
  std::size_t macro = 0;  // the statement behind the first of the macro that it uses; 0: none
};

// The statements of the files, and where networks and macros begin.
struct Book {
  std::vector<Statement> statements;
  std::map<std::string_view, std::size_t> networks, macros;
};

struct Text {
  std::string_view file, text;
};
[[nodiscard]] Book parse(std::span<const Text> texts);
[[nodiscard]] const Book& book();  // of the files here

// Few names, in no order.
template <typename Value>
using Names = std::vector<std::pair<std::string_view, Value>>;
template <typename Value>
Value& entry(Names<Value>& names, std::string_view name) {
  for (auto& [known, value] : names)
    if (known == name) return value;
  return names.emplace_back(name, Value{}).second;
}

// The names that a macro knows, its own and those around it.
struct Scope {
  const Scope* outer = nullptr;
  std::string name{};  // prefix of its layers' names
  Names<int> numbers{};
  Names<std::vector<Network::Node>> nodes{};
};

template <typename Value>
const Value* look_up(const Scope& scope, Names<Value> Scope::*kind, std::string_view name) {
  for (const Scope* here = &scope; here != nullptr; here = here->outer)
    for (const auto& [known, value] : here->*kind)
      if (known == name) return &value;
  return nullptr;
}

// A description of ours is wrong; the interpreter tells its line.
struct UnknownWord {
  std::string_view word;
};
[[noreturn]] void unknown(std::string_view word);
// Throws std::logic_error with the file and the line.
[[noreturn]] void refuse(const Statement& statement, const std::string& problem);

// The value of an expression where the current tensor has this shape.
[[nodiscard]] int value_of(std::string_view expression, const Scope& scope, Shape shape);

}  // namespace jostle::dnn
