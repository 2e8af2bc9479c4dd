#include "models/dnn/builders/operations.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/dnn/builders/transformer.hpp"

namespace jostle::dnn {
namespace {

[[noreturn]] void refuse_input(const Draft& draft, const std::string& takes) {
  throw std::invalid_argument("an input of " + input_text(draft.input) + ": " + std::string(draft.network) +
                              " takes " + takes);
}

struct Named {
  std::string_view word;
  Operation apply;
};
void require_multiple(const Draft& draft, int step) {
  const auto [width, height] = sides_of(draft.input);
  if (std::min(width, height) >= step && width % step == 0 && height % step == 0) return;
  const auto below = [&](int side) { return std::max(side / step, 1) * step; };
  std::string known = input_text(rectangle(below(width), below(height)));
  if (width == height && width > step) known += " or " + std::to_string(below(width) + step);
  refuse_input(draft, "multiples of " + std::to_string(step) + ", such as " + known);
}

void require_square(const Draft& draft) {
  const auto [width, height] = sides_of(draft.input);
  if (width != height)
    refuse_input(draft, "one number, no rectangle, such as " + std::to_string(std::min(width, height)));
}

constexpr std::array operations{
    Named{"multiple",
          [](const Call& a) {
            require_multiple(a.draft(), a.number(1));
            return a.now();
          }},
    Named{"square",
          [](const Call& a) {
            require_square(a.draft());
            return a.now();
          }},
    Named{"image",
          [](const Call& a) {
            const auto [width, height] = sides_of(a.draft().input);
            return a.layers().input({a.number(1), height, width});
          }},
    Named{"at_most",
          [](const Call& a) {
            require_square(a.draft());
            require_at_most(a.draft().network, a.number("input"), a.number(1), a.word(2));
            return a.now();
          }},
    Named{"let",
          [](const Call& a) {
            a.draft().let[a.word(1)] = a.activation(a.word(2));
            return a.now();
          }},
    Named{"next",
          [](const Call& a) {
            a.layers().next({.views = a.option("views", 0), .inside = a.option("inside", 0) != 0});
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
            return a.layers().conv(a.name(), a.now(), a.number(1), a.sliding(1),
                                   {.groups = a.option("g", 1),
                                    .bias = a.has("bias"),
                                    .shared = a.has("shared") || a.option("shared", 0) != 0,
                                    .volume = a.has("volume")});
          }},
    Named{"conv_transpose",
          [](const Call& a) {
            return a.layers().conv_transpose(a.name(), a.now(), a.number(1), a.sliding(2),
                                             {.bias = a.has("bias"), .volume = a.has("volume")});
          }},
    Named{
        "linear",
        [](const Call& a) { return a.layers().linear(a.name(), a.now(), a.number(1), !a.has("unbiased")); }},
    Named{"norm", [](const Call& a) { return a.layers().batch_norm(a.now()); }},
    Named{"layer_norm", [](const Call& a) { return a.layers().layer_norm(a.now()); }},
    Named{"act",
          [](const Call& a) {
            return a.layers().activation(a.now(), a.activation(a.word(1).empty() ? "usual" : a.word(1)));
          }},
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
                                        : a.layers().average_pool_to(a.name(), a.now(), a.option("to", 1));
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
          [](const Call& a) {  // the current tensor's, and those of another if one is named
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
                          {.query = a.node(a.word(1)),
                           .key = a.node(a.word(2)),
                           .value = a.node(a.word(3)),
                           .heads = a.option("heads", 1),
                           .bias = a.option("bias", 0),
                           .mask = a.option("mask", 0) != 0,
                           .views = a.option("views", 6)});
          }},
    Named{"embedding",
          [](const Call& a) { return a.layers().embedding(a.name(), a.now(), a.number(1), a.number(2)); }}};

}  // namespace

Operation find_operation(std::string_view word) {
  const auto* const found = std::ranges::find(operations, word, &Named::word);
  return found == operations.end() ? nullptr : found->apply;
}

std::string_view Call::word(std::size_t i) const {
  if (i >= size() || !one_->keys[i].empty()) return "";
  read_ |= 1U << i;
  return one_->words[i];
}

int Call::number(std::string_view text) const {
  return value_of(text, *scope_, now() == Draft::nothing ? Shape{} : layers().shape(now()));
}

std::string_view Call::text_of(std::string_view key) const {
  for (std::size_t i = 1; i < size(); ++i) {
    if (one_->keys[i] != key) continue;
    read_ |= 1U << i;
    return one_->words[i].substr(key.size() + 1);
  }
  return "";
}

int Call::option(std::string_view key, int otherwise) const {
  const std::string_view text = text_of(key);
  return text.empty() ? otherwise : number(text);
}

bool Call::has(std::string_view flag) const {
  for (std::size_t i = 1; i < size(); ++i)
    if (one_->words[i] == flag) return word(i) == flag;
  return false;
}

void Call::finish() const {
  for (std::size_t i = 1; i < size(); ++i)
    if ((read_ >> i & 1U) == 0) unknown(one_->words[i]);
}

Network::Node Call::node(std::string_view name) const {
  if (name == ".") return now();
  if (const auto* const known = look_up(*scope_, &Scope::nodes, name)) return known->back();
  unknown(name);
}

std::vector<Network::Node> Call::nodes(std::size_t from) const {
  std::vector<Node> all;
  for (std::size_t i = from; i < size(); ++i) {
    const auto* const kept = look_up(*scope_, &Scope::nodes, word(i));
    if (kept != nullptr)
      all.insert(all.end(), kept->begin(), kept->end());
    else
      all.push_back(node(word(i)));
  }
  return all;
}

Shape Call::shape(std::size_t from) const {
  const auto side = [&](std::size_t i) { return word(i).empty() ? 1 : number(i); };
  return {number(from), side(from + 1), side(from + 2)};
}

Sliding Call::sliding(int window) const {
  return {.window = option("k", window),
          .stride = option("s", 1),
          .padding = option("p", -1),
          .dilation = option("d", 1),
          .ceil = has("ceil"),
          .width = option("across", 0)};
}

Activation Call::activation(std::string_view name) const {
  if (const auto let = draft_->let.find(name); let != draft_->let.end()) return let->second;
  for (auto kind = Activation::none; kind != Activation::other;
       kind = static_cast<Activation>(static_cast<int>(kind) + 1))
    if (name == to_string(kind)) return kind;
  unknown(name);
}

std::string Call::name() const {
  std::string full = scope_->name;
  if (!one_->labelled) {
    full += word(0);
    return full + std::to_string(draft_->used[full]++);
  }
  for (std::string_view rest = one_->label; !rest.empty();) {
    const std::size_t open = std::min(rest.find('{'), rest.size()), close = rest.find('}', open);
    full += rest.substr(0, open);
    if (open < rest.size()) full += std::to_string(number(rest.substr(open + 1, close - open - 1)));
    rest.remove_prefix(std::min(close, rest.size() - 1) + 1);
  }
  return full;
}

void Call::keep(std::string_view name) const {
  const bool more = name.ends_with('+');
  std::vector<Node>& kept = entry(scope_->nodes, name.substr(0, name.size() - (more ? 1 : 0)));
  if (!more) kept.clear();
  kept.push_back(now());
}

}  // namespace jostle::dnn
