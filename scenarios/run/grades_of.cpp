#include "scenarios/run/grades_of.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::scenarios {
namespace {

using calibration::ParameterGrade;

// The lowest grade of the figures that the profile has.
ParameterGrade lowest_of(const calibration::Profile& profile, std::initializer_list<std::string_view> paths) {
  ParameterGrade found = ParameterGrade::measured;
  for (const calibration::ProfileParameter& figure : profile.figures)
    if (std::ranges::find(paths, figure.path) != paths.end()) found = std::max(found, figure.from.grade);
  return found;
}

std::string sharing_grade(const Scenario& scenario, const calibration::Profile& profile) {
  const auto slice = lowest_of(profile, {"gpu.time_slicing.slice"});
  const bool in_space = std::ranges::any_of(scenario.processes, has_instances);
  if (in_space || scenario.sharing != gpu::Sharing::time_slicing || slice == ParameterGrade::assumed)
    return to_string(ParameterGrade::assumed);
  return to_string(
      lowest_of(profile, {"gpu.time_slicing.switch_at_expiry", "gpu.time_slicing.switch_when_idle"}));
}

bool on_gpu(const ProcessEntry& entry) {
  return entry.placement == Placement::gpu || entry.placement == Placement::cuda_only;
}

// All streams of a process.
std::int64_t streams_in(const ProcessEntry& process) {
  std::int64_t sum = 0;
  for (const ProcessEntry& part : parts_of(process)) sum += streams_of(process, part);
  return sum;
}

// Contexts on the GPU, the compositor's with them.
std::size_t contexts_of(const Scenario& scenario, const Assembly& assembly) {
  std::size_t found = scenario.compositor ? 1 : 0;
  for (const ProcessInstance& instance : expand(scenario))
    if (on_gpu(scenario.processes[instance.entry]) && assembly.occupancy.places[instance.index].fits)
      found += static_cast<std::size_t>(streams_in(scenario.processes[instance.entry]));
  return found;
}

}  // namespace

std::vector<Grades> grades_of(const Scenario& scenario, const calibration::Profile& profile,
                              const Assembly& assembly) {
  const bool shared = contexts_of(scenario, assembly) > 1;
  std::vector<Grades> found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    Grades grades{.kernels = to_string(assembly.grades[entry]), .sharing = {}, .power = {}};
    if (shared && on_gpu(scenario.processes[entry])) grades.sharing = sharing_grade(scenario, profile);
    if (assembly.dvfs) grades.power = to_string(lowest_of(profile, {"power.gpu.sm", "power.module.base"}));
    found.push_back(std::move(grades));
  }
  return found;
}

}  // namespace jostle::scenarios
