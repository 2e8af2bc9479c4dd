// `jostle import`: converts logs of measuring tools to rows of evidence, all logs or none; and configurations
// of other programs to scenarios.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/recording.hpp"
#include "calibration/logs/run_logs.hpp"
#include "calibration/logs/wrong_device.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "cli/terminal/terminal.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/file_id.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/process/runtimes.hpp"
#include "output/output_file.hpp"
#include "profiles/onnx/network_files.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {
namespace {

// A kind of configuration that becomes a scenario.
struct ConfigurationKind {
  const char* name;
  const char* what;
  calibration::ScenarioImport* read;
};

using calibration::probe::FinishedPart;
using calibration::probe::ProbedParameter;
using calibration::probe::ProbeFolder;

Table parts_table(const ProbeFolder& folder) {
  Table table({left("part"), left(""), right("s"), right("files"), right("parameters"), right("wide"),
               shrinking("not measured", 1)});
  for (const FinishedPart& part : folder.parts) {
    const auto own = [&part](const ProbedParameter& row) { return row.part == part.name; };
    const auto wide = [&own](const ProbedParameter& row) {
      return own(row) && row.measured.relative_sd > calibration::probe::narrow;
    };
    table.add({part.name, part.quick ? "quick" : "", fmt::format("{:.0f}", part.end - part.start),
               fmt::format("{}", part.files.size()),
               fmt::format("{}", std::ranges::count_if(folder.parameters, own)),
               fmt::format("{}", std::ranges::count_if(folder.parameters, wide)), part.note});
  }
  return table;
}

std::string probe_text(const ProbeFolder& folder, const Terminal& terminal) {
  const std::string path = input::printable(folder.path.string(), 400);
  std::string text =
      fmt::format("{}: a probe of {}\n", path, input::printable(board_key(folder.identity), 400));
  text += parts_table(folder).text(terminal.width(), terminal.colour());
  for (const std::string& note : folder.notes) text += "note: " + input::printable(note, 400) + '\n';
  const auto profile = std::ranges::count_if(folder.parameters, [](const ProbedParameter& row) {
    return !row.measured.parameter.starts_with("seen.");
  });
  return text + fmt::format(
                    "{} a profile can take; {} more were seen. Next: jostle calibrate auto {} -o mine.yaml\n",
                    input::counted(profile, "parameter"),
                    static_cast<std::ptrdiff_t>(folder.parameters.size()) - profile, path);
}

const std::vector<ConfigurationKind>& configuration_kinds() {
  static const std::vector<ConfigurationKind> kinds{
      {"deepstream-app", "deepstream-app's configuration, as a scenario", calibration::deepstream_scenario},
      {"triton", "the folder of a model repository of Triton, as a scenario", calibration::triton_scenario},
      {"docker-compose", "a file of docker compose, as a scenario", calibration::compose_scenario},
      {"ros2-tracing", "a trace of ros2_tracing, as babeltrace2 prints it or as CSV, as a scenario",
       calibration::ros2_scenario}};
  return kinds;
}

const ConfigurationKind* find_configuration(const std::string& name) {
  const auto& kinds = configuration_kinds();
  const auto found = std::ranges::find(kinds, name, &ConfigurationKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

// The rate as scenarios write it; empty, with a problem, if it is none.
std::string rate_in_words(const std::string& rate, input::Problems& problems) {
  if (rate.empty()) return rate;
  const auto parsed = input::parse_quantity(rate, input::rate_dimension());
  if (parsed.value && *parsed.value > 0) return fmt::format("{:g} /s", *parsed.value);
  problems.add({}, "--rate", parsed.value ? "must be positive" : parsed.message, parsed.hint);
  return {};
}

ExitCode import_scenario(const ConfigurationKind& kind, const std::string& path,
                         calibration::ImportWishes wishes, const std::string& out, Context& context) {
  input::Problems problems;
  input::note_read(path);
  wishes.folder = std::filesystem::path(out).parent_path().string();
  const auto file = output::open_if_given(out);
  wishes.rate = rate_in_words(wishes.rate, problems);
  if (!wishes.device.empty()) {
    if (const auto profile = profiles::find_profile(wishes.device, problems))
      wishes.default_mode = profile->spec->default_power_mode;
  } else if (!wishes.power_mode.empty()) {
    problems.add({}, "--power-mode", "is a mode of a board", "--device NAME says which");
  }
  const auto scenario = problems.empty() ? kind.read(path, wishes, problems) : std::nullopt;
  // A configuration of another board may ask for the impossible on this one.
  if (scenario)
    static_cast<void>(scenarios::parse_scenario({scenario->text, "the scenario of " + path, wishes.folder},
                                                scenarios::shipped_catalogue(), {}, problems));
  if (!scenario || !problems.empty()) return context.terminal.refuse(problems);
  if (file)
    output::write_whole(*file, scenario->text);
  else
    context.terminal.print_data(scenario->text);
  std::string notes;
  for (const std::string& line : scenario->unsaid) notes += fmt::format("not said: {}\n", line);
  context.terminal.note(notes);
  return ExitCode::done;
}

// Says what the folders of probes among the words hold (on standard output if there is nothing else, beside
// rows of evidence on standard error), and takes them out of the words: their parameters are no rows of
// evidence, but `jostle calibrate auto` reads them. False, with the reasons, if one cannot be read.
bool tell_of_probes(std::vector<std::string>& words, input::Problems& problems, Terminal& terminal) {
  std::vector<std::string> others;
  const bool alone = std::ranges::all_of(
      words, [](const std::string& word) { return calibration::probe::is_probe_folder(word); });
  for (const std::string& word : words) {
    if (!calibration::probe::is_probe_folder(word)) {
      others.push_back(word);
      continue;
    }
    const auto folder = calibration::probe::read_probe_folder(word, problems);
    if (!folder) continue;
    const std::string text = probe_text(*folder, terminal);
    if (alone)
      terminal.print(text);
    else
      terminal.note(text);
  }
  words = std::move(others);
  return problems.empty();
}

using calibration::Format;
using calibration::Source;

struct ImportOptions {
  std::vector<std::string> words;  // FORMAT FILE..., recordings, or FILE... to detect
  std::vector<std::string> onnx;
  std::string out;
  std::string rate;
  bool detect = false;
  calibration::SuppliedFields supplied;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"auto"};
  for (const Format& format : calibration::formats()) names.emplace_back(format.name);
  for (const ConfigurationKind& kind : configuration_kinds()) names.emplace_back(kind.name);
  return names;
}

// The runtimes whose kernels a trace of a framework holds.
std::vector<std::string> framework_names() {
  std::vector<std::string> names;
  for (const process::RuntimeTraits& row : process::runtimes)
    if (row.trains) names.emplace_back(row.name);
  return names;
}

std::string format_list() {
  std::string text = "Formats:\n  auto             detect the format of each file\n";
  for (const Format& format : calibration::formats())
    text += fmt::format("  {:<16} {}\n", format.name, format.what);
  for (const ConfigurationKind& kind : configuration_kinds())
    text += fmt::format("  {:<16} {}\n", kind.name, kind.what);
  return text + "\nColumns and metrics: docs/calibration.md. Files may be compressed with gzip.";
}

ExitCode refuse(const input::Problems& problems, Context& context) {
  context.terminal.clear_progress();
  if (context.interrupted) {
    context.terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  return context.terminal.refuse(problems);
}

ExitCode detect(const ImportOptions& options, Context& context) {
  input::Problems problems;
  std::string text;
  for (const std::string& file : options.words) {
    const auto source = Source::open(file, problems);
    if (!source) continue;
    const calibration::KnownFile* const known = calibration::known_file(source->peek(), source->origin());
    const Format* const format = calibration::detect_format(source->peek());
    if (known != nullptr)
      problems.add_file(file, std::string(known->what), std::string(known->to_do));
    else if (format == nullptr)
      problems.add_file(file, "unknown log format", calibration::unknown_hint(source->peek()));
    else
      text += fmt::format("{}: {} ({})\n", input::file_name(file), format->name, format->what);
  }
  context.terminal.print(text);
  context.terminal.note(problems.text());
  return problems.empty() ? ExitCode::done : ExitCode::bad_input;
}

// The profile of the device, for checks; none, with a note, for a board without a profile.
std::optional<profiles::Profile> profile_of(const std::string& device, Context& context) {
  if (device.empty()) return std::nullopt;
  input::Problems problems;
  auto profile = profiles::find_profile(device, problems);
  if (!profile) {
    context.terminal.note(fmt::format("note: no profile of {}, cannot check that the files belong to it\n{}",
                                      input::printable(device), problems.text()));
  }
  return profile;
}

// The logs that the command line names, each with the information given for it.
calibration::Recording asked_logs(const ImportOptions& options, const Format* format) {
  calibration::Recording asked;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    asked.files.push_back({options.words[i], format, options.supplied});
    asked.folders.push_back(std::filesystem::path(options.words[i]).parent_path().string());
  }
  return asked;
}

// The recordings; the user's information takes precedence over their own.
calibration::Recording asked_recordings(const ImportOptions& options, input::Problems& problems) {
  calibration::Recording asked;
  for (const std::string& path : options.words) {
    calibration::Recording one = calibration::read_recording(path, problems);
    for (calibration::RecordedFile& file : one.files) {
      if (!options.supplied.device.empty()) file.said.device = options.supplied.device;
      asked.files.push_back(std::move(file));
    }
    for (std::string& folder : one.folders) asked.folders.push_back(std::move(folder));
    for (std::string& note : one.notes) asked.notes.push_back(std::move(note));
  }
  return asked;
}

// The imports of each file; a file that does not belong to its device is a problem.
std::vector<calibration::LogFile> read_logs(const calibration::Recording& asked, input::Problems& problems,
                                            Context& context) {
  std::vector<calibration::LogFile> files;
  std::map<std::string, std::optional<profiles::Profile>> profiles;
  for (std::size_t i = 0; i < asked.files.size() && !context.interrupted; ++i) {
    const auto& [path, format, said] = asked.files[i];
    context.terminal.progress("import", static_cast<double>(i) / static_cast<double>(asked.files.size()));
    const auto source = Source::open(path, problems);
    if (!source) continue;
    files.push_back({calibration::import_log(*source, format, problems), said});
    if (!profiles.contains(said.device)) profiles.emplace(said.device, profile_of(said.device, context));
    const auto& profile = profiles.at(said.device);
    for (const calibration::Import& run : files.back().imports) {
      if (!profile) break;
      const std::string why = calibration::contradiction(run.setting, *profile->spec, said.device);
      if (!why.empty()) problems.add_file(path, fmt::format("not of {}: {}", said.device, why));
    }
  }
  return files;
}

// The correct usage; empty if the arguments are correct.
std::string misuse(const ImportOptions& options) {
  const std::string& name = options.words.front();
  if (calibration::find_format(name) != nullptr || name == "auto")
    return options.words.size() > 1 ? ""
                                    : "usage: import FORMAT FILE... (FORMAT may be auto), import "
                                      "RECORDING..., or import --detect FILE...";
  for (const std::string& word : options.words) {
    if (calibration::is_recording(word)) continue;
    if (word.find_first_of("./") != std::string::npos)
      return fmt::format(
          "{}: no folder, and no manifest of a recording; logs need a FORMAT before them: import auto {}",
          input::printable(word), input::printable(word));
    return fmt::format("unknown format '{}': {}", input::printable(word),
                       input::spelling_hint(word, format_names()));
  }
  return {};
}

std::string notes_of(const calibration::Recording& asked, const std::vector<calibration::RunLog>& logs) {
  std::string notes;
  for (const std::string& note : asked.notes) notes += fmt::format("note: {}\n", input::printable(note, 400));
  std::map<std::string, std::size_t> known;  // a recording gives the same note for each of its logs
  for (const calibration::RunLog& log : logs) {
    for (const std::string& note : log.import.notes)
      if (asked.files.size() < 10 || ++known[note] == 1)
        notes +=
            fmt::format("{}: note: {}\n", input::file_name(log.import.origin), input::printable(note, 400));
  }
  for (const auto& [note, count] : known)
    if (count > 1) notes += fmt::format("note: {} more logs: {}\n", count - 1, input::printable(note, 400));
  return notes;
}

// The first option that a configuration has no use for; empty: none is given.
std::string option_of_logs(const ImportOptions& options, const ConfigurationKind& kind) {
  const calibration::SuppliedFields& supplied = options.supplied;
  const bool says_precision = kind.name == std::string_view("deepstream-app");  // network-mode
  const std::array<std::pair<bool, const char*>, 8> given{
      {{supplied.batch.has_value(), "--batch"},
       {supplied.input.has_value(), "--input"},
       {supplied.pinned.has_value(), "--pinned"},
       {supplied.processes.has_value(), "--processes"},
       {!supplied.runtime.empty(), "--runtime"},
       {!supplied.run.empty(), "--run"},
       {!options.onnx.empty(), "--onnx"},
       {says_precision && !supplied.precision.empty(), "--precision"}}};
  for (const auto& [is_given, name] : given)
    if (is_given) return name;
  return {};
}

ExitCode import(ImportOptions options, Context& context) {
  if (const auto* const kind = options.words.empty() ? nullptr : find_configuration(options.words.front())) {
    if (options.words.size() != 2)
      return context.terminal.refuse(fmt::format(
          "usage: import {} {}", kind->name, kind->name == std::string_view("triton") ? "FOLDER" : "FILE"));
    if (const std::string unused = option_of_logs(options, *kind); !unused.empty())
      return context.terminal.refuse(fmt::format(
          "{} is for logs, not for a configuration of {}: change it in the scenario", unused, kind->name));
    return import_scenario(*kind, options.words[1],
                           {.device = options.supplied.device,
                            .power_mode = options.supplied.power_mode,
                            .model = options.supplied.model,
                            .precision = options.supplied.precision,
                            .rate = options.rate,
                            .folder = {}},
                           options.out, context);
  }
  if (!options.rate.empty())
    return context.terminal.refuse("--rate is for configurations that become scenarios, not for logs");
  input::Problems unread;
  if (!tell_of_probes(options.words, unread, context.terminal)) return refuse(unread, context);
  if (options.words.empty()) {
    if (options.out.empty()) return ExitCode::done;
    return context.terminal.refuse(
        "a probe alone gives no rows of evidence; jostle calibrate auto DIR -o mine.yaml makes a profile of "
        "it");
  }
  if (const std::string wrong = misuse(options); !wrong.empty()) return context.terminal.refuse(wrong);
  input::Problems problems;
  const std::string& name = options.words.front();
  const Format* const format = calibration::find_format(name);
  const calibration::Recording asked =
      format != nullptr || name == "auto" ? asked_logs(options, format) : asked_recordings(options, problems);
  for (const calibration::RecordedFile& file : asked.files) input::note_read(file.path);
  const auto out = output::open_if_given(options.out);
  profiles::NetworkFiles networks(options.onnx, asked.folders);
  networks.also_in("");
  std::vector<calibration::LogFile> files = read_logs(asked, problems, context);
  std::vector<calibration::RunLog> logs;
  if (problems.empty() && !context.interrupted)
    logs = calibration::run_logs(std::move(files), networks, problems);
  if (!problems.empty() || context.interrupted) return refuse(problems, context);
  const std::string text = calibration::evidence_header() + calibration::evidence_rows(logs);
  context.terminal.clear_progress();
  if (out)
    output::write_whole(*out, text);
  else
    context.terminal.print_data(text);
  context.terminal.note(notes_of(asked, logs));
  return ExitCode::done;
}

// Adds the options that say of a run what its log does not.
void add_supplied(CLI::App& command, const std::shared_ptr<ImportOptions>& options) {
  add_value(command, "--device", options->supplied.device, "NAME",
            "The board: name or path of a profile, which is checked against the logs, or a new name");
  add_value(command, "--power-mode", options->supplied.power_mode, "NAME", "The power mode of the board");
  command.add_flag_callback(
      "--pinned", [options] { options->supplied.pinned = true; },
      "jetson_clocks pinned the clocks to their maximum");
  add_value(command, "--model", options->supplied.model, "NAME",
            "The network: a built-in name, or its .onnx file (default: from the log)");
  add_value(command, "--precision", options->supplied.precision, "WORD", "fp32, tf32, fp16 or int8")
      ->check(one_of({"fp32", "tf32", "fp16", "int8"}));
  add_value(command, "--batch", options->supplied.batch, "N", "Images per query")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  add_value(command, "--input", options->supplied.input, "N",
            "Side of the image in pixels, or number of tokens (default: the network's)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{32'768}));
  add_value(command, "--runtime", options->supplied.runtime, "NAME",
            "The runtime, as in scenarios: eager or cuda-graph for PyTorch (default: from the log)")
      ->check(one_of(framework_names()));
  add_value(command, "--processes", options->supplied.processes, "N",
            "How many shared the GPU, each with a log of trtexec among the files (default: 1)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000}));
  add_value(command, "--run", options->supplied.run, "NAME",
            "Name of the run that all files are of (default: one a file, by its name)");
  add_value(command, "--rate", options->rate, "RATE",
            "Of configurations and ros2-tracing: the rate of each camera, or of the requests to each model "
            "(such as '25 /s')");
}

}  // namespace

void add_import(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "import",
      "Convert logs of measuring tools to evidence (CSV), or configurations of other programs to scenarios");
  const auto options = std::make_shared<ImportOptions>();
  add_value(*command, "FORMAT", options->words, "FILE",
            "A format from the list below, then log files; or recordings: folders that scripts/record-jetson "
            "wrote, or their manifest.csv, and folders of `jostle probe` (--detect: log files only)")
      ->required();
  add_value(*command, "-o,--out", options->out, "FILE",
            "Write to FILE, all or nothing (default: standard output)");
  command->add_flag("--detect", options->detect, "Print the format of each FILE without importing it")
      ->excludes("--out");
  add_value(*command, "--onnx", options->onnx, "FILE",
            "An .onnx file that logs name by another path; may be repeated (also looked for beside the logs, "
            "and here)");
  add_supplied(*command, options);
  command->footer(format_list());
  add_examples(*command, {"import auto trtexec.log tegrastats.log --run r1 -o imported.csv",
                          "import deepstream-app config.txt --device jetson-orin-nano -o pipeline.yaml",
                          "import --detect trtexec.log"});
  command->callback([&task, options] {
    task = [options](Context& context) {
      return options->detect ? detect(*options, context) : import(*options, context);
    };
  });
}

}  // namespace jostle::cli
