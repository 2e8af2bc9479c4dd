// `jostle import`: converts logs of measuring tools to rows of evidence; all logs or none.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "calibration/evidence/evidence_csv.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/readers/formats.hpp"
#include "calibration/readers/wrong_device.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/file.hpp"
#include "input/file_id.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

using calibration::Format;
using calibration::Source;

struct ImportOptions {
  std::vector<std::string> words;  // FORMAT FILE..., or FILE... to detect
  std::string out;
  bool detect = false;
  calibration::SuppliedFields supplied;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"auto"};
  for (const Format& format : calibration::formats()) names.emplace_back(format.name);
  return names;
}

std::string format_list() {
  std::string text = "Formats:\n  auto             detect the format of each file\n";
  for (const Format& format : calibration::formats())
    text += fmt::format("  {:<16} {}\n", format.name, format.what);
  return text + "\nColumns and metrics: docs/calibration.md. Files may be compressed with gzip.";
}

ExitCode refuse(const input::Problems& problems, Context& context) {
  context.terminal.clear_progress();
  if (context.interrupted) {
    context.terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  context.terminal.note(problems.text());
  return ExitCode::bad_input;
}

ExitCode detect(const ImportOptions& options, Context& context) {
  input::Problems problems;
  std::string text;
  for (const std::string& file : options.words) {
    const auto source = Source::open(file, problems);
    if (!source) continue;
    const Format* const format = calibration::detect_format(source->peek());
    if (format == nullptr)
      problems.add_file(file, "unknown log format", "jostle import --help lists the formats");
    else
      text += fmt::format("{}: {} ({})\n", input::file_name(file), format->name, format->what);
  }
  context.terminal.print(text);
  context.terminal.note(problems.text());
  return problems.empty() ? ExitCode::done : ExitCode::bad_input;
}

// The profile of the device, for checks; none, with a note, for a board without a profile.
std::optional<calibration::Profile> profile_of(const std::string& device, Context& context) {
  if (device.empty()) return std::nullopt;
  input::Problems problems;
  auto profile = calibration::find_profile(device, problems);
  if (!profile) {
    context.terminal.note(fmt::format("note: no profile of {}, cannot check that the files belong to it\n{}",
                                      input::printable(device), problems.text()));
  }
  return profile;
}

ExitCode import(const ImportOptions& options, Context& context) {
  if (options.words.size() < 2) {
    context.terminal.complain(
        "usage: import FORMAT FILE... (FORMAT may be auto), or import --detect FILE...");
    return ExitCode::bad_input;
  }
  const std::string& name = options.words.front();
  const Format* const format = calibration::find_format(name);
  if (format == nullptr && name != "auto") {
    context.terminal.complain(fmt::format("unknown format '{}': {}", input::printable(name),
                                          input::spelling_hint(name, format_names())));
    return ExitCode::bad_input;
  }
  const auto profile = profile_of(options.supplied.device, context);
  for (const std::string& file : options.words) input::note_read(file);
  const auto out = output::open_if_given(options.out);
  input::Problems problems;
  std::string text = calibration::evidence_header(), notes;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    const std::string& file = options.words[i];
    context.terminal.progress("import",
                              static_cast<double>(i - 1) / static_cast<double>(options.words.size() - 1));
    const auto source = Source::open(file, problems);
    if (!source) continue;
    auto imports = calibration::import_log(*source, format, problems);
    if (context.interrupted) break;
    for (const calibration::Import& run : imports) {
      if (!profile) break;
      const std::string why =
          calibration::contradiction(run.setting, *profile->spec, options.supplied.device);
      if (!why.empty()) problems.add_file(file, fmt::format("not of {}: {}", options.supplied.device, why));
    }
    text += calibration::evidence_rows(imports, options.supplied, problems);
    for (const calibration::Import& run : imports) {
      for (const std::string& note : run.notes)
        notes += fmt::format("{}: note: {}\n", input::file_name(file), input::printable(note, 400));
    }
  }
  if (!problems.empty() || context.interrupted) return refuse(problems, context);
  context.terminal.clear_progress();
  if (out)
    output::write_whole(*out, text);
  else
    context.terminal.print_data(text);
  context.terminal.note(notes);
  return ExitCode::done;
}

}  // namespace

void add_import(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("import", "Convert logs of measuring tools to evidence (CSV)");
  const auto options = std::make_shared<ImportOptions>();
  command
      ->add_option("FORMAT", options->words,
                   "A format from the list below, then log files (--detect: log files only)")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", options->out, "Write to FILE, all or nothing (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--detect", options->detect, "Print the format of each FILE without importing it")
      ->excludes("--out");
  command
      ->add_option("--device", options->supplied.device,
                   "The board: name or path of a profile, which is checked against the logs, or a new name")
      ->type_name("NAME");
  command->add_option("--power-mode", options->supplied.power_mode, "The power mode of the board")
      ->type_name("NAME");
  command->add_flag_callback(
      "--pinned", [options] { options->supplied.pinned = true; },
      "jetson_clocks pinned the clocks to their maximum");
  command->add_option("--model", options->supplied.model, "The network")->type_name("NAME");
  command->add_option("--precision", options->supplied.precision, "fp32, tf32, fp16 or int8")
      ->check(one_of({"fp32", "tf32", "fp16", "int8"}))
      ->type_name("WORD");
  command->add_option("--batch", options->supplied.batch, "Images per query")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->type_name("N");
  command->add_option("--run", options->supplied.run, "Name of the run (default: from the file name)")
      ->type_name("NAME");
  command->footer(format_list());
  add_examples(*command,
               {"import auto trtexec.log tegrastats.log --device jetson-orin-nano-super -o imported.csv",
                "import --detect trtexec.log"});
  command->callback([&task, options] {
    task = [options](Context& context) {
      return options->detect ? detect(*options, context) : import(*options, context);
    };
  });
}

}  // namespace jostle::cli
