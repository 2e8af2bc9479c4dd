#include "cli/import/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "calibration/probe/folder.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/file_id.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {
namespace {

using calibration::probe::FinishedPart;
using calibration::probe::ProbedParameter;
using calibration::probe::ProbeFolder;

Table parts_table(const ProbeFolder& folder) {
  Table table({left("part"), left(""), right("s"), right("files"), right("parameters"), right("wide"),
               shrinking("not measured", 1)});
  for (const FinishedPart& part : folder.parts) {
    const auto own = [&part](const ProbedParameter& row) { return row.part == part.name; };
    const auto wide = [&own](const ProbedParameter& row) {
      return own(row) && row.measured.relative_sd > calibration::probe::narrow;
    };
    table.add({part.name, part.quick ? "quick" : "", fmt::format("{:.0f}", part.end - part.start),
               fmt::format("{}", part.files.size()),
               fmt::format("{}", std::ranges::count_if(folder.parameters, own)),
               fmt::format("{}", std::ranges::count_if(folder.parameters, wide)), part.note});
  }
  return table;
}

std::string probe_text(const ProbeFolder& folder, const Terminal& terminal) {
  const std::string path = input::printable(folder.path.string(), 400);
  std::string text =
      fmt::format("{}: a probe of {}\n", path, input::printable(board_key(folder.identity), 400));
  text += parts_table(folder).text(terminal.width(), terminal.colour());
  for (const std::string& note : folder.notes) text += "note: " + input::printable(note, 400) + '\n';
  const auto profile = std::ranges::count_if(folder.parameters, [](const ProbedParameter& row) {
    return !row.measured.parameter.starts_with("seen.");
  });
  return text + fmt::format(
                    "{} a profile can take; {} more were seen. Next: jostle calibrate auto {} -o mine.yaml\n",
                    input::counted(profile, "parameter"),
                    static_cast<std::ptrdiff_t>(folder.parameters.size()) - profile, path);
}

}  // namespace

const std::vector<ConfigurationKind>& configuration_kinds() {
  static const std::vector<ConfigurationKind> kinds{
      {"deepstream-app", "deepstream-app's configuration, as a scenario", calibration::deepstream_scenario},
      {"triton", "the folder of a model repository of Triton, as a scenario", calibration::triton_scenario},
      {"docker-compose", "a file of docker compose, as a scenario", calibration::compose_scenario},
      {"ros2-tracing", "a trace of ros2_tracing, as babeltrace2 prints it or as CSV, as a scenario",
       calibration::ros2_scenario}};
  return kinds;
}

const ConfigurationKind* find_configuration(const std::string& name) {
  const auto& kinds = configuration_kinds();
  const auto found = std::ranges::find(kinds, name, &ConfigurationKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

namespace {

// The rate as scenarios write it; empty, with a problem, if it is none.
std::string rate_in_words(const std::string& rate, input::Problems& problems) {
  if (rate.empty()) return rate;
  const auto parsed = input::parse_quantity(rate, input::rate_dimension());
  if (parsed.value && *parsed.value > 0) return fmt::format("{:g} /s", *parsed.value);
  problems.add({}, "--rate", parsed.value ? "must be positive" : parsed.message, parsed.hint);
  return {};
}

}  // namespace

ExitCode import_scenario(const ConfigurationKind& kind, const std::string& path,
                         calibration::ImportWishes wishes, const std::string& out, Context& context) {
  input::Problems problems;
  input::note_read(path);
  wishes.folder = std::filesystem::path(out).parent_path().string();
  const auto file = output::open_if_given(out);
  wishes.rate = rate_in_words(wishes.rate, problems);
  if (!wishes.device.empty()) {
    if (const auto profile = profiles::find_profile(wishes.device, problems))
      wishes.default_mode = profile->spec->default_power_mode;
  } else if (!wishes.power_mode.empty()) {
    problems.add({}, "--power-mode", "is a mode of a board", "--device NAME says which");
  }
  const auto scenario = problems.empty() ? kind.read(path, wishes, problems) : std::nullopt;
  // A configuration of another board may ask for the impossible on this one.
  if (scenario)
    static_cast<void>(scenarios::parse_scenario({scenario->text, "the scenario of " + path, wishes.folder},
                                                scenarios::shipped_catalogue(), {}, problems));
  if (!scenario || !problems.empty()) return context.terminal.refuse(problems);
  if (file)
    output::write_whole(*file, scenario->text);
  else
    context.terminal.print_data(scenario->text);
  std::string notes;
  for (const std::string& line : scenario->unsaid) notes += fmt::format("not said: {}\n", line);
  context.terminal.note(notes);
  return ExitCode::done;
}

bool tell_of_probes(std::vector<std::string>& words, input::Problems& problems, Terminal& terminal) {
  std::vector<std::string> others;
  const bool alone = std::ranges::all_of(
      words, [](const std::string& word) { return calibration::probe::is_probe_folder(word); });
  for (const std::string& word : words) {
    if (!calibration::probe::is_probe_folder(word)) {
      others.push_back(word);
      continue;
    }
    const auto folder = calibration::probe::read_probe_folder(word, problems);
    if (!folder) continue;
    const std::string text = probe_text(*folder, terminal);
    if (alone)
      terminal.print(text);
    else
      terminal.note(text);
  }
  words = std::move(others);
  return problems.empty();
}

}  // namespace jostle::cli
