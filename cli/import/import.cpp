// `jostle import`: logs of measuring tools as rows of evidence, all of them or none.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "calibration/evidence/evidence_csv.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/readers/formats.hpp"
#include "calibration/readers/wrong_device.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::cli {
namespace {

using calibration::Format;
using calibration::Source;

struct ImportOptions {
  std::vector<std::string> words;  // FORMAT FILE..., or FILE... to detect
  std::string out;
  bool detect = false;
  calibration::SuppliedFields said;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"auto"};
  for (const Format& format : calibration::formats()) names.emplace_back(format.name);
  return names;
}

std::string format_list() {
  std::string text = "Formats:\n  auto             the one that a file looks like\n";
  for (const Format& format : calibration::formats())
    text += fmt::format("  {:<16} {}\n", format.name, format.what);
  return text + "\nColumns and metrics: docs/calibration.md. Files may be packed with gzip.";
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
      problems.add_file(file, "no log that can be imported", "jostle import --help lists the formats");
    else
      text += fmt::format("{}: {} ({})\n", file, format->name, format->what);
  }
  context.terminal.print(text);
  context.terminal.note(problems.text());
  return problems.empty() ? ExitCode::done : ExitCode::bad_input;
}

// A device of this name, for checks; none for a board that has no profile yet, which is said.
std::optional<calibration::Profile> profile_of(const std::string& device, Context& context) {
  if (device.empty()) return std::nullopt;
  input::Problems problems;
  auto profile = calibration::find_profile(device, problems);
  if (!profile) {
    context.terminal.note(
        fmt::format("note: no profile of {}: whether the files are of it is not checked\n{}",
                    input::printable(device), problems.text()));
  }
  return profile;
}

// To a file beside it, which then takes its name: whoever reads `path` sees all or nothing.
void write_whole(const std::string& path, const std::string& text) {
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  const auto fail = [&path, &part](const char* what) {
    const int error = errno;
    std::remove(part.c_str());
    throw std::runtime_error(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
  };
  std::FILE* const file = std::fopen(part.c_str(), "wbxe");
  if (file == nullptr) fail("cannot be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) fail("cannot be written");
  if (std::rename(part.c_str(), path.c_str()) != 0) fail("cannot be replaced");
}

ExitCode import(const ImportOptions& options, Context& context) {
  if (options.words.size() < 2) {
    context.terminal.complain("import FORMAT FILE... (FORMAT may be auto), or import --detect FILE...");
    return ExitCode::bad_input;
  }
  const std::string& name = options.words.front();
  const Format* const format = calibration::find_format(name);
  if (format == nullptr && name != "auto") {
    context.terminal.complain(fmt::format("unknown format '{}': {}", input::printable(name),
                                          input::spelling_hint(name, format_names())));
    return ExitCode::bad_input;
  }
  const auto profile = profile_of(options.said.device, context);
  input::Problems problems;
  std::string text = calibration::evidence_header(), notes;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    const std::string& file = options.words[i];
    context.terminal.progress("import",
                              static_cast<double>(i - 1) / static_cast<double>(options.words.size() - 1));
    std::error_code ignored;
    if (!options.out.empty() && std::filesystem::equivalent(file, options.out, ignored)) {
      problems.add_file(file, "would be overwritten by --out");
      continue;
    }
    const auto source = Source::open(file, problems);
    if (!source) continue;
    source->stop_when(&context.interrupted);
    auto imports = calibration::import_log(*source, format, problems);
    if (context.interrupted) break;
    for (const calibration::Import& run : imports) {
      if (!profile) break;
      const std::string why = calibration::contradiction(run.setting, profile->spec, options.said.device);
      if (!why.empty()) problems.add_file(file, fmt::format("not of {}: {}", options.said.device, why));
    }
    text += calibration::evidence_rows(imports, options.said, problems);
    for (const calibration::Import& run : imports) {
      for (const std::string& note : run.notes) notes += fmt::format("{}: note: {}\n", file, note);
    }
  }
  if (!problems.empty() || context.interrupted) return refuse(problems, context);
  context.terminal.clear_progress();
  if (options.out.empty())
    context.terminal.print(text);
  else
    write_whole(options.out, text);
  context.terminal.note(notes);
  return ExitCode::done;
}

}  // namespace

void add_import(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("import", "Turn logs of measuring tools into rows of evidence (CSV)");
  const auto options = std::make_shared<ImportOptions>();
  command
      ->add_option("FORMAT", options->words,
                   "A format of the list below, then logs in it (--detect: logs only)")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", options->out, "Write to FILE, all or nothing (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--detect", options->detect, "Say which format each FILE is of, and import nothing")
      ->excludes("--out");
  command
      ->add_option("--device", options->said.device,
                   "The board: a profile's name or path, checked against the logs; or a new name")
      ->type_name("NAME");
  command->add_option("--power-mode", options->said.power_mode, "Its power mode")->type_name("NAME");
  command->add_flag_callback(
      "--pinned", [options] { options->said.pinned = true; },
      "jetson_clocks held the clocks at their limits");
  command->add_option("--model", options->said.model, "The network")->type_name("NAME");
  command->add_option("--precision", options->said.precision, "fp32, tf32, fp16 or int8")
      ->check(one_of({"fp32", "tf32", "fp16", "int8"}))
      ->type_name("WORD");
  command->add_option("--batch", options->said.batch, "Images a query")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->type_name("N");
  command->add_option("--run", options->said.run, "The run's name (default: the file's)")->type_name("NAME");
  command->footer(format_list());
  command->callback([&task, options] {
    task = [options](Context& context) {
      return options->detect ? detect(*options, context) : import(*options, context);
    };
  });
}

}  // namespace jostle::cli
