#include "scenarios/language/in_words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace jostle::scenarios {
namespace {

using EchoJson = nlohmann::ordered_json;

std::string echoed(const EchoJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_phrase(std::string& text, const std::string& phrase) {
  if (phrase.empty()) return;
  text += (text.empty() ? "" : ", ") + phrase;
}

// The model's name, or what the kernels without one are.
std::string model_phrase(const EchoJson& part) {
  const EchoJson& model = part.at("model");
  if (model.is_string()) return model.get<std::string>();
  return model.contains("products") ? "matrix products" : "equal kernels";
}

// "30 /s each at regular times".
std::string arrivals_phrase(const EchoJson& part) {
  if (part.contains("after")) return "for what " + echoed(part["after"]) + " finds";
  if (part.contains("users")) return echoed(part["users"]) + " users who wait for their answers";
  if (part.contains("bench")) return "one step after the other";
  if (!part.contains("arrivals")) return "one batch after the other";
  const EchoJson& arrivals = part["arrivals"];
  std::string text;
  if (arrivals.contains("periodic")) text = echoed(arrivals["periodic"]) + " at regular times";
  if (arrivals.contains("poisson")) text = echoed(arrivals["poisson"]) + " at random times";
  if (arrivals.contains("clients"))
    text = echoed(arrivals["clients"]) + " clients who wait for their answers";
  if (arrivals.contains("trace")) text = "requests at the times of " + echoed(arrivals["trace"]);
  if (arrivals.contains("streams")) text = echoed(arrivals["streams"]) + " streams of " + text;
  return text;
}

// What a language model is asked for.
std::string tokens_phrase(const EchoJson& part) {
  if (!part.contains("generate")) return {};
  const EchoJson& generate = part["generate"];
  if (generate.contains("trace")) return "prompts and answers of " + echoed(generate["trace"]);
  const auto number = [](const EchoJson& length) {
    return length.is_number() ? length.dump()
                              : "about " + (length.contains("lognormal") ? length["lognormal"]["mean"].dump()
                                                                         : length.begin().value().dump());
  };
  return fmt::format("prompts of {} tokens, answers of {}", number(generate["prompt"]),
                     number(generate["tokens"]));
}

// A network with its number, precision and batch: "2 x resnet50 int8, batch 4".
std::string network_phrase(const EchoJson& part) {
  std::string text;
  if (const EchoJson count = part.value("count", EchoJson(1)); count != 1) text = echoed(count) + " x ";
  if (part.contains("name") && part["name"] != part["model"]) text += echoed(part["name"]) + ": ";
  text += model_phrase(part);
  if (part.contains("precision")) text += " " + echoed(part["precision"]);
  if (part.value("training", false)) text += " training";
  if (!part.contains("generate") && !part.contains("bench")) text += ", batch " + echoed(part.at("batch"));
  return text;
}

std::string process_phrase(const EchoJson& process) {
  if (process.contains("load")) {
    std::string text = "background load " + echoed(process["load"]);
    if (process.contains("threads")) text += ", threads: " + echoed(process["threads"]);
    return text;
  }
  if (process.contains("instances")) {
    std::string text = echoed(process.value("name", EchoJson("a process"))), parts;
    for (const EchoJson& instance : process["instances"]) {
      if (!parts.empty()) parts += "; ";
      std::string part = network_phrase(instance);
      add_phrase(part, tokens_phrase(instance));
      add_phrase(part, arrivals_phrase(instance));
      if (instance.value("priority", "normal") != "normal")
        add_phrase(part, echoed(instance["priority"]) + " priority");
      parts += part;
    }
    return fmt::format("{} with {}, {}", text, echoed(process.at("runtime")), parts);
  }
  std::string text = network_phrase(process);
  add_phrase(text, echoed(process.at("runtime")));
  if (const std::string where = process.value("placement", "gpu"); where != "gpu") text += " on " + where;
  if (process.contains("streams")) add_phrase(text, echoed(process["streams"]) + " streams");
  add_phrase(text, tokens_phrase(process));
  add_phrase(text, arrivals_phrase(process));
  if (process.contains("stages")) add_phrase(text, "with stages on the host");
  return text;
}

std::string board_phrase(const EchoJson& scenario) {
  std::string text = echoed(scenario.at("device"));
  if (scenario.contains("power_mode")) {
    const EchoJson& mode = scenario["power_mode"];
    add_phrase(text,
               "power mode " + echoed(mode.is_object() ? mode.value("mode", EchoJson("of a file")) : mode));
  }
  if (scenario.value("mps", false)) add_phrase(text, "MPS");
  if (scenario.contains("sharing")) add_phrase(text, "the GPU shared by " + echoed(scenario["sharing"]));
  if (scenario.contains("clocks"))
    for (const auto& [domain, clock] : scenario["clocks"].items())
      if (clock.is_string()) add_phrase(text, domain + " at " + echoed(clock));
  if (scenario.contains("jetson_clocks") && scenario["jetson_clocks"] == true)
    add_phrase(text, "jetson_clocks");
  if (scenario.contains("power_cap") && scenario["power_cap"].contains("budget"))
    add_phrase(text, "power capped at " + echoed(scenario["power_cap"]["budget"]));
  return text;
}

std::string run_phrase(const EchoJson& run) {
  std::string text;
  if (run.contains("duration"))
    text = echoed(run["duration"]) + " simulated";
  else if (run.contains("until"))
    text = "simulated until it is as precise as asked";
  else if (run.contains("batches"))
    text = echoed(run["batches"]) + " batches simulated";
  if (run.contains("warmup") && run["warmup"] != "auto")
    text += " after " + echoed(run["warmup"]) + " of warm-up";
  add_phrase(text, "seed " + echoed(run.value("seed", EchoJson(1))));
  if (const EchoJson count = run.value("replications", EchoJson(1)); count != 1)
    add_phrase(text, echoed(count) + " replications");
  return text;
}

}  // namespace

InWords in_words(const std::string& resolved) {
  const EchoJson scenario = EchoJson::parse(resolved);
  InWords words{.board = board_phrase(scenario), .processes = {}, .run = run_phrase(scenario.at("run"))};
  for (const EchoJson& process : scenario.at("processes")) words.processes.push_back(process_phrase(process));
  return words;
}

}  // namespace jostle::scenarios
