// `jostle compare`: runs two scenarios, or two profiles under one scenario, with the same seeds.
#include "analyses/compare/compare.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyses/interval/power_interval.hpp"
#include "cli/compare/text.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/run/report.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

struct CompareOptions {
  ScenarioFiles scenarios;
  std::vector<std::string> profiles, set_b;
  std::optional<std::size_t> replications;
  std::string until;  // a share; empty: none
  std::string format, html;
  bool interval = false;
};

// A profile as an override of the `device` of a scenario file. A path is made relative to that file.
scenarios::OtherOption device_option(const std::string& profile, const std::string& file) {
  namespace fs = std::filesystem;
  const std::string typed = "--profile " + profile;
  if (!input::is_path(profile)) return {typed, "device=" + profile};
  const fs::path folder = fs::path(file).parent_path();
  const std::string there = fs::proximate(profile, folder.empty() ? fs::path(".") : folder).string();
  return {typed, "device=" + (input::has_yaml_extension(there) ? there : "./" + there)};
}

// The files and overrides of A and of B; none, with a message, if the options do not name two sides.
std::optional<std::pair<ScenarioFiles, ScenarioFiles>> sides_of(const CompareOptions& options,
                                                                Terminal& terminal) {
  const std::vector<std::string>& files = options.scenarios.files;
  ScenarioFiles a = options.scenarios, b = options.scenarios;
  if (options.profiles.size() == 2 && files.size() == 1) {
    a.options.others.push_back(device_option(options.profiles[0], files[0]));
    b.options.others.push_back(device_option(options.profiles[1], files[0]));
  } else if (options.profiles.empty() &&
             (files.size() == 2 || (files.size() == 1 && !options.set_b.empty()))) {
    a.files = {files.front()};
    b.files = {files.back()};
  } else {
    terminal.complain(
        "compare two scenarios (A.yaml B.yaml), a scenario with a change of it (A.yaml --set-b KEY=VALUE), "
        "or "
        "a scenario on two devices (A.yaml --profile X --profile Y)");
    return std::nullopt;
  }
  for (const std::string& change : options.set_b) b.options.others.push_back({"--set-b " + change, change});
  return std::pair(std::move(a), std::move(b));
}

// The numbers of pairs to run; none, with a message, if `until` is not a share.
std::optional<analyses::Pairs> pairs_of(const CompareOptions& options, Terminal& terminal) {
  analyses::Pairs pairs{.most = options.replications};
  if (!options.until.empty()) {
    const input::QuantityResult share = input::parse_quantity(options.until, input::share_dimension());
    if (!share.value || *share.value <= 0 || *share.value >= 1) {
      terminal.complain(share.value ? "--until: must be between 0 % and 100 %"
                                    : fmt::format("--until: {}; {}", share.message, share.hint));
      return std::nullopt;
    }
    pairs.until = share.value;
  }
  return pairs;
}

analyses::ComparedNames names_of(const CompareOptions& options) {
  const std::vector<std::string>& files = options.scenarios.files;
  analyses::ComparedNames names{input::file_name(files.front()), input::file_name(files.back())};
  if (options.profiles.size() == 2) {
    names.a += " on " + input::file_name(options.profiles[0]);
    names.b += " on " + input::file_name(options.profiles[1]);
  }
  for (const std::string& change : options.set_b) names.b += " with " + input::printable(change, 100);
  return names;
}

ExitCode print_comparison(const CompareOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  const auto sides = sides_of(options, terminal);
  const auto pairs = sides ? pairs_of(options, terminal) : std::nullopt;
  if (!pairs) return ExitCode::bad_input;
  // Both are read before either is checked, so that the problems of both are reported.
  const auto a = read(sides->first, terminal), b = read(sides->second, terminal);
  if (!a || !b) return ExitCode::bad_input;
  const auto page = output::open_if_given(options.html);
  const analyses::ComparedNames names = names_of(options);
  scenarios::RunControl control;
  control.interrupt = &context.interrupted;
  control.progress = [&](double done) { terminal.progress("compare", done); };
  analyses::Compared compared = analyses::compare(a->front(), b->front(), *pairs, control);
  if (options.interval) {
    analyses::add_power_interval(compared.a.front(), a->front(), control);
    analyses::add_power_interval(compared.b.front(), b->front(), control);
  }
  terminal.clear_progress();
  const PageWords words = comparison_words(compared, names);
  if (options.format == "json")
    terminal.print_data(analyses::comparison_json(compared, names) + "\n");
  else
    terminal.print(words_text(words, terminal.width(), terminal.colour()));
  if (page) {
    output::write_whole(
        *page, html_page("compare", a->front().name + ": B against A",
                         {{"words", words_json(words)},
                          {"comparison", output::parsed_json(analyses::comparison_json(compared, names))}}));
  }
  const bool a_fits = say_who_fits(names.a, compared.a.front(), terminal);
  const bool b_fits = say_who_fits(names.b, compared.b.front(), terminal);
  return a_fits && b_fits ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_compare(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "compare", "Run two scenarios, or one on two devices, with the same seeds and show the differences");
  const auto options = std::make_shared<CompareOptions>();
  add_scenario_files(*command, options->scenarios);
  command->get_option("FILE")->expected(1, 2)->description("Scenario files (YAML): A and B, or only A");
  add_value(*command, "--profile", options->profiles, "DEVICE",
            "Device (name or path of a profile) to run the scenario on; must be given twice")
      ->allow_extra_args(false);
  add_value(*command, "--set-b", options->set_b, "KEY=VALUE",
            "As --set, for B only; with one file, B is that file with the change")
      ->allow_extra_args(false);
  add_value(*command, "--replications", options->replications, "N",
            "Number of pairs of runs, one seed each (default 10; with --until their maximum, 100)")
      ->check(CLI::Range(1, 10000));
  add_value(*command, "--until", options->until, "SHARE",
            "Run pairs until the differences in throughput are known to this share of A's (95 %)");
  command->add_flag("--interval", options->interval,
                    "Add pi90 of power, the 90 % prediction interval, of A and of B (about 160 runs more)");
  add_choice(*command, "--format", options->format, "table|json", "A table (default) or one line of JSON");
  add_html(*command, options->html);
  add_examples(*command,
               {"compare gate.yaml gate_batch8.yaml", "compare gate.yaml --set-b processes.0.batch=8",
                "compare gate.yaml --profile jetson-orin-nano --profile jetson-orin-nano-super"});
  set_task(*command, task, options, print_comparison);
}

}  // namespace jostle::cli
