#include "input/asked_keys.hpp"

#include <algorithm>
#include <sstream>

namespace jostle::input {
namespace {

thread_local AskedKeys* collector = nullptr;

std::string with_stars(const std::string& path) {
  std::string stars, step;
  for (std::istringstream steps(path); std::getline(steps, step, '.');) {
    const bool index =
        !step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
    if (!stars.empty()) stars += '.';
    stars += index ? "*" : step;
  }
  return stars;
}

}  // namespace

AskedKeys::AskedKeys() {
  collector = this;
}

AskedKeys::~AskedKeys() {
  collector = nullptr;
}

void note_asked(const std::string& path, const std::vector<std::string>& keys) {
  if (collector != nullptr) collector->by_path_[with_stars(path)].insert(keys.begin(), keys.end());
}

}  // namespace jostle::input
