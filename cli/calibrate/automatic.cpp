#include "cli/calibrate/automatic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calibration/calibrate/board/profile_files.hpp"
#include "calibration/calibrate/probed/probe_calibration.hpp"
#include "calibration/probe/folder.hpp"
#include "cli/calibrate/page.hpp"
#include "cli/calibrate/recorded.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

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
