#include "cli/import/probe_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calibration/probe/folder.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"

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
