#include "cli/calibrate/automatic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/calibrate/recorded.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

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
ExitCode calibrate_automatically(const AutomaticOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  auto folder = calibration::probe::read_probe_folder(options.folder, problems);
  if (folder && options.host) folder = calibration::host_alone(std::move(*folder));
  const calibration::ProfileFiles profile(folder ? options.output : std::string());
  const auto page = output::open_if_given(options.html);
  std::optional<calibration::Recorded> recorded;
  std::optional<RecordedPlaces> places;
  calibration::ProbeCalibrationQuestion question{.output = options.output, .name = options.name};
  if (folder && !options.host && calibration::has_recorded(options.folder)) {
    recorded = calibration::read_recorded(options.folder, problems);
    if (!recorded) return terminal.refuse(problems);
    places.emplace(profile.beside() ? options.output : std::string());
    if (question.name.empty()) question.name = std::filesystem::path(places->profile()).stem().string();
    question.output = places->probed();
    question.with_networks = true;
    if (auto host_time = calibration::recorded_host_time(options.folder))
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
