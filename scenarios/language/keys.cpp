#include "scenarios/language/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::scenarios {

using input::Cursor;

std::optional<std::vector<int>> CoreList::operator()(const Cursor& at) const {
  const input::List<int, Integer> list{"a list of core numbers, such as [1, 2, 3]", Integer{0, max_cores - 1},
                                       max_cores};
  std::optional<std::vector<int>> cpus = list(at);
  if (!cpus) return std::nullopt;
  if (cpus->empty()) {
    at.problem("no cores", "leave the key out to allow all");
    return std::nullopt;
  }
  std::sort(cpus->begin(), cpus->end());
  const auto twice = std::adjacent_find(cpus->begin(), cpus->end());
  if (twice == cpus->end()) return cpus;
  at.problem(fmt::format("core {} is listed twice", *twice));
  return std::nullopt;
}

std::optional<std::vector<Precise>> PreciseList::operator()(const Cursor& at) const {
  std::vector<Precise> all;
  for (const Cursor& one : at.items("a list of metrics, such as [throughput, latency_ms.p99]", 16)) {
    const auto metric = item(one);
    if (!metric) continue;
    if (std::ranges::find(all, *metric) != all.end())
      one.problem(fmt::format("{} is listed twice", to_string(*metric)));
    all.push_back(*metric);
  }
  if (at.is(input::Kind::sequence) && at.value().children.empty())
    at.problem("the list is empty", "leave the key out for [throughput]");
  return all;
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
