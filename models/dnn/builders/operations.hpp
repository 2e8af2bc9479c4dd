// The operations of the texts (description.hpp), and the words of the statements that call them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/builders/description.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/graph/input_sides.hpp"

namespace jostle::dnn {

// A network of which the statements so far were carried out.
struct Draft {
  static constexpr Network::Node nothing = static_cast<Network::Node>(-1);  // before the first layer

  std::string_view network;
  int input = 0;  // input_sides.hpp
  LayerBuilder layers{};
  Network::Node now = nothing;
  std::map<std::string, int> used{};  // how often a name was given
  std::map<std::string_view, Activation> let{{"usual", Activation::relu}};
};

// A statement with what its words mean here.
class Call {
 public:
  using Node = Network::Node;

  Call(Draft& draft, const Statement& one, Scope& scope) : draft_(&draft), one_(&one), scope_(&scope) {}

  [[nodiscard]] Draft& draft() const { return *draft_; }
  [[nodiscard]] LayerBuilder& layers() const { return draft_->layers; }
  [[nodiscard]] Node now() const { return draft_->now; }
  // Empty if there are fewer words, or it is KEY=VALUE.
  [[nodiscard]] std::string_view word(std::size_t i) const;
  [[nodiscard]] int number(std::string_view text) const;
  [[nodiscard]] int number(std::size_t i) const { return number(word(i)); }
  // VALUE of KEY=VALUE; empty if there is none.
  [[nodiscard]] std::string_view text_of(std::string_view key) const;
  [[nodiscard]] int option(std::string_view key, int otherwise) const;
  [[nodiscard]] bool has(std::string_view flag) const;
  // Throws UnknownWord for a word that nothing read: it is misspelt, or too many.
  void finish() const;
  [[nodiscard]] Node node(std::string_view name) const;
  [[nodiscard]] std::vector<Node> nodes(std::size_t from) const;
  // A shape by three numbers from word `from`; those left out are 1.
  [[nodiscard]] Shape shape(std::size_t from) const;
  [[nodiscard]] Sliding sliding(int window) const;
  [[nodiscard]] Activation activation(std::string_view name) const;
  // The name that the statement gives the layer, or one of its own.
  [[nodiscard]] std::string name() const;
  void set(std::string_view name, int value) const { entry(scope_->numbers, name) = value; }
  void keep(std::string_view name) const;

 private:
  [[nodiscard]] std::size_t size() const { return one_->words.size(); }

  Draft* draft_;
  const Statement* one_;
  Scope* scope_;
  mutable std::uint32_t read_ = 0;  // the words, one bit each
};

// Carries out an operation and returns the new current tensor.
using Operation = Network::Node (*)(const Call&);
[[nodiscard]] Operation find_operation(std::string_view word);  // null: there is none

}  // namespace jostle::dnn
