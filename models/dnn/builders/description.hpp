// The text of networks.inc: its statements, and what its names and expressions mean.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

using Words = std::vector<std::string_view>;

struct Statement {
  Words words;
  std::string_view rest;  // behind the fifth word: the description of a network
  std::size_t end = 0;    // of a block: the statement that ends it
};

// The statements of the file, and where networks and macros begin.
struct Book {
  std::vector<Statement> statements;
  std::map<std::string_view, std::size_t> networks, macros;
};

[[nodiscard]] const Book& book();

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

// Throws std::logic_error: a description of ours is wrong.
[[noreturn]] void unknown(std::string_view word);

// The value of an expression where the current tensor has this shape.
[[nodiscard]] int value_of(std::string_view expression, const Scope& scope, Shape shape);

}  // namespace jostle::dnn
