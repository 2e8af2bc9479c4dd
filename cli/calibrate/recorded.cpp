#include "cli/calibrate/recorded.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "calibration/calibrate/bench.hpp"
#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/evidence/comparison.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/own_networks.hpp"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, const std::string& text) {
  output::write_whole(*output::open_if_given(path.string()), text);
}

using calibration::BoardCalibration;
using calibration::Comparison;
using calibration::ComparisonGroup;
using calibration::Recorded;
using calibration::RecordedNetwork;
using calibration::RunConfiguration;

std::string name_of(const RunConfiguration& run) {
  const fs::path path(run.model);
  return (path.extension() == ".onnx" ? path.stem() : path.filename()).string();
}

// The runs of one network in one runtime, alone.
struct Alone {
  std::vector<Comparison> rates, watts;  // `run`: "fp16 b4"
};
using ByNetwork = std::map<std::pair<std::string, std::string>, Alone>;

ByNetwork predicted_alone(const BoardCalibration& board, const Recorded& recorded, Context& context) {
  std::vector<RunConfiguration> runs;
  for (const RunConfiguration& run : recorded.evidence.configurations)
    if (!run.reference_values.empty()) runs.push_back(calibration::shortened(run));
  const auto found = calibration::simulated(board.calibration.profile, runs, &context.interrupted);
  ByNetwork all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < runs[i].reference_values.size(); ++j) {
      const auto& value = runs[i].reference_values[j];
      Alone& alone = all[{name_of(runs[i]), runs[i].runtime}];
      const Comparison one{fmt::format("{} b{}", runs[i].precision, runs[i].batch), value.metric, value.value,
                           found[i][j]};
      if (!(one.predicted > 0)) continue;
      if (value.metric == "throughput") alone.rates.push_back(one);
      if (value.metric == "power") alone.watts.push_back(one);
    }
  return all;
}

std::string mean_error(const std::vector<Comparison>& all) {
  double sum = 0;
  for (const Comparison& one : all) sum += std::abs(one.error());
  return all.empty() ? none : fmt::format("{:.1f}", 100 * sum / static_cast<double>(all.size()));
}

// The step that would help most to predict a network better, with the known in mind.
std::string next_of(const RecordedNetwork& network, const std::string& runtime, const Alone& alone) {
  if (network.traced.empty()) return runtime == "cpu" ? none : "a trace of its kernels";
  const auto missing = std::ranges::find_if(alone.rates, [&](const Comparison& one) {
    return std::ranges::find(network.traced, one.run) == network.traced.end();
  });
  if (missing != alone.rates.end()) return "a trace at " + missing->run;
  if (network.onnx.empty()) return "an ONNX file: its memory, and other batches";
  constexpr double far = 0.1;
  const bool off =
      std::ranges::any_of(alone.rates, [](const Comparison& one) { return std::abs(one.error()) > far; });
  return off ? "repeats: its rates scatter with the host" : none;
}

// The parameters of the probe's profile that the networks moved.
Table fitted_table(const BoardCalibration& board) {
  Table table({shrinking("fitted to the networks"), right("before"), right("fitted"), right("±%")});
  for (const calibration::FittedParameter& one : board.calibration.parameters)
    if (one.identified) table.add({one.path, one.prior, one.value, fmt::format("{:.1f}", 100 * one.sd)});
  return table;
}

Table networks_table(const ByNetwork& alone, const Recorded& recorded) {
  Table table({left("network"), left("runtime"), left("for example", 3), right("images/s"),
               right("predicted"), right("|error| %"), right("W, |error| %", 2), right("rates", 1),
               right("traces", 1), left("ONNX", 1), shrinking("would help most")});
  for (const auto& [key, runs] : alone) {
    if (runs.rates.empty()) continue;
    const auto& [name, runtime] = key;
    const auto network = std::ranges::find(recorded.networks, name, &RecordedNetwork::name);
    const RecordedNetwork known =
        network == recorded.networks.end() ? RecordedNetwork{.name = name, .onnx = {}} : *network;
    const Comparison& shown = runs.rates[runs.rates.size() / 2];
    table.add({name, runtime, shown.run, fmt::format("{:.1f}", shown.measured),
               fmt::format("{:.1f}", shown.predicted), mean_error(runs.rates), mean_error(runs.watts),
               fmt::format("{}", runs.rates.size()), fmt::format("{}", known.traced.size()),
               known.onnx.empty() ? "no" : "yes", next_of(known, runtime, runs)});
  }
  return table;
}

// The errors on the mixes, which no fit has seen, in sentences.
std::string mixes_text(const std::vector<ComparisonGroup>& groups) {
  std::vector<Comparison> rates, watts;
  std::vector<std::string> parts;
  for (const ComparisonGroup& group : groups) {
    std::vector<Comparison> own;
    for (const Comparison& one : group.comparisons) {
      (one.quantity == "power" ? watts : rates).push_back(one);
      if (one.quantity != "power") own.push_back(one);
    }
    if (!own.empty()) parts.push_back(fmt::format("{} {} %", group.name, mean_error(own)));
  }
  if (rates.empty()) return "No mixes were recorded, so nothing was held out.";
  return fmt::format("Your own mixes, which the fit did not see, come out within {} % in the mean ({}{}).",
                     mean_error(rates), fmt::join(parts, ", "),
                     watts.empty() ? "" : fmt::format("; their watts {} %", mean_error(watts)));
}

// The profile of the probe alone, for a machine where nothing was recorded on a GPU.
BoardCalibration without_fit(const profiles::BaseProfile& base, const std::string& name) {
  BoardCalibration board;
  board.calibration.device = base.name;
  board.calibration.converged = true;
  board.calibration.profile = base.profile;
  board.profile = fmt::format("# Written by `jostle calibrate auto`.\nname: \"{}\"\nlike: \"{}\"\n", name,
                              (fs::path(base.name).parent_path().filename() / "probe.yaml").string());
  board.uncertainty_csv = profiles::uncertainty_csv_header();
  return board;
}

}  // namespace

RecordedPlaces::RecordedPlaces(const std::string& output) : profile_(output) {
  if (output.empty()) profile_ = fs::path(scratch_.emplace().path()) / "profile.yaml";
}

fs::path RecordedPlaces::kernels() const {
  return profiles::own_networks_folder(profile_);
}

void fit_recorded(const calibration::ProbeCalibration& probed, const Recorded& recorded,
                  const RecordedPlaces& places, const calibration::ProfileFiles& files, Context& context) {
  Terminal& terminal = context.terminal;
  const bool on_gpu = std::ranges::any_of(recorded.evidence.configurations,
                                          [](const RunConfiguration& run) { return run.on_gpu(); });
  if (on_gpu && !profiles::shipped_base_profile(probed.base.device).profile.spec->has_gpu())
    throw calibration::CalibrationError(
        "the networks were recorded on a GPU, and the probe found none: measure the same machine with both");
  fs::create_directories(places.kernels());
  put(places.probed(), probed.text);
  put(profiles::uncertainty_path(places.probed()), probed.uncertainty_csv);
  for (const RecordedNetwork& network : recorded.networks)
    if (!network.onnx.empty())
      fs::copy_file(network.onnx, places.kernels() / network.onnx.filename(),
                    fs::copy_options::overwrite_existing);
  const profiles::BaseProfile base = profiles::shipped_base_profile(places.probed());
  calibration::BoardCalibrationControl control;
  control.fit.interrupt = &context.interrupted;
  control.fit.progress = [&terminal] { terminal.progress("networks", 0); };
  const BoardCalibration board = on_gpu ? calibration::calibrate_board(base, recorded.evidence,
                                                                       {.evidence = {"recorded networks"},
                                                                        .output = places.profile(),
                                                                        .name = probed.name,
                                                                        .quick = true},
                                                                       control)
                                        : without_fit(base, probed.name);
  files.write(board);
  if (!places.kept()) {  // the mixes are predicted from it all the same
    write_kernel_tables(board, places.profile());
    put(places.profile(), board.profile);
  }
  const ByNetwork alone = predicted_alone(board, recorded, context);
  const auto mixes = calibration::compare_mixes(recorded, places.profile(),
                                                [&](double done) { terminal.progress("mixes", done); });
  terminal.clear_progress();
  const int prose = std::min(terminal.width(), max_prose_width);
  const auto shown = [&terminal](const Table& table) {
    return table.rows() == 0 ? std::string() : table.text(terminal.width(), terminal.colour()) + '\n';
  };
  terminal.print('\n' + shown(fitted_table(board)) + "Networks alone:\n" +
                 shown(networks_table(alone, recorded)) + paragraph(mixes_text(mixes), prose, 0));
  std::vector<std::string> notes = recorded.notes;
  notes.insert(notes.end(), board.notes.begin(), board.notes.end());
  notes.insert(notes.end(), board.calibration.own.notes.begin(), board.calibration.own.notes.end());
  for (const std::string& note : notes) terminal.print(paragraph("note: " + note, prose, 0));
  if (!recorded.networks.empty() && places.kept())
    terminal.print(paragraph(
        fmt::format("In scenarios: device: {}, model: {}/{}, and the runtime in which it was recorded",
                    fs::path(places.profile()).filename().string(),
                    fs::path(places.profile()).stem().string(), recorded.networks.front().name),
        prose, 0));
}

}  // namespace jostle::cli
