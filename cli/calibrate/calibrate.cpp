// `jostle calibrate`: fits the profile of a board to measurements and reports its error on held-out runs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/calibrate/board/recorded.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/calibrate/automatic.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

// Shows the file name in place of a file's content hash: "factor onnx-0123456789abcdef fp16" as "factor
// mine.onnx fp16".
std::string shown(std::string path, const calibration::Calibration& calibration) {
  for (const auto& [content, file] : calibration.files)
    if (const std::size_t at = path.find(content); at != std::string::npos)
      path.replace(at, content.size(), std::filesystem::path(file).filename().string());
  return path;
}

// The change from the value before to the fitted one, in percent.
std::string change_of(const calibration::FittedParameter& parameter) {
  const auto before = input::quantity(parameter.prior), after = input::quantity(parameter.value);
  if (!before || !after || before->unit != after->unit || !(before->number > 0)) return "";
  return fmt::format("{:+.1f}", 100 * (after->number / before->number - 1));
}

Table parameter_table(const calibration::Calibration& calibration) {
  Table table({shrinking("parameter"), right("before"), right("fitted"), right("change, %"), right("±%"),
               left("grade", 1), right("variance / prior, %", 2)});
  for (const calibration::FittedParameter& parameter : calibration.parameters) {
    table.add({shown(parameter.path, calibration), parameter.prior, parameter.value, change_of(parameter),
               fmt::format("{:.1f}", 100 * parameter.sd), parameter.grade(),
               fmt::format("{:.0f}", 100 * parameter.variance_left)});
  }
  return table;
}

// The rows of each file that were used, and the others with the reasons.
std::string credits(const calibration::EvidenceFiles& files) {
  std::string text;
  for (const calibration::EvidenceFile& file : files.files) {
    text += fmt::format("{}: {} used\n", input::file_name(file.path), input::counted(file.used, "row"));
    for (const auto& [why, rows] : file.unused)
      text +=
          fmt::format("  {} without effect: {}\n", input::counted(rows, "row"), input::printable(why, 400));
  }
  return text;
}

// A warning for each file none of whose rows has an effect.
void warn_of_useless(const calibration::EvidenceFiles& files, Terminal& terminal) {
  for (const calibration::EvidenceFile& file : files.files)
    if (file.used == 0)
      terminal.complain(fmt::format("warning: {}: no row has an effect on the profile; the reasons are below",
                                    input::file_name(file.path)));
}

// The kernel tables, and the parameters that the fit moved out of what it can explain.
std::string tables_text(const calibration::BoardCalibration& outcome, const CalibrateOptions& options) {
  const calibration::Calibration& found = outcome.calibration;
  std::string text;
  for (const std::string& note : outcome.notes) text += "note: " + note + '\n';
  for (const std::string& note : found.own.notes) text += "note: " + note + '\n';
  if (!found.own.empty()) {
    const std::string rates =
        found.own.rates > 0
            ? input::counted(found.own.rates, "rate") + " of networks alone"
            : std::string("no rate of their networks: kernels as profiled, without gaps between them");
    const std::string where =
        options.output.empty() ? " (not written, as there is no --output)" : " in " + outcome.kernels;
    text += fmt::format("{}{}, with {}\n", input::counted(found.own.tables, "kernel table"), where, rates);
  }
  for (const calibration::FittedParameter& parameter : found.parameters)
    if (parameter.at_bound)
      text += fmt::format(
          "{} is at the bound of its range: something else explains these runs, so it is not graded fitted\n",
          shown(parameter.path, found));
  return text;
}

// The errors on the held-out runs, in sentences. `traces`: only power is held out of a fit to traces.
std::string held_out_text(const calibration::BoardCalibration& outcome, bool quick, bool traces) {
  if (quick || outcome.groups.empty()) return {};
  std::string text;
  for (const calibration::ComparisonGroup& group : outcome.groups) {
    if (group.name.find("left out") == std::string::npos) continue;
    for (const calibration::ErrorSummary& summary : calibration::summarise(group)) {
      if (summary.quantity != "throughput" && summary.quantity != "power") continue;
      text += fmt::format("With {}, {} is off by {:.1f} % on average, {:+.1f} % at worst.\n", group.name,
                          summary.quantity, 100 * summary.mean_absolute, 100 * summary.worst);
    }
  }
  return text.empty() && !traces ? "Nothing could be held out: a run in another power mode, of another "
                                   "network or with more processes would test the fit.\n"
                                 : text;
}

std::string next_log_text(const calibration::BoardCalibration& outcome) {
  if (outcome.next_logs.empty()) return {};
  const calibration::NextLog& best = outcome.next_logs.front();
  return fmt::format(
      "Most useful next log: {}. It would narrow the interval of {} from +-{:.0f} to +-{:.0f} %.\n", best.log,
      best.narrows, 100 * best.before, 100 * best.after);
}

constexpr const char* automatic = "auto";

// A profile from a probe's folder. What else there is goes on top of it, one after the other.
ExitCode calibrate_auto(const CalibrateOptions& options, Context& context) {
  const bool plain = options.evidence.size() == 1 && options.onnx.empty() && !options.fresh && !options.quick;
  if (!plain || !calibration::probe::is_probe_folder(options.evidence.front()))
    return context.terminal.refuse(
        plain ? fmt::format("{} {}", input::printable(options.evidence.front(), 400),
                            calibration::has_recorded(options.evidence.front())
                                ? "holds recorded networks and no probe: run `jostle probe -o` with the same "
                                  "folder on that machine"
                                : "is no folder that `jostle probe` wrote")
              : "`calibrate auto` takes one folder that `jostle probe` wrote, --output, --name, --html and "
                "--host; other evidence goes on top: jostle calibrate mine.yaml EVIDENCE... -o better.yaml");
  return calibrate_automatically(options, context);
}

ExitCode calibrate(const CalibrateOptions& options, Context& context) try {
  if (options.device == automatic) return calibrate_auto(options, context);
  if (options.host || !options.html.empty())
    return context.terminal.refuse("--host and --html belong to `calibrate auto`, a profile from a probe");
  Terminal& terminal = context.terminal;
  input::Problems problems;
  const auto base = profiles::base_profile(options.device, problems);
  if (!base) return terminal.refuse(problems);
  calibration::BoardCalibrationControl control;
  control.fit.interrupt = &context.interrupted;
  control.fit.progress = [&terminal] { terminal.progress("calibrate", 0); };
  control.validating = [&terminal](double done) { terminal.progress("validate", done); };
  const calibration::EvidenceFiles files = calibration::read_evidence_files(options.evidence, options.onnx);
  for (const std::string& file : files.skipped)
    terminal.note(input::file_name(file) + ": skipped, not a known measurement format\n");
  for (const std::string& note : files.notes) terminal.note("note: " + note + '\n');
  const calibration::ProfileFiles profile(options.output);
  const calibration::BoardCalibration found = calibration::calibrate_board(*base, files, options, control);
  terminal.clear_progress();
  profile.write(found);
  terminal.print(parameter_table(found.calibration).text(terminal.width(), terminal.colour()) +
                 (found.groups.empty() ? std::string()
                                       : '\n' + error_text(found.groups, ErrorRows::all, terminal.width(),
                                                           terminal.colour())));
  warn_of_useless(files, terminal);
  const std::string words = credits(files) + tables_text(found, options) +
                            held_out_text(found, options.quick, !files.traces.empty()) + next_log_text(found);
  if (!words.empty()) terminal.print('\n' + words);
  if (!found.calibration.converged)
    terminal.complain("the fit did not converge; the parameters are the best found");
  return ExitCode::done;
} catch (const input::CsvError& error) {
  return context.terminal.refuse(error.what());
} catch (const calibration::CalibrationError& error) {
  return context.terminal.refuse(error.what());
}

}  // namespace

void add_calibrate(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "calibrate", "Fit a device profile to measurements of one board and report its error on held-out runs");
  const auto options = std::make_shared<CalibrateOptions>();
  add_value(*command, "DEVICE", options->device, "",
            "The shipped profile closest to the board, or one of one's own (a .yaml file) to go on from; "
            "auto: the one closest to what `jostle probe` found, whose folder follows, with the networks "
            "that `jostle record` left in it")
      ->required();
  add_value(*command, "EVIDENCE", options->evidence, "",
            "CSV files of measurements, or a folder of them (see docs/calibration.md)")
      ->required();
  add_value(*command, "--onnx", options->onnx, "FILE",
            "The .onnx file of a network in the evidence, identified by its content; may be repeated (also "
            "searched in the folder of the evidence and in the working directory)");
  add_value(*command, "-o,--output", options->output, "FILE", "Write the profile to this file");
  add_value(*command, "--name", options->name, "NAME", "Name of the profile (default: from the file name)");
  command->add_flag("--fresh", options->fresh,
                    "Start from reference ranges instead of the fitted values of the shipped profile");
  add_html(*command, options->html);
  command->add_flag(
      "--host", options->host,
      "With auto: a profile of the cores and the memory alone, as of a machine without a GPU and networks");
  command->add_flag("--quick", options->quick, "Skip the error on held-out runs");
  add_examples(*command, {"calibrate jetson-orin-nano-super evidence.csv -o my-board.yaml",
                          "calibrate jetson-orin-nano-super evidence.csv --quick"});
  set_task(*command, task, options, calibrate);
}

}  // namespace jostle::cli
