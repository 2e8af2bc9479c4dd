#include "models/dnn/builders/described.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "models/dnn/builders/description.hpp"
#include "models/dnn/builders/layers.hpp"
#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

using Node = Network::Node;

struct Kind {
  std::string_view word;
  Activation activation;
};
constexpr std::array activation_words{
    Kind{"relu", Activation::relu}, Kind{"silu", Activation::silu},
    Kind{"gelu", Activation::gelu}, Kind{"sigmoid", Activation::sigmoid},
    Kind{"tanh", Activation::tanh}, Kind{"hard_swish", Activation::hard_swish}};

// Before the first layer.
constexpr Node nothing = static_cast<Node>(-1);

class Interpreter {
 public:
  Network run(std::string_view name, int input) {
    const std::size_t begin = book().networks.at(name);
    Scope scope{.numbers = {{"input", input}}};
    network_ = name;
    block(begin + 1, book().statements.at(begin).end, scope);
    return layers_.take();
  }

  LayerBuilder layers_;
  Node now_ = nothing;
  std::string_view network_;
  std::map<std::string, int> used_;  // how often a name was given

 private:
  void block(std::size_t from, std::size_t to, Scope& scope);
  void call(std::size_t macro, const Words& words, const Scope& outer);
};

// A statement with what its words mean here.
class Call {
 public:
  Call(Interpreter& of, const Words& words, Scope& scope) : of_(&of), words_(&words), scope_(&scope) {}

  [[nodiscard]] Interpreter& of() const { return *of_; }
  [[nodiscard]] LayerBuilder& layers() const { return of_->layers_; }
  [[nodiscard]] Node now() const { return of_->now_; }
  [[nodiscard]] std::string_view word(std::size_t i) const { return i < words_->size() ? words_->at(i) : ""; }
  [[nodiscard]] int number(std::string_view text) const {
    return value_of(text, *scope_, now() == nothing ? Shape{} : layers().shape(now()));
  }
  [[nodiscard]] int number(std::size_t i) const { return number(words_->at(i)); }
  // The value of KEY=EXPRESSION.
  [[nodiscard]] int option(std::string_view key, int otherwise) const {
    for (const std::string_view one : *words_)
      if (one.starts_with(key) && one.substr(key.size()).starts_with('='))
        return number(one.substr(key.size() + 1));
    return otherwise;
  }
  [[nodiscard]] bool has(std::string_view flag) const {
    return std::ranges::find(*words_, flag) != words_->end();
  }
  [[nodiscard]] Node node(std::string_view name) const {
    if (name == ".") return now();
    if (const auto* const known = look_up(*scope_, &Scope::nodes, name)) return known->back();
    unknown(name);
  }
  [[nodiscard]] std::vector<Node> nodes(std::size_t from) const {
    std::vector<Node> all;
    for (std::size_t i = from; i < words_->size(); ++i) {
      const auto* const kept = look_up(*scope_, &Scope::nodes, words_->at(i));
      if (kept != nullptr)
        all.insert(all.end(), kept->begin(), kept->end());
      else
        all.push_back(node(words_->at(i)));
    }
    return all;
  }
  // A shape by three numbers from word `from`; those left out are 1.
  [[nodiscard]] Shape shape(std::size_t from) const {
    const auto side = [&](std::size_t i) { return i < words_->size() ? number(i) : 1; };
    return {number(from), side(from + 1), side(from + 2)};
  }
  [[nodiscard]] Sliding sliding(int window) const {
    return {.window = option("k", window),
            .stride = option("s", 1),
            .padding = option("p", -1),
            .dilation = option("d", 1),
            .width = option("across", 0)};
  }
  [[nodiscard]] Activation activation(std::size_t i) const {
    const auto* const found = std::ranges::find(activation_words, word(i), &Kind::word);
    if (found == activation_words.end()) unknown(word(i));
    return found->activation;
  }
  // A name of its own for the layer.
  [[nodiscard]] std::string name() const { return unique(scope_->name + std::string(word(0))); }
  [[nodiscard]] std::string unique(const std::string& base) const {
    return base + std::to_string(of_->used_[base]++);
  }
  void set(std::string_view name, int value) const { scope_->numbers[name] = value; }
  void keep(std::string_view name) const {
    const bool more = name.ends_with('+');
    std::vector<Node>& kept = scope_->nodes[name.substr(0, name.size() - (more ? 1 : 0))];
    if (!more) kept.clear();
    kept.push_back(now());
  }

 private:
  Interpreter* of_;
  const Words* words_;
  Scope* scope_;
};

using Operation = Node (*)(const Call&);
struct Named {
  std::string_view word;
  Operation apply;
};
constexpr std::array operations{
    Named{"multiple",
          [](const Call& a) {
            require_multiple(a.of().network_, a.number("input"), a.number(1));
            return a.now();
          }},
    Named{"input", [](const Call& a) { return a.layers().input(a.shape(1)); }},
    Named{"set",
          [](const Call& a) {
            a.set(a.word(1), a.number(2));
            return a.now();
          }},
    Named{"keep",
          [](const Call& a) {
            a.keep(a.word(1));
            return a.now();
          }},
    Named{"from", [](const Call& a) { return a.node(a.word(1)); }},
    Named{"conv",
          [](const Call& a) {
            return a.layers().conv(
                a.name(), a.now(), a.number(1), a.sliding(1),
                {.groups = a.option("g", 1), .bias = a.has("bias"), .shared = a.has("shared")});
          }},
    Named{"conv_transpose",
          [](const Call& a) {
            return a.layers().conv_transpose(a.name(), a.now(), a.number(1), a.sliding(2),
                                             {.bias = a.has("bias")});
          }},
    Named{
        "linear",
        [](const Call& a) { return a.layers().linear(a.name(), a.now(), a.number(1), !a.has("unbiased")); }},
    Named{"norm", [](const Call& a) { return a.layers().batch_norm(a.now()); }},
    Named{"layer_norm", [](const Call& a) { return a.layers().layer_norm(a.now()); }},
    Named{"act", [](const Call& a) { return a.layers().activation(a.now(), a.activation(1)); }},
    Named{"softmax", [](const Call& a) { return a.layers().softmax(a.now()); }},
    Named{"add", [](const Call& a) { return a.layers().add(a.now(), a.node(a.word(1))); }},
    Named{"multiply", [](const Call& a) { return a.layers().multiply(a.now(), a.node(a.word(1))); }},
    Named{"add_learned",
          [](const Call& a) { return a.layers().add_learned(a.name(), a.now(), a.number(1)); }},
    Named{"add_constant", [](const Call& a) { return a.layers().add_constant(a.name(), a.now()); }},
    Named{"multiply_constant",
          [](const Call& a) { return a.layers().multiply_by_constant(a.name(), a.now()); }},
    Named{"scale", [](const Call& a) { return a.layers().scale_channels(a.name(), a.now()); }},
    Named{"max_pool", [](const Call& a) { return a.layers().max_pool(a.name(), a.now(), a.sliding(2)); }},
    Named{"average_pool",
          [](const Call& a) {
            return a.option("k", 0) > 0 ? a.layers().average_pool(a.name(), a.now(), a.sliding(2))
                                        : a.layers().average_pool(a.name(), a.now());
          }},
    Named{"resize",
          [](const Call& a) { return a.layers().resize(a.name(), a.now(), a.number(1), a.number(2)); }},
    Named{"concat", [](const Call& a) { return a.layers().concat(a.name(), a.nodes(1)); }},
    Named{"concat_positions",
          [](const Call& a) { return a.layers().concat_positions(a.name(), a.nodes(1)); }},
    Named{"prepend_learned",
          [](const Call& a) { return a.layers().prepend_learned(a.name(), a.now(), a.number(1)); }},
    Named{"slice", [](const Call& a) { return a.layers().slice(a.name(), a.now(), a.shape(1)); }},
    Named{"channels", [](const Call& a) { return a.layers().channels(a.name(), a.now(), a.number(1)); }},
    Named{"reshape", [](const Call& a) { return a.layers().reshape(a.name(), a.now(), a.shape(1)); }},
    Named{"transpose", [](const Call& a) { return a.layers().transpose(a.name(), a.now(), a.shape(1)); }},
    Named{"other",
          [](const Call& a) {  // of the current tensor, and of another if one is named
            if (a.word(4).empty()) return a.layers().other(a.name(), {a.now()}, a.shape(1));
            return a.layers().other(a.name(), {a.now(), a.node(a.word(4))}, a.shape(1));
          }},
    Named{"matmul",
          [](const Call& a) {
            return a.layers().matmul(a.name(), a.node(a.word(1)), a.node(a.word(2)),
                                     {a.option("heads", 1), a.option("depth", 1)}, a.shape(3));
          }},
    Named{"attend",
          [](const Call& a) {
            return attend(a.layers(), a.name(),
                          {a.node(a.word(1)), a.node(a.word(2)), a.node(a.word(3)), a.option("heads", 1)});
          }},
    Named{"embedding",
          [](const Call& a) { return a.layers().embedding(a.name(), a.now(), a.number(1), a.number(2)); }}};

void Interpreter::block(std::size_t from, std::size_t to, Scope& scope) {
  for (std::size_t at = from; at < to; ++at) {
    const Statement& one = book().statements.at(at);
    const std::string_view word = one.words.front();
    const Call call_of(*this, one.words, scope);
    if (word == "repeat" || word == "if") {
      const int times = word == "if" ? static_cast<int>(call_of.number(1) != 0) : call_of.number(1);
      for (int i = 0; i < times; ++i) {
        if (word == "repeat") scope.numbers["i"] = i;
        block(at + 1, one.end, scope);
      }
      at = one.end;
    } else if (const auto macro = book().macros.find(word); macro != book().macros.end()) {
      call(macro->second, one.words, scope);
    } else if (const auto* const known = std::ranges::find(operations, word, &Named::word);
               known != operations.end()) {
      now_ = known->apply(call_of);
    } else {
      unknown(word);
    }
  }
}

// The parameters of a macro are numbers, or tensors of which names are given.
void Interpreter::call(std::size_t macro, const Words& words, const Scope& outer) {
  const Statement& definition = book().statements.at(macro);
  Scope around = outer;
  const Call caller(*this, words, around);
  Scope inside{.outer = &outer, .name = caller.name() + "."};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view parameter = definition.words.at(i + 1);
    if (look_up(outer, &Scope::nodes, words[i]) != nullptr)
      inside.nodes[parameter] = {caller.node(words[i])};
    else
      inside.numbers[parameter] = caller.number(i);
  }
  block(macro + 1, definition.end, inside);
}

}  // namespace

std::vector<DescribedNetwork> described_networks() {
  std::vector<DescribedNetwork> all;
  for (const auto& [name, at] : book().networks) {
    const Statement& row = book().statements.at(at);
    const int input = value_of(row.words.at(3), {}, {});
    all.push_back({name, row.words.at(2), input, row.words.at(4), row.rest});
  }
  return all;
}

Network described_network(std::string_view name, int input) {
  return Interpreter().run(name, input);
}

}  // namespace jostle::dnn
