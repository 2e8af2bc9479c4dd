#include "analyses/study/key_path.hpp"

#include <algorithm>

namespace jostle::analyses {
namespace {

// Removes the first step of `path` (with its dot) and returns it.
std::string_view take_step(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  return step;
}

bool is_index(std::string_view step) {
  return step == "*" ||
         (!step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }));
}

}  // namespace

bool covers(std::string_view outer, std::string_view inner) {
  while (!outer.empty()) {
    if (inner.empty()) return false;
    const std::string_view a = take_step(outer), b = take_step(inner);
    const bool any = (a == "*" && is_index(b)) || (b == "*" && is_index(a));
    if (a != b && !any) return false;
  }
  return true;
}

bool same_length(std::string_view a, std::string_view b) {
  return std::ranges::count(a, '.') == std::ranges::count(b, '.');
}

std::string_view rest_after(std::string_view outer, std::string_view inner) {
  std::string_view rest = inner;
  while (!outer.empty() && !rest.empty()) {
    (void)take_step(outer);
    (void)take_step(rest);
  }
  return rest.empty() ? rest : inner.substr(inner.size() - rest.size() - 1);
}

}  // namespace jostle::analyses
