// `jostle calibrate`: fits the profile of a board to measurements and reports its error on held-out runs.
#include "analyses/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "analyses/calibrate/held_out.hpp"
#include "analyses/calibrate/next_log.hpp"
#include "analyses/calibrate/traces.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "cli/validate/evidence_files.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/quantity.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

struct CalibrateOptions {
  std::string device, output, name;
  std::vector<std::string> evidence, onnx;
  bool fresh = false, quick = false;
};

// "factor onnx-0123456789abcdef fp16" as "factor mine.onnx fp16".
std::string shown(std::string path, const analyses::Calibration& calibration) {
  for (const auto& [content, file] : calibration.files)
    if (const std::size_t at = path.find(content); at != std::string::npos)
      path.replace(at, content.size(), std::filesystem::path(file).filename().string());
  return path;
}

// From the value before to the fitted one, in percent.
std::string change_of(const analyses::FittedParameter& parameter) {
  const auto before = input::quantity(parameter.prior), after = input::quantity(parameter.value);
  if (!before || !after || before->unit != after->unit || !(before->number > 0)) return "";
  return fmt::format("{:+.1f}", 100 * (after->number / before->number - 1));
}

Table parameter_table(const analyses::Calibration& calibration) {
  Table table({{"parameter", Align::left, 0, true},
               {"before", Align::right},
               {"fitted", Align::right},
               {"change, %", Align::right},
               {"±%", Align::right},
               {"grade", Align::left, 1},
               {"variance / prior, %", Align::right, 2}});
  for (const analyses::FittedParameter& parameter : calibration.parameters) {
    table.add({shown(parameter.path, calibration), parameter.prior, parameter.value, change_of(parameter),
               fmt::format("{:.1f}", 100 * parameter.sd), parameter.grade(),
               fmt::format("{:.0f}", 100 * parameter.variance_left)});
  }
  return table;
}

analyses::PriorsFrom priors_from(const CalibrateOptions& options) {
  return options.fresh ? analyses::PriorsFrom::reference : analyses::PriorsFrom::profile;
}

std::string name_of(const std::string& file) {
  std::filesystem::path path(file);
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

// The evidence as it is named in the sources of parameters: what was given, or the files of it that count.
std::string source_of(const CalibrateOptions& options, const EvidenceFiles& files) {
  std::vector<std::string> names;
  for (const EvidenceFile& file : files.files)
    if (file.used > 0) names.push_back(name_of(file.path));
  if (names.empty() || options.evidence.size() < names.size()) {  // folders
    names.clear();
    for (const std::string& given : options.evidence) names.push_back(name_of(given));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// What each file gave to the fit.
std::string credits(const EvidenceFiles& files) {
  std::string text;
  for (const EvidenceFile& file : files.files)
    text += fmt::format("{}: {} used\n", input::file_name(file.path), input::counted(file.used, "row"));
  return text;
}

struct Outcome {
  analyses::Calibration calibration;
  std::vector<analyses::ComparisonGroup> groups;
  calibration::Uncertainty uncertainty;
  std::vector<analyses::NextLog> next_logs = {};
};

// What the held-out runs say, in a sentence.
std::string held_out_text(const Outcome& outcome, bool quick) {
  if (quick || outcome.groups.empty()) return {};
  std::string text;
  for (const analyses::ComparisonGroup& group : outcome.groups) {
    if (group.name.find("left out") == std::string::npos) continue;
    for (const analyses::ErrorSummary& summary : analyses::summarise(group)) {
      if (summary.quantity != "throughput") continue;
      text += fmt::format("With {}, throughput is off by {:.1f} % on average, {:+.1f} % at worst.\n",
                          group.name, 100 * summary.mean_absolute, 100 * summary.worst);
    }
  }
  return text.empty()
             ? "Nothing could be held out: a run in another power mode, of another network or with more "
               "processes would test the fit.\n"
             : text;
}

std::string next_log_text(const Outcome& outcome) {
  if (outcome.next_logs.empty()) return {};
  const analyses::NextLog& best = outcome.next_logs.front();
  return fmt::format(
      "One more log would tell most: {} would narrow the interval of {} from +-{:.0f} to +-{:.0f} %.\n",
      best.log, best.narrows, 100 * best.before, 100 * best.after);
}

Outcome fit_runs(const calibration::BaseProfile& base,
                 const std::vector<analyses::RunConfiguration>& configurations,
                 const CalibrateOptions& options, const analyses::CalibrationControl& control) {
  Outcome outcome{analyses::calibrate(base, configurations, priors_from(options), control), {}, {}};
  outcome.uncertainty = outcome.calibration.uncertainty();
  outcome.groups.push_back(analyses::fitted_on(outcome.calibration, configurations, control));
  outcome.next_logs =
      analyses::next_logs(base, configurations, priors_from(options), outcome.calibration, control);
  if (options.quick) return outcome;
  analyses::HeldOut held_out =
      analyses::held_out(base, configurations, priors_from(options), outcome.calibration, control);
  for (auto& group : held_out.groups) outcome.groups.push_back(std::move(group));
  outcome.uncertainty.residuals = analyses::residuals_of(held_out.rows);
  return outcome;
}

// Makes the profile refer to the kernel measurements in the evidence folder, if any, instead of those of the
// base.
void use_own_kernels(analyses::Calibration& found, const calibration::TraceFiles& files,
                     const CalibrateOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::absolute(options.evidence.front());
  if (!files.has(calibration::TraceKind::kernels) || !files.has(calibration::TraceKind::solo) ||
      !fs::exists(folder / "kernels.csv", error) || !fs::exists(folder / "solo.csv", error))
    return;
  found.profile.spec->evidence = folder.string() + '/';
  const fs::path output =
      options.output.empty() ? fs::current_path() / "profile" : fs::absolute(options.output);
  found.evidence = (folder.lexically_normal().lexically_proximate(output.parent_path()) / "").string();
}

// The profile is validated against all files, including those that the fit did not read.
Outcome fit_traces(const calibration::BaseProfile& base, const calibration::TraceFiles& files,
                   const CalibrateOptions& options, Context& context) {
  Outcome outcome{analyses::calibrate_traces(base, files, priors_from(options)), {}, {}};
  outcome.uncertainty = outcome.calibration.uncertainty();
  use_own_kernels(outcome.calibration, files, options);
  if (options.quick) return outcome;
  const auto progress = [&context](double done) {
    if (context.interrupted) throw scenarios::Interrupted();
    context.terminal.progress("validate", done);
  };
  outcome.groups = analyses::validate_h200(outcome.calibration.profile, progress, files);
  return outcome;
}

ExitCode calibrate(const CalibrateOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  const auto base = calibration::base_profile(options.device, problems);
  if (!base) {
    terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  analyses::CalibrationControl control;
  control.interrupt = &context.interrupted;
  control.progress = [&terminal] { terminal.progress("calibrate", 0); };
  try {
    const EvidenceFiles files = read_evidence_files(options.evidence, options.onnx);
    for (const std::string& file : files.skipped)
      terminal.note(input::file_name(file) + ": skipped, not a known measurement format\n");
    for (const std::string& note : files.notes) terminal.note("note: " + note + '\n');
    const auto profile = output::open_if_given(options.output);
    const bool beside = profile && !profile->direct();  // nothing beside /dev/null
    const auto table =
        output::open_if_given(beside ? calibration::uncertainty_path(options.output) : std::string());
    const Outcome found = files.traces.empty() ? fit_runs(*base, files.configurations, options, control)
                                               : fit_traces(*base, files.traces, options, context);
    terminal.clear_progress();
    const std::string name =
        !options.name.empty() ? options.name : std::filesystem::path(options.output).stem().string();
    if (profile) {
      if (table)
        output::write_whole(*table,
                            calibration::uncertainty_csv_header() + uncertainty_csv(found.uncertainty, name));
      output::write_whole(*profile,
                          analyses::profile_text(found.calibration, name, source_of(options, files)));
    }
    terminal.print(parameter_table(found.calibration).text(terminal.width(), terminal.colour()) +
                   (found.groups.empty()
                        ? std::string()
                        : '\n' + error_table(found.groups).text(terminal.width(), terminal.colour())));
    const std::string words = credits(files) +
                              (files.traces.empty() ? held_out_text(found, options.quick) : "") +
                              next_log_text(found);
    if (!words.empty()) terminal.print('\n' + words);
    if (!found.calibration.converged)
      terminal.complain("the fit did not converge; the parameters are the best found");
  } catch (const calibration::CsvError& error) {
    terminal.complain(error.what());
    return ExitCode::bad_input;
  } catch (const analyses::CalibrationError& error) {
    terminal.complain(error.what());
    return ExitCode::bad_input;
  } catch (const scenarios::Interrupted&) {
    terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  return ExitCode::done;
}

}  // namespace

void add_calibrate(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "calibrate", "Fit a device profile to measurements of one board and report its error on held-out runs");
  const auto options = std::make_shared<CalibrateOptions>();
  command->add_option("DEVICE", options->device, "The shipped profile closest to the board")
      ->required()
      ->type_name("");
  command
      ->add_option("EVIDENCE", options->evidence,
                   "CSV files of measurements, or a folder of them (see docs/calibration.md)")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--onnx", options->onnx,
          "The .onnx file of a network in the evidence, which knows it by its content; may be repeated "
          "(also looked for beside the evidence, and here)")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Write the profile to this file")->type_name("FILE");
  command->add_option("--name", options->name, "Name of the profile (default: from the file name)")
      ->type_name("NAME");
  command->add_flag("--fresh", options->fresh,
                    "Start from reference ranges instead of the fitted values of the shipped profile");
  command->add_flag("--quick", options->quick, "Skip the error on held-out runs");
  add_examples(*command, {"calibrate jetson-orin-nano-super evidence.csv -o my-board.yaml",
                          "calibrate jetson-orin-nano-super evidence.csv --quick"});
  command->callback(
      [&task, options] { task = [options](Context& context) { return calibrate(*options, context); }; });
}

}  // namespace jostle::cli
