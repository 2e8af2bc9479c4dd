// `jostle calibrate`: fits the profile of a board to measurements and reports its error on held-out runs.
#include "analyses/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "analyses/calibrate/held_out.hpp"
#include "analyses/calibrate/traces.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "cli/validate/evidence_files.hpp"
#include "input/file.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

struct CalibrateOptions {
  std::string device, output, name;
  std::vector<std::string> evidence;
  bool fresh = false, quick = false;
};

Table parameter_table(const analyses::Calibration& calibration) {
  Table table({{"parameter", Align::left, 0, true},
               {"before", Align::right},
               {"fitted", Align::right},
               {"±%", Align::right},
               {"grade", Align::left, 1},
               {"variance / prior, %", Align::right, 2}});
  for (const analyses::FittedParameter& parameter : calibration.parameters) {
    table.add({parameter.path, parameter.prior, parameter.value, fmt::format("{:.1f}", 100 * parameter.sd),
               parameter.grade(), fmt::format("{:.0f}", 100 * parameter.variance_left)});
  }
  return table;
}

analyses::PriorsFrom priors_from(const CalibrateOptions& options) {
  return options.fresh ? analyses::PriorsFrom::reference : analyses::PriorsFrom::profile;
}

// The evidence as it is named in the sources of parameters.
std::string source_of(const CalibrateOptions& options) {
  std::filesystem::path path(options.evidence.front());
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

struct Outcome {
  analyses::Calibration calibration;
  std::vector<analyses::ComparisonGroup> groups;
  calibration::Uncertainty uncertainty;
};

Outcome fit_runs(const calibration::BaseProfile& base,
                 const std::vector<analyses::RunConfiguration>& configurations,
                 const CalibrateOptions& options, const analyses::CalibrationControl& control) {
  Outcome outcome{analyses::calibrate(base, configurations, priors_from(options), control), {}, {}};
  outcome.uncertainty = outcome.calibration.uncertainty();
  outcome.groups.push_back(analyses::fitted_on(outcome.calibration, configurations, control));
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
    const EvidenceFiles files = read_evidence_files(options.evidence);
    for (const std::string& file : files.skipped)
      terminal.note(input::file_name(file) + ": skipped, not a known measurement format\n");
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
      output::write_whole(*profile, analyses::profile_text(found.calibration, name, source_of(options)));
    }
    terminal.print(parameter_table(found.calibration).text(terminal.width(), terminal.colour()) +
                   (found.groups.empty()
                        ? std::string()
                        : '\n' + error_table(found.groups).text(terminal.width(), terminal.colour())));
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
