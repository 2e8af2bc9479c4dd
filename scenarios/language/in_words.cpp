#include "scenarios/language/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/gpu/sharing.hpp"
#include "output/json.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

using EchoJson = nlohmann::ordered_json;

std::string echoed(const EchoJson& value) {
  return value.is_string() ? value.get<std::string>() : output::json_text(value);
}

void add_phrase(std::string& text, const std::string& phrase) {
  if (phrase.empty()) return;
  text += (text.empty() ? "" : ", ") + phrase;
}

// "0, 1, 4": the members of a list.
std::string list_phrase(const EchoJson& list) {
  std::string text;
  for (const EchoJson& one : list) add_phrase(text, echoed(one));
  return text;
}

// Tells the rows with a phrase whose keys are given, with the value that they have. `instance`: those that an
// instance has too, or those that it has not.
struct Telling {
  std::string& text;
  const EchoJson& of;
  std::optional<bool> instance = {};

  template <class Get, class Read>
  void operator()(const char* key, Get /*member*/, const Read& /*read*/, const char* /*words*/ = "",
                  Use use = {}) {
    code(key, use);
  }
  void code(const char* key, Use use = {}) {
    if (use.told == nullptr || !of.contains(key) ||
        (instance && has_key(use.of, kind::instance) != *instance))
      return;
    const std::string value = echoed(of[key]);
    if (value != use.untold) add_phrase(text, fmt::format(fmt::runtime(use.told), value));
  }
};

// The model's name, or what the kernels without one are.
std::string model_phrase(const EchoJson& part) {
  const EchoJson& model = part.at("model");
  if (model.is_string()) return model.get<std::string>();
  return model.contains("products") ? "matrix products" : "equal kernels";
}

// " and think for 10 ms": what clients do between an answer and the next request.
std::string thinking_phrase(const EchoJson& arrivals) {
  const EchoJson think = arrivals.value("think", EchoJson("0 ms"));
  if (think.is_object()) return " and think for " + echoed(think["exponential"]) + " in the mean";
  const std::string time = echoed(think);
  return time.starts_with("0 ") ? "" : " and think for " + time;
}

// How requests wait and form batches: "batches of what waits, after 2 ms at most".
std::string waiting_phrase(const EchoJson& part) {
  std::string text;
  const EchoJson arrivals = part.value("arrivals", EchoJson::object());
  if (arrivals.contains("dynamic_batching")) add_phrase(text, "gathered into full batches");
  if (part.contains("max_queue_delay")) {
    const std::string delay = echoed(part["max_queue_delay"]);
    add_phrase(text, delay.starts_with("0 ") ? "batches of what waits"
                                             : fmt::format("batches that wait up to {} to fill", delay));
  }
  if (part.contains("server"))
    add_phrase(text, fmt::format("{} of the server's loop a batch, {} a request",
                                 echoed(part["server"]["per_batch"]), echoed(part["server"]["per_request"])));
  const EchoJson queue = part.contains("queue") ? part["queue"] : arrivals.value("queue", EchoJson());
  if (queue.is_object())
    add_phrase(text, fmt::format("queue of {}, {} dropped", echoed(queue["limit"]), echoed(queue["drop"])));
  else if (!queue.is_null())
    add_phrase(text, "queue of " + echoed(queue));
  return text;
}

// "30 /s each at regular times".
std::string arrivals_phrase(const EchoJson& part) {
  if (part.contains("after")) {
    const std::string found = "for what " + echoed(part["after"]) + " finds";
    return part.contains("fan_out") ? found + " (" + echoed(part["fan_out"]["mean"]) + " an image)" : found;
  }
  if (part.contains("users")) return echoed(part["users"]) + " users who wait for their answers";
  if (part.contains("bench")) {
    std::string step =
        part["bench"].contains("tg") ? "one decode step after the other" : "one prefill after the other";
    if (const EchoJson depth = part["bench"].value("depth", EchoJson(0)); depth != 0)
      step += " behind " + echoed(depth) + " tokens";
    return step;
  }
  if (!part.contains("arrivals")) return "one batch after the other";
  const EchoJson& arrivals = part["arrivals"];
  std::string text;
  if (arrivals.contains("periodic")) text = echoed(arrivals["periodic"]) + " at regular times";
  if (arrivals.contains("poisson")) text = echoed(arrivals["poisson"]) + " at random times";
  if (arrivals.contains("clients"))
    text = echoed(arrivals["clients"]) + " clients who wait for their answers" + thinking_phrase(arrivals);
  if (arrivals.contains("trace")) text = "requests at the times of " + echoed(arrivals["trace"]);
  if (arrivals.contains("streams")) text = echoed(arrivals["streams"]) + " streams of " + text;
  if (arrivals.contains("wait")) add_phrase(text, "polled each " + echoed(arrivals["wait"]["poll"]));
  if (arrivals.contains("burst")) add_phrase(text, "queries of " + echoed(arrivals["burst"]));
  return text;
}

// The requests to a language model.
std::string tokens_phrase(const EchoJson& part) {
  if (!part.contains("generate")) return {};
  const EchoJson& generate = part["generate"];
  if (generate.contains("trace")) return "prompts and answers of " + echoed(generate["trace"]);
  const auto number = [](const EchoJson& length) {
    return length.is_number()
               ? output::json_text(length)
               : "about " + (length.contains("lognormal") ? output::json_text(length["lognormal"]["mean"])
                                                          : output::json_text(length.begin().value()));
  };
  std::string text = fmt::format("prompts of {} tokens, answers of {}", number(generate["prompt"]),
                                 number(generate["tokens"]));
  if (generate.contains("images")) add_phrase(text, echoed(generate["images"]) + " images each");
  if (generate.contains("chunk")) add_phrase(text, "in chunks of " + echoed(generate["chunk"]));
  if (const std::string reuse = generate.value("reuse", "0 %"); reuse != "0 %")
    add_phrase(text,
               (reuse == "session" ? "what is left of a conversation" : reuse + " of prompts") + " reused");
  if (generate.contains("sessions")) {
    const EchoJson& sessions = generate["sessions"];
    std::string phrase =
        "conversations of " + echoed(sessions["turns"]) + " turns" + thinking_phrase(sessions);
    if (sessions.contains("count")) phrase = echoed(sessions["count"]) + " " + phrase;
    add_phrase(text, phrase);
  }
  return text;
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

// A network with how it runs and how its requests come: of a process, or of one of its instances.
void add_requests(std::string& text, const EchoJson& part) {
  Telling rows{text, part, true};
  process_keys(rows);
  if (part.contains("draft"))
    add_phrase(text, fmt::format("{} drafts {} tokens", echoed(part["draft"]["model"]),
                                 echoed(part["draft"]["tokens"])));
  add_phrase(text, tokens_phrase(part));
  add_phrase(text, arrivals_phrase(part));
  add_phrase(text, waiting_phrase(part));
}

// "stages decode (nvdec), boxes (cpu)".
std::string stages_phrase(const EchoJson& process) {
  std::string all;
  for (const char* const when : {"before", "after"})
    for (const EchoJson& stage : process["stages"].value(when, EchoJson::array()))
      add_phrase(all, fmt::format("{} ({})", echoed(stage["name"]), echoed(stage["on"])));
  return "stages " + all;
}

// How its threads run: "on cores 0, 1, in container a with 2 CPUs, FIFO 50".
void add_threads(std::string& text, const EchoJson& of) {
  if (of.contains("cpus")) add_phrase(text, "on cores " + list_phrase(of["cpus"]));
  if (of.contains("container")) {
    const EchoJson& container = of["container"];
    std::string phrase = "in container " + echoed(container["name"]);
    if (container.contains("cpus")) phrase += " with " + echoed(container["cpus"]) + " CPUs";
    if (const EchoJson shares = container.value("shares", EchoJson(1024)); shares != 1024)
      phrase += " of " + echoed(shares) + " shares";
    add_phrase(text, phrase);
  }
  if (of.contains("policy")) add_phrase(text, "FIFO " + echoed(of["policy"]["fifo"]));
}

// The way to wait that goes without saying.
std::string sync_word(const EchoJson& process) {
  const std::string runtime = echoed(process.at("runtime"));
  for (const auto& [name, of] : runtime_names())
    if (name == runtime) return std::string(to_string(default_sync(of)));
  return {};
}

// The keys of a process that its networks share.
void add_process_keys(std::string& text, const EchoJson& process) {
  add_phrase(text, echoed(process.at("runtime")));
  if (const std::string where = process.value("placement", "gpu"); where != "gpu") text += " on " + where;
  if (process.contains("layers"))
    add_phrase(text,
               fmt::format("layers {} to {}", echoed(process["layers"][0]), echoed(process["layers"][1])));
  Telling rows{text, process, false};
  process_keys(rows);
  const std::string sync = process.value("sync", ""), usual = sync_word(process);
  if (!sync.empty() && sync != usual) add_phrase(text, sync + " wait");
  add_threads(text, process);
}

std::string process_phrase(const EchoJson& process) {
  if (process.contains("load")) {
    std::string text = "background load " + echoed(process["load"]);
    Telling rows{text, process};
    load_keys(rows);
    add_threads(text, process);
    return text;
  }
  if (process.contains("instances")) {
    std::string text = echoed(process.value("name", EchoJson("a process"))) + " with ", own, parts;
    add_process_keys(own, process);
    for (const EchoJson& instance : process["instances"]) {
      if (!parts.empty()) parts += "; ";
      std::string part = network_phrase(instance);
      if (instance.contains("placement")) part += " on " + echoed(instance["placement"]);
      add_requests(part, instance);
      parts += part;
    }
    return text + own + ", " + parts;
  }
  std::string text = network_phrase(process);
  add_process_keys(text, process);
  add_requests(text, process);
  if (process.contains("stages")) add_phrase(text, stages_phrase(process));
  if (process.contains("interval"))
    add_phrase(text, "of frames, " + echoed(process["interval"]) + " not inferred between two that are");
  if (process.contains("overlap")) add_phrase(text, echoed(process["overlap"]) + " batches under way");
  return text;
}

void add_clocks(std::string& text, const EchoJson& scenario) {
  if (scenario.contains("clocks"))
    for (const auto& [domain, clock] : scenario["clocks"].items())
      add_phrase(text, domain == "cores" ? echoed(clock) + " cores online" : domain + " at " + echoed(clock));
  if (scenario.value("jetson_clocks", false)) add_phrase(text, "jetson_clocks");
  if (scenario.contains("governors"))
    for (const auto& [domain, governor] : scenario["governors"].items())
      if (governor.is_string()) add_phrase(text, domain + " governor " + echoed(governor));
  if (scenario.contains("power_cap") && scenario["power_cap"].contains("budget"))
    add_phrase(text, "power capped at " + echoed(scenario["power_cap"]["budget"]));
}

std::string board_phrase(const EchoJson& scenario) {
  std::string text = echoed(scenario.at("device"));
  if (scenario.contains("power_mode")) {
    const EchoJson& mode = scenario["power_mode"];
    add_phrase(text,
               "power mode " + echoed(mode.is_object() ? mode.value("mode", EchoJson("of a file")) : mode));
  }
  if (scenario.value("mps", false)) add_phrase(text, "MPS");
  if (const EchoJson sharing = scenario.value("sharing", EchoJson()); sharing.is_object())
    add_phrase(text, "the GPU in instances " + list_phrase(sharing["mig"]));
  else if (!sharing.is_null())
    add_phrase(text, "the GPU shared by " + echoed(sharing));
  add_clocks(text, scenario);
  Telling rows{text, scenario};
  keys(rows, KeysOf<Scenario>());
  if (!scenario.value("fan", true)) add_phrase(text, "the fan off");
  if (scenario.contains("cpus")) add_phrase(text, "processes on cores " + list_phrase(scenario["cpus"]));
  if (scenario.contains("link"))
    add_phrase(text, fmt::format("requests over a link of {}, {} there and back",
                                 echoed(scenario["link"]["bandwidth"]), echoed(scenario["link"]["rtt"])));
  if (scenario.contains("interrupts"))
    add_phrase(text, "interrupts of " + echoed(scenario["interrupts"]["load"]) + " of a core");
  if (scenario.contains("compositor")) add_phrase(text, "a desktop compositor");
  if (scenario.contains("figures"))
    for (const auto& [path, value] : scenario["figures"].items())
      add_phrase(text, path + " = " + echoed(value));
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
  if (run.value("thermal", "") == "equilibrium")
    add_phrase(text,
               "as warm as its load makes the board (thermal: equilibrium; a run begins cool without it)");
  add_phrase(text, "seed " + echoed(run.value("seed", EchoJson(1))));
  if (const EchoJson count = run.value("replications", EchoJson(1)); count != 1)
    add_phrase(text, echoed(count) + " replications");
  return text;
}

}  // namespace

InWords in_words(const std::string& resolved) {
  const EchoJson scenario = output::parsed_json(resolved);
  InWords words{.board = board_phrase(scenario), .processes = {}, .run = run_phrase(scenario.at("run"))};
  for (const EchoJson& process : scenario.at("processes")) words.processes.push_back(process_phrase(process));
  return words;
}

std::string isolation_of(const std::vector<const Scenario*>& boards) {
  std::int64_t all = 0, together = 0;
  bool clients = false;
  std::map<std::int64_t, std::int64_t> served;  // streams of MPS's clients, by instance of the GPU
  for (const Scenario* const scenario : boards) {
    const bool mps = gpu::way_of(scenario->sharing).needs_mps;
    clients = clients || (mps && scenario->mig.empty());
    for (const ProcessEntry& process : scenario->processes) {
      std::int64_t own = 0;
      for (const ProcessEntry& part : parts_of(process)) own += streams_of(process, part);
      all += own * process.count;
      std::int64_t& others = served[process.gpu.mig.value_or(0)];
      others += mps ? own * process.count : 0;
      together = std::max({together, own, others});
    }
  }
  if (clients) return "a fault on the GPU takes all";
  return fmt::format("a crash takes {} of {}", together == all ? "all" : fmt::format("{}", together), all);
}

}  // namespace jostle::scenarios
