#include "cli/calibrate/automatic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "calibration/calibrate/bench.hpp"
#include "calibration/calibrate/board/recorded.hpp"
#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "output/temporaries.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/own_networks.hpp"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// Places of the files of a profile with recorded networks: the profile, and the folder beside it with the
// probe's own profile, kernel tables and ONNX files. Without an output they are in a folder that goes with
// this object.
class RecordedPlaces {
 public:
  // `output`: path of the profile; empty: none is asked for.
  explicit RecordedPlaces(const std::string& output) : profile_(output) {
    if (output.empty()) profile_ = fs::path(scratch_.emplace().path()) / "profile.yaml";
  }

  [[nodiscard]] std::string profile() const { return profile_.string(); }
  [[nodiscard]] fs::path kernels() const { return profiles::own_networks_folder(profile_); }
  [[nodiscard]] std::string probed() const { return (kernels() / "probe.yaml").string(); }
  [[nodiscard]] bool kept() const { return !scratch_; }

 private:
  std::optional<output::TemporaryFolder> scratch_;
  fs::path profile_;
};

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

// Writes `probed` to its place, fits a profile like it to the recorded networks (none on a GPU: takes the
// probe's), writes that into `files` and to places.profile(), and prints how it predicts each network alone,
// and the mixes, which the fit did not see. Throws as calibrate_board() does.
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

using Page = nlohmann::ordered_json;

// The probed value over that of the base; 0 if units or values do not allow it.
double ratio_to_base(const calibration::ProbedFigure& figure) {
  const auto before = input::quantity(figure.before), after = input::quantity(figure.value);
  if (!before || !after || !(before->number > 0)) return 0;
  const double unit = before->unit == after->unit                     ? 1
                      : before->unit == "ms" && after->unit == "us"   ? 1e-3
                      : before->unit == "us" && after->unit == "ms"   ? 1e3
                      : before->unit == "GHz" && after->unit == "MHz" ? 1e-3
                      : before->unit == "MHz" && after->unit == "GHz" ? 1e3
                                                                      : 0;
  return unit * after->number / before->number;
}

// The head of the page: how many parameters the probe gives and how sure, and what differs most from the
// base.
PageWords probe_words(const calibration::ProbeCalibration& found) {
  PageWords words;
  words.question =
      "Which profile describes the machine that the probe ran on, and how does it differ from the nearest "
      "shipped one";
  words.scenario = fmt::format("{}, on the profile {}", found.name, found.base.device);
  Table table({shrinking("parameter"), right("probed"), right("± %"), right("base", 60), right("times", 70),
               left("grade", 50)});
  std::vector<const calibration::ProbedFigure*> order;
  for (const calibration::ProbedFigure& figure : found.figures)
    if (ratio_to_base(figure) > 0) order.push_back(&figure);
  std::ranges::stable_sort(order, std::greater{}, [](const calibration::ProbedFigure* figure) {
    return std::abs(std::log(ratio_to_base(*figure)));
  });
  constexpr std::size_t shown = 6;
  for (std::size_t i = 0; i < std::min(order.size(), shown); ++i)
    table.add({order[i]->path, order[i]->value, fmt::format("{:.2g}", 100 * order[i]->relative_sd),
               order[i]->before, fmt::format("{:.3g}", ratio_to_base(*order[i])), order[i]->grade});
  const auto sure = std::ranges::count_if(
      found.figures, [](const calibration::ProbedFigure& figure) { return figure.relative_sd <= 0.02; });
  words.answer.push_back(
      {"what differs most from the base",
       {table},
       {fmt::format("{} parameters measured or fitted, {} of them within 2 %; {} not taken",
                    found.figures.size(), sure, found.left_out.size())}});
  words.why.push_back(fmt::format("the base is {}: {}",
                                  found.base.exact ? "this board or card" : "its nearest relative",
                                  found.base.reason));
  if (!found.next.empty()) words.best = "record next: " + found.next.front();
  words.trust.emplace_back(
      "± is the standard error of what the probe measured; grades are those of docs/profiles.md");
  return words;
}

std::string probed_page(const calibration::ProbeCalibration& found,
                        const calibration::probe::ProbeFolder& folder) {
  Page data{
      {"words", words_json(probe_words(found))},
      {"base", {{"device", found.base.device}, {"exact", found.base.exact}, {"reason", found.base.reason}}},
      {"figures", Page::array()},
      {"identity", found.identity},
      {"loads", Page::array()},
      {"kernels", Page::array()},
      {"left_out", found.left_out},
      {"set_aside", folder.notes},
      {"next", found.next}};
  for (const calibration::ProbedFigure& figure : found.figures)
    data["figures"].push_back({{"path", figure.path},
                               {"value", figure.value},
                               {"grade", figure.grade},
                               {"relative_sd", rounded(figure.relative_sd)},
                               {"base", figure.before},
                               {"base_grade", figure.before_grade},
                               {"ratio", rounded(ratio_to_base(figure))},
                               {"source", figure.source}});
  for (const calibration::LoadWatts& load : found.power.loads)
    data["loads"].push_back({{"load", load.load},
                             {"measured_w", rounded(load.measured)},
                             {"base_w", rounded(load.base)},
                             {"fitted_w", rounded(load.fitted)},
                             {"left_out", load.left_out}});
  for (const calibration::KernelTime& kernel : found.kernels.kernels)
    data["kernels"].push_back({{"kind", kernel.kind},
                               {"size", kernel.size},
                               {"measured_us", rounded(kernel.measured_us)},
                               {"base_us", rounded(kernel.base_us)},
                               {"fitted_us", rounded(kernel.fitted_us)}});
  return html_page("calibrate", fmt::format("{}: a profile by a probe", found.name), data);
}

using calibration::ProbeCalibration;
using calibration::ProbedFigure;

std::string ratio_text(const ProbedFigure& figure) {
  const double ratio = ratio_to_base(figure);
  return ratio > 0 ? fmt::format("{:.3g}", ratio) : "";
}

Table figures_table(const ProbeCalibration& found) {
  Table table({shrinking("parameter"), right("base"), left("grade", 1), right("probed"), right("±%"),
               left("grade"), right("ratio", 2)});
  for (const ProbedFigure& figure : found.figures)
    table.add({figure.path, figure.before.empty() ? none : figure.before, figure.before_grade, figure.value,
               fmt::format("{:.1f}", 100 * figure.relative_sd), figure.grade, ratio_text(figure)});
  return table;
}

// The loads of the part `power`: how the base and the fit predict their watts. Empty without them.
std::string power_table(const ProbeCalibration& found, const Terminal& terminal) {
  if (found.power.loads.empty()) return {};
  Table table({left("load, W"), {"measured"}, {"base"}, {"fitted"}, shrinking("not used", 1)});
  for (const calibration::LoadWatts& load : found.power.loads) {
    const bool used = load.left_out.empty();
    table.add({load.load, fmt::format("{:.1f}", load.measured),
               used ? fmt::format("{:.1f}", load.base) : none,
               used ? fmt::format("{:.1f}", load.fitted) : none, load.left_out});
  }
  return '\n' + table.text(terminal.width(), terminal.colour());
}

// The kernels of the probe, and the cost model's times of them.
std::string kernel_table(const ProbeCalibration& found, const Terminal& terminal) {
  if (found.kernels.kernels.empty()) return {};
  Table table({left("kernel, us"), right("size"), right("measured"), right("base"), right("fitted")});
  for (const calibration::KernelTime& one : found.kernels.kernels)
    table.add({one.kind, fmt::format("{:.0f}", one.size), fmt::format("{:.4g}", one.measured_us),
               fmt::format("{:.4g}", one.base_us), fmt::format("{:.4g}", one.fitted_us)});
  return '\n' + table.text(terminal.width(), terminal.colour());
}

std::string list_of(const std::string& heading, const std::vector<std::string>& lines, int width) {
  if (lines.empty()) return {};
  std::string text = heading + ":\n";
  for (const std::string& line : lines) text += paragraph("- " + line, std::min(width, max_prose_width), 2);
  return text;
}

std::string words_of(const ProbeCalibration& found, const calibration::probe::ProbeFolder& folder,
                     int width) {
  const auto sure = std::ranges::count_if(found.figures, [](const ProbedFigure& figure) {
    return figure.relative_sd <= calibration::probe::narrow;
  });
  std::string text =
      fmt::format("\n{} measured, {} of them within {:.0f} %. ",
                  input::counted(found.figures.size(), "parameter"), sure, 100 * calibration::probe::narrow);
  if (!found.identity.empty()) text += fmt::format("From the system: {}. ", fmt::join(found.identity, ", "));
  text += "All others are as in the base.\n";
  text += list_of("Not taken", found.left_out, width);
  text += list_of("Set aside by the probe", folder.notes, width);
  return text + list_of("Next", found.next, width);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what is read, opened, fitted and written, one after another
ExitCode calibrate_automatically(const CalibrateOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  auto folder = calibration::probe::read_probe_folder(options.evidence.front(), problems);
  if (folder && options.host) folder = calibration::host_alone(std::move(*folder));
  const calibration::ProfileFiles profile(folder ? options.output : std::string());
  const auto page = output::open_if_given(options.html);
  std::optional<calibration::Recorded> recorded;
  std::optional<RecordedPlaces> places;
  calibration::ProbeCalibrationQuestion question{.output = options.output, .name = options.name};
  if (folder && !options.host && calibration::has_recorded(options.evidence.front())) {
    recorded = calibration::read_recorded(options.evidence.front(), problems);
    if (!recorded) return terminal.refuse(problems);
    places.emplace(profile.beside() ? options.output : std::string());
    if (question.name.empty()) question.name = std::filesystem::path(places->profile()).stem().string();
    question.output = places->probed();
    question.with_networks = true;
    if (auto host_time = calibration::recorded_host_time(options.evidence.front()))
      question.more = {*std::move(host_time)};
  }
  const auto found = folder ? calibration::calibrate_probe(*folder, question, problems) : std::nullopt;
  if (!found) return terminal.refuse(problems);
  if (page) output::write_whole(*page, probed_page(*found, *folder));
  terminal.print(paragraph(fmt::format("Base: {}{}: {}.", found->base.device,
                                       found->base.exact ? "" : ", the nearest relative", found->base.reason),
                           std::min(terminal.width(), max_prose_width), 0));
  if (!found->figures.empty())
    terminal.print('\n' + figures_table(*found).text(terminal.width(), terminal.colour()));
  terminal.print(kernel_table(*found, terminal));
  terminal.print(power_table(*found, terminal));
  terminal.print(words_of(*found, *folder, terminal.width()));
  if (recorded)
    fit_recorded(*found, *recorded, *places, profile, context);
  else
    profile.write(found->text, found->uncertainty_csv);
  if (!profile.asked()) terminal.note("No profile was written, as there is no --output.\n");
  return ExitCode::done;
}

}  // namespace jostle::cli
