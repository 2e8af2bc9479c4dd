#include "scenarios/language/figures.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

void put(Scenario& scenario, const std::string& path, std::string value) {
  const auto known = std::ranges::find(scenario.figures, path, &std::pair<std::string, std::string>::first);
  if (known != scenario.figures.end())
    known->second = std::move(value);
  else
    scenario.figures.emplace_back(path, std::move(value));
}

}  // namespace jostle::scenarios
