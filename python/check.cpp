// jostle.check(): reads a scenario or a study as strictly as a run does, and runs nothing.
#include <nlohmann/json.hpp>
#include <utility>

#include "analyses/fleet/fleet.hpp"
#include "analyses/offload/question.hpp"
#include "input/parse.hpp"
#include "output/json.hpp"
#include "python/answers.hpp"
#include "python/call.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::python {
namespace {

using CheckJson = nlohmann::ordered_json;

bool holds_study(const Source& source) {
  input::Problems ignored;
  const input::Node document = source.text ? input::parse_yaml(*source.text, source.name, ignored)
                                           : input::parse_yaml_file(source.name, ignored);
  return document && analyses::is_study(*document);
}

CheckJson checked_study(const Source& source, Call& call, Warnings& warnings) {
  using enum profiles::DocumentKind;
  analyses::Profiles profiles;
  const ReadyStudy ready =
      checked(study_of(source, {study, fleet, offload}), profiles, 0, call.interrupt(), warnings);
  input::Problems problems;
  if (ready.study.fleet) (void)analyses::check_fleet(ready.study, problems);
  if (ready.study.offload) (void)analyses::offload_question(ready.study, profiles, problems);
  if (!problems.empty()) throw Invalid{problems};
  CheckJson refused = CheckJson::array();
  for (const analyses::CheckedPoint& point : ready.checked.points)
    if (!point.is_supported()) refused.push_back(ready.checked.problems[point.problem]);
  return {{"kind", "study"},
          {"points", ready.checked.points.size()},
          {"not_supported", refused.size()},
          {"problems", std::move(refused)}};
}

CheckJson checked_scenario(const scenarios::Scenario& scenario) {
  const scenarios::Result preview = scenarios::preview(scenario);
  CheckJson without_room = CheckJson::array();
  for (const scenarios::ProcessResult& process : preview.processes)
    if (process.status != "ok") without_room.push_back(process.problem);
  const auto& used = preview.system.memory.used_mb;
  return {{"kind", "scenario"},
          {"device", scenario.device},
          {"processes", preview.processes.size()},
          {"fits", without_room.empty()},
          {"memory_mb", used ? CheckJson(*used) : CheckJson()},
          {"problems", std::move(without_room)}};
}

}  // namespace

Answer check(const Source& source, const ScenarioChanges& changes, pybind11::object progress) {
  Call call(std::move(progress));
  return call.run([&]() -> Answer {
    Answer answer;
    const bool study = changes.set.empty() && !changes.seed && holds_study(source);
    answer.json =
        output::json_text(study ? checked_study(source, call, answer.warnings)
                                : checked_scenario(scenario_of(source, changes.options(), answer.warnings)));
    return answer;
  });
}

}  // namespace jostle::python
