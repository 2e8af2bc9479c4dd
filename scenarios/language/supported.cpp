#include "scenarios/language/supported.hpp"

namespace jostle::scenarios {

bool is_supported(const Scenario& scenario, const std::string& file, input::Problems& problems) {
  const std::vector<UnsupportedKey> keys = unsupported_keys(scenario);
  for (const UnsupportedKey& key : keys)
    problems.add_file(file, key.path + ": " + key.reason, "remove the key to run without it");
  return keys.empty();
}

}  // namespace jostle::scenarios
