#include "models/dnn/built_network.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace jostle::dnn {

std::shared_ptr<const Network> built_network(const Model& model, int input) {
  constexpr std::size_t most_kept = 64;  // a study may vary the input
  static std::mutex guard;
  static std::map<std::pair<std::string_view, int>, std::shared_ptr<const Network>> kept;
  const std::pair key(model.name, input);
  {
    const std::lock_guard lock(guard);
    if (const auto found = kept.find(key); found != kept.end()) return found->second;
  }
  auto network = std::make_shared<const Network>(model.build(input));
  const std::lock_guard lock(guard);
  if (kept.size() == most_kept) kept.clear();
  return kept.emplace(key, std::move(network)).first->second;
}

}  // namespace jostle::dnn
