#include "scenarios/run/grades_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string_view>

#include "input/counted.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/partitions.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::scenarios {
namespace {

using profiles::ParameterGrade;

// The lowest grade of those parameters that the profile has.
ParameterGrade lowest_of(const profiles::Profile& profile, std::span<const std::string_view> paths) {
  ParameterGrade found = ParameterGrade::measured;
  for (const profiles::ProfileParameter& parameter : profile.figures)
    if (std::ranges::find(paths, parameter.path) != paths.end())
      found = std::max(found, parameter.from.grade);
  return found;
}

ParameterGrade lowest_of(const profiles::Profile& profile, std::initializer_list<std::string_view> paths) {
  return lowest_of(profile, std::span(paths.begin(), paths.size()));
}

// The grade of time slicing.
ParameterGrade turns_grade(const profiles::Profile& profile) {
  if (lowest_of(profile, {"gpu.time_slicing.slice"}) == ParameterGrade::assumed)
    return ParameterGrade::assumed;
  return lowest_of(profile, {"gpu.time_slicing.switch_at_expiry", "gpu.time_slicing.switch_when_idle"});
}

// The grade of kernels that run at the same time. It is `assumed` if the profile lacks the model's
// parameters, since the model then uses its defaults.
ParameterGrade space_grade(const profiles::Profile& profile) {
  constexpr std::string_view known = "gpu.space_sharing.block_turnover";
  if (std::ranges::find(profile.figures, known, &profiles::ProfileParameter::path) == profile.figures.end())
    return ParameterGrade::assumed;
  return lowest_of(profile, {known, "gpu.space_sharing.kernel_start", "gpu.space_sharing.fetch",
                             "gpu.space_sharing.mps_kernel", "gpu.space_sharing.compute_load",
                             "gpu.space_sharing.memory_load", "gpu.space_sharing.miss_latency",
                             "gpu.space_sharing.warp_bandwidth"});
}

// The grade of partitions of the SMs. No parameter is theirs: the model is held against kernels beside each
// other on one card, an H100.
ParameterGrade partitions_grade(const profiles::Profile& profile) {
  return profile.spec->evidence == "h100" ? ParameterGrade::fitted : ParameterGrade::assumed;
}

// True if streams of the process share SMs.
bool shares_sms(const ProcessEntry& process) {
  if (!has_instances(process)) return false;
  int rest = 0;
  for (const ProcessEntry& part : parts_of(process)) {
    if (!part.gpu.sm_partition || streams_of(process, part) > 1) return true;
    rest += *part.gpu.sm_partition == rest_of_sms ? 1 : 0;
  }
  return process.gpu.sm_partition || rest > 1;
}

std::string sharing_grade(const Scenario& scenario, const profiles::Profile& profile) {
  const bool turns = gpu::way_of(scenario.sharing).takes_turns;
  ParameterGrade grade = turns ? turns_grade(profile) : space_grade(profile);
  const bool one = turns && scenario.processes.size() == 1 && scenario.processes[0].count == 1;
  if (one && !scenario.compositor) grade = ParameterGrade::measured;  // nobody takes turns
  if (std::ranges::any_of(scenario.processes, shares_sms)) grade = std::max(grade, space_grade(profile));
  if (std::ranges::any_of(scenario.processes, has_partitions))
    grade = std::max(grade, partitions_grade(profile));
  return to_string(scenario.mig.empty() ? grade : ParameterGrade::assumed);
}

// The number of streams of a process.
std::int64_t streams_in(const ProcessEntry& process) {
  std::int64_t sum = 0;
  for (const ProcessEntry& part : parts_of(process)) sum += streams_of(process, part);
  return sum;
}

// The number of contexts on the GPU, including the compositor's.
std::size_t contexts_of(const Scenario& scenario, const Assembly& assembly) {
  std::size_t found = scenario.compositor ? 1 : 0;
  for (const ProcessInstance& instance : expand(scenario))
    if (on_gpu(scenario.processes[instance.entry].host.placement) &&
        assembly.occupancy.places[instance.index].fits)
      found += static_cast<std::size_t>(streams_in(scenario.processes[instance.entry]));
  return found;
}

// The file of a part if the reader does not understand all of it; else null.
const OnnxModel* guessed_file(const ProcessEntry& part) {
  const auto* const onnx = std::get_if<OnnxModel>(&part.work.model);
  return onnx != nullptr && onnx->file && onnx->file->missing > 0 ? onnx : nullptr;
}

bool is_guessed(const ProcessEntry& process) {
  return std::ranges::any_of(parts_of(process),
                             [](const ProcessEntry& part) { return guessed_file(part) != nullptr; });
}

// The grade of kernel times. What is not understood has no data sheet.
std::string kernels_grade(const ProcessEntry& process, gpu::Grade grade) {
  if ((grade == gpu::Grade::datasheet || grade == gpu::Grade::fitted) && is_guessed(process))
    return to_string(ParameterGrade::assumed);
  return to_string(grade);
}

}  // namespace

std::vector<std::string> assumed_sharing(const Scenario& scenario, const profiles::Profile& profile,
                                         const Assembly& assembly) {
  std::vector<std::string> sentences;
  const auto note = [&](ParameterGrade grade, const char* model) {
    if (grade == ParameterGrade::assumed)
      sentences.push_back(fmt::format("the model of {}; on {} it is assumed", model, profile.spec->name));
  };
  if (!gpu::way_of(scenario.sharing).takes_turns && contexts_of(scenario, assembly) > 1)
    note(space_grade(profile), "MPS is measured on an H200 with CUDA graphs");
  if (!scenario.mig.empty())
    note(ParameterGrade::assumed, "instances of a GPU follows NVIDIA's guide to MIG, without a measured run");
  if (std::ranges::any_of(scenario.processes, has_partitions))
    note(partitions_grade(profile), "green contexts is measured on an H100 with two kernels");
  return sentences;
}

std::vector<std::string> not_understood(const Scenario& scenario) {
  std::vector<std::string> all;
  for (const ProcessEntry& process : scenario.processes)
    for (const ProcessEntry& part : parts_of(process)) {
      const OnnxModel* const onnx = guessed_file(part);
      if (onnx == nullptr || onnx->file->warnings.empty()) continue;
      std::string line =
          fmt::format("{}: {}", input::printable(onnx->path, 400), onnx->file->warnings.front());
      if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
    }
  return all;
}

std::string fixed_phases(const Scenario& scenario) {
  constexpr double little = 0.5;  // share of a period by which clocks drift apart in the run
  if (scenario.link && scenario.link->jitter > sim::Duration::zero()) return {};
  const double run_s = sim::to_seconds(scenario.run.duration);
  std::vector<std::pair<std::string, double>> sources;  // with their rates
  for (const ProcessInstance& instance : expand(scenario))
    for (const ProcessEntry& part : parts_of(scenario.processes[instance.entry]))
      if (const process::Arrivals& of = part.arrivals; of.kind == process::ArrivalKind::periodic &&
                                                       !of.phase &&
                                                       2 * of.drift * run_s * of.rate_per_s < little)
        sources.emplace_back(called(part), of.rate_per_s);
  for (const auto& [first, per_s] : sources)
    for (double periods = 1; periods <= per_s; ++periods) {
      std::vector<std::string> names;
      std::size_t met = 0;
      for (const auto& [name, rate] : sources)
        if (const double count = rate * periods / per_s; std::abs(count - std::round(count)) < 1e-6) {
          ++met;
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
      if (met >= 2)
        return fmt::format(
            "the phases of {} stay as this seed drew them: others give other latencies "
            "(--replications 10 draws them anew)",
            input::listed(names));
    }
  return {};
}

std::vector<std::string> recorded_otherwise(const Scenario& scenario, const std::vector<Grades>& grades) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < scenario.processes.size(); ++i) {
    const ProcessEntry& process = scenario.processes[i];
    const auto* const own = std::get_if<OnnxModel>(&process.work.model);
    if (own == nullptr || own->path.ends_with(".onnx") ||
        grades[i].kernels != to_string(gpu::Grade::datasheet))
      continue;
    all.push_back(fmt::format(
        "{}: it was recorded, but not as {} in {}, so its times are computed from its layers; runtime: and "
        "precision: of the recording are surer",
        input::printable(own->path, 400), to_string(process.host.runtime),
        dnn::to_string(process.work.precision.value())));
  }
  return all;
}

std::string load_grade(const LoadEntry& load, const profiles::Profile& profile) {
  return to_string(lowest_of(profile, process::row_of(load.kind).parameters));
}

std::optional<std::string> power_grade(const profiles::Profile& profile) {
  if (!profile.spec->power) return std::nullopt;
  // The power of an idle card is measured as one sum, of which its clock tree has the rest.
  const bool card = profile.spec->has_gpu() && !profile.spec->memory.unified;
  return to_string(lowest_of(profile, {"power.gpu.sm", card ? "power.gpu.clock_tree" : "power.module.base"}));
}

std::vector<Grades> grades_of(const Scenario& scenario, const profiles::Profile& profile,
                              const Assembly& assembly) {
  const bool shared = contexts_of(scenario, assembly) > 1;
  std::vector<Grades> found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    Grades grades{.kernels = kernels_grade(scenario.processes[entry], assembly.grades[entry]),
                  .sharing = {},
                  .power = {}};
    if (shared && on_gpu(scenario.processes[entry].host.placement))
      grades.sharing = sharing_grade(scenario, profile);
    if (assembly.dvfs) grades.power = power_grade(profile);
    found.push_back(std::move(grades));
  }
  return found;
}

}  // namespace jostle::scenarios
