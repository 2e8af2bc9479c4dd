// The texts of the files *.inc: their statements, and what their names and expressions mean.
//
// Statements are one a line, or have `;` between them. `#` begins a comment. The language:
//
//     network NAME FAMILY INPUT SOURCE DESCRIPTION    a network, and its usual input; FAMILY `-`: not in the
//     list def NAME PARAMETER[=VALUE] ...                  a macro: its tensors and numbers are its own, and
//     it sees
//                                                     those of the statement that uses it; it may use itself
//     repeat EXPRESSION                               i is the round, from 0
//     if EXPRESSION                                   not 0
//     end                                             of one of the four
//     [LABEL:] OPERATION ARGUMENT ... KEY=VALUE ...   adds a layer behind the current tensor; or uses a macro
//
//     set NAME EXPRESSION; let NAME ACTIVATION        a number; an activation, of which `usual` is that of
//     `act` keep NAME; keep NAME+; from NAME                names the current tensor; one more of this name;
//     goes back multiple N; at_most N UNIT; next views=N inside=N   refuse inputs; LayerBuilder::Host of the
//     next layer
//
// and the operations of the table in operations.cpp, which LayerBuilder's members are. A layer is called by
// the label, behind that of the macro around; {EXPRESSION} in it is a number, and an empty label is the
// macro's name. Without a label it is called by the operation and a number. `.` is the current tensor.
// Numbers are integer expressions without blanks, of + - * / % < == () min(a,b) and max(a,b), in which c, h
// and w are the shape of the current tensor, and `input` the network's input.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

using Words = std::vector<std::string_view>;

struct Statement {
  Words words;
  std::string_view rest;  // behind the fifth word: the description of a network
  std::string_view label, file;
  bool labelled = false;
  int line = 0;         // counted from 1
  std::size_t end = 0;  // of a block: the statement that ends it
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

// The names that a macro knows, its own and those around it.
struct Scope {
  const Scope* outer = nullptr;
  std::string name{};  // prefix of its layers' names
  std::map<std::string_view, int> numbers{};
  std::map<std::string_view, std::vector<Network::Node>> nodes{};
};

template <typename Value>
const Value* look_up(const Scope& scope, std::map<std::string_view, Value> Scope::*kind,
                     std::string_view name) {
  for (const Scope* here = &scope; here != nullptr; here = here->outer)
    if (const auto found = (here->*kind).find(name); found != (here->*kind).end()) return &found->second;
  return nullptr;
}

// A description of ours is wrong; the interpreter tells its line.
struct UnknownWord {
  std::string_view word;
};
[[noreturn]] void unknown(std::string_view word);

// KEY of KEY=EXPRESSION; empty for any other word.
[[nodiscard]] std::string_view key_of(std::string_view word);

// The value of an expression where the current tensor has this shape.
[[nodiscard]] int value_of(std::string_view expression, const Scope& scope, Shape shape);

}  // namespace jostle::dnn
