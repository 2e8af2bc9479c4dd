#include "analyses/explain/parts.hpp"

namespace jostle::analyses {

std::vector<Part> parts_in(const scenarios::Result& result) {
  std::vector<Part> parts;
  for (const scenarios::ProcessResult& process : result.processes) {
    if (process.instances.empty()) parts.push_back({&process, nullptr});
    for (const scenarios::InstanceResult& instance : process.instances)
      parts.push_back({&process, &instance});
  }
  return parts;
}

std::vector<PartPlace> part_places(const scenarios::Scenario& scenario) {
  std::vector<PartPlace> places;
  for (const scenarios::ProcessInstance& process : scenarios::expand(scenario)) {
    const scenarios::ProcessEntry& entry = scenario.processes[process.entry];
    const auto parts = parts_of(entry);
    for (std::size_t part = 0; part < parts.size(); ++part)
      places.insert(places.end(), static_cast<std::size_t>(streams_of(entry, parts[part])),
                    PartPlace{process.index, {process.entry, part}});
  }
  return places;
}

}  // namespace jostle::analyses
