// `jostle record`: somebody's own networks on this machine, in the tools that run them, into the folder of
// its probe.
#include "calibration/record/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "calibration/probe/board_state.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/record/tools.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "output/temporaries.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
namespace record = calibration::record;

struct RecordOptions : record::RecordQuestion {
  std::string what;
  std::int64_t pairs = 0, seed = 1;
  bool no_compile = false, cpu = false;
};

constexpr const char* torch = "torch";
constexpr const char* any_program = "command";

std::vector<std::string> tool_names() {
  std::vector<std::string> names{torch};
  for (const record::Tool& tool : record::tools()) names.emplace_back(tool.word);
  names.emplace_back(any_program);
  return names;
}

record::RecordListener listener_of(Terminal& terminal) {
  return {.say = [&terminal](const std::string& line) { terminal.note("record: " + line + '\n'); },
          .progress = [&terminal](const std::string& what, double done) { terminal.progress(what, done); }};
}

std::vector<std::string> torch_command(const RecordOptions& options, const std::string& script) {
  std::vector<std::string> words{options.python, script};
  words.insert(words.end(), options.words.begin(), options.words.end());
  const auto add = [&words](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  add("-o", options.folder.string());
  if (!options.batches.empty()) add("--batches", fmt::format("{}", fmt::join(options.batches, ",")));
  if (!options.precisions.empty()) add("--precisions", fmt::format("{}", fmt::join(options.precisions, ",")));
  if (!options.equal.empty()) add("--equal", fmt::format("{}", fmt::join(options.equal, ",")));
  if (options.pairs > 0) add("--pairs", fmt::format("{}", options.pairs));
  add("--seed", fmt::format("{}", options.seed));
  for (const auto& [given, name] :
       {std::pair(options.quick, "--quick"), std::pair(options.no_compile, "--no-compile"),
        std::pair(options.cpu, "--cpu"), std::pair(options.dry_run, "--dry-run")})
    if (given) words.emplace_back(name);
  return words;
}

// PyTorch's networks: the script is a program of its own, whose exit codes are those of this command.
ExitCode record_networks(const RecordOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (record::program_at(options.python).empty()) {
    terminal.complain(
        fmt::format("there is no {}: --python names another one", input::printable(options.python)));
    return ExitCode::failed;
  }
  constexpr double limit_s = 24.0 * 3600;
  constexpr int is_python = 31;  // a code that nothing else ends with
  const record::Command check{{options.python, "-c", fmt::format("import sys; sys.exit({})", is_python)}, {}};
  if (record::run_together({check}, limit_s, context.interrupted, [] {}).codes.front() != is_python) {
    terminal.complain(
        fmt::format("{} is no Python: --python names another one", input::printable(options.python)));
    return ExitCode::failed;
  }
  const output::TemporaryFolder folder;
  const fs::path script = fs::path(folder.path()) / "record_torch.py";
  calibration::probe::write_file(script, record::script_of(torch));
  if (!options.dry_run)
    if (const std::string why = record::not_ready(options.busy, context.interrupted, listener_of(terminal));
        !why.empty()) {
      terminal.complain(why);
      return ExitCode::failed;
    }
  const calibration::probe::MachineFiles machine("/");
  calibration::probe::StateWatch watch(machine);
  const record::Ran ran = record::run_together({{torch_command(options, script.string()), {}}}, limit_s,
                                               context.interrupted, [&watch] { watch.look(false); });
  if (ran.interrupted) return ExitCode::interrupted;
  if (!watch.changed().empty() && !options.dry_run) {
    terminal.complain(fmt::format(
        "the state of the machine changed meanwhile: {}; remove what was recorded since, and record it again",
        watch.changed()));
    return ExitCode::set_aside;
  }
  const auto code = static_cast<ExitCode>(ran.codes.front());
  const bool own = code == ExitCode::done || code == ExitCode::bad_input || code == ExitCode::set_aside;
  return own ? code : ExitCode::failed;
}

bool is_expression(const std::string& text) {
  try {
    return std::regex(text).mark_count() > 0;
  } catch (const std::regex_error&) {
    return false;
  }
}

std::string misuse(const RecordOptions& options) {
  const std::string& what = options.what;
  const bool is_torch = what == torch, is_command = what == any_program;
  if (!is_torch && !is_command && record::find_tool(what) == nullptr)
    return fmt::format("unknown tool '{}': {}", input::printable(what),
                       input::spelling_hint(what, tool_names()));
  if (!is_torch && (options.pairs > 0 || options.no_compile || options.cpu))
    return "--pairs, --no-compile and --cpu belong to `record torch`";
  if (!is_command && !(options.name.empty() && options.pattern.empty() && options.runtime.empty()))
    return "--name, --runtime and --pattern belong to `record command`";
  if (!options.pattern.empty() && !is_expression(options.pattern))
    return "--pattern is no regular expression with a group for the number: " +
           input::printable(options.pattern);
  if (!is_command) return {};
  if (options.name.empty()) return "`record command` needs --name: the network that the program runs";
  if (options.precisions.size() != 1)
    return "`record command` needs --precisions with the one in which the program runs";
  std::vector<std::string> runtimes;
  for (const auto& [name, runtime] : scenarios::runtime_names()) runtimes.emplace_back(name);
  if (std::ranges::find(runtimes, options.runtime) == runtimes.end())
    return fmt::format("`record command` needs --runtime, the program's as scenarios name it: {}",
                       input::spelling_hint(options.runtime, runtimes));
  return {};
}

ExitCode ended(const record::RecordReport& report, const RecordOptions& options, Terminal& terminal) {
  if (report.ended == record::RecordEnded::refused) {
    terminal.complain(report.why);
    return ExitCode::failed;
  }
  if (report.ended == record::RecordEnded::interrupted) {
    terminal.complain("interrupted; the same command goes on after the models that are finished");
    return ExitCode::interrupted;
  }
  if (!report.finished.empty())
    terminal.print(fmt::format("Recorded: {}.\n", fmt::join(report.finished, ", ")));
  if (!report.kept.empty())
    terminal.print(fmt::format("Kept from before: {}.\n", fmt::join(report.kept, ", ")));
  if (!report.aside.empty())
    terminal.print(fmt::format("Left out: {}; the reason is in why.txt of each folder.\n",
                               fmt::join(report.aside, ", ")));
  if (options.dry_run) return ExitCode::done;
  if (report.finished.empty() && report.kept.empty()) return ExitCode::failed;
  const std::string folder = input::printable(options.folder.string(), 400);
  const bool probed = calibration::probe::is_probe_folder(options.folder);
  terminal.print(fmt::format("Next: {}jostle calibrate auto {} -o mine.yaml\n",
                             probed ? "" : fmt::format("jostle probe -o {}, then ", folder), folder));
  return report.aside.empty() ? ExitCode::done : ExitCode::set_aside;
}

ExitCode run_record(const RecordOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (const std::string wrong = misuse(options); !wrong.empty()) return terminal.refuse(wrong);
  if (options.what == torch) return record_networks(options, context);
  const record::Tool* const tool = record::find_tool(options.what);
  const record::RecordReport report =
      record::record_tool(tool, options, context.interrupted, listener_of(terminal));
  terminal.clear_progress();
  return ended(report, options, terminal);
}

}  // namespace

void add_record(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "record", "Record one's own networks on this machine, alone and together, for calibrate auto");
  const auto options = std::make_shared<RecordOptions>();
  options->folder = "board";
  add_value(*command, "WHAT", options->what, "",
            "torch, trtexec, onnxruntime, llama, tflite, ncnn, or command")
      ->required();
  add_value(*command, "NETWORK", options->words, "",
            "torch: a FILE.py whose networks() gives name: (module, example input), or names of torchvision, "
            "timm:NAME, transformers:TYPE; the others: files of models; command: -- PROGRAM ARGUMENT...")
      ->required();
  add_value(*command, "-o,--output", options->folder, "DIR",
            "The folder of the probe; what was recorded there is kept (default: board)");
  add_value(*command, "--batches", options->batches, "N,...",
            "Batches (default: 1,4,16 of torch, the model's of others)")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{4096}));
  add_value(*command, "--precisions", options->precisions, "WORD,...",
            "fp32, tf32, fp16, int8 (default: the module's own and fp16; command: the one of the program)")
      ->delimiter(',')
      ->check(one_of({"fp32", "tf32", "fp16", "int8"}));
  add_value(*command, "--pairs", options->pairs, "N",
            "torch: record so many mixes, drawn at random; calibrate auto holds them out")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1000}));
  add_value(*command, "--equal", options->equal, "N,...", "Record so many equal processes at once as well")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{64}));
  add_value(*command, "--seed", options->seed, "N", "torch: seed of the mixes (default: 1)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  add_value(*command, "--python", options->python, "PROGRAM",
            "The Python that has torch or onnxruntime (default: python3)");
  add_value(*command, "--input", options->input, "NAME:DIMS",
            "trtexec: an input whose dimensions are open: x:3x224x224");
  add_value(*command, "--name", options->name, "NAME", "command: the network that the program runs");
  add_value(*command, "--runtime", options->runtime, "NAME", "command: its runtime, as scenarios name it");
  add_value(
      *command, "--pattern", options->pattern, "REGEX",
      "command: what the program prints, the number in a group (default: usual words for images/s and ms)");
  add_choice(*command, "--unit", options->unit, "images/s|ms|us",
             "command: the unit of that number, ms and us of a batch");
  command->add_flag("--quick", options->quick,
                    "At most 30 s a network, without torch.compile and settled watts");
  command->add_flag("--no-compile", options->no_compile, "torch: leave torch.compile out");
  command->add_flag("--cpu", options->cpu, "torch: leave the GPU alone");
  command->add_flag("--busy", options->busy, "Record although others use the processor or the GPU");
  command->add_flag("--dry-run", options->dry_run,
                    "Say what would be recorded and how long it takes, and end");
  add_examples(*command,
               {"record command --name resnet50 --precisions fp16 --runtime libtorch --dry-run -- sleep 1",
                "record onnxruntime model.onnx --quick --dry-run"});
  set_task(*command, task, options, run_record);
}

}  // namespace jostle::cli
