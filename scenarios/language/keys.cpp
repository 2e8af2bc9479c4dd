#include "scenarios/language/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/dnn/graph/input_sides.hpp"

namespace jostle::scenarios {

using input::Cursor;

namespace {

// Notes who has each key.
struct KeyHolders {
  std::map<std::string, Kinds, std::less<>> of;

  template <class Get, class Read>
  void operator()(const char* key, Get /*member*/, const Read& /*read*/, const char* /*words*/ = "",
                  Use use = {}) {
    code(key, use);
  }
  void code(const char* key, Use use = {}) { of[key] |= use.of; }
};

const std::map<std::string, Kinds, std::less<>>& key_holders() {
  static const KeyHolders holders = [] {
    KeyHolders all;
    process_keys(all);
    load_keys(all);
    return all;
  }();
  return holders.of;
}

constexpr std::pair<Kinds, const char*> model_kinds[] = {
    {kind::network, "network"}, {kind::language, "language model"}, {kind::kernels, "equal kernels"}};

std::string entry_in_words(Kinds entry) {
  if ((entry & kind::instance) != 0) return "an instance";
  if (entry == kind::several) return "a process with instances";
  if (entry == kind::load) return "a load";
  if ((entry & kind::kernels) != 0) return "a model of equal kernels";
  return (entry & kind::language) != 0 ? "a language model" : "a network";
}

// The entries with the key, in place of this one.
std::string holders_in_words(Kinds of, Kinds entry) {
  if ((entry & of & kind::model) == (entry & kind::model)) {
    // Its model has the key, but not in this place.
    if (entry == kind::several)
      return (of & kind::instance) != 0 ? "each instance has it" : "a process with a model has it";
    if ((entry & kind::instance) != 0)
      return (of & kind::several) != 0 ? "its process has it, for all instances"
                                       : "a process with a model has it";
  }
  std::vector<std::string> names;
  for (const auto& [one, name] : model_kinds)
    if ((of & one) != 0) names.emplace_back(name);
  if (names.empty()) names.emplace_back((of & kind::load) != 0 ? "load" : "a process without load");
  return fmt::format("{} {} it", fmt::join(names, ", "), names.size() == 1 ? "has" : "have");
}

}  // namespace

Kinds kind_of(const Model& model) {
  if (std::holds_alternative<SyntheticModel>(model)) return kind::kernels;
  return language_model(model) != nullptr ? kind::language : kind::network;
}

void refuse_other_kinds(input::Mapping& mapping, Kinds entry) {
  if (!mapping.good()) return;
  for (const auto& key : mapping.cursor().value().keys) {
    const auto holder = key_holders().find(key.name);
    if (holder != key_holders().end() && !has_key(holder->second, entry))
      mapping.refuse(key.name, fmt::format("{} has no key '{}'", entry_in_words(entry), key.name),
                     holders_in_words(holder->second, entry));
  }
}

std::optional<std::vector<int>> CoreList::operator()(const Cursor& at) const {
  const input::List<int, Integer> list{"a list of core numbers, such as [1, 2, 3]", Integer{0, max_cores - 1},
                                       max_cores, "leave the key out to allow all"};
  std::optional<std::vector<int>> cpus = list(at);
  if (cpus) std::ranges::sort(*cpus);
  return cpus;
}

std::optional<std::int64_t> InputSize::operator()(const Cursor& at) const {
  constexpr int most = 8192;
  const std::string* const given = at.scalar("a side, or width and height as in 640x384");
  if (given == nullptr) return std::nullopt;
  const std::string& text = *given;
  if (text.find_first_not_of("+-.0123456789") == std::string::npos) return Integer{1, most}(at);
  const std::size_t cross = text.find('x');
  bool overflow = false;
  const auto width = input::parse_integer(text.substr(0, cross), overflow),
             height = input::parse_integer(text.substr(cross + 1), overflow);
  if (width && height && std::min(*width, *height) >= 1 && std::max(*width, *height) <= most)
    return dnn::rectangle(static_cast<int>(*width), static_cast<int>(*height));
  at.problem(fmt::format("'{}' is no size of an image", input::printable(text)),
             fmt::format("its side, or width and height, from 1 to {}, such as 640x384", most));
  return std::nullopt;
}

std::optional<std::vector<Precise>> PreciseList::operator()(const Cursor& at) const {
  return input::List<Precise, Choice<Precise>>{"a list of metrics, such as [throughput, latency_ms.p99]",
                                               item, 16, "leave the key out for [throughput]"}(at);
}

std::optional<Payload> PayloadReader::operator()(const Cursor& at) const {
  constexpr double max_bytes = 1e12;
  const std::string* const text = at.scalar("a size such as 120 kB, jpeg or tensor");
  if (text == nullptr) return std::nullopt;
  if (text->find_first_of("0123456789") == std::string::npos)
    return input::Choice<Payload>{"a payload",
                                  {{"jpeg", Payload{}}, {"tensor", Payload{.tensor = true}}}}(at);
  const auto bytes = Quantity{input::size_dimension(), 0, max_bytes}(at);
  return bytes ? std::optional(Payload{.bytes = *bytes}) : std::nullopt;
}

}  // namespace jostle::scenarios
