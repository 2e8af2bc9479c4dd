#include "calibration/calibrate/board/board_calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "calibration/calibrate/held_out.hpp"
#include "calibration/calibrate/own_tables.hpp"
#include "calibration/calibrate/power_fit.hpp"
#include "calibration/calibrate/traces.hpp"
#include "calibration/validate/validate.hpp"
#include "input/counted.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"
#include "profiles/profile/uncertainty.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/factors.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

PriorsFrom priors_from(const BoardCalibrationQuestion& question) {
  return question.fresh ? PriorsFrom::reference : PriorsFrom::profile;
}

std::string name_of(const std::string& file) {
  fs::path path(file);
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

// The name of the evidence in the sources of parameters: the files that count, or, for folders, the paths as
// given.
std::string source_line(const BoardCalibrationQuestion& question, const EvidenceFiles& files) {
  std::vector<std::string> names;
  for (const EvidenceFile& file : files.files)
    if (file.used > 0) names.push_back(name_of(file.path));
  if (names.empty() || question.evidence.size() < names.size()) {  // folders were given
    names.clear();
    for (const std::string& given : question.evidence) names.push_back(name_of(given));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Adds the power of a card, fitted to the runs that have watts, and the comparison with them.
void fit_card_power(BoardCalibration& board, const profiles::BaseProfile& base,
                    const std::vector<RunConfiguration>& runs, const BoardCalibrationQuestion& question,
                    const CalibrationControl& control) {
  const auto power = fit_power(base, board.calibration, runs, !question.quick, control);
  if (!power) return;
  add_power(base, *power, board.calibration);
  board.groups.push_back(power->fitted);
  for (const ComparisonGroup& group : power->held_out.groups) board.groups.push_back(group);
  const auto note = [&board](std::size_t count, const char* why) {
    if (count > 0)
      board.notes.push_back(
          fmt::format("the watts of {} tell nothing of the card: {}", input::counted(count, "run"), why));
  };
  note(power->at_limit, "the card's power limit held them");
  note(power->off_rate, "their rates are predicted more than 10 % off");
  std::vector<profiles::Residual> residuals = std::move(board.uncertainty.residuals);
  for (profiles::Residual& residual : analyses::residuals_of(power->held_out.rows))
    residuals.push_back(std::move(residual));
  board.uncertainty = board.calibration.uncertainty();
  board.uncertainty.residuals = std::move(residuals);
}

// The runs without the power at the input, as far as something is left of them.
std::vector<RunConfiguration> without_watts(const std::vector<RunConfiguration>& runs) {
  std::vector<RunConfiguration> found;
  for (RunConfiguration run : runs) {
    const auto watts =
        std::erase_if(run.reference_values, [](const ReferenceValue& of) { return of.metric == "power"; });
    const bool empty = run.reference_values.empty() && run.kernels.empty() && run.layer_times.empty();
    if (watts == 0 || !empty) found.push_back(std::move(run));
  }
  return found;
}

BoardCalibration fit_times(const profiles::BaseProfile& base, std::vector<RunConfiguration> configurations,
                           const BoardCalibrationQuestion& question, const CalibrationControl& control) {
  BoardCalibration board{.calibration = calibrate(base, configurations, priors_from(question), control)};
  const OwnTables& tables = board.calibration.own;
  std::erase_if(configurations, [&tables](const RunConfiguration& run) { return !tables.can_run(run); });
  board.uncertainty = board.calibration.uncertainty();
  board.groups.push_back(fitted_on(board.calibration, configurations, control));
  board.next_logs = next_logs(tables.empty() ? base : with_tables(base, tables), configurations,
                              priors_from(question), board.calibration, control);
  if (question.quick) return board;
  HeldOut held_out =
      calibration::held_out(base, configurations, priors_from(question), board.calibration, control);
  for (auto& group : held_out.groups) board.groups.push_back(std::move(group));
  board.uncertainty.residuals = analyses::residuals_of(held_out.rows);
  return board;
}

// The power of a card is fitted apart from its times, on which it hardly depends; that of a board with
// governors together with them.
BoardCalibration fit_runs(const profiles::BaseProfile& base,
                          const std::vector<RunConfiguration>& configurations,
                          const BoardCalibrationQuestion& question, const CalibrationControl& control) {
  if (!has_card_power(base.profile)) return fit_times(base, configurations, question, control);
  const std::vector<RunConfiguration> timed = without_watts(configurations);
  BoardCalibration board;
  if (timed.empty() && !configurations.empty()) {
    board.calibration.device = base.name;
    board.calibration.converged = true;
    board.calibration.profile = base.profile;
    board.calibration.document = base.document;
  } else {
    board = fit_times(base, timed, question, control);
  }
  fit_card_power(board, base, configurations, question, control);
  if (board.calibration.rows == 0 && board.calibration.own.empty())
    throw CalibrationError("the runs do not identify any parameter of the profile");
  return board;
}

// Makes the profile refer to the kernel measurements in the evidence folder, if any, instead of those of the
// base.
void use_own_kernels(Calibration& found, const profiles::TraceFiles& files,
                     const BoardCalibrationQuestion& question) {
  std::error_code error;
  const fs::path folder = fs::absolute(question.evidence.front());
  if (!files.has(profiles::TraceKind::kernels) || !files.has(profiles::TraceKind::solo) ||
      !fs::exists(folder / "kernels.csv", error) || !fs::exists(folder / "solo.csv", error))
    return;
  found.profile.spec->evidence = folder.string() + '/';
  const fs::path output =
      question.output.empty() ? fs::current_path() / "profile" : fs::absolute(question.output);
  found.evidence = (folder.lexically_normal().lexically_proximate(output.parent_path()) / "").string();
}

// Makes the profile name the folder of own kernel tables that is to be written beside it.
void name_tables(BoardCalibration& board, const profiles::BaseProfile& base,
                 const BoardCalibrationQuestion& question) {
  if (board.calibration.own.empty()) return;
  const std::string stem = fs::path(question.output).stem().string();
  board.kernels = (stem.empty() ? "profile" : stem) + ".kernels/";
  board.calibration.evidence = profiles::joined_evidence(with_folder(board.kernels, base));
}

// Makes the profile be like the file of its base, and takes over that file's factors, which a list of its own
// would replace.
void name_base(Calibration& found, const profiles::BaseProfile& base,
               const BoardCalibrationQuestion& question) {
  const fs::path folder = fs::absolute(question.output.empty() ? "profile" : question.output).parent_path();
  found.like =
      fs::absolute(base.name).lexically_normal().lexically_proximate(folder.lexically_normal()).string();
  if (found.factors.empty()) return;
  std::vector<dnn::Factor> before = base.profile.factors;
  std::erase_if(before, [](const dnn::Factor& factor) { return factor.basis != profiles::own_factor_basis; });
  found.factors = dnn::with_own(found.factors, before);
}

BoardCalibration fit_traces(const profiles::BaseProfile& base, const EvidenceFiles& evidence,
                            const BoardCalibrationQuestion& question,
                            const BoardCalibrationControl& control) {
  const profiles::TraceFiles& files = evidence.traces;
  BoardCalibration board{.calibration = calibrate_traces(base, files, priors_from(question))};
  board.uncertainty = board.calibration.uncertainty();
  use_own_kernels(board.calibration, files, question);
  if (has_card_power(base.profile))
    fit_card_power(board, base, evidence.alone_in_traces, question, control.fit);
  if (question.quick) return board;
  const auto progress = [&control](double done) {
    if (control.fit.interrupt != nullptr && *control.fit.interrupt) throw scenarios::Interrupted();
    if (control.validating) control.validating(done);
  };
  for (ComparisonGroup& group : validate_h200(board.calibration.profile, progress, files))
    board.groups.push_back(std::move(group));
  return board;
}

using Json = nlohmann::ordered_json;

Json parameters_json(const Calibration& calibration) {
  Json list = Json::array();
  for (const FittedParameter& parameter : calibration.parameters)
    list.push_back({{"path", parameter.path},
                    {"before", parameter.prior},
                    {"fitted", parameter.value},
                    {"relative_sd", parameter.sd},
                    {"variance_left", parameter.variance_left},
                    {"grade", parameter.grade()}});
  return list;
}

Json errors_json(const std::vector<ComparisonGroup>& groups) {
  Json list = Json::array();
  for (const ComparisonGroup& group : groups) {
    for (const ErrorSummary& summary : summarise(group))
      list.push_back({{"runs", group.name},
                      {"quantity", summary.quantity},
                      {"count", summary.count},
                      {"mean_absolute", summary.mean_absolute},
                      {"bias", summary.bias},
                      {"worst", summary.worst}});
  }
  return list;
}

}  // namespace

BoardCalibration calibrate_board(const profiles::BaseProfile& base, const EvidenceFiles& files,
                                 const BoardCalibrationQuestion& question,
                                 const BoardCalibrationControl& control) {
  BoardCalibration board = files.traces.empty() ? fit_runs(base, files.configurations, question, control.fit)
                                                : fit_traces(base, files, question, control);
  name_tables(board, base, question);
  if (base.name.ends_with(".yaml")) name_base(board.calibration, base, question);
  board.name = !question.name.empty() ? question.name : fs::path(question.output).stem().string();
  board.profile = profile_text(board.calibration, board.name, source_line(question, files));
  board.uncertainty_csv =
      profiles::uncertainty_csv_header() + profiles::uncertainty_csv(board.uncertainty, board.name);
  return board;
}

// A calibration as one JSON object.

std::string board_calibration_json(const BoardCalibration& board, const EvidenceFiles& files) {
  Json json{{"schema", "jostle.calibration/1"},
            {"name", board.name},
            {"device", board.calibration.device},
            {"converged", board.calibration.converged},
            {"parameters", parameters_json(board.calibration)},
            {"errors", errors_json(board.groups)}};
  json["next_logs"] = Json::array();
  for (const NextLog& next : board.next_logs)
    json["next_logs"].push_back(
        {{"log", next.log}, {"narrows", next.narrows}, {"before", next.before}, {"after", next.after}});
  json["files"] = Json::array();
  for (const EvidenceFile& file : files.files)
    json["files"].push_back({{"file", file.path}, {"rows_used", file.used}, {"rows_unused", file.unused}});
  json["skipped"] = files.skipped;
  json["profile"] = board.profile;
  json["notes"] = board.calibration.own.notes;
  if (!board.kernels.empty())
    json["kernels"] = {{"folder", board.kernels},
                       {"kernels.csv", board.calibration.own.kernels_csv},
                       {"solo.csv", board.calibration.own.solo_csv}};
  json["uncertainty"] = board.uncertainty_csv;
  return output::json_text(json);
}

ProfileFiles::ProfileFiles(const std::string& profile)
    : path_(profile),
      profile_(output::open_if_given(profile)),
      uncertainty_(output::open_if_given(beside() ? profiles::uncertainty_path(profile) : std::string())) {}

void ProfileFiles::write(const std::string& profile, const std::string& uncertainty_csv) const {
  if (uncertainty_) output::write_whole(*uncertainty_, uncertainty_csv);
  if (profile_) output::write_whole(*profile_, profile);
}

void ProfileFiles::write(const BoardCalibration& board) const {
  if (beside()) write_kernel_tables(board, path_);
  write(board.profile, board.uncertainty_csv);
}

void write_kernel_tables(const BoardCalibration& board, const std::string& path) {
  if (board.kernels.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path() / board.kernels;
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : {std::pair("kernels.csv", &board.calibration.own.kernels_csv),
                                   std::pair("solo.csv", &board.calibration.own.solo_csv)})
    output::write_whole(*output::open_if_given((folder / name).string()), *text);
}

}  // namespace jostle::calibration
