#include "python/answers.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "analyses/explain/explain.hpp"
#include "analyses/fleet/fleet.hpp"
#include "analyses/interval/interval.hpp"
#include "analyses/interval/power_interval.hpp"
#include "analyses/offload/offload.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/study/store.hpp"
#include "analyses/verdict/verdict.hpp"
#include "python/call.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/timeline/chrome_trace.hpp"

namespace jostle::python {
namespace {

scenarios::RunControl control_of(Call& call) {
  scenarios::RunControl control;
  control.interrupt = call.interrupt();
  control.progress = [&call](double done) { call.tell(done); };
  return control;
}

// Does the work of a question in a call; `work(call, warnings)` returns the JSON.
template <class Work>
Answer answered(pybind11::object progress, const Work& work) {
  Call call(std::move(progress));
  return call.run([&]() -> Answer {
    Answer answer;
    answer.json = work(call, answer.warnings);
    return answer;
  });
}

auto counting(Call& call) {
  return [&call](std::size_t done, std::size_t of) { call.tell(done, of); };
}

std::string directory_of(const Source& source) {
  return source.text ? std::string() : std::filesystem::path(source.name).parent_path().string();
}

[[noreturn]] void refuse(const Source& source, const std::string& message, const std::string& hint) {
  input::Problems problems;
  problems.add_file(source.name, message, hint);
  throw Invalid{problems};
}

std::string fleet_answer(const analyses::Study& study, const analyses::Candidates& candidates,
                         const PlanOptions& options, Call& call) {
  analyses::FleetControl control;
  control.threads = options.threads;
  control.intervals = options.intervals;
  control.interrupt = call.interrupt();
  control.progress = counting(call);
  return analyses::fleet_json(analyses::fleet(*study.fleet, candidates, control));
}

std::string plan_answer(analyses::Candidates& candidates, const PlanOptions& options, Call& call) {
  analyses::PlanControl control;
  control.exhaustive = options.exhaustive;
  control.max_evaluations = options.simulations;
  control.intervals = options.intervals;
  control.interrupt = call.interrupt();
  control.progress = counting(call);
  return analyses::plan_json(analyses::plan(candidates, control));
}

}  // namespace

Answer run(const Source& source, const ScenarioChanges& changes, bool interval, const std::string& trace,
           pybind11::object progress) {
  return answered(std::move(progress), [&](Call& call, Warnings& warnings) {
    const scenarios::Scenario scenario = scenario_of(source, changes.options(), warnings);
    input::Problems problems;
    const auto timeline = trace.empty() ? nullptr : std::make_unique<scenarios::ChromeTrace>(trace);
    scenarios::RunControl control = control_of(call);
    control.trace = timeline.get();
    const auto profile = scenario.device_path.empty() && scenario.figures.empty()
                             ? shipped_profiles().find(scenario.device, {}, problems)
                             : nullptr;
    const auto result = interval ? analyses::run_with_interval(scenario, control)
                                 : analyses::run_and_judge(scenario, control, profile.get());
    if (timeline) timeline->finish();
    if (!result) throw scenarios::Interrupted();
    return scenarios::to_json(*result);
  });
}

Answer explain(const Source& source, const ScenarioChanges& changes, const ExplainOptions& options,
               pybind11::object progress) {
  return answered(std::move(progress), [&](Call& call, Warnings& warnings) {
    const scenarios::Scenario scenario = scenario_of(source, changes.options(), warnings);
    const scenarios::RunControl control = control_of(call);
    analyses::Explanation explanation = analyses::explain(
        {.scenario = scenario, .directory = directory_of(source), .what_ifs = options.what_ifs}, control);
    if (options.interval) analyses::add_power_interval(explanation.result, scenario, control);
    return analyses::explanation_json(explanation);
  });
}

Answer compare(const Side& a, const Side& b, const CompareOptions& options, pybind11::object progress) {
  return answered(std::move(progress), [&](Call& call, Warnings& warnings) {
    const scenarios::Scenario first = scenario_of(a.source, a.changes.options(), warnings);
    const scenarios::Scenario second = scenario_of(b.source, b.changes.options(), warnings);
    const scenarios::RunControl control = control_of(call);
    analyses::Compared compared = analyses::compare(first, second, options.pairs, control);
    if (options.interval) {
      analyses::add_power_interval(compared.a.front(), first, control);
      analyses::add_power_interval(compared.b.front(), second, control);
    }
    return analyses::comparison_json(compared, {a.name, b.name});
  });
}

Answer offload(const Source& source, unsigned threads, bool interval, pybind11::object progress) {
  return answered(std::move(progress), [&](Call& call, Warnings& warnings) {
    analyses::Profiles profiles;
    input::Problems problems;
    const analyses::Study study = study_of(source, {profiles::DocumentKind::offload});
    const auto question = analyses::offload_question(study, profiles, problems);
    if (!question) throw Invalid{problems};
    for (const scenarios::Scenario* const scenario : {&question->edge, &question->cloud})
      for (std::string& warning : scenarios::warnings(*scenario)) warnings.push_back(std::move(warning));
    analyses::OffloadControl control;
    control.threads = threads;
    control.interval = interval;
    control.interrupt = call.interrupt();
    control.progress = counting(call);
    return analyses::offload_json(analyses::offload(*question, control));
  });
}

Answer plan(const Source& source, const PlanOptions& options, pybind11::object progress) {
  return answered(std::move(progress), [&](Call& call, Warnings& warnings) {
    analyses::Profiles profiles;
    analyses::Study study = study_of(source, {profiles::DocumentKind::study, profiles::DocumentKind::fleet});
    study.interval = false;
    const ReadyStudy ready = checked(std::move(study), profiles, options.threads, call.interrupt(), warnings);
    input::Problems problems;
    if (ready.study.fleet && !analyses::check_fleet(ready.study, problems)) throw Invalid{problems};
    if (!ready.study.fleet && ready.study.objectives.empty())
      refuse(source, "no objectives", "add some, such as objectives: [max system.throughput]");
    analyses::Store store(options.output);
    store.begin(ready.study, ready.checked);
    analyses::Candidates candidates({ready.study, ready.checked, profiles, store}, options.threads,
                                    call.interrupt());
    if (!analyses::check_margins(ready.study, candidates, problems)) throw Invalid{problems};
    return ready.study.fleet ? fleet_answer(ready.study, candidates, options, call)
                             : plan_answer(candidates, options, call);
  });
}

}  // namespace jostle::python
