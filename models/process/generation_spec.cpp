#include "models/process/generation_spec.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::process {

std::int64_t Length::draw(sim::RandomStream& random, std::uint64_t request) const {
  switch (kind) {
    case LengthKind::fixed:
      return least;
    case LengthKind::uniform:
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    case LengthKind::lognormal: {
      const double drawn = std::floor(mean * random.lognormal_unit_mean(variation) + 0.5);
      return std::clamp(static_cast<std::int64_t>(std::min(drawn, 1e9)), least, most);
    }
    case LengthKind::listed:
      return listed[request % listed.size()];
  }
  return least;
}

std::int64_t GenerationSpec::longest() const {
  return depth + (prefills ? longest_prompt() : 0) + (decodes ? tokens.most : 0);
}

std::int64_t GenerationSpec::longest_prompt() const {
  return prompt.most + (sessions.turns - 1) * (prompt.most + tokens.most);
}

std::size_t StepGrid::at(std::int64_t size, std::int64_t context) const {
  const auto index = [](const std::vector<std::int64_t>& values, std::int64_t wanted) {
    const auto found = std::ranges::lower_bound(values, wanted);
    return static_cast<std::size_t>(std::min(found, values.end() - 1) - values.begin());
  };
  return index(sizes, size) * contexts.size() + index(contexts, context);
}

}  // namespace jostle::process
