// Answers with the same functions as the command.
#include "playground/answers.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "analyses/explain/explain.hpp"
#include "analyses/verdict/verdict.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/in_words.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/language/template.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/timeline/chrome_trace.hpp"

namespace jostle::playground {
namespace {

using Json = nlohmann::ordered_json;

struct Unreadable {
  input::Problems problems;
};

// Throws Unreadable.
scenarios::Scenario scenario_of(const Json& question) {
  const auto text = question.at("text").get<std::string>();
  const std::string origin = "-", directory;
  scenarios::LoadOptions options;
  options.set = question.value("set", std::vector<std::string>());
  input::Problems problems;
  auto scenario =
      scenarios::parse_scenario({text, origin, directory}, scenarios::shipped_catalogue(), options, problems);
  if (!scenario) throw Unreadable{problems};
  return *std::move(scenario);
}

scenarios::Result result_of(const scenarios::Scenario& scenario, sim::TraceSink* trace = nullptr) {
  scenarios::RunControl control;
  control.trace = trace;
  return analyses::run_and_judge(scenario, control).value();  // nothing interrupts it
}

std::string run(const Json& question) {
  return scenarios::to_json(result_of(scenario_of(question)));
}

// The first tenth of a second after the warm-up, as in a report.
std::string picture(const Json& question) {
  constexpr std::size_t max_events = 20'000;
  const scenarios::Scenario scenario = scenario_of(question);
  const sim::Time begin = sim::Time::zero() + scenario.run.warmup;
  scenarios::ChromeTrace trace({begin, begin + sim::milliseconds(100), max_events});
  const scenarios::Result result = result_of(scenario, &trace);
  trace.finish();
  const scenarios::InWords words = scenarios::in_words(result.resolved);
  const auto us = [](sim::Time at) { return sim::to_us(at - sim::Time::zero()); };
  return "{\"result\":" + scenarios::to_json(result) + ",\"words\":" +
         output::json_text(
             {{"question", analyses::question_of(result, words.board)},
              {"processes", words.processes},
              {"run", words.run},
              {"why", analyses::reasons_of(result, analyses::explained_groups(scenario, result))}}) +
         ",\"window_us\":" + output::json_text(Json{us(trace.window().begin), us(trace.window().end)}) +
         ",\"timeline\":" + trace.text() + "}";
}

std::string explain(const Json& question) {
  const scenarios::Scenario scenario = scenario_of(question);
  return analyses::explanation_json(
      analyses::explain({.scenario = scenario, .directory = {}, .what_ifs = {}, .in_pairs = false}, {}));
}

std::string csv(const Json& question) {
  return scenarios::csv_header() + scenarios::to_csv(result_of(scenario_of(question)));
}

std::string check(const Json& question) {
  (void)scenario_of(question);
  return "[]";
}

std::string names(const Json& /*question*/) {
  return catalogue_json();
}

std::string made(const Json& question) {
  const auto given = [&](const char* key) { return question.value(key, std::string()); };
  return output::json_text({{"text", scenarios::filled_template(
                                         scenarios::template_text(question.at("template").get<std::string>()),
                                         {.board = given("board"),
                                          .comes = given("comes"),
                                          .limit = given("limit"),
                                          .models = scenarios::words_of_list(given("models")),
                                          .cpp = question.value("cpp", false)})}});
}

constexpr std::pair<std::string_view, std::string (*)(const Json&)> questions[] = {
    {"run", run},         {"picture", picture}, {"csv", csv}, {"check", check},
    {"explain", explain}, {"catalogue", names}, {"new", made}};

std::string problems_json(const input::Problems& problems) {
  Json json = Json::array();
  for (const input::Problem& problem : problems.list())
    json.push_back({{"line", problem.location.line},
                    {"column", problem.location.column},
                    {"path", problem.path},
                    {"message", problem.message},
                    {"hint", problem.hint}});
  return output::json_text(json);
}

}  // namespace

Answer answer(std::string_view question) {
  try {
    const Json asked = output::parsed_json(question);
    const auto name = asked.at("ask").get<std::string>();
    for (const auto& [of, function] : questions)
      if (of == name) return {Status::answered, function(asked)};
    return {Status::failed, "no question is called " + name};
  } catch (const Unreadable& unreadable) {
    return {Status::problems, problems_json(unreadable.problems)};
  } catch (const std::exception& error) {
    return {Status::failed, error.what()};
  }
}

namespace {

Json device(const board::DeviceSpec& spec) {
  Json modes = Json::array();
  for (const board::PowerMode& mode : spec.power_modes) modes.push_back(mode.name);
  return {{"name", spec.name},
          {"description", spec.description},
          {"power_modes", std::move(modes)},
          {"default_power_mode", spec.default_power_mode},
          {"cores", spec.core_count()},
          {"gpu", spec.has_gpu()}};
}

template <class T>
Json words(const scenarios::Names<T>& names) {
  Json json = Json::array();
  for (const auto& [word, value] : names) json.push_back(word);
  return json;
}

// The templates, each with its first sentence, its own answers and whether it is asked for a language.
Json templates() {
  Json json = Json::array();
  for (const std::string& name : scenarios::template_names()) {
    const std::string_view text = scenarios::template_text(name);
    Json one = {{"name", name},
                {"about", text.substr(2, text.find('\n') - 2)},
                {"languages", text.find("#? C++") != std::string_view::npos}};
    for (const char* const key : {"board", "comes", "models", "limit"})
      one[key] = scenarios::template_default(text, key).value_or("");
    json.push_back(std::move(one));
  }
  return json;
}

// The grades of predictions, best first, in the words of the command's pages.
Json grades() {
  Json json = Json::array();
  for (const char* const name : {"measured", "interpolated", "fitted", "datasheet", "assumed"})
    json.push_back(
        {{"name", name}, {"meaning", scenarios::meaning(name)}, {"error", scenarios::usual_error(name)}});
  return json;
}

}  // namespace

std::string catalogue_json() {
  Json devices = Json::array(), models = Json::array(), language = Json::array();
  for (const std::string& name : profiles::device_names()) {
    input::Problems problems;  // shipped profiles are tested
    if (const auto profile = profiles::shipped_profile(name, problems))
      devices.push_back(device(*profile->spec));
  }
  for (const dnn::Model& model : dnn::models())
    models.push_back({{"name", model.name},
                      {"description", model.description},
                      {"family", model.family},
                      {"input", model.default_input}});
  for (const llm::Architecture& model : llm::architectures()) language.push_back(model.name);
  return output::json_text({{"devices", std::move(devices)},
                            {"models", std::move(models)},
                            {"language_models", std::move(language)},
                            {"precisions", words(scenarios::precision_names())},
                            {"runtimes", words(scenarios::runtime_names())},
                            {"syncs", words(scenarios::sync_names())},
                            {"grades", grades()},
                            {"templates", templates()}});
}

}  // namespace jostle::playground
